// The tour: from an empty plane to a crank-rocker that runs, is saved and filmed. A step ends when the user has done it.
import { linkages } from '../analysis/linkage'
import { documents } from '../documents/documents.svelte'
import { session } from '../session.svelte'
import { sketch } from '../sketch/sketch.svelte'
import { ui } from '../ui.svelte'
import { current } from '../view/current'

export interface Step {
  title: string
  text: string
  /** true when the user has done the step */
  isDone: () => boolean
  /** done for the user, where a step offers it */
  offer?: { label: string; run: () => void }
}

const KEY = 'tenon.toured'

function fourBars() {
  const { scene, frame } = session
  if (!scene || !frame || scene.dimension !== 2 || frame.poses.length !== 7 * scene.bodies.length) return []
  return linkages(scene, frame.poses).filter(({ kind }) => kind === 'four-bar')
}

const isEmpty = () => session.scene?.dimension === 2 && session.scene.bodies.length === 0

export const steps: Step[] = [
  {
    title: 'Begin with an empty plane',
    text: 'Press O and choose “Empty, in the plane”. Whatever you had open stays open as a tab.',
    isDone: isEmpty,
    offer: { label: 'Do it', run: () => void documents.create(2) },
  },
  {
    title: 'Draw four bars',
    text: 'Press K. Click four places, one after the other: a short bar up, a long one to the right, and one down. The first end is pinned to ground by itself; for the last end, choose “Pin to ground” and click it.',
    isDone: () => fourBars().length > 0,
    offer: { label: 'Sketch', run: () => !sketch.active && sketch.toggle() },
  },
  {
    title: 'Give it lengths',
    text: 'Choose “Shape” and drag an end, or click a length in the view and type another, with Enter: make the first bar the shortest, say 150 mm. The panel below tells what kind of linkage it is. You want a crank-rocker.',
    isDone: dimensioned,
    offer: { label: 'Shape', run: () => (sketch.active || sketch.toggle(), sketch.choose('shape')) },
  },
  {
    title: 'Drive the crank',
    text: 'Press Esc until the sketch is closed, click the pin on the ground of the shortest bar, and press R: it gets a motor.',
    isDone: () => session.items.some(({ kind }) => kind === 'drive'),
  },
  {
    title: 'Run it',
    text: 'The speed of the motor stands below: a turn a second. Type another, such as 90 rpm, with Enter. Then press Space. Space again pauses, and dragging on the timeline goes back.',
    isDone: () => session.running && session.time > 0.5,
  },
  {
    title: 'See where it goes',
    text: 'Click the coupler, the bar between the other two, and press T: its middle leaves its path.',
    isDone: () => (current.viewport?.tracers.list.length ?? 0) > 0,
  },
  {
    title: 'Change it while it runs',
    text: 'Click a pin and press Del. The motion goes on with the positions and velocities of that moment. Then press Ctrl+Z: the pin is back.',
    isDone: cutAndMended,
  },
  {
    title: 'Keep it',
    text: 'Press Ctrl+S and give it a name. It is a file in the folder that the program serves.',
    isDone: () => documents.now?.file !== undefined && !documents.unsaved,
  },
  {
    title: 'Close it, open it again',
    text: 'Press Ctrl+Alt+W: the model is closed. Then press Ctrl+O and choose it under “In this folder”: it is as you left it, with its path.',
    isDone: closedAndOpened,
  },
  {
    title: 'Film it',
    text: 'Choose Export, then “Film”. Press Space, let it run for a moment, then press “Stop filming” at the top.',
    isDone: filmed,
    offer: { label: 'Export', run: () => (ui.overlay = 'export') },
  },
]

/** What happened since the step began, for conditions about a sequence of events. */
const seen = { joints: 0, lengths: '', cut: false, filming: false, file: '', document: 0 }

const lengthsNow = () => JSON.stringify(fourBars().map(({ lengths }) => lengths.map((length) => length.toPrecision(4))))

function dimensioned(): boolean {
  return seen.lengths !== lengthsNow() && fourBars().some(({ name }) => name.startsWith('Crank-rocker'))
}

function cutAndMended(): boolean {
  const count = session.scene?.joints.length ?? 0
  if (count < seen.joints) seen.cut = true
  return seen.cut && count >= seen.joints
}

/** The same model, as another document. */
function closedAndOpened(): boolean {
  const isOpen = documents.list.some(({ number }) => number === seen.document)
  return !isOpen && documents.now?.file === seen.file
}

function filmed(): boolean {
  if (ui.endFilm && session.running) seen.filming = true
  return seen.filming && !ui.endFilm
}

class Tour {
  /** undefined: it is not on */
  at = $state<number>()
  /** the user came back to a step: it stays until the user leaves it */
  revisited = $state(false)
  readonly step = $derived(this.at === undefined ? undefined : steps[this.at])
  readonly isOver = $derived(this.at === steps.length)

  /** the tour was neither taken nor refused on this computer */
  get isNew(): boolean {
    return localStorage.getItem(KEY) === null
  }

  begin(): void {
    ui.overlay = undefined
    this.at = undefined
    if (!ui.rightOpen) ui.toggleSide('right')
    this.go(0)
  }

  end(): void {
    this.at = undefined
    localStorage.setItem(KEY, 'yes')
  }

  go(step: number): void {
    const joints = session.scene?.joints.length ?? 0
    const { file = '', number: document = 0 } = documents.now ?? {}
    Object.assign(seen, { joints, lengths: lengthsNow(), cut: false, filming: false, file, document })
    this.revisited = this.at !== undefined && step < this.at
    this.at = Math.min(Math.max(step, 0), steps.length)
    if (this.isOver) localStorage.setItem(KEY, 'yes')
  }

  /** Continues with the next step when the present one is done. */
  look(): void {
    if (this.at !== undefined && !this.revisited && this.step?.isDone()) this.go(this.at + 1)
  }
}

export const tour = new Tour()
