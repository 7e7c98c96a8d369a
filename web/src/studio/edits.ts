// Edits as people think of them: what each means as a command (docs/live.md), and what is told about it afterwards.
import { POSE_SIZE } from '../scene/data'
import type { Acknowledgement, Descriptor, EditAnswer } from './protocol'
import type { Choice } from './notices.svelte'
import { notices } from './notices.svelte'
import { attachedTo, session } from './session.svelte'
import { ui } from './ui.svelte'
import { countText, quantity } from './units'

const SAME_TIME = 1e-9 // s
const WORTH_TELLING = 1e-9 // J and m: smaller changes are rounding

/** What an edit did besides what it says: energy and displacement. */
export function effects(done: Acknowledgement): string | undefined {
  const { energy_change: energy, displacement } = done
  const parts = []
  const sign = energy > 0 ? '+' : '−'
  if (Math.abs(energy) > WORTH_TELLING) parts.push(`energy ${sign}${quantity(Math.abs(energy), 'J')}`)
  if (displacement > WORTH_TELLING) parts.push(`moved by ${quantity(displacement, 'm')}`)
  return parts.length > 0 ? parts.join(', ') : undefined
}

/** What an answer says, as a sentence. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A command; success is told, with how to take it back. told: in other words than those of the engine. */
export async function edit(command: object, choices: Choice[] = [], told?: string): Promise<EditAnswer> {
  const answer = await session.command(command)
  if (answer.ok) notices.show('good', told ?? sentence(answer.text), effects(answer), choices)
  return answer
}

/** the last edit was taken back with its state */
let restored = false

/** Has time gone on since the last edit? */
function movedSince(): boolean {
  const last = session.happenings.filter(({ kind }) => kind === 'edit').at(-1)
  return last !== undefined && Math.abs(session.time - last.time) > SAME_TIME
}

/** restore: back to the moment before; otherwise the model only, and the motion goes on. */
export async function undo(restore: boolean): Promise<EditAnswer> {
  const answer = await session.act('undo', { restore })
  restored = answer.ok && restore
  if (answer.ok) notices.show('info', sentence(answer.text), effects(answer))
  return answer
}

/** Time stays where it is: when it has gone on since the edit, only the model is taken back. */
export async function undoLast(): Promise<EditAnswer> {
  const moved = movedSince()
  const answer = await undo(!moved)
  if (answer.ok && moved)
    notices.show('info', sentence(answer.text), 'Time goes on; Ctrl+Alt+Z goes back to the moment before an edit')
  return answer
}

/** What was taken back with its state comes with its state again, unless time has gone on. */
export async function redo(): Promise<EditAnswer> {
  const answer = await session.act('redo', { restore: restored && !movedSince() })
  if (answer.ok) notices.show('info', sentence(answer.text), effects(answer))
  return answer
}

/** Components that go when something is removed. */
function goingWith(names: string[]): string[] {
  const { scene } = session
  if (!scene) return []
  const attached = names.flatMap((name) => attachedTo(scene, name))
  const joints = new Set([...names, ...attached])
  const coupled = scene.couplings.filter(({ couples = [] }) => couples.some(({ joint }) => joints.has(joint)))
  return [...new Set([...attached, ...coupled.map(({ name }) => name)])].filter((name) => !names.includes(name))
}

const isOf = (names: string[]) => (channel: string) => names.some((name) => channel.startsWith(`${name}.`))

/** What would have nothing to show or to watch any more: curves of plots, and events. */
function lostWith(names: string[]): string[] {
  const curves = session.wanted('plots').filter(isOf(names))
  const words = (text = '') => text.split(/[^\w.]+/)
  const events = (session.scene?.events ?? []).filter(({ when }) => words(when).some(isOf(names)))
  return [
    curves.length > 0 && `Plots lose ${curves.join(', ')}`,
    events.length > 0 && `Nothing to watch for ${events.map(({ name }) => name).join(', ')}`,
  ].filter((line) => line !== false)
}

const takeBack: Choice[] = [
  { label: 'Back to the moment before', run: () => void undo(true) },
  { label: 'Re-join now', run: () => void undo(false) },
]

/** Asks again, with a preview, when more goes than was named; a second call with the same names means yes. */
export async function remove(names: string[]): Promise<void> {
  if (names.length === 0) return
  const others = goingWith(names)
  const asked = ui.doomed.length > 0
  if (others.length > 0 && !asked) {
    preview(names, others)
    return
  }
  ui.doomed = []
  const only = names.length === 1 ? names[0] : names
  await edit({ remove: only }, takeBack)
}

