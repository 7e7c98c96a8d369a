// Numbers with units, as people read them.
import { preferences } from './preferences.svelte'

const PREFIXED: Record<string, [number, string][]> = {
  m: [
    [1, 'm'],
    [1e-3, 'mm'],
    [1e-6, 'µm'],
  ],
  s: [
    [1, 's'],
    [1e-3, 'ms'],
    [1e-6, 'µs'],
  ],
  N: [
    [1e6, 'MN'],
    [1e3, 'kN'],
    [1, 'N'],
    [1e-3, 'mN'],
  ],
  'N m': [
    [1e3, 'kN m'],
    [1, 'N m'],
    [1e-3, 'mN m'],
  ],
  J: [
    [1e6, 'MJ'],
    [1e3, 'kJ'],
    [1, 'J'],
    [1e-3, 'mJ'],
    [1e-6, 'µJ'],
  ],
  W: [
    [1e3, 'kW'],
    [1, 'W'],
    [1e-3, 'mW'],
  ],
}

/** With so many significant digits, and no more zeros than needed. */
export function digits(value: number, count = 4): string {
  if (!Number.isFinite(value)) return '–'
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 1e6 || size < 1e-4) return value.toExponential(count - 1).replace('e+', 'e')
  return String(Number(value.toPrecision(count)))
}

/** Units that parameters are found to have, by their usual names. */
const USUAL: Record<string, string> = {
  'kg/s^2': 'N/m',
  'kg/s': 'N s/m',
  'kg m/s^2': 'N',
  'kg m^2/s^2': 'N m',
  'kg m^2/s': 'N m s',
  'kg/m/s^2': 'Pa',
  'kg m^2/s^3': 'W',
}

/** A unit as people write it. */
export function unitText(unit: string): string {
  return (USUAL[unit] ?? unit)
    .replaceAll('^2', '²')
    .replaceAll('^3', '³')
    .replace(/^deg\b/, '°')
}

/** In a unit that makes the number handy: 0.0032 m is 3.2 mm. */
export function quantity(value: number, unit: string, count = 3): string {
  const choices = PREFIXED[unit]
  if (!choices || value === 0 || !Number.isFinite(value)) return `${digits(value, count)} ${unitText(unit)}`.trim()
  const [scale, name] = choices.find(([s]) => Math.abs(value) >= s) ?? choices[choices.length - 1]
  return `${digits(value / scale, count)} ${name}`
}

/** In the unit that people have chosen for it, or that its text has; lengths in one that makes the number handy. */
export function inChosen(value: number, unit: string, written?: string): string {
  const shown = preferences.shown(unit, written)
  if (shown.unit === unit) return quantity(value, unit)
  return `${digits(value / shown.size)} ${unitText(shown.unit)}`
}

/** As a live value: a fixed number of places so that digits stand still. */
export function reading(value: number | undefined, unit: string): { text: string; unit: string } {
  const shown = preferences.shown(unit)
  const text = value === undefined ? '–' : steady(value / shown.size)
  return { text, unit: unitText(shown.unit) }
}

const NOISE = 1e-12 // SI: rounding of numbers about 1

function steady(value: number): string {
  const size = Math.abs(value) < NOISE ? 0 : Math.abs(value)
  if (size === 0) return '0.0000'
  if (size >= 1e5 || size < 1e-3) return value.toExponential(2)
  return value.toFixed(size >= 1000 ? 1 : size >= 10 ? 2 : 4)
}

export function timeText(t: number): string {
  return `${t.toFixed(3)} s`
}

export function countText(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
