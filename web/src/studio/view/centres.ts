// Instant centres of planar motion: points of a body that stand still, seen from ground or from another body.
import type { Poses } from '../../scene/data'
import { POSE_SIZE } from '../../scene/data'

/** Velocity of the plane of a body: at its origin, and its rate of turn. */
interface Motion {
  x: number
  y: number
  vx: number
  vy: number
  rate: number
}

export interface Centre {
  /** a body, or two */
  label: string
  x: number
  y: number
}

const SLOW = 1e-6 // rad/s: slower turns have their centre far away, or nowhere
const GROUND: Motion = { x: 0, y: 0, vx: 0, vy: 0, rate: 0 }

function motionOf(body: number, poses: Poses, velocities: Float32Array): Motion {
  const [x, y] = poses.subarray(POSE_SIZE * body)
  const [vx, vy, , , , rate] = velocities.subarray(6 * body)
  return { x, y, vx, vy, rate }
}

/** Where both move alike: v1 + w1 x (p - p1) = v2 + w2 x (p - p2). */
function meeting(a: Motion, b: Motion): { x: number; y: number } | undefined {
  const rate = a.rate - b.rate
  if (Math.abs(rate) < SLOW) return undefined
  const ux = a.vx + a.rate * a.y - (b.vx + b.rate * b.y) // velocity that each plane has at the origin of the world
  const uy = a.vy - a.rate * a.x - (b.vy - b.rate * b.x)
  return { x: -uy / rate, y: ux / rate }
}

/** Of every moving body with respect to ground, and of the pair, by their numbers, with respect to each other. */
export function instantCentres(names: string[], poses: Poses, velocities: Float32Array, pair: number[]): Centre[] {
  const motions = names.map((_, b) => motionOf(b, poses, velocities))
  const single = names.map((label, b) => ({ label, place: meeting(motions[b], GROUND) }))
  const [a, b] = pair
  const both = pair.length === 2 ? [{ label: `${names[a]}, ${names[b]}`, place: meeting(motions[a], motions[b]) }] : []
  return [...single, ...both].flatMap(({ label, place }) => (place ? [{ label, ...place }] : []))
}
