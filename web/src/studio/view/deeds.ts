// What the pointer does to the session.
import type { Vector3 } from 'three'
import { edit } from '../edits'
import { notices } from '../notices.svelte'
import { session } from '../session.svelte'
import { measuring } from '../measure/measuring.svelte'
import { placing } from '../place/placing.svelte'
import { sketch } from '../sketch/sketch.svelte'
import { joining } from '../tools/joining.svelte'
import { newBody } from '../tools/newbody.svelte'
import { ui } from '../ui.svelte'
import { current } from './current'
import { quantity } from '../units'
import type { Deeds } from './pointer'

const RATES: [number, number] = [0.5, 16] // Hz, of a pull
const NOTHING = 1e-9 // J

interface Drag {
  body: string
  at: number[]
  target: number[]
}

/** Poses of a drag are asked for one after the other; targets in between are left out. All together are one edit. */
class Dragging {
  private next?: Drag
  private busy = false
  private more = false
  private ended = false

  async to(drag: Drag): Promise<void> {
    this.next = drag
    if (this.busy) return
    this.busy = true
    while (this.next) {
      const now: Drag = this.next
      this.next = undefined
      const answer = await session.ask('drag', { ...now, more: this.more })
      this.more = answer.ok
      this.show(answer.ok ? answer.blocking : [])
      if (answer.ok && answer.unfinished) this.next ??= now
      if (!answer.ok) notices.failure(answer)
    }
    this.busy = false
    if (this.ended) this.more = this.ended = false
  }

  end(): void {
    this.next = undefined
    this.ended = this.busy
    if (!this.busy) this.more = false
    this.show([])
  }

  /** What stands in the way: on the mechanism, and in words at the hand. */
  private show(blocking: string[]): void {
    if (blocking.join() !== session.blocking.join()) session.blocking = blocking
    const tether = current.viewport?.tether
    if (tether) tether.label = blocking.length > 0 ? `held by ${blocking.join(', ')}` : ''
  }
}

export function makeDeeds(menu: Deeds['menu'], open: Deeds['open']): Deeds {
  const dragging = new Dragging()
  const nameOf = (body: number) => session.scene!.bodies[body].name
  return {
    menu,
    open,
    running: () => session.running,
    readOnly: () => session.readOnly,
    hover: (name) => (session.hovered = name),
    select: (names, add) => {
      const others = session.selection.filter((name) => !names.includes(name))
      const again = add && names.length === 1 && session.selection.includes(names[0])
      session.select(again ? others : add ? [...others, ...names] : names)
    },
    pull: (body, at, target) =>
      session.tell('pull', { body: nameOf(body), ...points(at, target), omega: 2 * Math.PI * ui.pullRate }),
    drag: (body, at, target) => void dragging.to({ body: nameOf(body), ...points(at, target) }),
    release: (dragged) => {
      if (dragged) dragging.end()
      else void release()
    },
    strength: (factor) => {
      ui.pullRate = Math.min(Math.max(ui.pullRate * factor, RATES[0]), RATES[1])
      notices.show('info', `Pull follows at ${ui.pullRate.toFixed(1)} Hz`)
    },
    limit: ({ joint, coordinate, side, value }) =>
      void edit({ set: { [`${joint}.limits.${coordinate}.${side}`]: value } }),
    grab: (here) => placing.take(here) || sketch.grab(here) || joining.takeFace(here) || newBody.grab(here),
    haul: (here, free) => {
      if (placing.active) placing.drag(here, free)
      else if (sketch.active) sketch.haul(here)
      else newBody.haul(here, free)
    },
    drop: () => {
      if (placing.active) void placing.drop()
      else if (sketch.active) sketch.drop()
      else newBody.drop()
    },
    unhand: () => {
      placing.cancel()
      newBody.cancel()
    },
    point: (here) => (here ? newBody.point(here) : newBody.leave()),
    turn: (by) => joining.turn(by),
    picking: () => ui.tool !== undefined || sketch.active || measuring.active,
    pick: (place) => (ui.tool ? joining.pick(place) : sketch.active ? sketch.pick(place) : measuring.pick(place)),
    moving: () => sketch.drags,
    take: (place) => sketch.take(place),
    put: (place) => sketch.put(place),
  }
}

function points(at: Vector3, target: Vector3): { at: number[]; target: number[] } {
  return { at: at.toArray(), target: target.toArray() }
}

async function release(): Promise<void> {
  const answer = await session.ask('release')
  if (!answer.ok || !(Math.abs(answer.energy) > NOTHING)) return
  const { energy } = answer
  notices.show('info', `The pull ${energy > 0 ? 'put in' : 'took out'} ${quantity(Math.abs(energy), 'J')}`)
}
