// Pictures of joints, one for each glyph that joint types name. A glyph has a part on each end; in space its axis is z
// of the joint's frame, in the plane sliding goes along x and hinges turn about z.
import type { Mesh, Object3D } from 'three'
import { CylinderGeometry, Group, OctahedronGeometry, TorusGeometry, Quaternion, Vector3 } from 'three'
import { ball, bar, box, cylinderZ, solid, shared } from './solids'
import type { Materials, Paint } from './theme'

export interface GlyphContext {
  planar: boolean
  /** half the thickness of what is joined, m */
  radius: number
  /** colours of the two bodies */
  paint1: Paint
  paint2: Paint
  /** planar: height of the layers of the two ends above the plane */
  height1: number
  height2: number
  /** how far end 2 goes along the axis of end 1: least and most, m */
  range: [number, number]
  materials: Materials
}

/** What is drawn at the joint's frame on body 1, and on body 2. */
export interface GlyphParts {
  on1: Object3D[]
  on2: Object3D[]
}

type Glyph = (c: GlyphContext) => GlyphParts

function at<T extends Object3D>(object: T, x: number, y: number, z: number): T {
  object.position.set(x, y, z)
  return object
}

function steel(c: GlyphContext, geometry: Parameters<typeof solid>[0], edges = true): Mesh {
  return solid(geometry, c.materials, 'steel', edges)
}

/** A pin through the layers of both bodies. */
function planarPin(c: GlyphContext, radius: number): Object3D[] {
  const low = Math.min(c.height1, c.height2) - 1.1 * c.radius
  const high = Math.max(c.height1, c.height2) + 1.1 * c.radius
  const pin = at(steel(c, cylinderZ(radius, high - low)), 0, 0, (low + high) / 2)
  const head = at(steel(c, cylinderZ(0.45 * radius, 0.5 * c.radius, 24)), 0, 0, high + 0.1 * c.radius)
  return [pin, head]
}

const hinge: Glyph = (c) => {
  const r = c.radius
  if (c.planar) return { on1: planarPin(c, 0.95 * r), on2: [] }
  return {
    on1: [solid(cylinderZ(1.55 * r, 2.6 * r), c.materials, c.paint1)],
    on2: [steel(c, cylinderZ(0.85 * r, 4 * r))],
  }
}

const spherical: Glyph = (c) => {
  const r = c.radius
  const ring = solid(
    shared(`ring ${r}`, () => new TorusGeometry(1.65 * r, 0.42 * r, 16, 48)),
    c.materials,
    c.paint1,
    false,
  )
  return { on1: [ring], on2: [steel(c, ball(1.6 * r), false)] }
}

/** radii that a rail is longer at each end than what slides along it goes */
export const RAIL_OVER = 5

/** The straight thing that something slides along: where end 2 goes, and a little more. */
function rail(c: GlyphContext, width: number, round: boolean, paint: Paint): Mesh {
  const over = RAIL_OVER * c.radius
  const length = c.range[1] - c.range[0] + 2 * over
  const middle = (c.range[0] + c.range[1]) / 2
  if (!c.planar) {
    const geometry = round ? cylinderZ(width, length) : box(2 * width, 2 * width, length)
    return at(solid(geometry, c.materials, paint), 0, 0, middle)
  }
  const behind = Math.min(c.height1, c.height2) - 1.2 * c.radius
  return at(solid(box(length, 2 * width, 0.5 * c.radius), c.materials, paint), middle, 0, behind)
}

const slide: Glyph = (c) => {
  const r = c.radius
  const carriage = c.planar
    ? at(steel(c, box(4.4 * r, 2.8 * r, 1.6 * r)), 0, 0, c.height2)
    : steel(c, box(2.9 * r, 2.9 * r, 4.4 * r))
  return { on1: [rail(c, 0.6 * r, false, 'rail')], on2: [carriage] }
}

const sleeve: Glyph = (c) => ({
  on1: [rail(c, 0.7 * c.radius, true, 'rail')],
  on2: [steel(c, cylinderZ(1.5 * c.radius, 4.4 * c.radius))],
})

const screw: Glyph = (c) => {
  const r = c.radius
  const rod = rail(c, 0.75 * r, true, 'rail')
  const length = c.range[1] - c.range[0] + 10 * r
  const turns = Math.min(Math.ceil(length / (0.9 * r)), 60)
  for (let k = 0; k < turns; k++) {
    const thread = solid(new TorusGeometry(0.85 * r, 0.16 * r, 8, 24), c.materials, 'rail', false)
    rod.add(at(thread, 0, 0, ((k + 0.5) / turns - 0.5) * length))
  }
  return { on1: [rod], on2: [steel(c, cylinderZ(1.9 * r, 2.4 * r, 6))] }
}

