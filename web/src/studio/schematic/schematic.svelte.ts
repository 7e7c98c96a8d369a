// What the schematic remembers: places given by hand, by model, and the scopes with the values they have seen.
import { session } from '../session.svelte'
import type { Point } from './layout'

const SEEN = 600 // values of a scope
const KEY = 'tenon.schematic'

interface Scope {
  channel: string
  times: number[]
  values: number[]
}

class Schematic {
  /** by name of a device or node */
  fixed = $state.raw<Map<string, Point>>(new Map())
  scopes = $state.raw<Scope[]>([])
  private model = ''

  constructor() {
    session.onFrame((frame) => {
      if (this.scopes.length === 0) return
      this.scopes = this.scopes.map((scope) => {
        const value = session.value(scope.channel, frame)
        const last = scope.times.at(-1)
        if (value === undefined || last === frame.time) return scope
        const back = last !== undefined && frame.time < last // another moment, or another run
        return {
          channel: scope.channel,
          times: [...(back ? [] : scope.times.slice(1 - SEEN)), frame.time],
          values: [...(back ? [] : scope.values.slice(1 - SEEN)), value],
        }
      })
    })
  }

  /** The places of a model that people have corrected, as this browser remembers them. */
  open(model: string): void {
    if (model === this.model) return
    this.model = model
    const all = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, Record<string, Point>>
    this.fixed = new Map(Object.entries(all[model] ?? {}))
    this.scopes = []
  }

  place(name: string, at: Point): void {
    this.fixed = new Map([...this.fixed, [name, at]])
    this.keep()
  }

  /** All places as the page finds them. */
  arrange(): void {
    this.fixed = new Map()
    this.keep()
  }

  toggleScope(channel: string): void {
    const others = this.scopes.filter((scope) => scope.channel !== channel)
    this.scopes = others.length < this.scopes.length ? others : [...this.scopes, { channel, times: [], values: [] }]
  }

  private keep(): void {
    const all = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, unknown>
    all[this.model] = Object.fromEntries(this.fixed)
    localStorage.setItem(KEY, JSON.stringify(all))
  }
}

export const schematic = new Schematic()

/** The curve of a scope in a field of this size; low and high are what it shows. */
export function curveOf({ times, values }: Pick<Scope, 'times' | 'values'>, width: number, height: number) {
  const low = Math.min(...values)
  const high = Math.max(...values)
  const span = high - low || 1
  const begin = times[0] ?? 0
  const length = (times.at(-1) ?? 0) - begin || 1
  const points = times.map(
    (t, k) => `${((t - begin) / length) * width},${height - ((values[k] - low) / span) * height}`,
  )
  return { points: points.join(' '), low, high }
}
