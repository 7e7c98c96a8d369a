// Which bodies a point is inside of, by their shapes.
import type { Vector3 } from 'three'
import type { Poses, ShapeData } from '../../scene/data'
import { bodyMatrix, matrixOf } from '../../scene/space'
import type { StudioScene } from '../protocol'

const SLACK = 1e-6 // m: on the surface is inside

/** In the coordinates of the shape. */
export function isInside({ kind, size: [a, b, c] }: ShapeData, { x, y, z }: Vector3): boolean {
  const radius = Math.hypot(x, y)
  const within = (value: number, most: number) => Math.abs(value) <= most + SLACK
  switch (kind) {
    case 'box':
      return within(x, a / 2) && within(y, b / 2) && within(z, c / 2)
    case 'sphere':
      return within(Math.hypot(x, y, z), a)
    case 'ellipsoid':
      return (x / a) ** 2 + (y / b) ** 2 + (z / c) ** 2 <= 1 + SLACK / Math.min(a, b, c)
    case 'cylinder':
    case 'tube': // the axis of a hole is a place for joints
    case 'rod':
      return within(radius, a) && within(z, b / 2)
    case 'capsule':
      return within(Math.hypot(radius, Math.max(Math.abs(z) - b / 2, 0)), a)
    case 'cone':
      return within(z, b / 2) && within(radius, a * (0.5 - z / b))
    case 'torus':
      return within(Math.hypot(radius - a, z), b)
    default:
      return false
  }
}

export function bodiesThrough(scene: StudioScene, poses: Poses, point: Vector3): number[] {
  return [...scene.bodies.keys()].filter((body) => {
    const local = point.clone().applyMatrix4(bodyMatrix(poses, body).invert())
    return scene.bodies[body].shapes.some((shape) =>
      isInside(shape, local.clone().applyMatrix4(matrixOf(shape).invert())),
    )
  })
}
