// The edges of solids that are seen from where the camera is: sharp ones and outlines, without those that are hidden. A picture
// of depths tells which parts of an edge lie behind something.
import type { Camera, Material, Object3D } from 'three'
import { Matrix4, Mesh, Vector3 } from 'three'
import type { Point } from './sheet'

const SHARP = Math.cos((32 * Math.PI) / 180) // flatter meetings of faces are one round surface
const FINENESS = 2 // depths for each unit of the sheet
const STEP = 0.5 // of a depth, along edges
const BEHIND = 3e-3 // of the distance: what lies deeper under a surface is hidden
const SAME = 1e5 // corners that agree in so many parts of the size of a solid are one
export const MOST_TRIANGLES = 400000

/** A corner on the sheet, and one over its distance from the eye (of parallel light: less its distance), which is linear there. */
type Seen = [x: number, y: number, near: number]

interface Edge {
  a: number
  b: number
  /** unit normals of the faces that meet there, and whether they look to the eye */
  faces: { normal: Vector3; front: boolean }[]
}

interface Solid {
  corners: Seen[]
  triangles: number[]
  edges: Edge[]
  /** what is behind it is seen */
  glass: boolean
}

/** From the world to a place that is seen there, in units of half the height of the view. */
export function projector(camera: Camera, aspect: number): (p: Vector3) => Seen {
  const view = camera.matrixWorldInverse
  const both = new Matrix4().multiplyMatrices(camera.projectionMatrix, view)
  const isPerspective = 'isPerspectiveCamera' in camera
  const eye = new Vector3()
  const spot = new Vector3()
  return (p) => {
    const depth = -eye.copy(p).applyMatrix4(view).z
    spot.copy(p).applyMatrix4(both)
    return [aspect * spot.x, -spot.y, isPerspective ? 1 / depth : -depth]
  }
}

/** Corners at one place are one: faces that meet share their edges. */
function solidOf(mesh: Mesh, project: (p: Vector3) => Seen): Solid {
  const { position } = mesh.geometry.attributes
  const { index } = mesh.geometry
  mesh.geometry.computeBoundingSphere()
  const grain = SAME / (mesh.geometry.boundingSphere!.radius || 1)
  const known = new Map<string, number>()
  const world: Vector3[] = []
  const numbers = Array.from({ length: position.count }, (_, k) => {
    const p = new Vector3().fromBufferAttribute(position, k)
    const key = p
      .toArray()
      .map((x) => Math.round(x * grain))
      .join()
    let number = known.get(key)
    if (number === undefined) {
      known.set(key, (number = world.length))
      world.push(p.applyMatrix4(mesh.matrixWorld))
    }
    return number
  })
  const corners = world.map(project)
  const triangles: number[] = []
  const edges = new Map<number, Edge>()
  for (let k = 0; k + 2 < (index ?? position).count; k += 3) {
    const face = [k, k + 1, k + 2].map((j) => numbers[index ? index.getX(j) : j])
    const [a, b, c] = face.map((j) => world[j])
    const normal = b.clone().sub(a).cross(c.clone().sub(a))
    if (normal.lengthSq() === 0) continue
    const [p, q, r] = face.map((j) => corners[j])
    const front = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]) < 0
    triangles.push(...face)
    normal.normalize()
    for (const [from, to] of [
      [face[0], face[1]],
      [face[1], face[2]],
      [face[2], face[0]],
    ]) {
      // prettier-ignore
      const key = Math.min(from, to) * world.length + Math.max(from, to)
      const edge = edges.get(key)
      if (edge) edge.faces.push({ normal, front })
      else edges.set(key, { a: from, b: to, faces: [{ normal, front }] })
    }
  }
  return { corners, triangles, edges: [...edges.values()], glass: (mesh.material as Material).transparent }
}

/** Nearest surface at each place. */
class Depths {
  private readonly near: Float64Array
  private readonly wide: number
  private readonly high: number

  constructor(width: number, height: number) {
    this.wide = FINENESS * width
    this.high = FINENESS * height
    this.near = new Float64Array(this.wide * this.high).fill(-Infinity)
  }

  /** Fills a triangle. */
  add(corners: Seen[]): void {
    const [[ax, ay, an], [bx, by, bn], [cx, cy, cn]] = corners.map(([x, y, n]) => [FINENESS * x, FINENESS * y, n])
    const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if (area === 0) return
    const limit = (value: number, most: number) => Math.min(Math.max(value, 0), most)
    const [x0, x1] = [
      limit(Math.floor(Math.min(ax, bx, cx)), this.wide),
      limit(Math.ceil(Math.max(ax, bx, cx)), this.wide),
    ]
    const [y0, y1] = [
      limit(Math.floor(Math.min(ay, by, cy)), this.high),
      limit(Math.ceil(Math.max(ay, by, cy)), this.high),
    ]
    for (let y = y0; y < y1; y++)
      for (let x = x0; x < x1; x++) {
        const [px, py] = [x + 0.5, y + 0.5]
        const u = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / area
        const v = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / area
        if (u < 0 || v < 0 || u + v > 1) continue
        const near = u * an + v * bn + (1 - u - v) * cn
        const at = y * this.wide + x
        if (near > this.near[at]) this.near[at] = near
      }
  }

