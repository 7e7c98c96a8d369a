// A sweep: the model run from its start with other values of one number, beside the session.
import type { Property, Pushes } from '../protocol'
import { session } from '../session.svelte'
import { ui } from '../ui.svelte'

/** A number that can be given other values. */
export interface Knob {
  /** "L", "front.stiffness" or "coil.stiffness" */
  name: string
  kind: 'parameter' | 'property'
  value: number
  unit: string
  /** unit of angles in its text */
  written?: string
}

export interface SweepRun {
  value: number
  t: number[]
  y: (number | null)[]
  /** why it failed */
  message?: string
}

/** What is swept, and what is looked at. */
export interface Swept {
  knob: Knob
  channel: string
  count: number
  runs: SweepRun[]
}

export const MOST_RUNS = 256

/** Everything in the model that is a number and can be changed. */
export function knobs(): Knob[] {
  const { scene } = session
  if (!scene) return []
  const own = [{ name: '', parameters: scene.parameters }, ...scene.subsystems]
  const parameters = own.flatMap((owner) =>
    owner.parameters.map(({ name, value, unit, written }) => ({
      name: owner.name ? `${owner.name}.${name}` : name,
      kind: 'parameter' as const,
      value,
      unit,
      written,
    })),
  )
  const isNumber = (property: Property) => property.value !== undefined && !property.fixed
  const properties = session.items.flatMap(({ name, data }) =>
    (data.properties ?? []).filter(isNumber).map((property) => ({
      name: `${name}.${property.name}`,
      kind: 'property' as const,
      value: property.value!,
      unit: property.unit,
    })),
  )
  return [...parameters, ...properties]
}

/** So many values from one to another, both among them. */
export function spread(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, k) => from + ((to - from) * k) / Math.max(count - 1, 1))
}

class Sweeps {
  /** the last one; its runs come one after the other */
  swept = $state.raw<Swept>()
  busy = $state(false)

  constructor() {
    session.onPush((push) => push.push === 'sweep' && this.told(push))
  }

  async start(knob: Knob, values: number[], channel: string, until: number): Promise<void> {
    if (this.busy) return
    ui.dock = 'analysis'
    const before = this.swept
    this.busy = true
    this.swept = { knob, channel, count: values.length, runs: [] }
    const swept = knob.kind === 'parameter' ? { parameter: knob.name } : { property: knob.name }
    const answer = await session.act('sweep', { ...swept, values, channel, until })
    this.busy = false
    if (!answer.ok) this.swept = before
  }

  cancel(): void {
    void session.act('sweep_cancel')
  }

  private told({ value, t, y, message }: Pushes['sweep']): void {
    if (!this.swept) return
    this.swept = { ...this.swept, runs: [...this.swept.runs, { value, t, y, message }] }
  }
}

export const sweeps = new Sweeps()