const slot: Glyph = (c) => ({
  on1: [rail(c, 1.1 * c.radius, false, 'rail')],
  on2: [at(steel(c, cylinderZ(0.95 * c.radius, 3.2 * c.radius)), 0, 0, c.height2)],
})

const bead: Glyph = (c) => ({
  on1: [rail(c, 0.45 * c.radius, true, 'rail')],
  on2: [steel(c, ball(1.6 * c.radius), false)],
})

const cardan: Glyph = (c) => {
  const r = c.radius
  return {
    on1: [steel(c, cylinderZ(0.7 * r, 4.6 * r)), steel(c, box(1.7 * r, 1.7 * r, 1.7 * r))],
    on2: [steel(c, cylinderZ(0.7 * r, 4.6 * r))],
  }
}

const coupling: Glyph = (c) => ({
  on1: [at(solid(cylinderZ(1.9 * c.radius, 0.8 * c.radius), c.materials, c.paint1), 0, 0, -0.45 * c.radius)],
  on2: [at(solid(cylinderZ(1.9 * c.radius, 0.8 * c.radius), c.materials, c.paint2), 0, 0, 0.45 * c.radius)],
})

const weld: Glyph = (c) => {
  const edge = 1.8 * c.radius
  return { on1: [at(steel(c, box(edge, edge, edge)), 0, 0, c.height1)], on2: [] }
}

/** A table that end 2 moves on. */
const table: Glyph = (c) => ({
  on1: [solid(box(9 * c.radius, 9 * c.radius, 0.3 * c.radius), c.materials, 'rail')],
  on2: [steel(c, new CylinderGeometry(1.5 * c.radius, 1.5 * c.radius, 0.8 * c.radius, 32).rotateX(Math.PI / 2))],
})

const track: Glyph = (c) => ({ on1: [rail(c, 0.3 * c.radius, false, 'ground')], on2: [] })

const blade: Glyph = (c) => ({
  on1: [],
  on2: [at(steel(c, box(5 * c.radius, 0.5 * c.radius, 2.4 * c.radius)), 0, 0, c.height2)],
})

const balls: Glyph = (c) => ({
  on1: [at(steel(c, ball(1.15 * c.radius), false), 0, 0, c.height1)],
  on2: [at(steel(c, ball(1.15 * c.radius), false), 0, 0, c.height2)],
})

const nothing: Glyph = () => ({ on1: [], on2: [] })

/** For types that people write themselves: where they act on each body. */
const diamonds: Glyph = (c) => ({
  on1: [at(solid(new OctahedronGeometry(1.5 * c.radius), c.materials, c.paint1), 0, 0, c.height1)],
  on2: [at(solid(new OctahedronGeometry(1.3 * c.radius), c.materials, c.paint2), 0, 0, c.height2)],
})

const glyphs: Record<string, Glyph> = {
  hinge,
  slide,
  sleeve,
  screw,
  slot,
  bead,
  weld,
  blade,
  ball: spherical,
  cross: cardan,
  'shaft-coupling': coupling,
  plane: table,
  foot: table,
  wheel: track,
  disc: nothing,
  gear: nothing,
  rod: balls,
}

export function glyphParts(name: string | undefined, context: GlyphContext): GlyphParts {
  return (glyphs[name ?? ''] ?? diamonds)(context)
}

/** Ground under a planar pivot: the triangle of textbooks, pointing along gravity. down: its direction, rad. */
export function groundSupport(c: GlyphContext, down: number): Group {
  const group = new Group()
  const r = c.radius
  const wedge = solid(
    shared(`wedge ${r}`, () => new CylinderGeometry(2.5 * r, 2.5 * r, 1.2 * r, 3).rotateX(Math.PI / 2)),
    c.materials,
    'ground',
  )
  const foot = solid(box(0.7 * r, 6.4 * r, 1.2 * r), c.materials, 'ground')
  wedge.rotation.z = -Math.PI / 2
  wedge.position.x = 1.35 * r
  foot.position.x = 2.9 * r
  group.add(wedge, foot)
  group.rotation.z = down
  group.position.z = c.height1
  return group
}

/** A post that stands on its foot and holds something at its top. */
export function post(foot: Vector3, top: Vector3, radius: number, materials: Materials): Group {
  const group = new Group()
  const up = top.clone().sub(foot).normalize()
  const disc = solid(cylinderZ(2.6 * radius, 0.5 * radius), materials, 'ground')
  disc.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up))
  disc.position.copy(foot).addScaledVector(up, 0.25 * radius)
  const pole = solid(bar(new Vector3(), top.clone().sub(foot), 0.5 * radius), materials, 'ground', false)
  pole.position.copy(foot)
  group.add(disc, pole)
  return group
}
