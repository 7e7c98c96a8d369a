// Drawing a planar mechanism: links by their ends, blocks in slots, pins, motors and paths. Everything drawn is a
// command like any other, made at once, so that it can be taken back one by one.
import { Vector3 } from 'three'
import * as edits from '../edits'
import { notices } from '../notices.svelte'
import type { EditAnswer } from '../protocol'
import { session } from '../session.svelte'
import { current } from '../view/current'
import * as timing from '../timing'
import { joining } from '../tools/joining.svelte'
import { quantity } from '../units'
import { pointOn } from '../../scene/space'
import type { Attachment } from '../view/snap'
import { bodyName } from '../view/snap'
import type { Bar, Handle } from './shaping'
import { handlesOf, lengthCommand, moveCommand, parameterFor } from './shaping'

export type SketchTool = 'link' | 'slider' | 'pin' | 'motor' | 'path' | 'shape'

/** A place that was clicked. body: undefined where nothing was. */
interface Spot {
  body?: string
  point: Vector3
}

const MASS = 1 // kg for a metre of link
const THICK = 0.03 // radius of a link over its length
const BLOCK = 0.2 // of the last link's length: edges of a block
const TURN = Math.PI / 36 // directions of slots are multiples of this
const NEAR = 1e-9 // m
const REACH = 16 // pixels from the end of a link that is taken

class Sketch {
  active = $state(false)
  tool = $state<SketchTool>('link')
  /** length that the next links get, m; undefined: as drawn */
  length = $state<number>()
  /** what was clicked first */
  private from = $state.raw<Spot>()
  private lastLength = 0.2
  /** end of links that is being moved */
  private held = $state.raw<Handle>()
  private working: Promise<void> = Promise.resolve()

  readonly hint = $derived(
    {
      link: this.from ? 'Click where the link ends. Esc ends the chain.' : 'Click where the link begins.',
      slider: this.from ? 'Click in the direction of the slot.' : 'Click what slides: the end of a link.',
      pin: 'Click the place on a link that ground holds.',
      motor: 'Click a pin.',
      path: 'Click the point whose path you want to see.',
      shape: this.held
        ? 'Let go where it should be. Esc leaves it.'
        : 'Drag the end of a link, or type its length here.',
    }[this.tool],
  )

  toggle(): void {
    if (this.active) this.leave()
    else if (session.scene?.dimension === 2) this.enter()
    else
      notices.show('info', 'Sketching is for mechanisms in the plane', undefined, [
        { label: 'New model in the plane', run: () => void session.act('new', { dimension: 2 }) },
      ])
  }

  choose(tool: SketchTool): void {
    this.tool = tool
    this.held = undefined
    this.start(undefined)
  }

  /** Places are taken hold of and dragged, instead of clicked. */
  get drags(): boolean {
    return this.active && this.tool === 'shape'
  }

  /** Takes hold of the end of a link that is near a place. */
  take(place: Attachment): void {
    const { view } = current.viewport!
    const point = current.viewport!.modelPoint(place).setZ(0)
    const distance = ({ at }: Handle) => view!.toCanvas(at).distanceTo(view!.toCanvas(point))
    const [nearest] = handlesOf(session.scene!, session.frame!.poses).sort((a, b) => distance(a) - distance(b))
    this.held = nearest && distance(nearest) < REACH ? nearest : undefined
    if (!this.held) notices.show('info', 'Take the end of a link, where nothing but links is joined')
    else this.start({ body: undefined, point: this.held.at })
  }

  /** Puts it to another place. */
  put(place: Attachment): void {
    const { held } = this
    const target = current.viewport!.modelPoint(place).setZ(0)
    this.held = undefined
    this.start(undefined)
    if (held) this.working = this.working.then(() => this.move(held, target))
  }

