// Moving and turning what is selected by handles in the view or by typed values, while the run is paused at its start.
import type { Matrix4, Vector2 } from 'three'
import { Quaternion, Vector3 } from 'three'
import * as edits from '../edits'
import { notices } from '../notices.svelte'
import { session } from '../session.svelte'
import type { Item } from '../session.svelte'
import { sketch } from '../sketch/sketch.svelte'
import * as timing from '../timing'
import { joining } from '../tools/joining.svelte'
import { quantity } from '../units'
import { current } from '../view/current'
import type { Overlay } from '../view/overlay'
import type { View } from '../../scene/view'
import { POSE_SIZE } from '../../scene/data'
import { bodyMatrix, endMatrix } from '../../scene/space'
import type { Grip } from './gizmo'
import { Gizmo, motionOf } from './gizmo'
import type { Following } from './moves'
import { moveBody, moveJoint } from './moves'

const TURN_STEP = Math.PI / 36 // of a dragged turn
const GRID_PART = 0.1 // of a cell of the grid: steps of a dragged shift

class Placing {
  active = $state(false)
  following = $state<Following>('come')
  /** axes of the handles: those of the world, or of what is moved */
  axes = $state<'world' | 'own'>('world')
  /** counts motions, so that what is typed is shown anew */
  moved = $state(0)
  private gizmo?: Gizmo

  /** What would be moved: the last selected body or joint. */
  readonly target = $derived(
    session.selected.filter(({ kind, name }) => (kind === 'body' || kind === 'joint') && !name.includes('.')).at(-1),
  )

  toggle(): void {
    if (this.active) this.end()
    else this.begin()
  }

  private begin(): void {
    joining.end()
    if (sketch.active) sketch.toggle()
    if (session.running) {
      timing.pause()
      notices.show('info', 'Paused for placing')
    }
    this.active = true
    this.show()
  }

  end(): void {
    this.active = false
    this.gizmo = undefined
    current.viewport?.invalidate()
  }

  /** Where something has changed: the handles come along, unless one is held. */
  follow(): void {
    if (this.active && !this.gizmo?.held) this.show()
  }

  /** The handles for what is selected now. */
  show(): void {
    const frame = this.frame()
    const { scene } = session
    this.gizmo = undefined
    if (this.active && frame && scene) {
      const [at, turn] = [new Vector3(), new Quaternion()]
      frame.decompose(at, turn, new Vector3())
      const planar = scene.dimension === 2
      this.gizmo = new Gizmo(at, this.axes === 'own' ? turn : new Quaternion(), planar)
    }
    current.viewport?.invalidate()
  }

  /** Where the target is, in the world. */
  frame(target = this.target): Matrix4 | undefined {
    const { scene, frame } = session
    if (!target || !scene || !frame || frame.poses.length !== POSE_SIZE * scene.bodies.length) return undefined
    if (target.kind === 'body') return bodyMatrix(frame.poses, target.index)
    return endMatrix(frame.poses, scene.joints[target.index].end1)
  }

  /** A handle at a place on the canvas is taken; false: there is none. */
  take(here: Vector2): boolean {
    const { view } = current.viewport ?? {}
    const grip = view && this.active ? this.gizmo?.find(here, view) : undefined
    if (!grip || !view) return false
    this.gizmo!.take(grip, here, view)
    return true
  }

  /** free: without steps. */
  drag(here: Vector2, free: boolean): void {
    const { viewport } = current
    const { gizmo } = this
    if (!gizmo?.held || !viewport?.view) return
    const step = gizmo.held.kind === 'turn' ? TURN_STEP : GRID_PART * viewport.view.cell
    gizmo.drag(here, viewport.view, free ? 0 : step)
    if (gizmo.held.kind === 'move' && !free) this.snap(gizmo, gizmo.held, here)
    this.pretend(gizmo.motion())
  }

