// Copying components: bodies with what is between them, put beside what is there. One command, so one undo.
import { Box3, Matrix4, Vector3 } from 'three'
import type { End, Poses } from '../../scene/data'
import { bodyMatrix, endMatrix } from '../../scene/space'
import { edit } from '../edits'
import { notices } from '../notices.svelte'
import type { SceneForce, SceneJoint, StudioScene } from '../protocol'
import { session } from '../session.svelte'
import type { Value } from '../text/definition'
import { definitionOf } from '../text/definition'
import { current } from '../view/current'
import { bodyRefusal, connectionRefusal, mirroredBody, mirroredConnection } from './mirroring'
import { placedBody, placedEnds } from './moves'

const APART = 1.2 // of the width of what is copied: from one copy to the next
const MOTION = ['velocity', 'angular_velocity', 'guess']

type Definitions = Record<string, Record<string, unknown>>

/** A name that nothing has: arm, arm_2, arm_3. */
export function nextName(name: string, taken: ReadonlySet<string>): string {
  const stem = name.replace(/_\d+$/, '')
  for (let k = 2; ; k++) if (!taken.has(`${stem}_${k}`)) return `${stem}_${k}`
}

/** Bodies that are named, and joints and forces that are named or lie between such bodies. */
export function wholeOf(
  scene: StudioScene,
  names: string[],
): { bodies: number[]; joints: SceneJoint[]; forces: SceneForce[] } {
  const bodies = scene.bodies.flatMap(({ name }, b) => (names.includes(name) ? [b] : []))
  const has = ({ body }: End) => bodies.includes(body)
  const belongs = (c: SceneJoint | SceneForce) =>
    names.includes(c.name) ? has(c.end1) || has(c.end2) : has(c.end1) && has(c.end2)
  return { bodies, joints: scene.joints.filter(belongs), forces: scene.forces.filter(belongs) }
}

/** "arm.tip" with another name for arm. */
function renamed(value: Value, names: ReadonlyMap<string, string>): Value {
  if (typeof value !== 'string') return value
  const [body, ...frame] = value.split('.')
  return [names.get(body) ?? body, ...frame].join('.')
}

/** Where a copy is: moved by a rigid motion, or, with `across`, in a mirror across that axis of the world. */
export interface Motion {
  matrix: Matrix4
  across?: number
}

const FLIP = new Matrix4().makeScale(1, -1, 1) // see mirroring.ts
const UNREAD = `cannot be copied: it does not stand in the text of this model, or in a way that is not read here`

/** One copy: what is added for it, by section and name. */
class Copy {
  readonly add: Record<string, Definitions> = {}
  readonly made = new Map<string, string>()
  problem?: string
  private readonly planar: boolean

  constructor(
    private readonly scene: StudioScene,
    private readonly poses: Poses,
    private readonly text: string,
    private readonly motion: Motion,
    private readonly taken: Set<string>,
  ) {
    this.planar = scene.dimension === 2
  }

  private put(section: string, name: string, make: (said: Record<string, Value>) => Record<string, unknown>): void {
    const said = name.includes('.') ? undefined : definitionOf(this.text, section, name)
    if (!said) {
      this.problem ??= `${name} ${UNREAD}`
      return
    }
    const copy = nextName(name, this.taken)
    this.taken.add(copy)
    this.made.set(name, copy)
    ;(this.add[section] ??= {})[copy] = make(said)
  }

  private refuse(name: string, why: string | undefined): void {
    if (why) this.problem ??= `${name} ${why}`
  }

  /** Where the copy of a body is. */
  private pose(body: number): Matrix4 {
    const moved = this.motion.matrix.clone().multiply(bodyMatrix(this.poses, body))
    return this.motion.across === undefined ? moved : moved.multiply(FLIP)
  }

  body(b: number, atStart: boolean): void {
    const { name } = this.scene.bodies[b]
    const { across } = this.motion
    this.put('bodies', name, (said) => {
      const kept = Object.fromEntries(Object.entries(said).filter(([key]) => atStart || !MOTION.includes(key)))
      if (across !== undefined) this.refuse(name, bodyRefusal(said))
      const inside = across === undefined ? kept : mirroredBody(kept, across, this.planar)
      return placedBody(inside, this.pose(b), true, this.planar)
    })
  }

