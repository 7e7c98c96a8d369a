// Looks of bodies in the scene: what is drawn in place of shapes, with which paint, and what lies before what in the plane.
import type { MeshStandardMaterial } from 'three'
import { Box3, Mesh } from 'three'
import { expect, test } from 'vitest'
import type { SceneData, ShapeData } from '../../src/scene/data'
import { linkKind } from '../../src/scene/links'
import { Mechanism } from '../../src/scene/mechanism'
import { Materials, themes } from '../../src/scene/theme'
import { sectionsOf } from '../../src/studio/panels/sections'
import { pictures } from '../../src/studio/pictures'

const still = { position: [0, 0, 0], rotation: [1, 0, 0, 0] }
const surface = { metalness: 0, roughness: 0.9, opacity: 1 }
const disc = (radius: number, colour?: number, opacity = 1): ShapeData => ({
  ...still,
  kind: 'cylinder',
  size: [radius, 1],
  surface: { ...surface, opacity, ...(colour === undefined ? {} : { colour }) },
})
const poses = Float32Array.of(0, 1, 0, 1, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0)

/** A wheel and a box above it, both guided along y. */
function rig(wheel: ShapeData[], box: ShapeData[], ground?: ShapeData[]): SceneData {
  const body = (name: string, looks: ShapeData[]) => ({
    name,
    type: 'rigid',
    mass: 1,
    com: [0, 0, 0],
    inertia: [0, 0, 1, 0, 0, 0],
    watched: false,
    shapes: [{ ...still, kind: 'box' as const, size: [1, 1, 1] }],
    looks,
  })
  const guide = (b: number) => ({
    name: `guide${b}`,
    type: 'translational',
    glyph: 'slide',
    end1: { ...still, body: -1 },
    end2: { ...still, body: b },
  })
  return {
    name: 'rig',
    dimension: 2,
    gravity: [0, -9.81, 0],
    units: { length: 'm', time: 's' },
    ground: { shapes: [], looks: ground },
    bodies: [body('wheel', wheel), body('box', box)],
    frames: [],
    joints: [guide(0), guide(1)],
    couplings: [],
    forces: [],
  }
}

function draw(data: SceneData): { mechanism: Mechanism; solids: (body: number) => Mesh[] } {
  const mechanism = new Mechanism(data, [poses], new Materials(themes.light))
  mechanism.root.updateMatrixWorld(true)
  const solids = (body: number) => {
    const found: Mesh[] = []
    mechanism.surfaces()[body].traverse((part) => part instanceof Mesh && found.push(part))
    return found
  }
  return { mechanism, solids }
}
const colour = (mesh: Mesh) => (mesh.material as MeshStandardMaterial).color.getHex()

test('looks are drawn instead of shapes, in their colours', () => {
  const { solids } = draw(rig([disc(1, 0x112233), disc(0.5)], []))
  expect(solids(0).map(colour)).toEqual([0x112233, themes.light.bodies[0]])
  expect(solids(1).length).toBe(1) // the box that it has as a shape
})

test('a look without a shape paints what is drawn without looks', () => {
  const { solids } = draw(rig([{ ...still, kind: 'none', size: [], surface: { ...surface, colour: 0x445566 } }], []))
  expect(solids(0).map(colour)).toEqual([0x445566])
})

test('glass lets light through and casts no shadow', () => {
  const [glass] = draw(rig([disc(1, 0xffffff, 0.3)], [])).solids(0)
  expect((glass.material as MeshStandardMaterial).transparent).toBe(true)
  expect((glass.material as MeshStandardMaterial).opacity).toBe(0.3)
  expect(glass.castShadow).toBe(false)
})

test('in the plane later looks and later bodies are in front, ground is behind', () => {
  const { mechanism, solids } = draw(rig([disc(1), disc(0.5)], [disc(1)], [disc(3, 0x010203)]))
  const top = (mesh: Mesh) => new Box3().setFromObject(mesh).max.z
  const [tyre, rim] = solids(0).map(top)
  const [chassis] = solids(1).map(top)
  expect(rim).toBeGreaterThan(tyre)
  expect(chassis).toBeGreaterThan(rim)
  const ground: Mesh[] = []
  mechanism.root.traverse((part) => part instanceof Mesh && colour(part) === 0x010203 && ground.push(part))
  expect(ground.length).toBe(1)
  expect(top(ground[0])).toBeLessThan(new Box3().setFromObject(solids(0)[0]).min.z)
})

test('bodies with looks have no carriages, ground with looks no rails', () => {
  const parts = (data: SceneData) => draw(data).mechanism.connections().length
  const bare = rig([], [])
  expect(parts(bare)).toBe(4)
  expect(parts(rig([disc(1)], []))).toBe(3)
  expect(parts(rig([disc(1)], [disc(1)], [disc(3)]))).toBe(0)
})