  /** A place of another body under the pointer decides how far it goes. */
  private snap(gizmo: Gizmo, { axis }: Grip, here: Vector2): void {
    const own = this.target?.kind === 'body' ? this.target.index : undefined
    const [nearest] = current
      .viewport!.placesNear(here.x, here.y)
      .filter(({ place: { body } }) => body !== own)
      .sort((a, b) => a.d - b.d)
    if (!nearest) return
    const { place } = nearest
    gizmo.amount = current.viewport!.modelPoint(place).sub(gizmo.origin).dot(gizmo.axis(axis))
  }

  private pretend(motion: Matrix4): void {
    const { target } = this
    const { frame } = session
    if (target?.kind === 'body' && frame) {
      const poses = frame.poses.slice()
      const [at, turn] = [new Vector3(), new Quaternion()]
      motion.clone().multiply(bodyMatrix(poses, target.index)).decompose(at, turn, new Vector3())
      poses.set([...at.toArray(), turn.w, turn.x, turn.y, turn.z], POSE_SIZE * target.index)
      current.viewport!.pretend(poses)
    }
    current.viewport!.invalidate()
  }

  /** Lets go; the motion becomes an edit. */
  async drop(): Promise<void> {
    const { gizmo, target } = this
    if (!gizmo?.held) return
    const motion = gizmo.motion()
    const { amount } = gizmo
    gizmo.held = undefined
    if (amount !== 0 && target) await this.move(target, motion)
    else this.cancel()
  }

  /** Back to where it was. */
  cancel(): boolean {
    const held = this.gizmo?.held !== undefined
    if (this.gizmo) this.gizmo.held = undefined
    if (session.frame) current.viewport?.pretend(session.frame.poses)
    this.show()
    return held
  }

  /** Along an axis of the world (m), or about one through the target's origin (rad); what is wrong, otherwise. */
  async by(kind: Grip['kind'], axis: 0 | 1 | 2, amount: number): Promise<string | undefined> {
    const frame = this.frame()
    if (!this.target || !frame || amount === 0) return undefined
    const origin = new Vector3().setFromMatrixPosition(frame)
    const direction = new Vector3().setComponent(axis, 1)
    return this.move(this.target, motionOf({ kind }, amount, origin, direction))
  }

  private async move({ kind, name, index }: Item, motion: Matrix4): Promise<string | undefined> {
    const { scene, frame } = session
    const problem = session.time > 0 ? AT_START : await this.made(kind, name, index, motion)
    if (problem) {
      notices.show(
        'info',
        problem,
        undefined,
        session.time > 0 ? [{ label: 'Back to the start', run: timing.reset }] : [],
      )
      if (frame && scene === session.scene) current.viewport?.pretend(frame.poses)
    }
    this.moved++
    this.show()
    return problem
  }

  private async made(kind: string, name: string, index: number, motion: Matrix4): Promise<string | undefined> {
    const { scene, frame } = session
    const text = await session.ask('text')
    if (!text.ok) return text.message
    const command =
      kind === 'body'
        ? moveBody(scene!, frame!.poses, text.text, index, motion, this.following)
        : moveJoint(scene!, frame!.poses, text.text, scene!.joints[index], motion)
    if (typeof command === 'string') return command
    const answer = await session.ask('command', { command })
    if (!answer.ok) return answer.message
    notices.show('good', `Moved ${name}`, edits.effects(answer))
    await session.reached(answer.revision)
    return undefined
  }

  draw(overlay: Overlay, view: View): void {
    if (!this.active || !this.gizmo) return
    const { held, amount } = this.gizmo
    const degrees = Math.round((amount * 1800) / Math.PI) / 10 + 0
    const reading = held && (held.kind === 'move' ? quantity(amount, 'm') : `${degrees}°`)
    this.gizmo.draw(overlay, view, reading)
  }

  /** Where the handles are on the canvas, for the tests in a browser. */
  handles(view: View): { kind: string; axis: number; x: number; y: number }[] {
    return (this.gizmo?.grips ?? []).map(({ kind, axis }) => {
      const spot = kind === 'move' ? this.gizmo!.tip(view, axis) : this.gizmo!.ring(view, axis)[5]
      return { kind, axis, x: spot.x, y: spot.y }
    })
  }
}

const AT_START = 'Things are placed where they stand at the start'

export const placing = new Placing()
