// The body that the tool is about to make: typed in the form, put somewhere by a click, or drawn in the view: a base on the
// work plane or on a face, then a height.
import { Matrix4, Quaternion, Vector2, Vector3 } from 'three'
import { freeName } from '../edits'
import { problemsOf } from '../notices.svelte'
import { alongLine } from '../place/gizmo'
import { metres, radians } from '../place/typed'
import { session } from '../session.svelte'
import { ui } from '../ui.svelte'
import { current } from '../view/current'
import { faceAt } from '../view/faces'
import type { Overlay } from '../view/overlay'
import type { Attachment } from '../view/snap'
import { SolidGhost } from '../view/solidghost'
import type { PlaneFrame } from '../view/workplane'
import { meetPlane, planeAcross, snapOn, stepAt } from '../view/workplane'
import type { Drawn, Stroke } from './drawn'
import {
  drawnSolid,
  eulerTurn,
  eulerWords,
  givenHeight,
  lengthWords,
  measuresOf,
  MANNERS,
  rises,
  shapeData,
  standing,
} from './drawn'
import { joining } from './joining.svelte'
import { newSolid, shapeOf } from './solidity'
import { solids } from './solids'

const CLICK = 4 // pixels: shorter strokes are clicks
const ON_PLANE = 1e-6 // m

class NewBody {
  solid = $state(newSolid())
  position = $state<string[]>([])
  turned = $state<string[]>(['0 deg', '0 deg', '0 deg'])
  /** '': the next free one of its kind */
  name = $state('')
  problem = $state('')
  /** the base is drawn, and the pointer decides on the height */
  rising = $state(false)
  private stroke?: Stroke
  private pressed?: Vector2
  /** where a click would put it */
  private hovered?: Drawn
  private pointer = new Vector2()
  private readonly ghost = new SolidGhost()

  readonly profile = $derived(ui.tool === 'body' ? solids[this.solid.kind].profile : undefined)
  readonly hint = $derived(
    this.rising
      ? 'Move for the height, then click. Esc leaves it.'
      : MANNERS[this.solid.kind] === undefined
        ? ''
        : 'Drag in the view to draw it, or click to put it down.',
  )

  get nextName(): string {
    return freeName(STEMS[this.solid.kind] ?? this.solid.kind)
  }

  private get planar(): boolean {
    return session.scene?.dimension === 2
  }

  /** Its base is a circle. */
  private get isRound(): boolean {
    return ['disc', 'ball', 'ring'].includes(MANNERS[this.solid.kind] ?? '')
  }

  private get draws(): boolean {
    return ui.tool === 'body' && !this.profile && !joining.facing && MANNERS[this.solid.kind] !== undefined
  }

  choose(kind: string): void {
    const sizes = Object.fromEntries(solids[kind].sizes.map(([key, , given]) => [key, given]))
    this.solid = { ...this.solid, kind, sizes }
  }

  /** Where it stands, until something else is typed: at the place of the tool, or the origin. */
  placed(): void {
    const [place] = joining.places
    const drawn = place ? this.at(place, this.planeFor(place)) : this.at(GROUND, this.workPlane)
    this.put(drawn)
  }

  private put({ at, turn }: Pick<Drawn, 'at' | 'turn'>): void {
    this.position = at
      .toArray()
      .slice(0, session.scene?.dimension ?? 3)
      .map(lengthWords)
    this.turned = eulerWords(turn)
    this.show()
  }

  private get workPlane(): PlaneFrame {
    return this.planar ? planeAcross('z', 0) : (current.viewport?.workPlane.frame ?? planeAcross('z', 0))
  }

  private clickedOn?: PlaneFrame
  private planeFor(place: Attachment): PlaneFrame {
    return place.frame ? this.workPlane : (this.clickedOn ?? this.workPlane)
  }

  /** On the plane where the place is on it, in its middle otherwise. */
  private at(place: Attachment, plane: PlaneFrame): Drawn {
    const point = current.viewport?.modelPoint(place) ?? new Vector3()
    const on = !this.planar && Math.abs(point.clone().sub(plane.origin).dot(plane.n)) < ON_PLANE
    const where = on ? standing(this.solid, plane, point) : { at: point, turn: new Quaternion() }
    return { solid: this.solid, ...where }
  }

  /** The face under the pointer, or the work plane: one that was chosen counts wherever the pointer is. */
  private planeAt({ x, y }: Vector2): PlaneFrame {
    if (this.planar || joining.planeChosen) return this.workPlane
    return faceAt((a, b) => current.viewport!.surfaceAt(a, b), x, y) ?? this.workPlane
  }

  /** The pointer is over the view. */
  point(here: Vector2): void {
    this.pointer = here
    if (!this.draws) return
    if (this.rising) {
      current.viewport!.offered = undefined
      this.rise(here)
    } else if (joining.places.length === 0) {
      const place = current.viewport?.offered
      this.hovered = place && this.at(place, this.planeAt(here))
    }
    this.show()
  }

  leave(): void {
    this.hovered = undefined
    this.show()
  }

  grab(here: Vector2): boolean {
    if (!this.draws || session.readOnly) return false
    this.pressed = here
    const place = this.rising ? undefined : current.viewport?.attachmentAt(here.x, here.y)
    if (!place) return this.rising
    const face = this.planeAt(here)
    const from = current.viewport!.modelPoint(place)
    if (this.planar) from.setZ(0)
    this.clickedOn = face
    this.stroke = { plane: { ...face, origin: from }, from, to: from.clone(), height: NaN }
    return true
  }

