// How a joint lets its bodies move: arrows along its axes and arcs about them, where the joint is or would be.
import type { Matrix4 } from 'three'
import { Vector3 } from 'three'
import type { View } from '../../scene/view'
import type { Overlay } from './overlay'

export interface FreeMotion {
  kind: 'move' | 'turn'
  axis: 0 | 1 | 2
}

const LENGTH = 58 // pixels of an arrow
const RADIUS = 38 // of an arc
const PIECES = 28
const SWEEP = 1.6 * Math.PI

/** By the names of a type's coordinates: positions are along z of the joint's frame, in the plane along x. */
export function freeMotions(coordinates: string[], planar: boolean): FreeMotion[] {
  return coordinates.flatMap((name): FreeMotion[] => {
    const axis = /(?:^|_)([xyz])$/.exec(name)?.[1]
    const k = axis ? ('xyz'.indexOf(axis) as FreeMotion['axis']) : undefined
    if (name.startsWith('angle')) return [{ kind: 'turn', axis: k ?? 2 }]
    if (name === 'position') return [{ kind: 'move', axis: planar ? 0 : 2 }]
    return k === undefined || name.includes('_') ? [] : [{ kind: 'move', axis: k }]
  })
}

/** Metres that a pixel is at a point. */
function pixelAt(view: View, at: Vector3): number {
  const towards = view.towards()
  const side = towards
    .clone()
    .cross(Math.abs(towards.z) < 0.9 ? new Vector3(0, 0, 1) : new Vector3(1, 0, 0))
    .normalize()
  const wide = view.toCanvas(at.clone().add(side)).distanceTo(view.toCanvas(at))
  return wide > 0 ? 1 / wide : 1
}

export function drawFreeMotions(overlay: Overlay, view: View, frame: Matrix4, motions: FreeMotion[]): void {
  const at = new Vector3().setFromMatrixPosition(frame)
  const pixel = pixelAt(view, at)
  const axis = (k: number) => new Vector3().setFromMatrixColumn(frame, k % 3).normalize()
  const colour = overlay.ink.pull
  for (const { kind, axis: k } of motions) {
    if (kind === 'move')
      for (const side of [1, -1])
        overlay.arrow(
          view.toCanvas(at),
          view.toCanvas(at.clone().addScaledVector(axis(k), side * LENGTH * pixel)),
          colour,
        )
    else {
      const point = (angle: number) =>
        at
          .clone()
          .addScaledVector(axis(k + 1), RADIUS * pixel * Math.cos(angle))
          .addScaledVector(axis(k + 2), RADIUS * pixel * Math.sin(angle))
      const arc = Array.from({ length: PIECES + 1 }, (_, n) => view.toCanvas(point((SWEEP * n) / PIECES)))
      overlay.path(arc, overlay.ink.halo, 5)
      overlay.path(arc, colour, 2.4)
      overlay.arrow(arc[PIECES - 2], view.toCanvas(point(SWEEP + 0.12)), colour)
    }
  }
}
