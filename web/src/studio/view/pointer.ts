// What the pointer does in the view: hover, select, pull while running, drag while paused, box, places for tools.
// Orbit, pan and zoom belong to the camera (scene/view.ts).
import type { Vector3 } from 'three'
import { Vector2 } from 'three'
import type { Flag } from './flags'
import type { Attachment } from './snap'
import type { Hit } from './viewtypes'
import type { Viewport } from './viewport'

export interface Deeds {
  running(): boolean
  readOnly(): boolean
  hover(name: string | undefined): void
  select(names: string[], add: boolean): void
  open(name: string): void
  menu(name: string | undefined, x: number, y: number): void
  /** A pull or drag moves on: point grabbed on a body, and where it should go. */
  pull(body: number, at: Vector3, target: Vector3): void
  drag(body: number, at: Vector3, target: Vector3): void
  release(dragged: boolean): void
  strength(factor: number): void
  /** a flag of a limit was moved */
  limit(flag: Flag): void
  /** a handle of a tool is taken at a place on the canvas (false: there is none), moved, put down or let go */
  grab(here: Vector2): boolean
  haul(here: Vector2, free: boolean): void
  drop(): void
  unhand(): void
  /** the pointer is over the view with no button pressed, or has left it */
  point(here: Vector2 | undefined): void
  /** the wheel chooses something of the tool in use; false: it has nothing to choose */
  turn(by: 1 | -1): boolean
  /** a tool is in use, and wants places */
  picking(): boolean
  pick(place: Attachment): void
  /** the tool takes hold of places and puts them elsewhere */
  moving(): boolean
  take(place: Attachment): void
  put(place: Attachment): void
}

const THRESHOLD = 4 // pixels that turn a click into a drag
const WHEEL_STEP = 1.15

interface Grip {
  hit: Hit
  from: Vector3
  dragged: boolean
}

