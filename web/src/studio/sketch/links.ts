// Definitions of links and pins that are drawn.
import type { Vector3 } from 'three'
import { FINE, tidy } from '../digits'

const MASS = 1 // kg for a metre of link

export const massOf = (length: number) => `${tidy(MASS * length, 3)} kg`

/** A place in the world. */
export function plane({ x, y }: Vector3): number[] {
  return [tidy(x), tidy(y)]
}

/** A place on a link. */
export function onLink({ x, y }: Vector3): number[] {
  return [tidy(x, FINE), tidy(y, FINE)]
}

export function pinned(a: string, b: string, point: Vector3): object {
  return { type: 'revolute', between: [a, b], at: plane(point) }
}

export function linkBody(from: Vector3, length: number, angle: number, radius: number): object {
  const rod = { from: [0, 0], to: [tidy(length, FINE), 0], radius }
  return {
    shapes: [{ rod, mass: massOf(length) }],
    position: plane(from),
    angle: tidy(angle, FINE),
    frames: { end: { at: [tidy(length, FINE), 0] } },
  }
}
