// Drawing a planar mechanism: links by their ends, blocks in slots, pins, motors and paths. Everything drawn is a
// command like any other, made at once, so that it can be taken back one by one.
import { Vector2, Vector3 } from 'three'
import { tidy } from '../digits'
import * as edits from '../edits'
import { notices } from '../notices.svelte'
import type { EditAnswer } from '../protocol'
import { session } from '../session.svelte'
import { current } from '../view/current'
import * as timing from '../timing'
import { joining } from '../tools/joining.svelte'
import { quantity } from '../units'
import { bodyMatrix, pointOn, roundNumber } from '../../scene/space'
import type { Attachment } from '../view/snap'
import { attachments, bodyName } from '../view/snap'
import type { Overlay } from '../view/overlay'
import { definitionOf } from '../text/definition'
import { barOf, slotJoint, splitCommand, widenCommand } from './linking'
import { bodiesAt, outlineBody, overlapping, simplified } from './outline'
import type { Angle } from './angles'
import { anglesOf, degrees, drawAngle, labelAt, turnTo } from './angles'
import type { Bar, Handle } from './shaping'
import { barsOf, handlesOf, lengthCommand, lengthOf, moveCommand, parameterFor } from './shaping'
import { linkBody, massOf, pinned, plane } from './links'
import { freeNames } from './names'
import type { Dimension, Spot } from './places'
import { contactOf, contactsWith, touchable } from './touching'

export type SketchTool =
  | 'link'
  | 'slider'
  | 'pin'
  | 'motor'
  | 'path'
  | 'shape'
  | 'outline'
  | 'floor'
  | 'hinge'
  | 'weld'
  | 'slot'
  | 'split'
  | 'point'

