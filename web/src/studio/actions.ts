// Everything that can be done, once: the keys, the command palette and the help come from this list.
import { Vector3 } from 'three'
import { analyses } from './analysis/analyses.svelte'
import { documents } from './documents/documents.svelte'
import { chooseFiles } from './importing/take'
import * as edits from './edits'
import { notices } from './notices.svelte'
import type { Kind } from './protocol'
import { CHOICES, preferences } from './preferences.svelte'
import { session } from './session.svelte'
import * as timing from './timing'
import { measuring } from './measure/measuring.svelte'
import { placing } from './place/placing.svelte'
import { sketch } from './sketch/sketch.svelte'
import { joining } from './tools/joining.svelte'
import { tour } from './tour/tour.svelte'
import { plots } from './plot/plots.svelte'
import * as copies from './place/copies'
import { patterning } from './place/patterning.svelte'
import { ui } from './ui.svelte'
import { current } from './view/current'

export interface Action {
  title: string
  group: string
  keys?: string[]
  /** changes the session: not for those who look on */
  edits?: boolean
  run: () => void
}

/** Runs for the selected components of certain kinds; says what is missing. */
function forSelected(kinds: Kind[], what: string, run: (name: string) => unknown): () => void {
  return () => {
    const fitting = session.selected.filter((item) => kinds.includes(item.kind))
    if (fitting.length === 0) notices.show('info', `Select ${what} first`)
    for (const item of fitting) run(item.name)
  }
}

const view = () => current.viewport
const ORBIT_STEP = Math.PI / 24
const ZOOM_STEP = 1.2

function toggleLayer(layer: keyof typeof ui.show): () => void {
  return () => (ui.show[layer] = !ui.show[layer])
}

function removeSelected(): void {
  if (session.selection.length === 0) notices.show('info', 'Select something first')
  void edits.remove([...session.selection])
}

function tracePath(): void {
  const item = session.selected.find((selected) => selected.kind === 'body')
  if (!item || !view()?.mechanism) {
    notices.show('info', 'Select a body first')
    return
  }
  const body = session.scene!.bodies.findIndex(({ name }) => name === item.name)
  const on = view()!.toggleTracer(item.name, body, new Vector3().fromArray(session.scene!.bodies[body].com))
  notices.show('info', on ? `Path of ${item.name}, at its centre of mass` : `No path of ${item.name}`)
}

const time: Action[] = [
  { title: 'Run or pause', keys: ['Space'], edits: true, run: timing.toggleRun },
  { title: 'One step forward', keys: ['ArrowRight'], edits: true, run: () => timing.step(1) },
  { title: 'One step back', keys: ['ArrowLeft'], edits: true, run: () => timing.step(-1) },
  { title: 'Back to the start', keys: ['Home'], edits: true, run: timing.reset },
  { title: 'Slower', keys: ['['], edits: true, run: () => timing.changeSpeed(-1) },
  { title: 'Faster', keys: [']'], edits: true, run: () => timing.changeSpeed(1) },
  { title: 'Runs stop at the end of the model, or not', run: () => (ui.stopAtEnd = !ui.stopAtEnd) },
  { title: 'Branch here', edits: true, run: () => void timing.branch() },
].map((action) => ({ group: 'Time', ...action }))

const changes: Action[] = [
  { title: 'Undo; time stays where it is', keys: ['Ctrl+Z'], edits: true, run: () => void edits.undoLast() },
  { title: 'Undo, back to the moment before', keys: ['Ctrl+Alt+Z'], edits: true, run: () => void edits.undo(true) },
  { title: 'Redo', keys: ['Ctrl+Shift+Z', 'Ctrl+Y'], edits: true, run: () => void edits.redo() },
  { title: 'Copy', keys: ['Ctrl+C'], run: copies.copy },
  { title: 'Paste beside it', keys: ['Ctrl+V'], edits: true, run: () => void copies.paste() },
  { title: 'Duplicate', keys: ['Ctrl+D'], edits: true, run: () => void copies.duplicate() },
  { title: 'Pattern or mirror', keys: ['Ctrl+Shift+D'], edits: true, run: () => patterning.toggle() },
  { title: 'Delete', keys: ['Delete', 'Backspace'], edits: true, run: removeSelected },
  { title: 'Sketch', keys: ['K'], edits: true, run: () => sketch.toggle() },
  { title: 'Move and turn', keys: ['W'], edits: true, run: () => placing.toggle() },
  { title: 'Joint tool', keys: ['J'], edits: true, run: () => joining.begin('joint') },
  { title: 'Body tool', keys: ['B'], edits: true, run: () => joining.begin('body') },
  { title: 'Force tool', keys: ['F'], edits: true, run: () => joining.begin('force') },
  { title: 'Spring tool', keys: ['S'], edits: true, run: () => joining.begin('spring') },
  { title: 'Fix to ground, or let go', keys: ['G'], edits: true, run: forSelected(['body'], 'a body', edits.ground) },
  { title: 'Lock joint, or let it go', keys: ['L'], edits: true, run: forSelected(['joint'], 'a joint', edits.lock) },
  {
    title: 'Suppress, or take part again',
    keys: ['U'],
    edits: true,
    run: () => void edits.suppress([...session.selection]),
  },
  { title: 'Drive joint', keys: ['R'], edits: true, run: forSelected(['joint'], 'a joint', edits.drive) },
].map((action) => ({ group: 'Change', ...action }))