  /** Nothing is before a place: around it, at least one surface is not nearer. */
  isSeen([x, y, near]: Seen): boolean {
    const [column, row] = [Math.floor(FINENESS * x), Math.floor(FINENESS * y)]
    let least = Infinity
    for (let dy = -1; dy <= 1; dy++)
      for (let dx = -1; dx <= 1; dx++) {
        const [c, r] = [column + dx, row + dy]
        if (c < 0 || r < 0 || c >= this.wide || r >= this.high) continue
        least = Math.min(least, this.near[r * this.wide + c])
      }
    return near >= least - BEHIND * Math.abs(near)
  }
}

const isDrawn = ({ faces }: Edge): boolean => {
  if (faces.every(({ front }) => !front)) return false
  if (faces.length !== 2) return true
  return faces[0].front !== faces[1].front || faces[0].normal.dot(faces[1].normal) < SHARP
}

/** Parts of a straight line that are seen. */
function seenParts(from: Seen, to: Seen, depths: Depths): [Point, Point][] {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1])
  const count = Math.min(Math.max(Math.ceil((FINENESS * length) / STEP), 1), 8000)
  const at = (k: number) => [0, 1, 2].map((j) => from[j] + ((to[j] - from[j]) * k) / count) as Seen
  const parts: [Point, Point][] = []
  let start: Seen | undefined
  for (let k = 0; k <= count; k++) {
    const here = at(k)
    const seen = depths.isSeen(here)
    if (seen) start ??= here
    if (start && (!seen || k === count)) {
      const end = seen ? here : at(k - 1)
      if (count === 1 || end !== start) parts.push([[start[0], start[1]], [end[0], end[1]]]) // prettier-ignore
      start = undefined
    }
  }
  return parts
}

/** Solids among the objects that are drawn, one by one or together; not what others are seen through, and no floors. */
export function meshesIn(root: Object3D): Mesh[] {
  const found: Mesh[] = []
  const visit = (object: Object3D) => {
    const { paint, shell, instance } = object.userData
    if (!object.visible && !instance) return
    const isDrawn = paint !== undefined && !shell && paint !== 'floor' && paint !== 'wall'
    if (object instanceof Mesh && isDrawn) found.push(object)
    object.children.forEach(visit)
  }
  root.updateMatrixWorld()
  visit(root)
  return found
}

export const trianglesOf = (meshes: Mesh[]): number =>
  meshes.reduce((sum, { geometry }) => sum + (geometry.index ?? geometry.attributes.position).count / 3, 0)

export interface Linework {
  lines: [Point, Point][]
  /** where a point of the world is on the sheet */
  at: (p: Vector3) => Point
}

/** Lines of what is seen, as large as a sheet of a width and height with a margin allows. aspect: of the view. */
export function visibleEdges(meshes: Mesh[], camera: Camera, aspect: number, sheet: Point, margin: number): Linework {
  const project = projector(camera, aspect)
  const solids = meshes.map((mesh) => solidOf(mesh, project))
  const all = solids.flatMap(({ corners }) => corners)
  if (all.length === 0) return { lines: [], at: () => [sheet[0] / 2, sheet[1] / 2] }
  const least = (k: 0 | 1) => all.reduce((low, corner) => Math.min(low, corner[k]), Infinity)
  const most = (k: 0 | 1) => all.reduce((high, corner) => Math.max(high, corner[k]), -Infinity)
  const [low, high] = [[least(0), least(1)], [most(0), most(1)]] // prettier-ignore
  const scale = Math.min(...[0, 1].map((k) => (sheet[k] - 2 * margin) / Math.max(high[k] - low[k], 1e-9)))
  const place = ([x, y]: Seen): Point =>
    [x, y].map((v, k) => sheet[k] / 2 + scale * (v - (low[k] + high[k]) / 2)) as Point
  for (const corner of all) [corner[0], corner[1]] = place(corner)
  const depths = new Depths(...sheet)
  for (const { corners, triangles, glass } of solids)
    for (let k = 0; !glass && k < triangles.length; k += 3) depths.add([0, 1, 2].map((j) => corners[triangles[k + j]]))
  const lines = solids.flatMap(({ corners, edges }) =>
    edges.filter(isDrawn).flatMap(({ a, b }) => seenParts(corners[a], corners[b], depths)),
  )
  return { lines, at: (p) => place(project(p)) }
}