  connection(section: 'joints' | 'forces', c: SceneJoint | SceneForce): void {
    const mirrored = this.motion.across !== undefined
    this.put(section, c.name, (said) => {
      if (mirrored) this.refuse(c.name, connectionRefusal(said, section))
      const own = mirrored ? mirroredConnection(said) : said
      if (own.between)
        return placedEnds(
          own,
          this.planar,
          [this.nameOf(c.end1), this.nameOf(c.end2)],
          [this.frame(c.end1), this.frame(c.end2)],
        )
      return Object.fromEntries(
        Object.entries(own).map(([key, value]) => [
          key,
          ['on', 'from'].includes(key) ? renamed(value, this.made) : value,
        ]),
      )
    })
  }

  /** On a copy where it was on the original; elsewhere moved. */
  private frame(end: End): Matrix4 {
    const world = this.motion.matrix.clone().multiply(endMatrix(this.poses, end))
    if (this.motion.across !== undefined) world.multiply(FLIP)
    const copied = end.body >= 0 && this.made.has(this.scene.bodies[end.body].name)
    const on = copied ? this.pose(end.body) : bodyMatrix(this.poses, end.body)
    return on.invert().multiply(world)
  }

  private nameOf({ body }: End): string {
    const name = body < 0 ? 'ground' : this.scene.bodies[body].name
    return this.made.get(name) ?? name
  }
}

/** The command that adds copies, one for each motion; a text where that cannot be done: why. */
export function copyCommand(
  scene: StudioScene,
  poses: Poses,
  text: string,
  names: string[],
  motions: Motion[],
  atStart: boolean,
): { command: { add: Record<string, Definitions> }; added: string[] } | string {
  const { bodies, joints, forces } = wholeOf(scene, names)
  if (bodies.length === 0) return 'Select the bodies to copy first'
  const taken = new Set(session.items.map(({ name }) => name))
  const add: Record<string, Definitions> = {}
  const added: string[] = []
  for (const motion of motions) {
    const copy = new Copy(scene, poses, text, motion, taken)
    for (const b of bodies) copy.body(b, atStart)
    for (const joint of joints) copy.connection('joints', joint)
    for (const force of forces) copy.connection('forces', force)
    if (copy.problem) return copy.problem
    for (const [section, definitions] of Object.entries(copy.add)) add[section] = { ...add[section], ...definitions }
    added.push(...copy.made.values())
  }
  return { command: { add }, added }
}

/** Adds copies and selects them; a text where that cannot be done: why. */
export async function addCopies(names: string[], motions: Motion[]): Promise<string | undefined> {
  const { scene, frame } = session
  const answer = await session.ask('text')
  if (!answer.ok || !scene || !frame) return 'There is no model to copy in'
  const made = copyCommand(scene, frame.poses, answer.text, names, motions, session.time === 0)
  if (typeof made === 'string') return made
  const done = await edit(made.command)
  if (!done.ok) return done.message
  await session.reached(done.revision)
  session.select(made.added.filter((name) => session.item(name)?.kind === 'body'))
  return undefined
}

/** Names of what is selected and can be copied. */
export const copyable = (): string[] =>
  session.selected.filter(({ kind }) => kind === 'body' || kind === 'joint' || kind === 'force').map(({ name }) => name)

/** What was copied, and how often it was pasted. */
let kept: { names: string[]; document: number; times: number } | undefined

export function copy(): void {
  const names = copyable()
  if (names.length === 0) {
    notices.show('info', 'Select the bodies to copy first')
    return
  }
  kept = { names, document: session.document, times: 0 }
  notices.show('info', `Copied ${names.join(', ')}`, 'Ctrl+V puts a copy beside it')
}

/** How far apart copies in a row are, m: a little more than they are wide, in cells of the grid. */
export function apartFor(names: string[]): number {
  const { mechanism, poses, view } = current.viewport!
  const box = new Box3()
  session.scene!.bodies.forEach(({ name }, b) => {
    if (names.includes(name))
      box.setFromPoints([...mechanism!.cornersOf(b, poses), ...(box.isEmpty() ? [] : [box.min, box.max])])
  })
  const width = box.isEmpty() ? 0 : APART * (box.max.x - box.min.x)
  const cell = view?.cell || 1
  return Math.max(Math.ceil(width / cell), 1) * cell
}

/** Beside what was copied, and beside that copy the next time: a row. */
const shiftFor = (names: string[], times: number) =>
  new Matrix4().setPosition(new Vector3(times * apartFor(names), 0, 0))

export async function paste(): Promise<void> {
  if (!kept || kept.document !== session.document) {
    notices.show('info', 'Copy something of this model first (Ctrl+C)')
    return
  }
  kept.times++
  const problem = await addCopies(kept.names, [{ matrix: shiftFor(kept.names, kept.times) }])
  if (problem) notices.show('error', problem)
}

export async function duplicate(): Promise<void> {
  copy()
  await paste()
}