test('a tube is round, closed and has a bore', () => {
  const tube: ShapeData = { ...still, kind: 'tube', size: [2, 3, 1], surface }
  const [mesh] = draw({ ...rig([tube], []), dimension: 3 }).solids(0)
  const at = mesh.geometry.getAttribute('position')
  const radii = Array.from({ length: at.count }, (_, k) => Math.hypot(at.getX(k), at.getY(k)))
  expect(Math.max(...radii)).toBeCloseTo(2, 5)
  expect(Math.min(...radii)).toBeCloseTo(1, 5)
  // the volume that the triangles enclose, by the divergence theorem
  const index = mesh.geometry.getIndex()!
  let volume = 0
  for (let k = 0; k < index.count; k += 3) {
    const [a, b, c] = [0, 1, 2].map((i) => index.getX(k + i)).map((v) => [at.getX(v), at.getY(v), at.getZ(v)])
    const cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]
    volume += (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6
  }
  expect(volume / (Math.PI * 3 * 3)).toBeGreaterThan(0.99) // outwards, and a polygon of many sides
  expect(volume / (Math.PI * 3 * 3)).toBeLessThan(1)
})

test('a floor far below is looked at together with what falls onto it', () => {
  const data = rig([disc(0.1)], [disc(0.1)])
  data.joints = []
  data.ground.shapes = [{ position: [0, -1, 0], rotation: [1, 0, 0, 0], kind: 'half_space', size: [] }]
  const { mechanism } = draw(data)
  expect(mechanism.bounds.min.y).toBeCloseTo(-1, 6)
  data.ground.shapes[0].position = [0, -1000, 0]
  expect(draw(data).mechanism.bounds.min.y).toBeGreaterThan(0) // room to fly, not the floor
})

test('a guide between stops is as long as its travel', () => {
  const data = rig([], [])
  data.joints[0].limits = [{ coordinate: 'position', low: -3, high: 5 }]
  const { mechanism } = draw(data)
  const [rail] = mechanism.connections()
  const { min, max } = new Box3().setFromObject(rail)
  const over = -3 - min.x
  expect(over).toBeGreaterThan(0)
  expect(max.x - 5).toBeCloseTo(over, 5)
})

const around = (object: Mesh) => new Box3().setFromObject(object)

test('ellipsoids of one body have sizes of their own', () => {
  const ellipsoid = (...size: number[]): ShapeData => ({ ...disc(1), kind: 'ellipsoid', size })
  const { solids } = draw(rig([ellipsoid(3, 1, 1), ellipsoid(2, 1, 1)], [disc(1)]))
  const widths = solids(0).map((part) => around(part).max.x)
  expect(widths[0]).toBeCloseTo(3, 1)
  expect(widths[1]).toBeCloseTo(2, 1)
})

test('an outline that comes back to its first corner has a hole', () => {
  const square = (r: number) => [
    [r, r],
    [-r, r],
    [-r, -r],
    [r, -r],
    [r, r],
  ]
  const ring: ShapeData = { ...disc(1), kind: 'polygon', size: [0.01], corners: [...square(2), ...square(1)] }
  const [part] = draw(rig([ring], [disc(1)])).solids(0)
  const { position } = part.geometry.attributes
  let area = 0
  for (let k = 0; k < position.count; k += 3) {
    const [ax, ay, bx, by, cx, cy] = [0, 1, 2].flatMap((i) => [position.getX(k + i), position.getY(k + i)])
    area += Math.abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
  }
  expect(area).toBeCloseTo(2 * (16 - 4), 6) // front and back
})

test('a force is drawn as what it is', () => {
  const between = (type: string, more = {}) => ({
    name: type,
    type,
    end1: { ...still, body: 0 },
    end2: { ...still, body: 1 },
    ...more,
  })
  expect(linkKind(between('spring'))).toBe('spring')
  expect(linkKind(between('spring', { damper: true }))).toBe('damper')
  expect(linkKind(between('gas-cylinder'))).toBe('cylinder')
  expect(linkKind(between('torsion-spring'))).toBeUndefined() // its ends are bodies, not places
  expect(linkKind(between('pneumatic-cylinder', { end2: { ...still, body: 0 } }))).toBeUndefined()
  expect(linkKind(between('friction'))).toBeUndefined()
})

test('a floor that is only looked at is painted as a floor, unless it has a colour', () => {
  const floor = (colour?: number): ShapeData => ({
    ...disc(1, colour),
    kind: 'half_space',
    size: [],
  })
  const paints = (ground: ShapeData) => {
    const data = { ...rig([disc(1)], [disc(1)], [ground]), dimension: 3 as const }
    const found: unknown[] = []
    draw(data).mechanism.root.traverse((part) => part instanceof Mesh && found.push(part.userData.paint))
    return found
  }
  expect(paints(floor())).toContain('wall') // z of its place is across gravity here
  expect(paints(floor(0x336633))).not.toContain('wall')
})

test('every model of the gallery is in a section', () => {
  const models = Object.keys(pictures).map((name) => ({ name }))
  const sections = sectionsOf(models)
  expect(sections.map(({ title }) => title)).not.toContain('More')
  expect(sections.flatMap((section) => section.models)).toHaveLength(models.length)
  expect(sectionsOf([{ name: 'new one' }])).toEqual([{ title: 'More', models: [{ name: 'new one' }] }])
})
