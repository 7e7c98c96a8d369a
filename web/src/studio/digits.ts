// Numbers of commands, which become those of the model's text.
const LEAST = 1e-12 // m, rad or kg: less is round-off

/** Of lengths and angles: places that follow from them are right to the digits of a place. */
export const FINE = 12

/** Without the last digits, which are round-off of a computation. */
export function tidy(value: number, count = 10): number {
  const rounded = Number(value.toPrecision(count))
  return Math.abs(rounded) < LEAST ? 0 : rounded
}

/** Values of a command with numbers in place of texts that say the same: the text of the model has those without quotes. */
export function withNumbers<T>(value: T): T {
  const number = Number(value)
  if (typeof value === 'string') return (Number.isFinite(number) && value === String(number) ? number : value) as T
  if (Array.isArray(value)) return value.map((item) => withNumbers<unknown>(item)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNumbers<unknown>(item)])) as T
}