const looks: Action[] = [
  { title: 'Normal view', keys: ['N'], run: () => view()?.view?.normal() },
  { title: 'Fit everything', keys: ['V'], run: () => view()?.fit() },
  { title: 'Zoom in', keys: ['+', '='], run: () => view()?.view?.zoom(ZOOM_STEP) },
  { title: 'Zoom out', keys: ['-'], run: () => view()?.view?.zoom(1 / ZOOM_STEP) },
  { title: 'Orbit left', keys: ['Shift+ArrowLeft'], run: () => view()?.view?.orbit(-ORBIT_STEP, 0) },
  { title: 'Orbit right', keys: ['Shift+ArrowRight'], run: () => view()?.view?.orbit(ORBIT_STEP, 0) },
  { title: 'Orbit up', keys: ['Shift+ArrowUp'], run: () => view()?.view?.orbit(0, ORBIT_STEP) },
  { title: 'Orbit down', keys: ['Shift+ArrowDown'], run: () => view()?.view?.orbit(0, -ORBIT_STEP) },
  { title: 'Reactions as arrows', keys: ['1'], run: toggleLayer('reactions') },
  { title: 'Applied forces as arrows', keys: ['2'], run: toggleLayer('forces') },
  { title: 'Velocities as arrows', keys: ['3'], run: toggleLayer('velocities') },
  { title: 'Accelerations as arrows', keys: ['4'], run: toggleLayer('accelerations') },
  { title: 'Forces where shapes touch as arrows', keys: ['0'], run: toggleLayer('touches') },
  { title: 'Paths of points', keys: ['5'], run: toggleLayer('paths') },
  { title: 'Ghost trail', keys: ['6'], run: toggleLayer('ghosts') },
  { title: 'Joints', keys: ['7'], run: toggleLayer('joints') },
  { title: 'Grid', keys: ['8'], run: toggleLayer('grid') },
  { title: 'Instant centres, in the plane', keys: ['9'], run: toggleLayer('centres') },
  { title: 'Velocity and acceleration polygons, in the plane', keys: ['Y'], run: toggleLayer('polygons') },
  { title: 'Curves of many points of what the pointer is on', keys: ['A'], run: toggleLayer('atlas') },
  { title: 'Measure, and notes in the view', keys: ['I'], run: () => measuring.toggle() },
  { title: 'Path of the selected body', keys: ['T'], run: tracePath },
  { title: 'Clear the paths', keys: ['X'], run: () => view()?.wipePaths(session.time) },
  { title: 'Colour paths by speed', run: toggleLayer('speeds') },
  { title: 'Follow the motion with the camera', keys: ['C'], run: toggleLayer('follow') },
  { title: 'Longer arrows', keys: ['.'], run: () => (ui.arrowScale *= 1.5) },
  { title: 'Shorter arrows', keys: [','], run: () => (ui.arrowScale /= 1.5) },
].map((action) => ({ group: 'View', ...action }))

const questions: Action[] = [
  { title: 'Assemble', edits: true, run: () => void analyses.ask('assemble') },
  { title: 'Find equilibrium', edits: true, run: () => void analyses.ask('statics') },
  { title: 'Linearise here: frequencies and damping', run: () => void analyses.ask('modes') },
  { title: 'Sweep a parameter', edits: true, run: () => analyses.show('sweep') },
  { title: 'Plot the selection', keys: ['P'], run: () => plots.addSelection() },
  { title: 'Plot energy', run: () => plots.addEnergy() },
  { title: 'Phase plot', run: () => plots.addPhase() },
  { title: 'Plots', run: () => ui.toggleDock('plots') },
  { title: 'Text of the model', keys: ['E'], run: () => ui.toggleDock('text') },
  { title: 'Health', keys: ['H'], run: () => ui.toggleDock('health') },
  { title: 'Messages', keys: ['M'], run: () => ui.toggleDock('messages') },
].map((action) => ({ group: 'Ask', ...action }))

