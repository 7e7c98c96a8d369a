// The runs of a sweep as curves over time, or as one number of each over what was swept.
import { axisOver } from '../plot/figure'
import type { Curve, Figure } from '../plot/figure'
import type { Column } from '../plot/files'
import type { ThemeName } from '../../scene/theme'
import { inChosen } from '../units'
import type { Swept, SweepRun } from './sweeps.svelte'

export const VIEWS = {
  curves: 'curves over time',
  final: 'final value',
  max: 'largest value',
  min: 'smallest value',
  mean: 'mean value',
} as const
export type SweepView = keyof typeof VIEWS

const MARGIN = 0.06
const HUES = [220, 20] // degrees, of the first and the last run
const LIGHTNESS: Record<ThemeName, number> = { light: 42, dark: 68 } // percent

/** From the first colour to the last; part: 0 to 1. */
export function rampColour(theme: ThemeName, part: number): string {
  return `hsl(${(HUES[0] + (HUES[1] - HUES[0]) * part).toFixed(0)}, 70%, ${LIGHTNESS[theme]}%)`
}

const good = ({ runs }: Swept): SweepRun[] => runs.filter((run) => run.message === undefined && run.t.length > 0)

function measure({ t, y: given }: SweepRun, view: SweepView): number {
  const y = given.map((value) => value ?? NaN)
  const known = y.filter((value) => !Number.isNaN(value))
  if (view === 'max') return Math.max(...known)
  if (view === 'min') return Math.min(...known)
  if (view === 'final') return y[y.length - 1]
  let area = 0
  for (let k = 1; k < t.length; k++) area += ((t[k] - t[k - 1]) * (y[k] + y[k - 1])) / 2
  return t.length > 1 ? area / (t[t.length - 1] - t[0]) : y[0]
}

function family(swept: Swept, unit: string, theme: ThemeName): Curve[] {
  const runs = good(swept)
  const values = runs.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return runs.map(({ value, t, y }) => ({
    channel: `${swept.knob.name} = ${inChosen(value, swept.knob.unit, swept.knob.written)}`,
    unit,
    points: { x: Float64Array.from(t), y: Float64Array.from(y, (v) => v ?? NaN) },
    colour: 0,
    stroke: rampColour(theme, high > low ? (value - low) / (high - low) : 0),
  }))
}

function overKnob(swept: Swept, view: SweepView, unit: string): Curve {
  const runs = good(swept)
  return {
    channel: `${swept.channel}, ${VIEWS[view]}`,
    unit,
    points: {
      x: Float64Array.from(runs, ({ value }) => value),
      y: Float64Array.from(runs, (run) => measure(run, view)),
    },
    colour: 0,
    dots: true,
  }
}

export function sweepFigure(swept: Swept, view: SweepView, unit: string, theme: ThemeName): Figure {
  const curves = view === 'curves' ? family(swept, unit, theme) : [overKnob(swept, view, unit)]
  const along = (pick: (curve: Curve) => Float64Array, label: string, of: string, margin: number) =>
    axisOver(label, of, curves.map(pick), margin)
  const x =
    view === 'curves'
      ? along(({ points }) => points.x, 't', 's', 0)
      : along(({ points }) => points.x, swept.knob.name, swept.knob.unit, MARGIN)
  const y = along(({ points }) => points.y, swept.channel, unit, MARGIN)
  const written = view === 'curves' ? undefined : swept.knob.written
  return { kind: 'time', x: { ...x, written }, y: [y], curves, marks: [] }
}

/** As a table: curves side by side over the first one's times, or one number a row. */
export function sweepColumns(swept: Swept, view: SweepView, unit: string): Column[] {
  const { curves } = sweepFigure(swept, view, unit, 'light')
  const [first] = curves
  const head = view === 'curves' ? { name: 't', unit: 's' } : { name: swept.knob.name, unit: swept.knob.unit }
  const x = first?.points.x ?? new Float64Array()
  return [
    { ...head, values: x },
    ...curves.map(({ channel, points }) => ({
      name: channel,
      unit,
      values: Float64Array.from(x, (_, k) => points.y[k] ?? NaN),
    })),
  ]
}
