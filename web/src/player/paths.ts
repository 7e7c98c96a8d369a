// Paths of points: those with a name, by a list with boxes to tick, and any point of a body by clicking it.
import { Group, Vector3 } from 'three'
import type { Mechanism, NamedPoint } from '../scene/mechanism'
import { pointOn } from '../scene/space'
import type { Theme } from '../scene/theme'
import { Trace } from '../scene/trace'
import type { Poses } from '../scene/data'
import type { Motion } from './motion'

interface Shown {
  point: NamedPoint
  trace: Trace
  item: HTMLLabelElement
  picked: boolean
}

export class Paths {
  readonly object = new Group()
  private readonly shown: Shown[] = []
  private readonly items = new Map<NamedPoint, HTMLLabelElement>()
  private picks = 0

  constructor(
    private readonly motion: Motion,
    private readonly mechanism: Mechanism,
    private readonly list: HTMLElement,
    private theme: Theme,
    private readonly changed: () => void,
  ) {
    for (const point of mechanism.namedPoints()) this.items.set(point, this.addItem(point))
    for (const [point, item] of this.items) if (point.watched) this.show(point, item, false)
  }

  get points(): readonly NamedPoint[] {
    return [...this.items.keys()]
  }

  /** The point under a place, if a path of it is shown: within so many pixels as the measure says. */
  near(distance: (place: Vector3) => number, most: number): NamedPoint | undefined {
    return this.shown.find(({ trace }) => distance(trace.place) < most)?.point
  }

  toggle(point: NamedPoint): void {
    const item = this.items.get(point)!
    if (this.shown.some((s) => s.point === point)) this.hide(point)
    else this.show(point, item, false)
    this.changed()
  }

  pick(body: number, local: Vector3): void {
    const name = `${this.mechanism.data.bodies[body].name}, picked point ${++this.picks}`
    const point = { name, body, local, watched: false }
    const item = this.addItem(point)
    this.items.set(point, item)
    this.show(point, item, true)
    this.changed()
  }

  clear(): void {
    for (const { point } of [...this.shown]) this.hide(point)
    this.changed()
  }

  update(poses: Poses, frame: number): void {
    for (const { point, trace } of this.shown) trace.update(frame, this.place(point, poses))
  }

  repaint(theme: Theme): void {
    this.theme = theme
    this.shown.forEach((s, i) => this.paint(s, i))
  }

  private paint({ trace, item }: Shown, index: number): void {
    const colour = this.theme.traces[index % this.theme.traces.length]
    trace.paint(colour)
    item.style.setProperty('--mark', `#${colour.toString(16).padStart(6, '0')}`)
  }

  private addItem(point: NamedPoint): HTMLLabelElement {
    const item = document.createElement('label')
    const tick = document.createElement('input')
    tick.type = 'checkbox'
    tick.addEventListener('change', () => this.toggle(point))
    item.append(tick, point.name)
    this.list.append(item)
    return item
  }

  private place(point: NamedPoint, poses: Poses, target = new Vector3()): Vector3 {
    pointOn(poses, point.body, point.local.toArray(), target)
    target.z += this.mechanism.height(point.body)
    return target
  }

  private show(point: NamedPoint, item: HTMLLabelElement, picked: boolean): void {
    const positions = new Float32Array(3 * Math.max(this.motion.frames.length, 2))
    const place = new Vector3()
    for (let k = 0; 3 * k < positions.length; k++)
      this.place(point, this.motion.frames[Math.min(k, this.motion.last)], place).toArray(positions, 3 * k)
    const trace = new Trace(positions, this.mechanism.radius, 0)
    item.querySelector('input')!.checked = true
    this.object.add(trace.object)
    this.shown.push({ point, trace, item, picked })
    this.repaint(this.theme)
  }

  private hide(point: NamedPoint): void {
    const index = this.shown.findIndex((s) => s.point === point)
    if (index < 0) return
    const [{ trace, item, picked }] = this.shown.splice(index, 1)
    this.object.remove(trace.object)
    trace.dispose()
    item.querySelector('input')!.checked = false
    item.style.removeProperty('--mark')
    if (picked) {
      item.remove()
      this.items.delete(point)
    }
    this.repaint(this.theme)
  }
}
