// Definitions of links and pins that are drawn.
import type { Vector3 } from 'three'

const MASS = 1 // kg for a metre of link
const THICK = 0.03 // radius of a link over its length

/** Without the last, meaningless digits. */
export function tidy(value: number, count = 10): number {
  return Number(value.toPrecision(count)) + 0
}

export const massOf = (length: number) => `${tidy(MASS * length, 3)} kg`

export function plane(point: Vector3): number[] {
  return [tidy(point.x), tidy(point.y)]
}

export function pinned(a: string, b: string, point: Vector3): object {
  return { type: 'revolute', between: [a, b], at: plane(point) }
}

export function linkBody(from: Vector3, length: number, angle: number): object {
  const rod = { from: [0, 0], to: [tidy(length), 0], radius: tidy(THICK * length, 3) }
  return {
    shapes: [{ rod, mass: massOf(length) }],
    position: plane(from),
    angle: tidy(angle),
    frames: { end: { at: [tidy(length), 0] } },
  }
}
