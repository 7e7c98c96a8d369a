// Flat faces and cylinders of a mesh, as CAD programs export it: places and axes that joints are made at.
import { Vector3 } from 'three'
import type { ShapeData } from '../../scene/data'
import { bytesOf } from '../../scene/data'

/** In the coordinates of the mesh. */
export interface Feature {
  label: 'face' | 'hole axis' | 'cylinder axis'
  at: Vector3
  axis: Vector3
}

interface Facet {
  corners: [Vector3, Vector3, Vector3]
  normal: Vector3
  area: number
  centre: Vector3
}

const FLAT = Math.cos(0.002) // of normals: one plane
const SMOOTH = Math.cos(0.75) // one curved surface
const LEAST_FACE = 0.01 // of the whole surface
const LEAST_FACETS = 6 // of a cylinder
const ROUND = 0.01 // of the radius: how far corners may be off
const STRAIGHT = 1e-4 // part of the normals along the axis
const MOST_FACETS = 100_000 // of a mesh that is looked at

/** Numbers for places: the same for those that are nearer than rounding in the file. */
function welded(vertices: Float32Array): Uint32Array {
  const known = new Map<string, number>()
  const size = Math.max(...Array.from({ length: 3 }, (_, k) => span(vertices, k))) || 1
  return Uint32Array.from({ length: vertices.length / 3 }, (_, v) => {
    const key = [0, 1, 2].map((k) => Math.round((1e5 * vertices[3 * v + k]) / size)).join()
    if (!known.has(key)) known.set(key, known.size)
    return known.get(key)!
  })
}

function span(vertices: Float32Array, k: number): number {
  let [low, high] = [Infinity, -Infinity]
  for (let at = k; at < vertices.length; at += 3) {
    low = Math.min(low, vertices[at])
    high = Math.max(high, vertices[at])
  }
  return high - low
}

function facetsOf(vertices: Float32Array, triangles: Uint32Array): Facet[] {
  return Array.from({ length: triangles.length / 3 }, (_, k) => {
    const corner = (c: number) => new Vector3().fromArray(vertices, 3 * triangles[3 * k + c])
    const corners: Facet['corners'] = [corner(0), corner(1), corner(2)]
    const normal = corners[1].clone().sub(corners[0]).cross(corners[2].clone().sub(corners[0]))
    const area = normal.length() / 2
    const centre = corners[0].clone().add(corners[1]).add(corners[2]).divideScalar(3)
    return { corners, normal: normal.normalize(), area, centre }
  })
}

/** Pairs of facets with a common edge. */
function neighbours(triangles: Uint32Array, place: Uint32Array): [number, number][] {
  const edges = new Map<number, number>()
  const pairs: [number, number][] = []
  for (let k = 0; k < triangles.length; k++) {
    const facet = Math.floor(k / 3)
    const [a, b] = [place[triangles[k]], place[triangles[3 * facet + ((k + 1) % 3)]]].sort((x, y) => x - y)
    const key = a * place.length + b
    const other = edges.get(key)
    if (other === undefined) edges.set(key, facet)
    else pairs.push([other, facet])
  }
  return pairs
}

/** Groups of facets that are connected by edges at which the normals differ by less than an angle (given by its cosine). */
function regions(facets: Facet[], pairs: [number, number][], limit: number): Facet[][] {
  const root = facets.map((_, k) => k)
  const find = (k: number): number => {
    while (root[k] !== k) k = root[k] = root[root[k]]
    return k
  }
  for (const [a, b] of pairs) if (facets[a].normal.dot(facets[b].normal) > limit) root[find(a)] = find(b)
  const sets = new Map<number, Facet[]>()
  facets.forEach((facet, k) => {
    const set = sets.get(find(k))
    if (set) set.push(facet)
    else sets.set(find(k), [facet])
  })
  return [...sets.values()]
}

const areaOf = (facets: Facet[]) => facets.reduce((sum, { area }) => sum + area, 0)

function face(facets: Facet[]): Feature {
  const at = new Vector3()
  const whole = areaOf(facets)
  for (const { centre, area } of facets) at.addScaledVector(centre, area / whole)
  return { label: 'face', at, axis: facets[0].normal.clone() }
}

