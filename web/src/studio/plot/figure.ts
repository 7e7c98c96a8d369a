// A plot as it stands: curves in units, axes with ranges, marks. What the canvas draws and what files hold.
import type { Happening } from '../session.svelte'
import { spectrum } from './spectrum'
import type { Recorder } from './recorder'
import type { Points, Table } from './table'
import { unitText } from '../units'

export type PlotKind = 'time' | 'against' | 'spectrum'

export interface Plot {
  id: number
  kind: PlotKind
  /** channels */
  curves: string[]
  /** channel along x, for kind `against` */
  x?: string
  /** s that are shown, up to the last; undefined: all */
  span?: number
}

export interface Curve {
  channel: string
  unit: string
  points: Points
  /** number of the colour; -1: of an old run */
  colour: number
  /** a colour of its own instead */
  stroke?: string
  /** its points are marked */
  dots?: boolean
}

export interface Axis {
  label: string
  unit: string
  /** unit of angles in the text of what it shows */
  written?: string
  min: number
  max: number
}

export interface Figure {
  kind: PlotKind
  x: Axis
  /** one for each unit */
  y: Axis[]
  curves: Curve[]
  marks: Happening[]
}

const MARGIN = 0.06
const MOST_POINTS = 4000 // of a curve that is no function of x

export function figureOf(
  plot: Plot,
  recorder: Recorder,
  unitOf: (channel: string) => string,
  happenings: Happening[],
  pixels: number,
): Figure {
  const { now, old } = recorder
  const end = Math.max(now.last, ...old.map((run) => (plot.span ? -Infinity : run.last)))
  const known = Math.min(...[now, ...old].map((run) => run.knownFrom(plot.curves)), end)
  const begin = plot.span ? Math.max(end - plot.span, known) : known
  const points = (table: Table, channel: string) => pointsOf(plot, table, channel, begin, end, pixels)
  const grey = plot.curves.flatMap((channel) =>
    old.map((run) => ({ channel, points: points(run, channel), colour: -1 })),
  )
  const own = plot.curves.map((channel, colour) => ({ channel, points: points(now, channel), colour }))
  const curves = [...grey, ...own].map((curve) => ({ ...curve, unit: unitOf(curve.channel) }))
  const units = [...new Set(plot.curves.map(unitOf))]
  return {
    kind: plot.kind,
    x: axisOfX(plot, curves, unitOf, begin, end),
    y: units.map((unit) =>
      axisOver(
        '',
        unit,
        curves.filter((c) => c.unit === unit).map((c) => c.points.y),
        MARGIN,
      ),
    ),
    curves,
    marks: plot.kind === 'time' ? happenings.filter(({ time }) => time >= begin && time <= end) : [],
  }
}

function pointsOf(plot: Plot, table: Table, channel: string, begin: number, end: number, pixels: number): Points {
  if (plot.kind === 'time') return table.reduced(channel, begin, end, pixels)
  const [from, to] = [Math.max(table.indexAfter(begin) - 1, 0), table.indexAfter(end)]
  if (plot.kind === 'spectrum') return spectrum(table.known(channel, from, to))
  const y = table.column(channel).subarray(from, to)
  return sparse({ x: table.column(plot.x ?? channel).subarray(from, to), y })
}

function sparse({ x, y }: Points): Points {
  const every = Math.ceil(y.length / MOST_POINTS)
  const kept = (_: number, k: number) => k % every === 0 && Number.isFinite(x[k]) && Number.isFinite(y[k])
  return { x: x.filter(kept), y: y.filter(kept) }
}

function axisOfX(plot: Plot, curves: Curve[], unitOf: (c: string) => string, begin: number, end: number): Axis {
  if (plot.kind === 'spectrum')
    return axisOver(
      'frequency',
      'Hz',
      curves.map((c) => c.points.x),
      0,
    )
  if (plot.kind === 'against')
    return axisOver(
      plot.x ?? '',
      unitOf(plot.x ?? ''),
      curves.map((c) => c.points.x),
      MARGIN,
    )
  const known = Number.isFinite(begin) && Number.isFinite(end)
  return { label: 't', unit: 's', min: known ? begin : 0, max: known ? Math.max(end, begin + 1e-3) : 1 }
}

/** Holds all numbers, with some room. */
export function axisOver(label: string, unit: string, lists: Float64Array[], margin: number): Axis {
  let [min, max] = [Infinity, -Infinity]
  for (const list of lists)
    for (const value of list) {
      if (value < min) min = value
      if (value > max) max = value
    }
  if (min > max) return { label, unit, min: 0, max: 1 }
  const room = max > min ? margin * (max - min) : Math.abs(max) > 0 ? 0.1 * Math.abs(max) : 1
  return { label, unit, min: min - room, max: max + room }
}

/** Round numbers from min to max, about so many. */
export function ticks(min: number, max: number, about: number): number[] {
  const rough = (max - min) / about
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((s) => s * power).find((s) => s >= rough)!
  const first = Math.ceil(min / step - 1e-9)
  const list = []
  for (let k = first; k * step <= max + 1e-9 * step; k++) list.push(Number((k * step).toPrecision(12)))
  return list
}

export const titled = ({ label, unit }: Axis): string =>
  [label, unit && `[${unitText(unit)}]`].filter(Boolean).join(' ')
