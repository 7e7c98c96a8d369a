// Places that a tool has, and the one that it would take next, over the picture.
import { Vector2 } from 'three'
import type { Overlay } from './overlay'

/** On the canvas. */
export interface PlaceMark {
  at: Vector2
  label: string
}

const SAME = 14 // pixels: labels of nearer places stand one below the other
const ROW = 20

export function drawPlaces(overlay: Overlay, chosen: PlaceMark[], offered: PlaceMark | undefined): void {
  const { accent } = overlay.ink
  const last = chosen.at(-1)
  if (last && offered) overlay.line(last.at, offered.at, accent, 1.5, [4, 4])
  if (chosen.length === 2) overlay.line(chosen[0].at, chosen[1].at, accent, 1.5, [4, 4])
  chosen.forEach(({ at, label }, k) => {
    overlay.dot(at, 6, accent)
    const row = chosen.slice(0, k).filter((other) => other.at.distanceTo(at) < SAME).length
    overlay.label(at.clone().add(new Vector2(12, 14 + ROW * row)), `${k + 1}  ${label}`, accent)
  })
  if (!offered) return
  overlay.dot(offered.at, 7, accent, false)
  overlay.label(offered.at.clone().add(new Vector2(14, -14)), offered.label, accent)
}