  /** Not where a parameter says a length: that would not be said any more. */
  private async move(handle: Handle, target: Vector3): Promise<void> {
    const text = await session.ask('text')
    const { scene, frame } = session
    for (const { bar } of handle.bars) {
      const parameter = text.ok ? parameterFor(scene!, text.text, bar) : undefined
      if (parameter) {
        notices.show('info', `The length of ${bar.name} is the parameter ${parameter}`, 'Type it, here or at the right')
        return
      }
    }
    const command = moveCommand(scene!, frame!.poses, handle, target)
    if (command) await edits.edit(command)
  }

  /** Gives a link another length, by the parameter that says it where there is one. What is wrong, otherwise. */
  async setLength(bar: Bar, length: number): Promise<string | undefined> {
    const { scene, frame } = session
    const text = await session.ask('text')
    const parameter = text.ok ? parameterFor(scene!, text.text, bar) : undefined
    if (parameter) {
      const answer = await edits.setParameter(parameter, `${length} m`)
      return answer.ok ? undefined : answer.message
    }
    const command = lengthCommand(scene!, frame!.poses, bar, length)
    if (typeof command === 'string') return command
    const answer = await session.ask('command', { command })
    if (!answer.ok) return answer.message
    notices.show('good', `${bar.name} is ${quantity(length, 'm')} long`, edits.effects(answer))
    return undefined
  }

  /** Ends the chain, or sketching. */
  escape(): void {
    if (this.from) {
      this.held = undefined
      this.start(undefined)
    } else this.leave()
  }

  /** Clicks take effect one after the other, however quickly they come. */
  pick(place: Attachment): void {
    const spot = this.spotOf(place)
    const { tool } = this
    const deeds = {
      link: () => this.link(spot),
      slider: () => this.slider(spot),
      pin: () => this.pin(spot),
      motor: () => this.motor(spot),
      path: () => this.path(place),
      shape: () => undefined,
    }
    this.working = this.working.then(deeds[tool])
  }

  private enter(): void {
    joining.end()
    if (session.running) {
      timing.pause()
      notices.show('info', 'Paused for sketching')
    }
    this.active = true
    if (current.viewport) current.viewport.describe = (place) => this.describe(place)
  }

  private leave(): void {
    this.start(undefined)
    this.active = false
    if (current.viewport) current.viewport.describe = current.viewport.offered = undefined
    current.viewport?.surround()
  }

  private start(spot: Spot | undefined): void {
    this.from = spot
    if (!current.viewport) return
    current.viewport.picks = spot ? [{ body: -1, local: spot.point, label: spot.body ?? '' }] : []
    current.viewport.invalidate()
  }

  private describe(place: Attachment): string {
    if (!this.from) return place.label
    if (this.held) return this.describeHeld(this.held, current.viewport!.modelPoint(place).setZ(0))
    const { length, angle } = this.toward(this.spotOf(place).point)
    return `${quantity(length, 'm')}  ${Math.round((angle * 1800) / Math.PI) / 10 + 0}°`
  }

  /** The lengths that links would have. */
  private describeHeld({ bars }: Handle, point: Vector3): string {
    const { poses } = session.frame!
    const far = ({ bar, end }: Handle['bars'][number]) => pointOn(poses, bar.body, bar.ends[1 - end].toArray()).setZ(0)
    return bars.map((side) => `${side.bar.name} ${quantity(far(side).distanceTo(point), 'm')}`).join(', ')
  }

  private spotOf(place: Attachment): Spot {
    const nothing = place.body < 0 && place.frame === undefined
    const point = current.viewport!.modelPoint(place)
    return { body: nothing ? undefined : bodyName(session.scene!, place.body), point: point.setZ(0) }
  }

  /** From the first click to a point, with the length that was asked for. */
  private toward(point: Vector3): { length: number; angle: number } {
    const way = point.clone().sub(this.from!.point)
    return {
      length: this.tool === 'link' ? (this.length ?? way.length()) : way.length(),
      angle: Math.atan2(way.y, way.x),
    }
  }