const files: Action[] = [
  { title: 'Open', keys: ['Ctrl+O'], run: () => (ui.overlay = 'gallery') },
  { title: 'Import a machine of another format', edits: true, run: chooseFiles },
  { title: 'Save', keys: ['Ctrl+S'], edits: true, run: () => void documents.save() },
  { title: 'Save as', keys: ['Ctrl+Shift+S'], edits: true, run: () => documents.saveAs() },
  { title: 'Close the model', keys: ['Ctrl+Alt+W'], edits: true, run: () => documents.close() },
  { title: 'Next model', keys: ['Ctrl+Alt+ArrowRight'], edits: true, run: () => documents.turn(1) },
  { title: 'Last model', keys: ['Ctrl+Alt+ArrowLeft'], edits: true, run: () => documents.turn(-1) },
].map((action) => ({ group: 'File', ...action }))

const page: Action[] = [
  { title: 'Gallery', keys: ['O'], run: () => (ui.overlay = 'gallery') },
  { title: 'Export', run: () => (ui.overlay = 'export') },
  { title: 'Page with sliders', edits: true, run: () => (ui.overlay = 'page') },
  { title: 'Command palette', keys: ['Ctrl+K'], run: () => (ui.overlay = 'palette') },
  { title: 'Help', keys: ['?'], run: () => (ui.overlay = ui.overlay === 'help' ? undefined : 'help') },
  { title: 'Tour', edits: true, run: () => tour.begin() },
  { title: 'Light or dark', keys: ['D'], run: () => ui.setTheme(ui.theme === 'dark' ? 'light' : 'dark') },
  { title: 'Light or dark as the system has it', run: () => ui.setTheme(undefined) },
  { title: 'Presentation: nothing but the view', keys: ['Shift+F5'], run: () => (ui.presenting = !ui.presenting) },
  ...(['length', 'angle', 'turning'] as const).flatMap((what) =>
    CHOICES[what].map((unit) => ({
      title: `Units: ${what} in ${unit}`,
      run: () => preferences.choose(what, unit),
    })),
  ),
  { title: 'Left panel', keys: ['Ctrl+B'], run: () => ui.toggleSide('left') },
  { title: 'Right panel', keys: ['Ctrl+I'], run: () => ui.toggleSide('right') },
].map((action) => ({ group: 'Page', ...action }))

export const actions: Action[] = [...files, ...time, ...changes, ...looks, ...questions, ...page]

export function allowed(action: Action): boolean {
  return !action.edits || !session.readOnly
}

export function perform(action: Action): void {
  if (allowed(action)) action.run()
  else notices.show('info', 'Looking on: this link does not allow changes')
}

const byKey = new Map(actions.flatMap((action) => (action.keys ?? []).map((key) => [key, action] as const)))

function keyName(event: KeyboardEvent): string {
  const key = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toUpperCase() : event.key
  const shift = event.shiftKey && (event.key.length > 1 || event.ctrlKey)
  const parts = [event.ctrlKey || event.metaKey ? 'Ctrl' : '', event.altKey ? 'Alt' : '', shift ? 'Shift' : '', key]
  return parts.filter(Boolean).join('+')
}

/** Where a space is a letter, ticks a box or opens a list. */
function typing(focus: Element | null): boolean {
  const text = focus instanceof HTMLInputElement && focus.type !== 'range'
  return text || focus instanceof HTMLSelectElement || (focus instanceof HTMLElement && focus.isContentEditable)
}

/** Keys that the focused control needs itself. */
function ownKeys(focus: Element | null, event: KeyboardEvent): boolean {
  const plain = !event.ctrlKey && !event.metaKey
  if (event.key === ' ' && plain && !typing(focus)) return false // runs or pauses, wherever the focus is
  if (focus instanceof HTMLInputElement && focus.type === 'range')
    return ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(event.key)
  if (focus instanceof HTMLInputElement || (focus instanceof HTMLElement && focus.isContentEditable))
    return plain || ['z', 'y', 'c', 'v', 'x', 'a', 'Z', 'b', 'i'].includes(event.key)
  if (focus instanceof HTMLSelectElement) return plain
  if (focus instanceof HTMLButtonElement) return event.key === 'Enter'
  const tree = focus?.closest('[role=tree], [role=tablist], [role=menu]')
  return (
    Boolean(tree) && (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End') && !event.shiftKey
  )
}

/** True if the key was one of ours. */
export function key(event: KeyboardEvent): boolean {
  if (ui.overlay && event.key !== '?') return false
  if (ownKeys(document.activeElement, event)) return false
  const action = byKey.get(keyName(event))
  if (!action) return false
  perform(action)
  return true
}
