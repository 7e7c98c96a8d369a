// How paths are drawn: what is long ago fades; on request coloured by speed.
import type { Vector3 } from 'three'
import type { Vector2 } from 'three'
import { Color } from 'three'
import type { Overlay } from './overlay'
import type { Tracer, Tracers } from './tracers'
import { speedsAlong } from './tracers'

const BRIGHT = 1.5 // s that stay bright
const FAINTEST = 0.3
const PIECES = 48 // of one shade each
const [SLOW, FAST] = [0.6, 0] // hues

/** Shades of a path by age, or colours by speed, for each point. */
function shade(tracer: Tracer, colour: string, bySpeed: number[] | undefined, k: number): [string, number] {
  const age = tracer.times[tracer.times.length - 1] - tracer.times[k]
  const alpha = Math.max(FAINTEST, 1 - (1 - FAINTEST) * (age / BRIGHT))
  if (!bySpeed) return [colour, alpha]
  const hue = SLOW + (FAST - SLOW) * bySpeed[k]
  return [`#${new Color().setHSL(hue, 0.75, 0.48).getHexString()}`, Math.max(alpha, 0.6)]
}

function drawPath(overlay: Overlay, tracer: Tracer, seen: Vector2[], colour: string, bySpeed?: number[]): void {
  const step = bySpeed ? 4 : Math.max(1, Math.ceil(seen.length / PIECES))
  for (let from = 0; from < seen.length - 1; from += step) {
    const to = Math.min(from + step, seen.length - 1)
    const [ink, alpha] = shade(tracer, colour, bySpeed, to)
    overlay.path(seen.slice(from, to + 1), ink, bySpeed ? 3 : 2, alpha)
  }
}

export function drawPaths(
  overlay: Overlay,
  tracers: Tracers,
  toCanvas: (point: Vector3) => Vector2,
  colours: number[],
  bySpeed: boolean,
): void {
  tracers.list.forEach((tracer, k) => {
    const colour = `#${colours[k % colours.length].toString(16).padStart(6, '0')}`
    const seen = tracer.points.map(toCanvas)
    drawPath(overlay, tracer, seen, colour, bySpeed ? speedsAlong(tracer) : undefined)
    if (seen.length > 0) overlay.dot(seen[seen.length - 1], 4, colour)
  })
}
