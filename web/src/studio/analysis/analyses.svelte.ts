// The analyses of the session as it stands, and their last answers.
import { session } from '../session.svelte'
import { ui } from '../ui.svelte'

export type Analysis = 'assemble' | 'statics' | 'modes'

export interface Part {
  coordinate: string
  unit: string
  amount: number
  phase: number
}

export interface Mode {
  frequency: number
  damping: number
  eigenvalue: [number, number]
  shape: Part[]
}

export interface Assembly {
  steps: number
  gaps: { joint: string; before: number; after: number }[]
  shifts: { body: string; distance: number; angle: number }[]
}

export interface Equilibrium {
  kind: string
  freedoms: number
  steps: number
  residual: number
  margin: number
  values: Record<string, number>
}

export interface Modes {
  modes: Mode[]
  freedoms: number
  undamped: boolean
  equilibrium?: string
}

class Analyses {
  busy = $state<Analysis>()
  assembly = $state.raw<Assembly>()
  equilibrium = $state.raw<Equilibrium>()
  modes = $state.raw<Modes>()
  /** what the panel is about; undefined: nothing yet */
  shown = $state<Analysis | 'sweep'>()
  /** instant that the answers belong to */
  time = $state(0)

  show(what: 'sweep'): void {
    ui.dock = 'analysis'
    this.shown = what
  }

  async ask(what: Analysis): Promise<void> {
    ui.dock = 'analysis'
    this.busy = what
    const answer = await session.act(what)
    this.busy = undefined
    if (!answer.ok) return
    this.time = session.time
    this.shown = what
    this.assembly = what === 'assemble' ? (answer as unknown as Assembly) : undefined
    this.equilibrium = what === 'statics' ? (answer as unknown as Equilibrium) : undefined
    this.modes = what === 'modes' ? (answer as unknown as Modes) : undefined
  }
}

export const analyses = new Analyses()
