// How far things reach: sizes of bodies, corners of boxes, and room for what flies.
import type { Matrix4 } from 'three'
import { Box3, Vector3 } from 'three'
import type { BodyData, Poses, SceneData } from './data'
import { feet } from './looks'

const [ALONE, TOGETHER] = [0.8, 0.15] // of the whole size, on all sides: for one body, and for several

/** Twice the radius at which all of the mass would have the largest moment of inertia; 0 for particles and ports. */
export function gyration(body: BodyData): number {
  if (body.mass === 0) return 0
  return 2 * Math.sqrt(Math.max(...body.inertia.slice(0, 3)) / body.mass)
}

export function cornersOf({ min, max }: Box3): Vector3[] {
  return Array.from(
    { length: 8 },
    (_, k) => new Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z),
  )
}

export function takeCorners(points: Vector3[]): (box: Box3, place: Matrix4) => void {
  return (box, place) => {
    if (!box.isEmpty()) for (const corner of cornersOf(box)) points.push(corner.applyMatrix4(place))
  }
}

interface Extent {
  data: SceneData
  points: Vector3[]
  planar: boolean
  size: number
  up: Vector3
}

/** Nobody knows yet where bodies without joints go: corners of a wider box, not below the floor. */
export function roomToFly({ data, points, planar, size, up }: Extent, start: Poses): Vector3[] {
  const all = new Box3().setFromPoints(points)
  if (all.isEmpty()) return []
  const room = (data.bodies.length > 1 ? TOGETHER : ALONE) * size
  all.expandByVector(new Vector3(room, room, planar ? 0 : room))
  const low = Math.min(...feet(data, start, Infinity).map((point) => point.dot(up)))
  const raise = (corner: Vector3) => (Number.isFinite(low) ? Math.max(low - corner.dot(up), 0) : 0)
  return cornersOf(all).map((corner) => corner.addScaledVector(up, raise(corner)))
}