  /** free: without steps. */
  haul(here: Vector2, free: boolean): void {
    this.pointer = here
    const { stroke } = this
    const { view } = current.viewport ?? {}
    if (!stroke || !view || this.rising) return
    current.viewport!.offered = undefined // the name of the place where it began would be over it
    const point = this.planar
      ? view.onPlane(here.x, here.y, stroke.from)
      : meetPlane(view, stroke.plane, here.x, here.y)
    if (!point) return
    const step = stepAt(view, stroke.plane, point) / FINER
    stroke.to = free ? point : this.isRound ? stepped(stroke.from, point, step) : snapOn(stroke.plane, point, step)
    if (!free) this.reachPlace(stroke, here)
    stroke.height = rises(this.solid.kind, this.planar) ? givenHeight(this.solid) : NaN
    this.show()
  }

  /** A place of a body under the pointer decides how far the base goes. */
  private reachPlace(stroke: Stroke, here: Vector2): void {
    const [nearest] = current.viewport!.placesNear(here.x, here.y).sort((a, b) => a.d - b.d)
    if (!nearest) return
    const point = current.viewport!.modelPoint(nearest.place)
    const off = point.clone().sub(stroke.from).dot(stroke.plane.n)
    if (Math.abs(off) < ON_PLANE) stroke.to = point
  }

  private rise(here: Vector2): void {
    const { stroke } = this
    const { view } = current.viewport ?? {}
    if (!stroke || !view) return
    const step = stepAt(view, stroke.plane, stroke.to) / FINER
    const high = alongLine(view.ray(here.x, here.y), stroke.to, stroke.plane.n)
    stroke.height = Math.round(high / step) * step
  }

  /** A stroke becomes a base or a body, a click a place. */
  drop(): void {
    const { stroke, pressed } = this
    this.pressed = undefined
    if (!stroke || !pressed) return
    if (this.rising) {
      void this.finish()
      return
    }
    if (this.pointer.distanceTo(pressed) >= CLICK && drawnSolid(this.solid, stroke, this.planar)) {
      if (!rises(this.solid.kind, this.planar)) void this.finish()
      else this.rising = true
      return
    }
    this.stroke = undefined
    const place = current.viewport?.attachmentAt(pressed.x, pressed.y)
    this.hovered = undefined
    if (place) joining.setPlace(0, place)
  }

  /** Leaves what is drawn; false: nothing was. */
  cancel(): boolean {
    const was = this.stroke !== undefined
    this.stroke = this.pressed = undefined
    this.rising = false
    this.show()
    return was
  }

  end(): void {
    this.hovered = this.clickedOn = undefined
    this.name = this.problem = ''
    this.cancel()
  }

  private drawn(): Drawn | undefined {
    return this.stroke ? drawnSolid(this.solid, this.stroke, this.planar) : undefined
  }

  private async finish(): Promise<void> {
    const drawn = this.drawn()
    this.cancel()
    if (!drawn) return
    this.solid = drawn.solid
    this.put(drawn)
    await this.add()
  }

  /** As the form has it. */
  async add(): Promise<void> {
    const straight = this.turned.every((angle) => Number.parseFloat(angle) === 0)
    const turn = this.planar ? { angle: this.turned[2] } : { rotation: { euler: [...this.turned] } }
    const shapes = [shapeOf(this.solid, this.planar)]
    await this.make({ position: [...this.position], ...(straight ? {} : turn), shapes })
  }

  async make(definition: object): Promise<void> {
    const answer = await joining.addBody(this.name.trim() || this.nextName, definition)
    this.problem = answer.ok ? '' : problemsOf(answer)[0]
  }

  private pose(): Matrix4 {
    const [x, y, z = 0] = this.position.map((text) => metres(text) || 0)
    const turn = eulerTurn(this.turned.map((text) => radians(text) || 0))
    return new Matrix4().compose(new Vector3(x, y, z), turn, new Vector3(1, 1, 1))
  }

  /** The picture of what would be made. */
  show(): void {
    const { view } = current.viewport ?? {}
    if (!view) return
    const active = ui.tool === 'body' && !this.profile
    const shown = this.drawn() ?? (joining.places.length === 0 ? this.hovered : undefined)
    const pose = shown ? new Matrix4().compose(shown.at, shown.turn, new Vector3(1, 1, 1)) : this.pose()
    const shape = active ? shapeData((shown ?? this).solid) : undefined
    this.ghost.show(view.scene, this.planar && shape ? flat(shape) : shape, pose, '#2f7fe0')
    current.viewport!.invalidate()
  }

  /** sizes of the picture, for the tests in a browser */
  get ghosted(): number[] | undefined {
    return this.ghost.shown
  }

  draw(overlay: Overlay): void {
    const drawn = this.drawn()
    if (!drawn) return
    overlay.label(this.pointer.clone().add(new Vector2(18, 22)), measuresOf(drawn.solid), overlay.ink.accent)
  }
}

/** At a distance that is a multiple of a step. */
function stepped(from: Vector3, to: Vector3, step: number): Vector3 {
  const way = to.clone().sub(from)
  return from.clone().addScaledVector(way.normalize(), Math.round(to.distanceTo(from) / step) * step)
}

const FINER = 5 // steps of sizes within one of places
const GROUND: Attachment = { body: -1, local: new Vector3(), label: 'ground' }
const STEMS: Record<string, string> = {
  sphere: 'ball',
  torus: 'ring',
  extrude: 'plate',
  revolve: 'turned',
  file: 'part',
}

/** In the plane round solids lie across it. */
const flat = (shape: NonNullable<ReturnType<typeof shapeData>>) => ({ ...shape, rotation: [1, 0, 0, 0] })

export const newBody = new NewBody()
