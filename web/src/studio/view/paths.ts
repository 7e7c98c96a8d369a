// How paths are drawn: what is long ago fades; on request coloured by speed.
import type { Vector3 } from 'three'
import type { Vector2 } from 'three'
import { Color } from 'three'
import type { Overlay } from './overlay'
import type { Tracers } from './tracers'
import { speedsAlong } from './tracers'

const BRIGHT = 1.5 // s that stay bright
const FAINTEST = 0.3
const CHORD = 7 // pixels: longer ones are curved
const MOST_PIECES = 16
const GAP = 0.05 // s between frames: with more, some were left out
const RECORD_GAP = 0.15 // s: the record has a row every 0.1 s at least
const SHARPEST = 0.9 // rad: what turns more is a corner
const PIECES = 48 // of one shade each
const [SLOW, FAST] = [0.6, 0] // hues

/** Times of a part of a path, and the present, s. */
interface Part {
  now: number
  times: number[]
}

/** Shades of a path by age, or colours by speed, for each point. */
function shade({ now, times }: Part, colour: string, bySpeed: number[] | undefined, k: number): [string, number] {
  const age = now - times[k]
  const alpha = Math.max(FAINTEST, 1 - (1 - FAINTEST) * (age / BRIGHT))
  if (!bySpeed) return [colour, alpha]
  const hue = SLOW + (FAST - SLOW) * bySpeed[k]
  return [`#${new Color().setHSL(hue, 0.75, 0.48).getHexString()}`, Math.max(alpha, 0.6)]
}

/** A curve through points: where they are far apart on the page and there is no corner, pieces of it lie between them. from[k]
 * is the place of point k. */
export function smooth(seen: Vector2[], times: number[]): { line: Vector2[]; from: number[] } {
  const line: Vector2[] = []
  const from: number[] = []
  const slope = (k: number) => {
    const [a, b] = [Math.max(k - 1, 0), Math.min(k + 1, seen.length - 1)]
    return seen[b]
      .clone()
      .sub(seen[a])
      .divideScalar(Math.max(times[b] - times[a], 1e-12))
  }
  const bends = (k: number) =>
    k > 0 && k < seen.length - 1 && Math.abs(turn(seen[k - 1], seen[k], seen[k + 1])) > SHARPEST
  seen.forEach((point, k) => {
    from.push(line.length)
    line.push(point)
    const next = seen[k + 1]
    const length = next ? point.distanceTo(next) : 0
    if (length < CHORD || bends(k) || bends(k + 1)) return
    const dt = times[k + 1] - times[k]
    const [m0, m1] = [slope(k).multiplyScalar(dt), slope(k + 1).multiplyScalar(dt)]
    const pieces = Math.min(Math.ceil(length / CHORD), MOST_PIECES)
    for (let i = 1; i < pieces; i++) line.push(hermite(point, m0, next, m1, i / pieces))
  })
  return { line, from }
}

/** Angle from one chord to the next, rad. */
function turn(a: Vector2, b: Vector2, c: Vector2): number {
  const [ux, uy, vx, vy] = [b.x - a.x, b.y - a.y, c.x - b.x, c.y - b.y]
  return Math.atan2(ux * vy - uy * vx, ux * vx + uy * vy)
}

function hermite(p: Vector2, m: Vector2, q: Vector2, n: Vector2, s: number): Vector2 {
  const [s2, s3] = [s * s, s * s * s]
  return p
    .clone()
    .multiplyScalar(2 * s3 - 3 * s2 + 1)
    .addScaledVector(m, s3 - 2 * s2 + s)
    .addScaledVector(q, 3 * s2 - 2 * s3)
    .addScaledVector(n, s3 - s2)
}

function drawPath(overlay: Overlay, part: Part, seen: Vector2[], colour: string, bySpeed?: number[]): void {
  const { line, from: place } = smooth(seen, part.times)
  const step = bySpeed ? 4 : Math.max(1, Math.ceil(seen.length / PIECES))
  for (let from = 0; from < seen.length - 1; from += step) {
    const to = Math.min(from + step, seen.length - 1)
    const [ink, alpha] = shade(part, colour, bySpeed, to)
    overlay.path(line.slice(place[from], place[to] + 1), ink, bySpeed ? 3 : 2, alpha)
  }
}

/** Parts of a path, from one point to another. Between them an edit displaced bodies, so that no motion joins their ends; or frames
 * were left out at high speed, and the record, which is known up to the time settled, has not told yet what was there. */
export function unbroken(times: number[], cuts: number[], settled: number): [number, number][] {
  const parts: [number, number][] = []
  const isLeftOut = (k: number) => times[k] - times[k - 1] > (times[k] > settled ? GAP : RECORD_GAP)
  let begin = 0
  for (let k = 1; k <= times.length && times.length > 0; k++) {
    const isCut = k < times.length && (isLeftOut(k) || cuts.some((cut) => cut >= times[k - 1] && cut <= times[k]))
    if (k < times.length && !isCut) continue
    parts.push([begin, k])
    begin = k
  }
  return parts
}

/** cuts: times at which bodies were displaced, s */
export function drawPaths(
  overlay: Overlay,
  tracers: Tracers,
  cuts: number[],
  toCanvas: (point: Vector3) => Vector2,
  colours: number[],
  bySpeed: boolean,
): void {
  tracers.list.forEach((tracer, k) => {
    const colour = `#${colours[k % colours.length].toString(16).padStart(6, '0')}`
    const seen = tracer.points.map(toCanvas)
    const speeds = bySpeed ? speedsAlong(tracer) : undefined
    for (const [from, to] of unbroken(tracer.times, cuts, tracer.settled)) {
      const part = { now: tracer.times.at(-1)!, times: tracer.times.slice(from, to) }
      drawPath(overlay, part, seen.slice(from, to), colour, speeds?.slice(from, to))
    }
    if (seen.length > 0) overlay.dot(seen[seen.length - 1], 4, colour)
  })
}
