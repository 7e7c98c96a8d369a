// Angles of links that turn about ground: their labels in the view, and turning the mechanism to a typed one.
import { Vector2, Vector3 } from 'three'
import { pointOn } from '../../scene/space'
import type { View } from '../../scene/view'
import { session } from '../session.svelte'
import type { Overlay } from '../view/overlay'
import type { Bar } from './shaping'
import { barsOf } from './shaping'

/** Direction of a link from its pin on ground, from the x axis. */
export interface Angle {
  bar: Bar
  /** which of its ends is on ground */
  end: 0 | 1
  pivot: Vector3
  /** rad, within half a turn */
  value: number
}

const NEAR = 1e-6 // m
const ARC = 30 // pixels
const LABEL = 46 // pixels from the pin
const FARTHEST = 130 // pixels from the pin
const APART = 12 // pixels from one try to the next
const PIECES = 24
const TURN = 0.5 // rad: farther turns are made in parts, so that the mechanism stays on its branch
const TRIES = 40 // of one part
const EXACT = 1e-6 // of the length of the link: nearer to the asked place than this is there

export function anglesOf(): Angle[] {
  const { scene, frame } = session
  if (!scene || !frame) return []
  return barsOf(scene).flatMap((bar) => {
    const onGround = (end: 0 | 1) =>
      scene.joints.some(({ type, end1, end2 }) => {
        if (type !== 'revolute' || (end1.body >= 0 && end2.body >= 0)) return false
        const own = end1.body < 0 ? end2 : end1
        return own.body === bar.body && new Vector3().fromArray(own.position).setZ(0).distanceTo(bar.ends[end]) < NEAR
      })
    const end = ([0, 1] as const).find(onGround)
    if (end === undefined || onGround(end === 0 ? 1 : 0)) return []
    const at = (k: 0 | 1) => pointOn(frame.poses, bar.body, bar.ends[k].toArray()).setZ(0)
    const pivot = at(end)
    const way = at(end === 0 ? 1 : 0).sub(pivot)
    return [{ bar, end, pivot, value: Math.atan2(way.y, way.x) }]
  })
}

export const degrees = (angle: number): string => `${Math.round((angle * 18000) / Math.PI) / 100 + 0}°`

/** Where its label is on the canvas: between the axis and the link, as near to the pin as it is free. */
export function labelAt({ pivot, value }: Angle, view: View, isFree: (at: Vector2) => boolean): Vector2 {
  const pin = view.toCanvas(pivot)
  const way = new Vector2(Math.cos(value / 2), -Math.sin(value / 2))
  for (let r = LABEL; r <= FARTHEST; r += APART) {
    const at = pin.clone().addScaledVector(way, r)
    if (isFree(at)) return at
  }
  return pin.addScaledVector(way, LABEL)
}

export function drawAngle(overlay: Overlay, view: View, { pivot, value }: Angle): void {
  const middle = view.toCanvas(pivot)
  const point = (angle: number) =>
    middle.clone().add(new Vector2(Math.cos(angle), -Math.sin(angle)).multiplyScalar(ARC))
  const { accent } = overlay.ink
  overlay.line(middle, middle.clone().add(new Vector2(ARC + 12, 0)), accent, 1, [4, 4])
  overlay.path(
    Array.from({ length: PIECES + 1 }, (_, k) => point((value * k) / PIECES)),
    accent,
    1.5,
  )
}

/** Turns a link to an angle, and with it all that hangs on it; what stands against it, otherwise. */
export async function turnTo({ bar, end, pivot, value }: Angle, asked: number): Promise<string | undefined> {
  const local = bar.ends[end === 0 ? 1 : 0]
  const length = bar.ends[0].distanceTo(bar.ends[1])
  const way = asked - value
  const whole = way - 2 * Math.PI * Math.round(way / (2 * Math.PI))
  const parts = Math.max(Math.ceil(Math.abs(whole) / TURN), 1)
  let more = false
  for (let part = 1; part <= parts; part++) {
    const angle = value + (whole * part) / parts
    const target = [pivot.x + length * Math.cos(angle), pivot.y + length * Math.sin(angle)]
    let left = Infinity
    for (let k = 0; k < TRIES && left > EXACT * length; k++) {
      const answer = await session.ask('drag', { body: bar.name, at: local.toArray().slice(0, 2), target, more })
      if (!answer.ok) return answer.message
      more = true
      left = answer.distance
      if (!answer.unfinished && left > EXACT * length) {
        const by = answer.blocking.length > 0 ? `: held by ${answer.blocking.join(', ')}` : ''
        return `${bar.name} does not reach ${degrees(asked)}${by}`
      }
    }
  }
  return undefined
}
