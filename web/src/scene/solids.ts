// Geometry: shapes of bodies and the simple solids from which glyphs and stand-ins are made.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  EdgesGeometry,
  ExtrudeGeometry,
  Group,
  LineSegments,
  Matrix4,
  Mesh,
  Path,
  PlaneGeometry,
  Quaternion,
  Shape,
  ShapeUtils,
  SphereGeometry,
  TorusGeometry,
  Vector2,
  Vector3,
} from 'three'
import type { ShapeData } from './data'
import { bytesOf } from './data'
import { alongZ } from './looks'
import { matrixOf } from './space'
import type { Materials, Paint } from './theme'

const Z = new Vector3(0, 0, 1)
const EDGE_ANGLE = 32 // degrees: flatter meetings of faces are one round surface

/** Geometry of the mechanism that is being made, by its measures: equal parts of many bodies share it. */
const made = new Map<string, BufferGeometry>()
const edgesOf = new WeakMap<BufferGeometry, EdgesGeometry>()

/** Sides of what is round, of as many as it has in models of few bodies. */
let fineness = 1

/** Another mechanism begins; what the last one shared is its own affair. fine: part (0 to 1) of the sides that what is round
 * has in models of few bodies. */
export function forgetGeometry(fine: number): void {
  made.clear()
  fineness = fine
}

const sides = (count: number): number => Math.max(Math.round(fineness * count), 6)

export function shared(key: string, make: () => BufferGeometry): BufferGeometry {
  let geometry = made.get(key)
  if (!geometry) {
    geometry = make()
    made.set(key, geometry)
  }
  return geometry
}

function edges(geometry: BufferGeometry): EdgesGeometry {
  let lines = edgesOf.get(geometry)
  if (!lines) {
    lines = new EdgesGeometry(geometry, EDGE_ANGLE)
    edgesOf.set(geometry, lines)
  }
  return lines
}

/** A solid with its edges drawn. */
export function solid(geometry: BufferGeometry, materials: Materials, paint: Paint, outlined = true): Mesh {
  const mesh = new Mesh(geometry, materials.solid(paint))
  mesh.userData.paint = paint
  mesh.castShadow = true
  mesh.receiveShadow = true
  if (outlined) {
    const lines = new LineSegments(edges(geometry), materials.edge)
    lines.raycast = () => {}
    mesh.add(lines)
  }
  return mesh
}

/** A cylinder along z. */
export function cylinderZ(radius: number, length: number, segments = 40): BufferGeometry {
  return shared(`cylinder ${radius} ${length} ${segments}`, () => rawCylinderZ(radius, length, sides(segments)))
}

function rawCylinderZ(radius: number, length: number, segments: number): BufferGeometry {
  return new CylinderGeometry(radius, radius, length, segments).rotateX(Math.PI / 2)
}

export function box(x: number, y: number, z: number): BufferGeometry {
  return shared(`box ${x} ${y} ${z}`, () => new BoxGeometry(x, y, z))
}

/** A square across z that is seen from above. */
export function sheet(width: number): BufferGeometry {
  return new PlaneGeometry(width, width)
}

export function ball(radius: number): BufferGeometry {
  return shared(`ball ${radius}`, () => new SphereGeometry(radius, sides(40), sides(24)))
}

/** From z = 0 to z = 1, to be stretched between two points. */
export function unitCylinder(radius: number): BufferGeometry {
  return shared(`unit ${radius}`, () => rawCylinderZ(radius, 1, sides(20)).translate(0, 0, 0.5))
}

function capsuleZ(radius: number, length: number): BufferGeometry {
  return new CapsuleGeometry(radius, length, fineness < 1 ? 2 : 12, sides(32)).rotateX(Math.PI / 2)
}

/** What is left of a capsule in a crowd, where its ends are within other things. */
function stickZ(radius: number, length: number): BufferGeometry {
  return new CylinderGeometry(radius, radius, length, sides(20), 1, true).rotateX(Math.PI / 2)
}