const BLOCK = 8 // length of a block over the radius of links
const THICK = 0.06 // radius of the first link over a cell of the grid
const TURN = Math.PI / 36 // directions of slots are multiples of this
const NEAR = 1e-9 // m
const REACH = 16 // pixels from the end of a link that is taken
const TYPED = 1e-5 // m: a typed place is that of something nearer
const MERGE = 1e-6 // m: ends nearer than this are one
const STROKE_STEP = 3 // pixels between points of a line by hand
const STROKE_LEAST = 8 // points: less is a click
const STROKE_WITHIN = 2.5 // pixels that a shape may differ from the line
const LABEL_PART = 0.35 // along a link: links that cross in their middles keep apart
const LABEL_OFF = 18 // pixels of a length from its link
const WIDE = 34 // half of the size of a length in the view, pixels
const HIGH = 12
const NARROW = 24 // half of the width of an angle in the view, pixels

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
  /** corners of an outline so far, in the world */
  outline = $state.raw<Vector3[]>([])
  /** a line that is being drawn by hand, on the canvas */
  private stroke: Vector2[] = []
  /** a length or angle in the view that was pressed */
  private label?: Dimension
  /** a length or angle in the view that is being typed, and where on the canvas */
  typing = $state.raw<{ bar: Bar; angle?: Angle; x: number; y: number }>()

  readonly hint = $derived(
    {
      link: this.from ? 'Click where the link ends. Esc ends the chain.' : 'Click where the link begins.',
      slider: this.from ? 'Click in the direction of the slot.' : 'Click what slides: the end of a link.',
      pin: 'Click the place on a link that ground holds.',
      motor: 'Click a pin.',
      path: 'Click the point whose path you want to see.',
      shape: this.held
        ? 'Let go where it should be. Esc leaves it.'
        : 'Drag the end of a link (onto another to pin them), or click a length or angle in the view, or type it here.',
      outline:
        this.outline.length > 0
          ? 'Click the other corners, and the first one to close it.'
          : 'Draw the outline in one stroke, or click its corners.',
      floor: 'Click where the floor is.',
      hinge: 'Click where two shapes overlap.',
      weld: 'Click where two shapes overlap.',
      slot: 'Click the end of a link that slides along the one under it.',
      split: 'Click a link between its ends.',
      point: this.from ? 'Click where its third point is.' : 'Click a link.',
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
    this.outline = []
    this.typing = undefined
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
    if (held) this.working = this.working.then(() => this.move(held, target)).then(() => this.merge(held, target))
  }

  /** An end that is put onto another one is pinned to it. */
  private async merge(held: Handle, target: Vector3): Promise<void> {
    const { scene, frame } = session
    const here = handlesOf(scene!, frame!.poses).find(({ at }) => at.distanceTo(target) < MERGE)
    const mine = held.bars[0].bar.name
    const other = here?.bars.find(({ bar }) => !held.bars.some((side) => side.bar.name === bar.name))
    if (!other || here!.joints.some(({ name }) => !held.joints.some((joint) => joint.name === name))) return
    const [name] = freeNames('pin', 1)
    await this.add({ joints: { [name]: pinned(other.bar.name, mine, here!.at) } })
  }

  /** Not where a parameter says a length: that would not be said any more. */
  private async move(handle: Handle, target: Vector3): Promise<void> {
    const text = await session.ask('text')
    const { scene, frame } = session
    if (!text.ok) return
    for (const { bar } of handle.bars) {
      const parameter = parameterFor(scene!, text.text, bar)
      if (parameter) {
        notices.show('info', `The length of ${bar.name} is the parameter ${parameter}`, 'Type it, here or at the right')
        return
      }
    }
    const starts = session.time === 0 && !session.running
    const command = moveCommand(scene!, frame!.poses, text.text, handle, target, starts)
    if (typeof command === 'string') notices.show('info', command)
    else await edits.edit(command)
  }

  /** Gives a link another length, by the parameter that says it where there is one. What is wrong, otherwise. */
  async setLength(bar: Bar, length: number): Promise<string | undefined> {
    const { scene } = session
    const text = await session.ask('text')
    if (!text.ok) return text.message
    const parameter = parameterFor(scene!, text.text, bar)
    if (parameter) {
      const answer = await edits.setParameter(parameter, `${length} m`)
      return answer.ok ? undefined : answer.message
    }
    const command = lengthCommand(scene!, text.text, bar, length)
    if (typeof command === 'string') return command
    const answer = await session.ask('command', { command })
    if (!answer.ok) return answer.message
    notices.show('good', `${bar.name} is ${quantity(length, 'm')} long`, edits.effects(answer))
    return undefined
  }

  /** A length in the view, or a line by hand, begins at a place on the canvas; false: neither. */
  grab(here: Vector2): boolean {
    if (!this.active) return false
    if (this.tool === 'shape') {
      const label = this.dimensions().find(({ at }) => Math.abs(at.x - here.x) < WIDE && Math.abs(at.y - here.y) < HIGH)
      this.label = label
      return label !== undefined
    }
    this.stroke = [here]
    return this.tool === 'outline'
  }

  haul(here: Vector2): void {
    const last = this.stroke.at(-1)
    if (this.tool !== 'outline' || !last || last.distanceTo(here) < STROKE_STEP) return
    this.stroke.push(here)
    current.viewport!.invalidate()
  }

  /** A stroke becomes a shape, a click a corner. */
  drop(): void {
    const { stroke, label } = this
    this.stroke = []
    this.label = undefined
    if (label) this.typing = { bar: label.bar, angle: label.angle, x: label.at.x, y: label.at.y } // once the button is up: the press takes the focus
    if (this.tool !== 'outline' || stroke.length === 0) return
    const view = current.viewport!.view!
    if (stroke.length > STROKE_LEAST) {
      const line = simplified(stroke, STROKE_WITHIN)
      this.close(line.map(({ x, y }) => view.onPlane(x, y, new Vector3()).setZ(0)))
      return
    }
    const [first] = this.outline
    if (first && this.outline.length > 2 && view.toCanvas(first).distanceTo(stroke[0]) < REACH) this.close(this.outline)
    else {
      const place = current.viewport!.attachmentAt(stroke[0].x, stroke[0].y)
      if (place) this.outline = [...this.outline, current.viewport!.modelPoint(place).setZ(0)]
    }
    current.viewport!.invalidate()
  }

  private close(corners: Vector3[]): void {
    this.outline = []
    this.working = this.working.then(() => this.addOutline(corners))
  }

  private async addOutline(corners: Vector3[]): Promise<void> {
    const made = outlineBody(corners.map(({ x, y }) => new Vector2(x, y)))
    if (!made) {
      notices.show('info', 'The outline encloses nothing, or crosses itself')
      return
    }
    const { scene } = session
    const text = await session.ask('text')
    const [name] = freeNames('shape', 1)
    const over = overlapping(scene!, session.frame!.poses, corners).map((body) => scene!.bodies[body].name)
    const free = touchable(scene!).filter((other) => !over.includes(other))
    const others = [...free, ...(scene!.ground.shapes.length > 0 ? ['ground'] : [])]
    const contacts = contactsWith(text.ok ? text.text : '', name, others)
    const answer = await this.add({ bodies: { [name]: made }, ...(others.length > 0 ? { contacts } : {}) })
    if (answer.ok && over.length > 0)
      notices.show('info', `${name} overlaps ${over.join(', ')}: they do not touch`, 'Hinge or weld them')
  }

  /** Ground below a height, which everything that can touch falls onto. */
  private async floor({ point }: Spot): Promise<void> {
    const { scene } = session
    const text = await session.ask('text')
    if (!text.ok) return
    const shape = { half_space: { at: [0, tidy(point.y)], normal: [0, 1] } }
    const said = definitionOf(text.text, 'bodies', 'ground')
    const shapes = [...(Array.isArray(said?.shapes) ? said.shapes : []), shape]
    const contacts = contactsWith(text.text, 'ground', touchable(scene!))
    const ground = { bodies: { ground: { ...said, shapes } } }
    const more = Object.keys(contacts).length > 0 ? { contacts } : {}
    const command = said
      ? { replace: ground, ...(more.contacts ? { add: more } : {}) }
      : { add: { ...ground, ...more } }
    await edits.edit(command, [], 'Added a floor')
  }

  /** Joins the two uppermost bodies under a place, or the only one to ground. */
  private async joinThrough({ point }: Spot, type: 'revolute' | 'fixed'): Promise<void> {
    const { scene, frame } = session
    const [top, below] = bodiesAt(scene!, frame!.poses, point, this.slack())
    if (top === undefined) {
      notices.show('info', 'There is no shape here')
      return
    }
    const names = [below, top].map((body) => bodyName(scene!, body ?? -1))
    const text = await session.ask('text')
    const contact = text.ok ? contactOf(text.text, names[0], names[1]) : undefined
    const [name] = freeNames(type === 'fixed' ? 'weld' : 'pin', 1)
    const joint = { type, between: names, at: plane(point) }
    await edits.edit({ ...(contact ? { remove: contact } : {}), add: { joints: { [name]: joint } } })
  }

  /** The end of a link slides along the link under it. */
  private async slot({ point }: Spot): Promise<void> {
    const { scene, frame } = session
    const here = bodiesAt(scene!, frame!.poses, point, this.slack())
    const bars = here.map((body) => barOf(scene!, body)).filter((bar) => bar !== undefined)
    const ends = (bar: Bar) =>
      bar.ends.some((end) => pointOn(frame!.poses, bar.body, end.toArray()).setZ(0).distanceTo(point) < this.slack())
    const slider = bars.find(ends)
    const slot = bars.find((bar) => bar !== slider && !ends(bar)) ?? bars.find((bar) => bar !== slider)
    if (!slider || !slot) {
      notices.show('info', 'Click the end of a link that lies on another link')
      return
    }
    const [name] = freeNames('slot', 1)
    await this.add({ joints: { [name]: slotJoint(scene!, frame!.poses, slot, slider.body, point) } })
  }

  private async split({ point }: Spot): Promise<void> {
    const { scene, frame } = session
    const [bar] = bodiesAt(scene!, frame!.poses, point, this.slack())
      .map((body) => barOf(scene!, body))
      .filter((b) => b !== undefined)
    const text = await session.ask('text')
    if (!bar || !text.ok) {
      notices.show('info', 'Click a link between its ends')
      return
    }
    const names = { link: freeNames('link', 1)[0], pin: freeNames('pin', 1)[0] }
    const command = splitCommand(scene!, frame!.poses, text.text, bar, point, names)
    if (typeof command === 'string') notices.show('info', command)
    else await edits.edit(command)
  }

  /** A third point of a link: first the link, then the place. */
  private async widen(spot: Spot): Promise<void> {
    const { scene, frame } = session
    const { from } = this
    if (!from) {
      const body = bodiesAt(scene!, frame!.poses, spot.point, this.slack()).find((b) => barOf(scene!, b))
      if (body === undefined) notices.show('info', 'Click a link')
      else this.start({ body: scene!.bodies[body].name, point: spot.point })
      return
    }
    const bar = barsOf(scene!).find(({ name }) => name === from.body)
    const text = await session.ask('text')
    this.start(undefined)
    if (!bar || !text.ok) return
    const made = widenCommand(frame!.poses, text.text, bar, spot.point)
    if (typeof made === 'string') {
      notices.show('info', made)
      return
    }
    const answer = await edits.edit(made.command)
    if (!answer.ok) return
    await session.reached(answer.revision)
    const place = session.scene!.frames.find(({ name }) => name === made.frame)
    if (place) current.viewport!.toggleTracer(made.frame, place.end.body, new Vector3().fromArray(place.end.position))
  }

  /** Links of one mechanism are as thick as each other, whatever their lengths: as the last one that was drawn, m. */
  private radius(): number {
    const drawn = barsOf(session.scene!).filter(({ radius }) => radius > 0)
    return tidy(drawn.at(-1)?.radius ?? roundNumber(THICK * (current.viewport?.view?.cell ?? 0.1)), 3)
  }

  /** Metres around a place that count as the place. */
  private slack(): number {
    return (current.viewport?.view?.cell ?? 0) / 10
  }

  /** Turns a link that is pinned to ground to another angle, rad. What is wrong, otherwise. */
  async setAngle(angle: Angle, asked: number): Promise<string | undefined> {
    if (session.running) timing.pause()
    const problem = await turnTo(angle, asked)
    if (!problem) notices.show('good', `${angle.bar.name} is at ${degrees(asked)}`)
    return problem
  }

  /** Lengths of links and angles of those at ground, and where they stand in the view. */
  dimensions(): Dimension[] {
    const { scene, frame } = session
    const { view } = current.viewport ?? {}
    if (!this.drags || !scene || !frame || !view) return []
    const lengths = barsOf(scene).map((bar) => {
      const [a, b] = bar.ends.map((end) => view.toCanvas(pointOn(frame.poses, bar.body, end.toArray())))
      const across = new Vector2(b.y - a.y, a.x - b.x).normalize()
      if (across.y > 0) across.negate()
      return {
        bar,
        at: a.lerp(b, LABEL_PART).addScaledVector(across, LABEL_OFF),
        text: quantity(lengthOf(bar), 'm', 4),
      }
    })
    const isFree = (at: Vector2) =>
      lengths.every((label) => Math.abs(label.at.x - at.x) > WIDE + NARROW || Math.abs(label.at.y - at.y) > 2 * HIGH)
    const angles = anglesOf().map((angle) => ({
      bar: angle.bar,
      angle,
      at: labelAt(angle, view, isFree),
      text: degrees(angle.value),
    }))
    return [...lengths, ...angles]
  }

  draw(overlay: Overlay): void {
    const { view } = current.viewport ?? {}
    if (!this.active || !view) return
    const { accent } = overlay.ink
    for (const { at, text, angle } of this.dimensions()) {
      if (angle) drawAngle(overlay, view, angle)
      overlay.badge(at, text, false)
    }
    const corners = this.outline.map((point) => view.toCanvas(point))
    if (corners.length > 0) overlay.dot(corners[0], 6, accent)
    overlay.path(corners, accent)
    overlay.path(this.stroke, accent)
  }

  /** Ends the chain, or sketching. */
  escape(): void {
    if (this.typing) this.typing = undefined
    else if (this.outline.length > 0) {
      this.outline = []
      current.viewport?.invalidate()
    } else if (this.from) {
      this.held = undefined
      this.start(undefined)
    } else this.leave()
  }

  /** A place by its coordinates, m, as if it were clicked: what is there, or ground. */
  pickPoint(x: number, y: number): void {
    const point = new Vector3(x, y, 0)
    if (this.tool === 'outline') {
      this.outline = [...this.outline, point]
      current.viewport!.invalidate()
      return
    }
    const { scene, frame } = session
    const there = attachments(scene!).find(
      ({ body, local }) => body >= 0 && pointOn(frame!.poses, body, local.toArray()).setZ(0).distanceTo(point) < TYPED,
    )
    const [body] = there ? [] : bodiesAt(scene!, frame!.poses, point, 0)
    const local = body === undefined ? point : point.applyMatrix4(bodyMatrix(frame!.poses, body).invert())
    this.pick(there ?? { body: body ?? -1, local, label: 'typed place' })
  }

  /** Closes the outline, where it has corners enough. */
  finish(): void {
    if (this.outline.length > 2) this.close(this.outline)
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
      outline: () => undefined,
      floor: () => this.floor(spot),
      hinge: () => this.joinThrough(spot, 'revolute'),
      weld: () => this.joinThrough(spot, 'fixed'),
      slot: () => this.slot(spot),
      split: () => this.split(spot),
      point: () => this.widen(spot),
    }
    this.working = this.working.then(deeds[tool])
  }

  private enter(): void {
    joining.end()
    if (session.running && this.tool !== 'shape') {
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
    const answer = await this.add({ bodies: { [name]: linkBody(from.point, length, angle, this.radius()) }, joints })
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
    const edge = tidy(BLOCK * this.radius(), 3)
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

export const sketch = new Sketch()
