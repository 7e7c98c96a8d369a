// Numbers with units, as people read them.

/** Writes times of a motion with as many digits as its frames need, in s or ms. */
export function timeFormat(duration: number, step: number): (t: number) => string {
  const milli = duration < 0.5
  const unit = milli ? 'ms' : 's'
  const scale = milli ? 1000 : 1
  const digits = Math.min(Math.max(Math.ceil(-Math.log10(step * scale)), 1), 6)
  return (t) => `${(t * scale).toFixed(digits)} ${unit}`
}

export function lengthText(metres: number): string {
  const [value, unit] =
    metres >= 1000
      ? [metres / 1000, 'km']
      : metres >= 1
        ? [metres, 'm']
        : metres >= 1e-3
          ? [metres * 1e3, 'mm']
          : [metres * 1e6, 'µm']
  return `${Number(value.toPrecision(3))} ${unit}`
}

export function speedText(speed: number): string {
  return `${Number(speed.toPrecision(2))}×`
}

export function countText(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

const ANGLES: Record<string, [number, string]> = { rad: [180 / Math.PI, '°'], 'rad/s': [30 / Math.PI, ' rpm'] }

/** A value in SI units. */
export function valueText(value: number, unit: string): string {
  if (unit === 'm') return lengthText(value)
  const [size, name] = ANGLES[unit] ?? [1, ` ${unit}`]
  return `${Number((size * value).toPrecision(4))}${name}`.trim()
}
