// Arrows of a layer in pixels: forces as straight ones, torques as arcs, with values where somebody wants them.
import type { Vector2, Vector3 } from 'three'
import type { View } from '../../scene/view'
import { quantity } from '../units'
import type { Arrow, ArrowLayer } from './arrows'
import { ARROW_UNITS } from './arrows'
import type { Overlay } from './overlay'

const NO_TURN = 1e-9 // N m

/** labelled: whether the arrows of a component have their value beside them. */
export function drawArrows(
  overlay: Overlay,
  view: View,
  layer: ArrowLayer,
  arrows: Arrow[],
  scale: number,
  labelled: (name: string) => boolean,
): void {
  const turns = new Map<string, number>()
  const label = (name: string, vector: Vector3, unit: string) =>
    labelled(name) ? quantity(vector.length(), unit) : undefined
  for (const { name, at, vector, turn } of arrows) {
    const start = view.toCanvas(at)
    const end = view.toCanvas(at.clone().addScaledVector(vector, scale))
    overlay.arrow(start, end, overlay.ink[layer], label(name, vector, ARROW_UNITS[layer]))
    if (layer === 'forces' && turn) drawTurn(overlay, view, start, turn, turns, label(name, turn, 'N m'))
  }
}

/** A torque about what the view looks along; there: how many are drawn at each place. */
function drawTurn(
  overlay: Overlay,
  view: View,
  at: Vector2,
  torque: Vector3,
  there: Map<string, number>,
  label: string | undefined,
): void {
  const about = torque.dot(view.towards())
  if (Math.abs(about) < NO_TURN) return
  const key = at.toArray().map(Math.round).join()
  const others = there.get(key) ?? 0
  there.set(key, others + 1)
  overlay.turn(at, others, about > 0, overlay.ink.forces, label)
}
