// The tool for patterns and mirror images: what is typed, where the copies would be, and making them.
import type { Vector2 } from 'three'
import { Vector3 } from 'three'
import { notices } from '../notices.svelte'
import { session } from '../session.svelte'
import { quantity } from '../units'
import { current } from '../view/current'
import type { Overlay } from '../view/overlay'
import type { Motion } from './copies'
import { addCopies, apartFor, copyable, wholeOf } from './copies'
import type { Pattern } from './patterns'
import { motionsOf } from './patterns'
import { metres, radians } from './typed'

const MOST = 200 // copies at once

/** Corners in the order of a convex outline. */
function hull(points: Vector2[]): Vector2[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y)
  const half = (list: Vector2[]) => {
    const out: Vector2[] = []
    for (const p of list) {
      while (out.length > 1) {
        const [a, b] = out.slice(-2)
        if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break
        out.pop()
      }
      out.push(p)
    }
    return out.slice(0, -1)
  }
  return [...half(sorted), ...half([...sorted].reverse())]
}

class Patterning {
  active = $state(false)
  kind = $state<Pattern['kind']>('row')
  count = $state(3)
  step = $state(['', '', ''])
  angle = $state('')
  axis = $state(2)
  centre = $state(['0 mm', '0 mm', '0 mm'])
  across = $state(0)
  at = $state('0 mm')
  problem = $state('')
  names = $state.raw<string[]>([])

  toggle(): void {
    if (this.active) this.end()
    else this.begin()
  }

  begin(): void {
    const names = copyable()
    if (!session.scene || wholeOf(session.scene, names).bodies.length === 0) {
      notices.show('info', 'Select the bodies to copy first')
      return
    }
    this.names = names
    this.problem = ''
    this.step = [quantity(apartFor(names), 'm', 6), '0 mm', '0 mm']
    this.active = true
  }

  end(): void {
    this.active = false
    current.viewport?.invalidate()
  }

  /** As typed; a text where it is not understood. */
  read(): Pattern | string {
    const planar = session.scene?.dimension === 2
    const lengths = (list: string[]) =>
      new Vector3().fromArray(list.map((text, k) => (planar && k === 2 ? 0 : metres(text))))
    const known = (v: Vector3) => !v.toArray().some(Number.isNaN)
    const { count, axis } = this
    if (this.kind === 'mirror') {
      const at = metres(this.at)
      return Number.isNaN(at) ? 'a length, such as 60 mm' : { kind: 'mirror', axis: this.across, at }
    }
    if (!(count >= 2 && count <= MOST)) return `from 2 to ${MOST} in all`
    if (this.kind === 'row') {
      const step = lengths(this.step)
      return known(step) && step.length() > 0 ? { kind: 'row', count, step } : 'a step, such as 60 mm'
    }
    const angle = this.angle.trim() === '' ? (2 * Math.PI) / count : radians(this.angle)
    const centre = lengths(this.centre)
    if (Number.isNaN(angle) || !known(centre)) return 'an angle, such as 30 deg, and lengths'
    return { kind: 'circle', count, angle, axis: planar ? 2 : axis, centre }
  }

  motions(): Motion[] {
    const pattern = this.read()
    return typeof pattern === 'string' ? [] : motionsOf(pattern)
  }

  async make(): Promise<void> {
    const pattern = this.read()
    this.problem = typeof pattern === 'string' ? pattern : ((await addCopies(this.names, motionsOf(pattern))) ?? '')
    if (!this.problem) this.end()
  }

  /** Copies that would be out of sight are brought into it. */
  lookAtAll(): void {
    const { viewport } = current
    const motions = this.motions()
    if (!viewport?.mechanism || !viewport.view || !session.scene) return
    const { bodies } = wholeOf(session.scene, this.names)
    const own = bodies.flatMap((b) => viewport.mechanism!.cornersOf(b, viewport.poses))
    const copies = motions.flatMap(({ matrix }) => own.map((p) => p.clone().applyMatrix4(matrix)))
    const { clientWidth, clientHeight } = viewport.view.canvas
    const hidden = copies.some((p) => {
      const { x, y } = viewport.view!.toCanvas(p)
      return x < 0 || y < 0 || x > clientWidth || y > clientHeight
    })
    if (hidden) viewport.view.fit([...viewport.mechanism.corners(viewport.poses), ...copies])
    viewport.invalidate()
  }

  /** Outlines of where the copies would be. */
  draw(overlay: Overlay): void {
    const { viewport } = current
    if (!this.active || !viewport?.mechanism || !viewport.view || !session.scene) return
    const { bodies } = wholeOf(session.scene, this.names)
    for (const { matrix } of this.motions())
      for (const b of bodies) {
        const corners = viewport.mechanism.cornersOf(b, viewport.poses).map((p) => p.applyMatrix4(matrix))
        const outline = hull(corners.map((p) => viewport.view!.toCanvas(p)))
        if (outline.length > 1) overlay.path([...outline, outline[0]], overlay.ink.accent, 1.6, 0.8)
      }
  }
}

export const patterning = new Patterning()
