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

/** The command that adds copies, moved; a text where that cannot be done: why. */
export function copyCommand(
  scene: StudioScene,
  poses: Poses,
  text: string,
  names: string[],
  motion: Matrix4,
  atStart: boolean,
): { command: { add: Record<string, Definitions> }; added: string[] } | string {
  const { bodies, joints, forces } = wholeOf(scene, names)
  if (bodies.length === 0) return 'Select the bodies to copy first'
  const taken = new Set(session.items.map(({ name }) => name))
  const made = new Map<string, string>()
  const fresh = (name: string) => {
    const copy = nextName(name, taken)
    taken.add(copy)
    made.set(name, copy)
    return copy
  }
  const add: Record<string, Definitions> = {}
  const put = (
    section: string,
    name: string,
    make: (said: Record<string, Value>) => Record<string, unknown>,
  ): boolean => {
    const said = name.includes('.') ? undefined : definitionOf(text, section, name)
    if (said) (add[section] ??= {})[fresh(name)] = make(said)
    return said !== undefined
  }
  const planar = scene.dimension === 2
  const refused = `cannot be copied: it does not stand in the text of this model, or in a way that is not read here`
  for (const b of bodies) {
    const pose = motion.clone().multiply(bodyMatrix(poses, b))
    const place = (said: Record<string, Value>) => {
      const kept = Object.entries(said).filter(([key]) => atStart || !MOTION.includes(key))
      return placedBody(Object.fromEntries(kept), pose, true, planar)
    }
    if (!put('bodies', scene.bodies[b].name, place)) return `${scene.bodies[b].name} ${refused}`
  }
  /** on a copy where it was on the original; elsewhere moved */
  const frame = (end: End) =>
    bodies.includes(end.body)
      ? bodyMatrix(poses, end.body).invert().multiply(endMatrix(poses, end))
      : bodyMatrix(poses, end.body).invert().multiply(motion).multiply(endMatrix(poses, end))
  const nameOf = ({ body }: End) => {
    const name = body < 0 ? 'ground' : scene.bodies[body].name
    return made.get(name) ?? name
  }
  const connect = (c: SceneJoint | SceneForce) => (said: Record<string, Value>) => {
    if (said.between) return placedEnds(said, planar, [nameOf(c.end1), nameOf(c.end2)], [frame(c.end1), frame(c.end2)])
    return Object.fromEntries(
      Object.entries(said).map(([key, value]) => [key, ['on', 'from'].includes(key) ? renamed(value, made) : value]),
    )
  }
  for (const joint of joints) if (!put('joints', joint.name, connect(joint))) return `${joint.name} ${refused}`
  for (const force of forces) if (!put('forces', force.name, connect(force))) return `${force.name} ${refused}`
  return { command: { add }, added: [...made.values()] }
}

/** What was copied, and how often it was pasted. */
let kept: { names: string[]; document: number; times: number } | undefined

export function copy(): void {
  const names = session.selected
    .filter(({ kind }) => kind === 'body' || kind === 'joint' || kind === 'force')
    .map(({ name }) => name)
  if (names.length === 0) {
    notices.show('info', 'Select the bodies to copy first')
    return
  }
  kept = { names, document: session.document, times: 0 }
  notices.show('info', `Copied ${names.join(', ')}`, 'Ctrl+V puts a copy beside it')
}

/** Beside what was copied, and beside that copy the next time: a row. */
function shiftFor(names: string[], times: number): Matrix4 {
  const { mechanism, poses, view } = current.viewport!
  const box = new Box3()
  session.scene!.bodies.forEach(({ name }, b) => {
    if (names.includes(name))
      box.setFromPoints([...mechanism!.cornersOf(b, poses), ...(box.isEmpty() ? [] : [box.min, box.max])])
  })
  const width = box.isEmpty() ? 0 : APART * (box.max.x - box.min.x)
  const cell = view?.cell || 1
  return new Matrix4().setPosition(new Vector3(times * Math.max(Math.ceil(width / cell), 1) * cell, 0, 0))
}

export async function paste(): Promise<void> {
  const { scene, frame } = session
  if (!kept || kept.document !== session.document || !scene || !frame) {
    notices.show('info', 'Copy something of this model first (Ctrl+C)')
    return
  }
  const answer = await session.ask('text')
  if (!answer.ok) return
  kept.times++
  const motion = shiftFor(kept.names, kept.times)
  const made = copyCommand(scene, frame.poses, answer.text, kept.names, motion, session.time === 0)
  if (typeof made === 'string') {
    notices.show('error', made)
    return
  }
  const done = await edit(made.command)
  if (!done.ok) return
  await session.reached(done.revision)
  session.select(made.added.filter((name) => session.item(name)?.kind === 'body'))
}

export async function duplicate(): Promise<void> {
  copy()
  await paste()
}