function preview(names: string[], others: string[]): void {
  ui.doomed = [...names, ...others]
  const what = names.length === 1 ? names[0] : countText(names.length, 'component', 'components')
  const detail = [`Goes with it: ${others.join(', ')}`, ...lostWith(ui.doomed)].join('. ')
  notices.show('info', `Delete ${what} and what hangs on it?`, detail, [
    { label: 'Delete', run: () => void remove(names) },
    { label: 'Keep', run: () => (ui.doomed = []) },
  ])
}

export async function suppress(names: string[]): Promise<void> {
  for (const name of names) {
    const off = session.item(name)?.data.enabled !== false
    await edit(off ? { disable: name } : { enable: name })
  }
}

/** A name that nothing has yet. */
export function freeName(stem: string): string {
  for (let k = 1; ; k++) {
    const name = k === 1 ? stem : `${stem}_${k}`
    if (!session.item(name)) return name
  }
}

function descriptor(family: string, name: string | undefined): Descriptor | undefined {
  return session.types.find((type) => type.family === family && type.name === name)
}

export function coordinatesOf(joint: string): string[] {
  const type = descriptor('joint', session.item(joint)?.data.type)
  const form = session.scene?.dimension === 2 ? type?.planar : type?.spatial
  return (form?.coordinates ?? []).map((coordinate) => coordinate.name)
}

export function isLocked(joint: string): boolean {
  return session.items.some(({ kind, name }) => kind === 'drive' && (name + '_').startsWith(`${joint}_lock_`))
}

/** Holds the coordinates of a joint where they are, or lets them go again. */
export async function lock(joint: string): Promise<void> {
  await edit(isLocked(joint) ? { unlock: joint } : { lock: joint })
}

/** Gives a joint a motor that is set in the properties. */
export async function drive(joint: string): Promise<void> {
  const [coordinate] = coordinatesOf(joint)
  if (!coordinate) {
    notices.show('info', `${joint} has no coordinate to drive`)
    return
  }
  const name = freeName(`${joint}_drive`)
  const rate = isAngle(coordinate) ? '60 rpm' : '0.1 m/s'
  const answer = await edit({ add: { drives: { [name]: { joint: `${joint}.${coordinate}`, rate } } } })
  if (answer.ok) session.select([name])
}

const isAngle = (coordinate: string) => coordinate.startsWith('angle')

/** Unit of the motion that a type of drive gives to a coordinate. */
export function driveUnit(type: string, coordinate: string): string | undefined {
  const per = { drive: '', 'drive-rate': '/s', 'drive-acceleration': '/s^2' }[type]
  return per === undefined ? undefined : `${isAngle(coordinate) ? 'rad' : 'm'}${per}`
}

/** Another motion of a drive: a number with its unit, or a formula. Refusals as in set(). */
export async function setMotion(name: string, motion: string): Promise<EditAnswer> {
  const { type, couples = [] } = session.scene!.couplings.find((coupling) => coupling.name === name)!
  const [{ joint, coordinate }] = couples
  const key = { 'drive-rate': 'rate', 'drive-acceleration': 'acceleration' }[type]
  const drive = { joint: `${joint}.${coordinate}`, [key ?? (isAngle(coordinate) ? 'angle' : 'position')]: motion }
  const answer = await session.ask('command', { command: { replace: { drives: { [name]: drive } } } })
  if (answer.ok) notices.show('good', `${name} has another motion`, effects(answer))
  return answer
}

/** Fixes a body to ground where it is, or lets it go. */
export async function ground(body: string): Promise<void> {
  const name = `${body}_ground`
  if (session.item(name)) {
    await edit({ remove: name })
    return
  }
  const at = positionOf(body)
  await edit({ add: { joints: { [name]: { type: 'fixed', between: ['ground', body], at } } } })
}

function positionOf(body: string): number[] {
  const { scene, frame } = session
  const index = scene!.bodies.findIndex((b) => b.name === body)
  return Array.from(frame!.poses.subarray(POSE_SIZE * index, POSE_SIZE * index + scene!.dimension))
}

/** Gives a parameter of a file another value; joints that come apart by it are closed. Refusals as in set(). */
export async function setParameter(name: string, value: string, more = false): Promise<EditAnswer> {
  const command = { parameters: { [name]: value }, closing: 'snap', ...(more ? { more } : {}) }
  const answer = await session.ask('command', { command })
  const told = answer.ok ? effects(answer) : undefined
  if (answer.ok && told) notices.show('good', sentence(answer.text), told)
  return answer
}

/** Sets a parameter to a number, a text with unit or an expression. The caller shows what is wrong, at the field. */
export function set(component: string, parameter: string, value: string, more = false): Promise<EditAnswer> {
  const set = { [`${component}.${parameter}`]: value }
  return session.ask('command', { command: { set, ...(more ? { more } : {}) } })
}
