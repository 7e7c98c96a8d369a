// The plane on which free places are picked: the plane of a planar model; in space one across an axis, or that of a flat face.
import { Plane, Vector2, Vector3 } from 'three'
import type { View } from '../../scene/view'
import type { Overlay } from './overlay'

export type Across = 'x' | 'y' | 'z'

/** A plane in the world with axes on it; u, v and the normal n are right-handed. */
export interface PlaneFrame {
  origin: Vector3
  u: Vector3
  v: Vector3
  n: Vector3
}

const REACH = 4 // cells of the grid from the middle that are drawn
const STEEP = 0.02 // cosine: seen from the side, a plane has no places to pick
const COARSE = { plane: 90, space: 26 } // pixels: wider steps are parted; links are drawn with long ones
const PARTS = [2, 10, 20, 100, 200, 1000] // of a cell of the grid: steps of places, the coarsest first

/** Across an axis of the world, at a distance along it. */
export function planeAcross(across: Across, offset: number): PlaneFrame {
  const k = 'xyz'.indexOf(across)
  const unit = (i: number) => new Vector3().setComponent(i % 3, 1)
  return { origin: unit(k).multiplyScalar(offset), u: unit(k + 1), v: unit(k + 2), n: unit(k) }
}

/** Through a point with a normal; u is level where there is a level direction. */
export function planeThrough(origin: Vector3, normal: Vector3): PlaneFrame {
  const n = normal.clone().normalize()
  const exact = (['x', 'y', 'z'] as const).find((axis) => n[axis] > 1 - 1e-9)
  if (exact) return { ...planeAcross(exact, 0), origin }
  const up = Math.abs(n.z) > 1 - 1e-9 ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1)
  const u = up.clone().cross(n).normalize()
  return { origin, u, v: n.clone().cross(u), n }
}

/** Where a line of sight meets a plane; undefined: seen from the side, or behind the eye. */
export function meetPlane(
  view: Pick<View, 'ray'>,
  { origin, n }: PlaneFrame,
  x: number,
  y: number,
): Vector3 | undefined {
  const ray = view.ray(x, y)
  if (Math.abs(ray.direction.dot(n)) < STEEP) return undefined
  return ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(n, origin), new Vector3()) ?? undefined
}

/** To the nearest crossing of steps on the plane. */
export function snapOn({ origin, u, v }: PlaneFrame, point: Vector3, step: number): Vector3 {
  const from = point.clone().sub(origin)
  const snap = (value: number) => Math.round(value / step) * step
  return origin
    .clone()
    .addScaledVector(u, snap(from.dot(u)))
    .addScaledVector(v, snap(from.dot(v)))
}

/** Steps of places near a point: parts of a cell, finer as the view comes nearer. */
export function stepAt(
  view: Pick<View, 'cell' | 'toCanvas'>,
  { u, v }: PlaneFrame,
  at: Vector3,
  coarse: number = COARSE.space,
): number {
  const here = view.toCanvas(at)
  const wide = Math.max(
    ...[u, v].map((axis) => view.toCanvas(at.clone().addScaledVector(axis, view.cell)).distanceTo(here)),
  )
  return view.cell / (PARTS.find((part) => wide / part < coarse) ?? PARTS[PARTS.length - 1])
}

export class WorkPlane {
  frame = planeAcross('z', 0)
  /** as people call it */
  name = 'across z'
  /** a tool wants places: the plane is drawn */
  shown = false

  /** Where the line of sight meets the plane, at a crossing of steps; undefined: it does not. */
  pointAt(view: View, planar: boolean, x: number, y: number): Vector3 | undefined {
    const frame = planar ? planeAcross('z', 0) : this.frame
    const point = planar ? view.onPlane(x, y, new Vector3()).setZ(0) : meetPlane(view, frame, x, y)
    if (!point) return undefined
    const snapped = snapOn(frame, point, stepAt(view, frame, point, planar ? COARSE.plane : COARSE.space))
    return snapped.fromArray(snapped.toArray().map((value) => value + 0))
  }

  /** In space, while a tool wants places. */
  draw(overlay: Overlay, view: View, centre: Vector3): void {
    if (!this.shown) return
    const { origin, u, v } = this.frame
    const from = centre.clone().sub(origin)
    const middle = [u, v].map((axis) => Math.round(from.dot(axis) / view.cell) * view.cell)
    const at = (a: number, b: number) =>
      view.toCanvas(
        origin
          .clone()
          .addScaledVector(u, middle[0] + a * view.cell)
          .addScaledVector(v, middle[1] + b * view.cell),
      )
    const { accent } = overlay.ink
    for (let line = -REACH; line <= REACH; line++) {
      overlay.path([at(line, -REACH), at(line, REACH)], accent, 1, 0.3)
      overlay.path([at(-REACH, line), at(REACH, line)], accent, 1, 0.3)
    }
    const lowest = [at(REACH, REACH), at(-REACH, -REACH), at(REACH, -REACH), at(-REACH, REACH)].reduce((low, p) =>
      p.y > low.y ? p : low,
    )
    overlay.label(lowest.add(new Vector2(0, 14)), `work plane ${this.name}`, accent, 'center')
  }
}
