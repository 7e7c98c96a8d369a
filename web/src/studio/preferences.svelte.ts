// In which units people want to read and type lengths, angles and rates of turning. The engine has SI units throughout.
import type { Figure } from './plot/figure'

export interface Shown {
  /** SI units in one of these */
  size: number
  unit: string
}

const DEGREE = Math.PI / 180
const LENGTHS = { m: 1, mm: 1e-3, cm: 1e-2 }
const ANGLES = { deg: DEGREE, rad: 1 }
const TURNING = { 'deg/s': DEGREE, rpm: (2 * Math.PI) / 60, 'rad/s': 1 }
export const CHOICES = {
  length: Object.keys(LENGTHS) as (keyof typeof LENGTHS)[],
  angle: Object.keys(ANGLES) as (keyof typeof ANGLES)[],
  turning: Object.keys(TURNING) as (keyof typeof TURNING)[],
}
const KEY = 'tenon.units'

class Preferences {
  length = $state<keyof typeof LENGTHS>('m')
  angle = $state<keyof typeof ANGLES>('deg')
  turning = $state<keyof typeof TURNING>('deg/s')

  /** somebody has chosen units on this computer */
  private isChosen = $state(false)

  constructor() {
    this.isChosen = localStorage.getItem(KEY) !== null
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, string>
    for (const what of Object.keys(CHOICES) as (keyof typeof CHOICES)[])
      if ((CHOICES[what] as string[]).includes(stored[what])) Object.assign(this, { [what]: stored[what] })
  }

  choose(what: keyof typeof CHOICES, unit: string): void {
    Object.assign(this, { [what]: unit, isChosen: true })
    localStorage.setItem(KEY, JSON.stringify({ length: this.length, angle: this.angle, turning: this.turning }))
  }

  /** How a quantity of the engine is shown; a unit that nobody chooses stays. written: unit of angles in its text, which counts
   * where nobody has chosen. */
  shown(unit: string, written = ''): Shown {
    if (unit === 'rad/s' && written === 'rpm' && !this.isChosen) return { size: TURNING.rpm, unit: 'rpm' }
    const length = LENGTHS[this.length]
    if (unit === 'm') return { size: length, unit: this.length }
    if (unit === 'm/s') return { size: length, unit: `${this.length}/s` }
    if (unit === 'm/s^2') return { size: length, unit: `${this.length}/s^2` }
    if (unit === 'rad') return { size: ANGLES[this.angle], unit: this.angle }
    if (unit === 'rad/s') return { size: TURNING[this.turning], unit: this.turning }
    if (unit === 'rad/s^2') return { size: ANGLES[this.angle], unit: `${this.angle}/s^2` }
    return { size: 1, unit }
  }

  /** A figure in SI units, as it is shown. */
  figure(figure: Figure): Figure {
    const axis = <A extends Figure['x']>(a: A): A => {
      const { size, unit } = this.shown(a.unit, a.written)
      return { ...a, unit, min: a.min / size, max: a.max / size }
    }
    const x = this.shown(figure.x.unit, figure.x.written)
    const curves = figure.curves.map((curve) => {
      const y = this.shown(curve.unit)
      const points = { x: scaled(curve.points.x, x.size), y: scaled(curve.points.y, y.size) }
      return { ...curve, unit: y.unit, points }
    })
    return { ...figure, x: axis(figure.x), y: figure.y.map(axis), curves }
  }
}

function scaled(values: Float64Array, size: number): Float64Array {
  return size === 1 ? values : values.map((value) => value / size)
}

export const preferences = new Preferences()