/** A round bar between two points. */
export function bar(from: Vector3, to: Vector3, radius: number): BufferGeometry {
  const along = to.clone().sub(from)
  const turn = new Quaternion().setFromUnitVectors(Z, along.clone().normalize())
  const place = new Matrix4().compose(from.clone().add(to).multiplyScalar(0.5), turn, new Vector3(1, 1, 1))
  const key = `bar ${[...from.toArray(), ...to.toArray()].map((x) => x.toPrecision(7)).join()} ${radius}`
  const make = fineness < 1 ? stickZ : capsuleZ
  return shared(key, () => make(radius, along.length()).applyMatrix4(place))
}

function cross(o: Vector2, a: Vector2, b: Vector2): number {
  return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x)
}

/** Convex hull, counter-clockwise (monotone chain). */
function hull(points: Vector2[]): Vector2[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y)
  const half = (list: Vector2[]): Vector2[] => {
    const chain: Vector2[] = []
    for (const p of list) {
      while (chain.length >= 2 && cross(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop()
      chain.push(p)
    }
    return chain.slice(0, -1)
  }
  return sorted.length < 2 ? sorted : [...half(sorted), ...half(sorted.reverse())]
}

/** A plate in the x-y plane around points (at least two): their hull, made wider by radius, with round corners. */
export function plate(points: Vector3[], radius: number, thickness: number): BufferGeometry {
  const corners = hull(points.map((p) => new Vector2(p.x, p.y)))
  const outline = new Shape()
  corners.forEach((corner, i) => {
    const before = corners[(i + corners.length - 1) % corners.length]
    const after = corners[(i + 1) % corners.length]
    const from = Math.atan2(before.x - corner.x, corner.y - before.y)
    const to = Math.atan2(corner.x - after.x, after.y - corner.y)
    outline.absarc(corner.x, corner.y, radius, from, to, false)
  })
  outline.closePath()
  const bevel = 0.22 * thickness
  return new ExtrudeGeometry(outline, {
    depth: thickness - 2 * bevel,
    bevelThickness: bevel,
    bevelSize: bevel,
    bevelOffset: -bevel,
    bevelSegments: 3,
    curveSegments: 24,
  }).translate(0, 0, bevel - thickness / 2)
}

function mesh(shape: ShapeData): BufferGeometry {
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(bytesOf(shape.vertices!)), 3))
  geometry.setIndex(new BufferAttribute(new Uint32Array(bytesOf(shape.triangles!)), 1))
  const faceted = geometry.toNonIndexed()
  faceted.computeVertexNormals()
  return faceted
}

/** Loops of an outline: one that comes back to its first corner before its end has a hole. */
function loopsOf(corners: number[][]): Vector2[][] {
  const points = corners.map(([x, y]) => new Vector2(x, y))
  const back = points.findIndex((p, k) => k > 0 && p.equals(points[0]))
  if (back < 0 || back + 3 >= points.length) return [points]
  const loops = [points.slice(0, back), points.slice(back + 1, -1)]
  return loops.sort((a, b) => Math.abs(ShapeUtils.area(b)) - Math.abs(ShapeUtils.area(a)))
}

function prism(corners: number[][], thickness: number): BufferGeometry {
  const [outer, ...holes] = loopsOf(corners)
  const outline = new Shape(outer)
  outline.holes = holes.map((hole) => new Path(hole))
  return new ExtrudeGeometry(outline, { depth: thickness, bevelEnabled: false }).translate(0, 0, -thickness / 2)
}

/** What a closed profile of corners [radius, height] sweeps about the z axis; its edges stay sharp. */
function revolved(profile: number[][], segments: number): BufferGeometry {
  const positions: number[] = []
  const normals: number[] = []
  const index: number[] = []
  profile.forEach(([r1, z1], i) => {
    const [r2, z2] = profile[(i + 1) % profile.length]
    const length = Math.hypot(r2 - r1, z2 - z1)
    const [out, up] = [(z2 - z1) / length, (r1 - r2) / length]
    const first = positions.length / 3
    for (let k = 0; k <= segments; k++) {
      const angle = (2 * Math.PI * k) / segments
      const [x, y] = [Math.cos(angle), Math.sin(angle)]
      positions.push(r1 * x, r1 * y, z1, r2 * x, r2 * y, z2)
      normals.push(out * x, out * y, up, out * x, out * y, up)
      const a = first + 2 * k
      if (k < segments) index.push(a, a + 2, a + 1, a + 1, a + 2, a + 3)
    }
  })
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3))
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3))
  return geometry.setIndex(index)
}

