// Outlines of shapes in the plane, as line drawings have them.
import { Vector3 } from 'three'
import type { Poses, ShapeData } from '../../scene/data'
import { alongZ } from '../../scene/looks'
import { bodyMatrix, matrixOf, pointOn } from '../../scene/space'
import type { StudioScene } from '../protocol'

const ROUND = 48 // corners of an ellipse

export interface Outline {
  points: Vector3[]
  closed: boolean
  /** m: a circle about the only point */
  radius?: number
  /** m: of the hole of a tube */
  inner?: number
  /** a half-space: its line begins here and goes along this */
  along?: Vector3
}

const at = (x: number, y: number, z = 0) => new Vector3(x, y, z)
const rectangle = (a: number, b: number) => [at(-a, -b), at(a, -b), at(a, b), at(-a, b)]

/** Round about z: a circle where that points out of the plane, otherwise what is cut through the axis. */
function lathed(shape: ShapeData): Outline {
  const [radius, length, inner] = shape.size
  if (alongZ(shape))
    return { points: [at(0, 0)], closed: true, radius, inner: shape.kind === 'tube' ? inner : undefined }
  const half = length / 2
  const profile =
    shape.kind === 'cone'
      ? [
          [-radius, -half],
          [radius, -half],
          [0, half],
        ]
      : [
          [-radius, -half],
          [radius, -half],
          [radius, half],
          [-radius, half],
        ]
  // the axis that lies in the plane together with z is x or y, whichever is not out of it
  const [w, x, y, z] = shape.rotation
  const outX = Math.abs(2 * (x * z - w * y)) // of the shape's x axis, along z of the plane
  return { points: profile.map(([r, l]) => (outX < 0.5 ? at(r, 0, l) : at(0, r, l))), closed: true }
}

/** Closed; a rod is its axis. */
function outline(shape: ShapeData): Outline {
  const [a, b] = shape.size
  switch (shape.kind) {
    case 'rod':
    case 'capsule':
      return { points: [at(0, 0, -b / 2), at(0, 0, b / 2)], closed: false }
    case 'box':
      return { points: rectangle(a / 2, b / 2), closed: true }
    case 'polygon':
      return { points: (shape.corners ?? []).map(([x, y]) => at(x, y)), closed: true }
    case 'sphere':
      return { points: [at(0, 0)], closed: true, radius: a }
    case 'cylinder':
    case 'tube':
    case 'cone':
      return lathed(shape)
    case 'ellipsoid': {
      const turn = (k: number) => (2 * Math.PI * k) / ROUND
      const points = Array.from({ length: ROUND }, (_, k) => at(a * Math.cos(turn(k)), b * Math.sin(turn(k))))
      return { points, closed: true }
    }
    case 'half_space':
      return { points: [at(0, 0)], closed: false, along: at(1, 0) }
    default:
      return { points: [], closed: false }
  }
}

/** Of a body's shapes in the world; where it has none, of its looks. */
export function outlinesOf(scene: StudioScene, poses: Poses, body: number): Outline[] {
  const { shapes: own, looks = [] } = body < 0 ? scene.ground : scene.bodies[body]
  const shapes = own.length > 0 ? own : looks
  const world = bodyMatrix(poses, body)
  return shapes.map((shape) => {
    const matrix = world.clone().multiply(matrixOf(shape))
    const found = outline(shape)
    const points = found.points.map((p) => p.applyMatrix4(matrix))
    return { ...found, points, along: found.along?.transformDirection(matrix) }
  })
}

/** Where a body is joined by pins, and its points that are watched; each once. */
export function pinsOf(scene: StudioScene, poses: Poses, body: number): Vector3[] {
  const pins = scene.joints.filter(({ type, enabled }) => PINS.has(type) && enabled !== false)
  const ends = pins.flatMap(({ end1, end2 }) => [end1, end2])
  const frames = scene.frames.filter(({ watched }) => watched && body >= 0)
  const all = [...ends, ...frames.map(({ end }) => end)]
    .filter((end) => end.body === body)
    .map((end) => pointOn(poses, body, end.position))
  return all.filter((p, k) => all.findIndex((q) => q.distanceTo(p) < SAME * (1 + p.length())) === k)
}

const PINS = new Set(['revolute', 'spherical', 'universal', 'pin-in-slot'])
const SAME = 1e-6
