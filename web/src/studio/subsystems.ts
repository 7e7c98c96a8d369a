// Subsystems as people handle them: what is in one, its settings, its parameters, and another file in its place.
import { tick } from 'svelte'
import { effects, sentence } from './edits'
import { notices } from './notices.svelte'
import type { EditAnswer, FileParameter, Part, Solve, Subsystem } from './protocol'
import { session } from './session.svelte'
import { current } from './view/current'
import { ui } from './ui.svelte'
import { digits } from './units'

export const isInside = (path: string, subsystem: string): boolean => path.startsWith(`${subsystem}.`)

/** The last word of a path. */
export const localName = (path: string): string => path.slice(path.lastIndexOf('.') + 1)

export const fileOf = ({ file }: Subsystem): string => file.slice(file.lastIndexOf('/') + 1)

/** Names of the bodies in it, at any depth. */
export function bodiesIn(subsystem: string): string[] {
  return (session.scene?.bodies ?? []).map((body) => body.name).filter((name) => isInside(name, subsystem))
}

/** Names of all that is seen and is not in it, ground too. */
export function outsideOf(subsystem: string): string[] {
  const { bodies = [], joints = [], forces = [] } = session.scene ?? {}
  const names = [...bodies, ...joints, ...forces].map(({ name }) => name)
  return ['ground', ...names.filter((name) => !isInside(name, subsystem))]
}

/** Names of all that is in it, its own subsystems aside. */
function contents(subsystem: string): string[] {
  return session.items
    .filter((item) => item.kind !== 'subsystem' && isInside(item.name, subsystem))
    .map((item) => item.name)
}

/** How it is solved: by settings of its own, or of the nearest around it that has some, or as the model. */
export function solveOf(subsystem: Subsystem): { solve: Solve; from: string } {
  for (let at: Subsystem | undefined = subsystem; at; at = session.subsystem(at.parent))
    if (at.solve) return { solve: at.solve, from: at.name }
  return { solve: session.scene!.solve, from: '' }
}

export const stepText = ({ step }: Solve): string => (step === undefined ? 'chosen' : `${digits(1000 * step)} ms`)

/** Looks at it alone: tree, text, and camera, which has less room then. */
export async function enter(path: string): Promise<void> {
  ui.inside = path
  ui.dock = 'text'
  session.select([path])
  await tick()
  current.viewport?.resize()
  current.viewport?.fitBodies(bodiesIn(path))
}

export function leave(): void {
  ui.inside = session.subsystem(ui.inside)?.parent || undefined
}

/** The first change gives it settings of its own: all that the page shows, so that none falls back to a default. */
export function changeSolve(subsystem: Subsystem, change: Record<string, string>): Promise<EditAnswer> {
  const { solve, from } = solveOf(subsystem)
  const { step, ...methods } = solve
  const base = from === subsystem.name ? {} : { ...methods, ...(step === undefined ? {} : { step }) }
  return session.ask('command', { command: { set: { [`${subsystem.name}.solve`]: { ...base, ...change } } } })
}

/** Other files of the model's folder that have all its ports. */
export async function alternatives(subsystem: Subsystem): Promise<Part[]> {
  const answer = await session.ask('parts', { dimension: session.scene!.dimension })
  if (!answer.ok) return []
  const wanted = Object.keys(subsystem.ports)
  const fits = (part: Part) => wanted.every((port) => part.ports.includes(port))
  return answer.parts.filter((part) => fits(part) && part.file !== fileOf(subsystem))
}

/** What became of the contents of a subsystem that was replaced, by names inside it. */
export interface Swapped {
  file: string
  kept: string[]
  added: string[]
  gone: string[]
}

/** As it is written around the subsystem; what stands in another file is read with names that a command has not. */
function valueFor({ parent }: Subsystem, { given, value, unit }: FileParameter): string {
  return parent === '' ? given! : `${value} ${unit}`.trim()
}

/** Puts another file in its place. Values that it was given are given to the new one, as far as that knows them. */
export async function swap(subsystem: Subsystem, part: Part): Promise<Swapped | undefined> {
  const { name } = subsystem
  const known = new Set(part.parameters.map((parameter) => parameter.name))
  const given = subsystem.parameters.filter((p) => p.given !== undefined && known.has(p.name))
  const parameters = Object.fromEntries(given.map((p) => [p.name, valueFor(subsystem, p)]))
  const entry = { use: part.file, ...(given.length > 0 ? { parameters } : {}) }
  const before = contents(name)
  const answer = await session.command({ replace: { subsystems: { [name]: entry } }, closing: 'snap' })
  if (!answer.ok) return undefined
  if (!answer.changed) {
    notices.show(
      'info',
      `${part.file} says the same as ${fileOf(subsystem)}`,
      'Comments alone change nothing: it stays',
    )
    return undefined
  }
  await session.reached(answer.revision)
  const after = contents(name)
  const local = (list: string[]) => list.map((path) => path.slice(name.length + 1))
  notices.show('good', sentence(`${name} is ${part.file} now`), effects(answer))
  return {
    file: part.file,
    kept: local(after.filter((path) => before.includes(path))),
    added: local(after.filter((path) => !before.includes(path))),
    gone: local(before.filter((path) => !after.includes(path))),
  }
}

/** The names that come after that of a file: hub_2.yaml, hub_3.yaml ... */
export function nextName(file: string): string {
  const [, stem, count, ending] = /^(.*?)(?:_(\d+))?(\.[^.]*)$/.exec(file) ?? ['', file, '', '.yaml']
  return `${stem}_${Number(count ?? 1) + 1}${ending}`
}

/** Puts a changed text of a part beside the model, under the next free name, or in place of what was written there before. */
export async function writeBeside(
  file: string,
  text: string,
  before: string | undefined,
): Promise<{ name?: string; trouble?: string }> {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
  for (let name = before ?? nextName(file); ; name = nextName(name)) {
    const replace = name === before
    const answer = await session.ask('upload', { file: name, content: btoa(bytes), replace })
    if (answer.ok) return { name }
    if (answer.code !== 'exists') return { name: before, trouble: answer.message }
  }
}

/** Puts a file of the model's folder in its place; trouble where it does not fit. */
export async function swapFor(subsystem: Subsystem, file: string): Promise<{ trouble?: string }> {
  const answer = await session.ask('parts', { dimension: session.scene!.dimension })
  const part = answer.ok ? answer.parts.find((one) => one.file === file) : undefined
  if (!part) return { trouble: `${file} is written, but is no part: its mistakes are to be mended` }
  const missing = Object.keys(subsystem.ports).filter((port) => !part.ports.includes(port))
  if (missing.length > 0) return { trouble: `The port ${missing[0]} is missing, which is used around it` }
  return (await swap(subsystem, part)) ? {} : { trouble: 'It is not in place: see the message' }
}
