// The analyses of the session as it stands, and their last answers.
import type { Assembly, Equilibrium, Modes } from '../protocol'
import { session } from '../session.svelte'
import { ui } from '../ui.svelte'

export type Analysis = 'assemble' | 'statics' | 'modes'

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
    const answered = await this.fetch(what)
    this.busy = undefined
    if (!answered) return
    this.time = session.time
    this.shown = what
  }

  /** Keeps the answer of one analysis in place of those before; false when it was refused. */
  private async fetch(what: Analysis): Promise<boolean> {
    const found = {
      assembly: what === 'assemble' ? await session.act('assemble') : undefined,
      equilibrium: what === 'statics' ? await session.act('statics') : undefined,
      modes: what === 'modes' ? await session.act('modes') : undefined,
    }
    const { assembly, equilibrium, modes } = found
    if (assembly?.ok === false || equilibrium?.ok === false || modes?.ok === false) return false
    this.assembly = assembly
    this.equilibrium = equilibrium
    this.modes = modes
    return true
  }
}

export const analyses = new Analyses()