  /** A chain begins at ground where there is nothing else. */
  private async link(spot: Spot): Promise<void> {
    const { from } = this
    if (!from) {
      this.start({ body: spot.body ?? 'ground', point: spot.point })
      return
    }
    const { length, angle } = this.toward(spot.point)
    if (length < NEAR) return
    const end = from.point.clone().add(new Vector3(length * Math.cos(angle), length * Math.sin(angle), 0))
    const reached = end.distanceTo(spot.point) < NEAR ? spot.body : undefined
    const [name] = freeNames('link', 1)
    const [first, second] = freeNames('pin', 2)
    const joints: Record<string, object> = { [first]: pinned(from.body!, name, from.point) }
    if (reached && reached !== from.body) joints[second] = pinned(reached, name, end)
    const answer = await this.add({ bodies: { [name]: linkBody(from.point, length, angle) }, joints })
    if (!answer.ok) return
    this.lastLength = length
    this.start(reached ? undefined : { body: name, point: end })
  }

  private async slider(spot: Spot): Promise<void> {
    const { from } = this
    if (!from) {
      this.start(spot)
      return
    }
    const { length, angle: drawn } = this.toward(spot.point)
    if (length < NEAR) return
    const angle = TURN * Math.round(drawn / TURN)
    const at = plane(from.point)
    const [name] = freeNames('slider', 1)
    const [slide] = freeNames('slide', 1)
    const [pin] = freeNames('pin', 1)
    const axis = [tidy(Math.cos(angle)), tidy(Math.sin(angle))]
    const joints: Record<string, object> = { [slide]: { type: 'translational', between: ['ground', name], at, axis } }
    if (from.body && from.body !== 'ground') joints[pin] = pinned(from.body, name, from.point)
    const edge = tidy(BLOCK * this.lastLength, 3)
    const shapes = [{ box: { size: [edge, edge / 2, edge / 2].map((e) => tidy(e)) }, mass: massOf(this.lastLength) }]
    const answer = await this.add({ bodies: { [name]: { shapes, position: at, angle: tidy(angle) } }, joints })
    if (answer.ok) this.start(undefined)
  }

  private async pin({ body, point }: Spot): Promise<void> {
    if (!body || body === 'ground') {
      notices.show('info', 'Click a place on a link')
      return
    }
    const [name] = freeNames('pin', 1)
    await this.add({ joints: { [name]: pinned('ground', body, point) } })
  }

  private async motor({ point }: Spot): Promise<void> {
    const { poses } = session.frame!
    const distance = (end: { body: number; position: number[] }) =>
      pointOn(poses, end.body, end.position).setZ(0).distanceTo(point)
    const [nearest] = session
      .scene!.joints.filter((joint) => edits.coordinatesOf(joint.name).length > 0)
      .sort((a, b) => distance(a.end1) - distance(b.end1))
    if (nearest) await edits.drive(nearest.name)
    else notices.show('info', 'There is no joint to drive')
  }

  private path(place: Attachment): void {
    if (place.body < 0) notices.show('info', 'Click a place on a link')
    else current.viewport!.toggleTracer(place.label, place.body, place.local)
  }

  private add(what: object): Promise<EditAnswer> {
    return edits.edit({ add: what })
  }
}

/** Without the last, meaningless digits. */
function tidy(value: number, count = 10): number {
  return Number(value.toPrecision(count)) + 0
}

const massOf = (length: number) => `${tidy(MASS * length, 3)} kg`

function plane(point: Vector3): number[] {
  return [tidy(point.x), tidy(point.y)]
}

function pinned(a: string, b: string, point: Vector3): object {
  return { type: 'revolute', between: [a, b], at: plane(point) }
}

function linkBody(from: Vector3, length: number, angle: number): object {
  const rod = { from: [0, 0], to: [tidy(length), 0], radius: tidy(THICK * length, 3) }
  return {
    shapes: [{ rod, mass: massOf(length) }],
    position: plane(from),
    angle: tidy(angle),
    frames: { end: { at: [tidy(length), 0] } },
  }
}

function freeNames(stem: string, count: number): string[] {
  const names = []
  for (let k = 1; names.length < count; k++) if (!session.item(`${stem}_${k}`)) names.push(`${stem}_${k}`)
  return names
}

export const sketch = new Sketch()