export class Pointer {
  private down?: Vector2
  private hit?: Hit
  private grip?: Grip
  private fingers = new Set<number>()
  private rightDown?: Vector2
  private hauling = false
  private readonly ended = new AbortController()

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly viewport: Viewport,
    private readonly deeds: Deeds,
  ) {
    const on = <K extends keyof HTMLElementEventMap>(type: K, handler: (event: HTMLElementEventMap[K]) => void) =>
      canvas.addEventListener(type, handler, { signal: this.ended.signal })
    on('pointerdown', (event) => this.pressed(event))
    on('pointermove', (event) => this.moved(event))
    on('pointerup', (event) => this.lifted(event))
    on('pointercancel', (event) => this.lifted(event))
    on('pointerleave', () => this.left())
    on('dblclick', (event) => this.opened(event))
    on('contextmenu', (event) => this.asked(event))
    canvas.addEventListener('wheel', (event) => this.turned(event), { capture: true, signal: this.ended.signal })
  }

  dispose(): void {
    this.ended.abort()
  }

  /** Lets go of whatever is held; true if something was. */
  cancel(): boolean {
    const held = Boolean(this.grip ?? this.viewport.box ?? this.viewport.flags.held) || this.hauling
    if (this.grip) this.letGo()
    if (this.hauling) this.deeds.unhand()
    this.hauling = false
    this.down = this.hit = undefined
    this.viewport.box = this.viewport.flags.held = undefined
    this.viewport.invalidate()
    return held
  }

  private pressed(event: PointerEvent): void {
    if (event.pointerType === 'touch') {
      this.fingers.add(event.pointerId)
      if (this.fingers.size > 1) {
        this.cancel()
        return
      }
    }
    if (event.button === 2) this.rightDown = new Vector2(event.clientX, event.clientY)
    if (event.button !== 0) return
    this.canvas.setPointerCapture(event.pointerId)
    this.down = new Vector2(event.offsetX, event.offsetY)
    this.hauling = !this.deeds.readOnly() && this.deeds.grab(this.down)
    if (this.hauling) return
    if (this.deeds.moving()) {
      const place = this.viewport.attachmentAt(event.offsetX, event.offsetY)
      if (place) this.deeds.take(place)
      return
    }
    if (!this.deeds.readOnly() && !this.deeds.picking() && this.viewport.takeFlag(this.down)) return
    this.hit = this.viewport.hit(event.offsetX, event.offsetY)
  }

  private moved(event: PointerEvent): void {
    const here = new Vector2(event.offsetX, event.offsetY)
    if (!this.down) {
      if (event.buttons === 0) this.hovered(here)
      return
    }
    if (this.hauling) this.deeds.haul(here, event.shiftKey)
    else if (this.viewport.flags.held) this.viewport.moveFlag(here)
    else if (this.deeds.moving()) this.offer(here)
    else if (this.grip) this.pulled(this.grip, here, event.shiftKey)
    else if (this.viewport.box) this.boxed(here)
    else if (here.distanceTo(this.down) >= THRESHOLD && !this.deeds.picking()) this.begin(here, event.shiftKey)
  }

  /** Where what is held would go. */
  private offer(here: Vector2): void {
    this.viewport.offered = this.viewport.attachmentAt(here.x, here.y)
    this.viewport.invalidate()
  }

  private hovered(here: Vector2): void {
    this.viewport.offered = this.deeds.picking() ? this.viewport.attachmentAt(here.x, here.y) : undefined
    if (this.viewport.offered) this.viewport.invalidate()
    const hit = this.viewport.hit(here.x, here.y)
    this.deeds.point(here)
    this.canvas.style.cursor = this.deeds.picking() ? 'crosshair' : hit ? 'grab' : ''
    this.viewport.point(this.deeds.picking() ? undefined : hit?.name, here)
    this.deeds.hover(hit?.name)
  }

  private begin(here: Vector2, straight: boolean): void {
    if (this.hit && this.hit.body >= 0 && !this.deeds.readOnly()) {
      this.grip = { hit: this.hit, from: this.hit.point.clone(), dragged: !this.deeds.running() }
      this.canvas.style.cursor = 'grabbing'
      this.pulled(this.grip, here, straight)
    } else if (!this.hit) this.boxed(here)
  }

  private boxed(here: Vector2): void {
    this.viewport.box = [this.down!, here]
    this.viewport.invalidate()
  }

  private pulled(grip: Grip, here: Vector2, straight: boolean): void {
    const { hit, from, dragged } = grip
    const { mechanism, view } = this.viewport
    const target = view!.onPlane(here.x, here.y, from)
    if (straight) alongAxis(target, from)
    target.z -= mechanism!.height(hit.body)
    if (mechanism!.planar) target.z = 0
    const label = dragged ? (this.viewport.tether?.label ?? '') : undefined
    this.viewport.tether = { body: hit.body, local: hit.local, target, label }
    this.viewport.invalidate()
    if (dragged) this.deeds.drag(hit.body, hit.local, target)
    else this.deeds.pull(hit.body, hit.local, target)
  }

  private lifted(event: PointerEvent): void {
    this.fingers.delete(event.pointerId)
    if (event.button !== 0 || !this.down) return
    const here = new Vector2(event.offsetX, event.offsetY)
    const flag = this.viewport.flags.held
    if (this.hauling) this.deeds.drop()
    else if (flag) this.deeds.limit(flag)
    else if (this.grip) this.letGo()
    else if (this.viewport.box) this.deeds.select(this.viewport.within(...this.viewport.box), event.shiftKey)
    else if (this.deeds.moving()) this.putDown(here)
    else if (this.deeds.picking()) this.picked(here)
    else if (this.hit || !event.shiftKey)
      this.deeds.select(this.hit ? [this.hit.name] : [], event.shiftKey || event.ctrlKey)
    this.viewport.box = this.viewport.flags.held = undefined
    this.down = this.hit = undefined
    this.hauling = false
    this.viewport.invalidate()
  }

  private putDown(here: Vector2): void {
    const place = this.viewport.attachmentAt(here.x, here.y)
    if (place && here.distanceTo(this.down!) >= THRESHOLD) this.deeds.put(place)
  }

  private picked(here: Vector2): void {
    const place = this.viewport.attachmentAt(here.x, here.y)
    if (place) this.deeds.pick(place)
  }

  private letGo(): void {
    const { dragged } = this.grip!
    this.grip = undefined
    this.viewport.tether = undefined
    this.canvas.style.cursor = ''
    this.deeds.release(dragged)
  }

  private left(): void {
    if (this.down) return
    this.viewport.offered = undefined
    this.viewport.point(undefined, new Vector2())
    this.viewport.invalidate()
    this.deeds.point(undefined)
    this.deeds.hover(undefined)
  }

  private opened(event: MouseEvent): void {
    const hit = this.viewport.hit(event.offsetX, event.offsetY)
    if (hit && !this.deeds.picking()) this.deeds.open(hit.name)
  }

  /** A right click without dragging asks for the menu. */
  private asked(event: MouseEvent): void {
    event.preventDefault()
    const { rightDown } = this
    if (!rightDown || rightDown.distanceTo(new Vector2(event.clientX, event.clientY)) >= THRESHOLD) return
    const hit = this.viewport.hit(event.offsetX, event.offsetY)
    this.deeds.menu(hit?.name, event.clientX, event.clientY)
  }

  /** Alt and wheel: how hard a pull pulls. A tool may have the wheel to itself; with Ctrl it zooms all the same. */
  private turned(event: WheelEvent): void {
    if (event.altKey) this.deeds.strength(event.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP)
    else if (event.ctrlKey || !this.deeds.turn(event.deltaY < 0 ? -1 : 1)) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
}

/** Keeps a displacement to the axis of the world it is nearest to. */
function alongAxis(target: Vector3, from: Vector3): void {
  const move = target.clone().sub(from).toArray()
  const largest = move.reduce((best, d, k) => (Math.abs(d) > Math.abs(move[best]) ? k : best), 0)
  target.copy(from).setComponent(largest, from.getComponent(largest) + move[largest])
}
