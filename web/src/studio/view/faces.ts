// Finds the flat face of a body under a point of the canvas.
import type { Vector3 } from 'three'
import type { PlaneFrame } from './workplane'
import { planeThrough } from './workplane'

/** The surface under a point of the canvas: its body, the point on it, and its outward normal. */
export interface Surface {
  body: number
  point: Vector3
  normal: Vector3
}

const BESIDE = 4 // pixels
const FLAT = Math.cos(0.002) // of normals: one plane
const LEVEL = 1e-4 // of the distance beside: how far a neighbour may be off the plane

/** A face is flat where neighbouring pixels have the same normal and lie in one plane; one or two of the four may lie on another face. */
export function faceAt(
  surfaceAt: (x: number, y: number) => Surface | undefined,
  x: number,
  y: number,
): PlaneFrame | undefined {
  const here = surfaceAt(x, y)
  if (!here) return undefined
  const same = [
    [BESIDE, 0],
    [-BESIDE, 0],
    [0, BESIDE],
    [0, -BESIDE],
  ].filter(([dx, dy]) => {
    const there = surfaceAt(x + dx, y + dy)
    if (!there || there.body !== here.body) return false
    const way = there.point.clone().sub(here.point)
    return there.normal.dot(here.normal) > FLAT && Math.abs(way.dot(here.normal)) < LEVEL * way.length() + 1e-9
  })
  const across = same.some(([dx]) => dx !== 0) && same.some(([, dy]) => dy !== 0)
  return across ? planeThrough(here.point, here.normal) : undefined
}