/** The only direction that is perpendicular to all normals; undefined when there is none, or more than one. */
function commonAxis(facets: Facet[]): Vector3 | undefined {
  const [first] = facets
  const others = facets.map(({ normal }) => first.normal.clone().cross(normal))
  const axis = others.reduce((best, v) => (v.length() > best.length() ? v : best), new Vector3())
  if (axis.length() < 0.5) return undefined
  axis.normalize()
  const along = facets.reduce((sum, { normal, area }) => sum + area * normal.dot(axis) ** 2, 0)
  return along < STRAIGHT * areaOf(facets) ? axis : undefined
}

/** Solves a symmetric system of three equations by Cramer's rule. */
function solve(m: Vector3[], right: Vector3): Vector3 {
  const determinant = (a: Vector3, b: Vector3, c: Vector3) => a.dot(b.clone().cross(c))
  const whole = determinant(m[0], m[1], m[2])
  return new Vector3(
    determinant(right, m[1], m[2]) / whole,
    determinant(m[0], right, m[2]) / whole,
    determinant(m[0], m[1], right) / whole,
  )
}

/** The circle x^2 + y^2 = 2 a x + 2 b y + c through points, by least squares: centre and radius. */
function circle(points: [number, number][]): { x: number; y: number; radius: number } {
  const rows = [new Vector3(), new Vector3(), new Vector3()]
  const right = new Vector3()
  for (const [x, y] of points) {
    const part = new Vector3(2 * x, 2 * y, 1)
    rows.forEach((row, k) => row.addScaledVector(part, part.getComponent(k)))
    right.addScaledVector(part, x * x + y * y)
  }
  const { x, y, z } = solve(rows, right)
  return { x, y, radius: Math.sqrt(z + x * x + y * y) }
}

function cylinder(facets: Facet[]): Feature | undefined {
  const axis = facets.length >= LEAST_FACETS ? commonAxis(facets) : undefined
  if (!axis) return undefined
  const [u, origin] = [facets[0].normal.clone().projectOnPlane(axis).normalize(), facets[0].centre]
  const v = axis.clone().cross(u)
  const corners = facets.flatMap((facet) => facet.corners).map((corner) => corner.clone().sub(origin))
  const flat = corners.map((corner): [number, number] => [corner.dot(u), corner.dot(v)])
  const { x, y, radius } = circle(flat)
  if (!flat.every(([a, b]) => Math.abs(Math.hypot(a - x, b - y) - radius) < ROUND * radius)) return undefined
  const [low, high] = corners.reduce(
    ([least, most], corner) => [Math.min(least, corner.dot(axis)), Math.max(most, corner.dot(axis))],
    [Infinity, -Infinity],
  )
  const middle = (low + high) / 2
  const at = origin.clone().addScaledVector(u, x).addScaledVector(v, y).addScaledVector(axis, middle)
  const inwards = facets[0].normal.dot(facets[0].centre.clone().sub(at)) < 0
  return { label: inwards ? 'hole axis' : 'cylinder axis', at, axis }
}

export function featuresOf(vertices: Float32Array, triangles: Uint32Array): Feature[] {
  if (triangles.length > 3 * MOST_FACETS) return []
  const facets = facetsOf(vertices, triangles)
  const pairs = neighbours(triangles, welded(vertices))
  const whole = areaOf(facets)
  const round = regions(facets, pairs, SMOOTH).flatMap((region) => {
    const feature = cylinder(region)
    return feature ? [{ region, feature }] : []
  })
  const curved = new Set(round.flatMap(({ region }) => region))
  const flat = regions(facets, pairs, FLAT).filter((region) => areaOf(region) > LEAST_FACE * whole)
  return [...round.map(({ feature }) => feature), ...flat.filter(([facet]) => !curved.has(facet)).map(face)]
}

const known = new WeakMap<ShapeData, Feature[]>()

/** Of a mesh, looked for once. */
export function meshFeatures(shape: ShapeData): Feature[] {
  let found = known.get(shape)
  if (!found) {
    found = featuresOf(new Float32Array(bytesOf(shape.vertices ?? '')), new Uint32Array(bytesOf(shape.triangles ?? '')))
    known.set(shape, found)
  }
  return found
}