function tube(radius: number, length: number, inner: number, segments: number): BufferGeometry {
  const h = length / 2
  const key = `tube ${radius} ${length} ${inner} ${segments}`
  return shared(key, () =>
    revolved(
      [
        [radius, -h],
        [radius, h],
        [inner, h],
        [inner, -h],
      ],
      segments,
    ),
  )
}

/** A thin shell below its brim. In the plane (thickness is finite) it is a strip along the arc. */
function bowl({ size: [radius, depth], rotation: [w, x, y, z] }: ShapeData, segments: number, thickness: number) {
  const shell = 1.02 * radius
  const half = Math.acos(Math.max(-1, Math.min(1, (radius - depth) / radius)))
  const arc = (r: number, way: number) =>
    Array.from({ length: segments + 1 }, (_, k) => {
      const angle = way > 0 ? (half * k) / segments : half * (1 - k / segments)
      return [r * Math.sin(angle), -r * Math.cos(angle)]
    })
  if (!Number.isFinite(thickness)) return revolved([...arc(shell, 1), ...arc(radius, -1)], segments)
  const mirrored = (points: number[][]) => points.map(([x, y]) => [-x, y])
  const outer = [...mirrored(arc(shell, -1)), ...arc(shell, 1)]
  const inner = [...arc(radius, -1), ...mirrored(arc(radius, 1))]
  const front = new Vector3(0, 0, 1).applyQuaternion(new Quaternion(-x, -y, -z, w))
  const frame = new Matrix4().makeBasis(new Vector3().crossVectors(Z, front), Z, front)
  return prism([...outer, ...inner], thickness).applyMatrix4(frame)
}

/** How shapes are drawn whose sizes do not say it: radius of slender rods, most depth along z of plane shapes, sides of what
 * is round. */
export interface Drawing {
  slender: number
  depth: number
  segments: number
}

export function shapeGeometry(shape: ShapeData, { slender, depth, segments }: Drawing): BufferGeometry {
  const [a, b, c] = shape.size
  switch (shape.kind) {
    case 'box':
      return box(a, b, Math.min(c, depth))
    case 'polygon':
      return prism(shape.corners!, Math.min(a, depth))
    case 'sphere':
      return ball(a)
    case 'capsule':
      return shared(`capsule ${a} ${b}`, () => capsuleZ(a, b))
    case 'mesh':
      return mesh(shape)
    case 'cone':
      return new ConeGeometry(a, b, sides(segments)).rotateX(Math.PI / 2)
    case 'tube':
      return tube(a, alongZ(shape) ? Math.min(b, depth) : b, c, sides(segments))
    case 'bowl':
      return bowl(shape, sides(segments), depth)
    case 'torus':
      return new TorusGeometry(a, b, sides(24), sides(segments))
    case 'ellipsoid':
      return ball(1).clone().scale(a, b, c)
    default:
      return cylinderZ(a || slender, alongZ(shape) ? Math.min(b, depth) : b, segments)
  }
}

/** Shapes that end somewhere: half-spaces are drawn when it is known how far the rest reaches. raise: how much higher each
 * lies than the one before, so that in the plane later ones are in front. */
export function shapeGroup(
  shapes: ShapeData[],
  drawing: Drawing,
  materials: Materials,
  paint: (shape: ShapeData) => Paint,
  raise = 0,
): Group {
  const group = new Group()
  shapes.forEach((shape, k) => {
    if (shape.kind === 'half_space' || shape.kind === 'none') return
    const round = ['sphere', 'capsule', 'torus', 'ellipsoid'].includes(shape.kind)
    const part = solid(shapeGeometry(shape, drawing), materials, paint(shape), !round)
    part.applyMatrix4(matrixOf(shape))
    part.position.z += k * raise
    if ((shape.surface?.opacity ?? 1) < 1) part.castShadow = false
    group.add(part)
  })
  return group
}
