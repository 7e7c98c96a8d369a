// The solid of a body that is there: as a form shows it, and the command that changes it. Whatever else the text says stays.
import type { BodyData } from '../../scene/data'
import { tidy } from '../digits'
import type { Value } from '../text/definition'
import { definitionOf, isMap } from '../text/definition'
import { metres } from '../place/typed'
import { quantity } from '../units'
import type { Solidity } from './solidity'
import { shapeOf } from './solidity'
import { materials, solidOf, solids } from './solids'

const KEPT = ['at', 'rotation', 'angle', 'from', 'to'] // where a shape is on its body

/** The only shape in the definition of a body. */
function shapeIn(definition: Record<string, Value> | undefined): Record<string, Value> | undefined {
  const shapes = definition?.shapes
  const only = Array.isArray(shapes) && shapes.length === 1 ? shapes[0] : undefined
  return isMap(only) ? only : undefined
}

/** What a form shows of a body; undefined where its text has no single solid. */
export function solidityOf(body: BodyData, text: string): Solidity | undefined {
  const solid = solidOf(body.shapes)
  const shape = shapeIn(definitionOf(text, 'bodies', body.name))
  const said = shape?.[solid?.kind ?? '']
  if (!solid || !isMap(said)) return undefined
  const sizes = solids[solid.kind].sizes.map(([key], k) => [key, quantity(solid.sizes[k], 'm', 6)] as const)
  const density = Number.parseFloat(typeof shape?.density === 'string' ? shape.density : '')
  const material = materials.find(([, value]) => value === density)?.[0] ?? ''
  const axis = typeof said.axis === 'string' && 'xyz'.includes(said.axis) ? said.axis : 'z'
  return { kind: solid.kind, sizes: Object.fromEntries(sizes), axis, material, mass: `${body.mass} kg` }
}

export const COLOURS = 'white silver grey black red orange yellow green teal blue navy purple pink brown beige'.split(
  ' ',
)

/** The colour that the text gives a whole body; '': its own, undefined: it has looks of other kinds. */
export function colourOf(name: string, text: string): string | undefined {
  const look = definitionOf(text, 'bodies', name)?.look
  if (look === undefined) return ''
  const only = Array.isArray(look) && look.length === 1 ? look[0] : undefined
  const plain = isMap(only) && Object.keys(only).every((key) => key === 'colour')
  return plain && typeof only.colour === 'string' ? only.colour : undefined
}

/** The command that paints a body; '': as it was before. A text where that cannot be done: why. */
export function paintBody(body: BodyData, text: string, colour: string): object | string {
  const definition = definitionOf(text, 'bodies', body.name)
  if (!definition) return `The text does not have ${body.name} in a way that can be changed here`
  const rest = Object.fromEntries(Object.entries(definition).filter(([key]) => key !== 'look'))
  const look = colour === '' ? {} : { look: [{ colour }] }
  return { replace: { bodies: { [body.name]: { ...rest, ...look } } }, stay: true }
}

/** Ends that are given by points follow the length. */
function stretched(said: Record<string, Value>, ratio: number): Record<string, unknown> {
  const { from, to } = said
  if (!Array.isArray(from) || !Array.isArray(to)) return {}
  const number = (value: Value) => Number(value)
  const ends = to.map((value, k) => number(from[k]) + ratio * (number(value) - number(from[k])))
  return ends.some(Number.isNaN) ? {} : { to: ends.map((value) => tidy(value)) }
}

type Made = Record<string, unknown>

/** What the text says, an expression perhaps, where the form says what it said before. */
function unlessChanged(said: Value | undefined, was: unknown, now: unknown): unknown {
  if (Array.isArray(said) && Array.isArray(was) && Array.isArray(now) && said.length === now.length)
    return now.map((value, k) => unlessChanged(said[k], was[k], value))
  return said !== undefined && JSON.stringify(was) === JSON.stringify(now) ? said : now
}

/** The command that gives a body another solid; a text where that cannot be done: why. */
export function reshapeBody(body: BodyData, text: string, solid: Solidity, planar: boolean): object | string {
  const definition = definitionOf(text, 'bodies', body.name)
  const shape = shapeIn(definition)
  const before = solidOf(body.shapes)
  if (!definition || !shape || !before)
    return `The text does not have ${body.name} as a single solid: change it there (E)`
  const shown = solidityOf(body, text)
  const said = shape[before.kind]
  const made = shapeOf(solid, planar) as Made
  const was = shown?.kind === solid.kind ? (shapeOf(shown, planar) as Made) : {}
  for (const key of ['mass', 'density']) if (key in made) made[key] = unlessChanged(shape[key], was[key], made[key])
  if (isMap(said)) {
    const kept = Object.fromEntries(Object.entries(said).filter(([key]) => KEPT.includes(key)))
    const own = Object.entries(made[solid.kind] as Made).map(
      ([key, value]) => [key, unlessChanged(said[key], (was[solid.kind] as Made)?.[key], value)] as const,
    )
    const byEnds = shown?.kind === solid.kind && kept.from !== undefined
    const sizes = Object.fromEntries(own.filter(([key]) => !byEnds || !['length', 'axis'].includes(key)))
    const longer = byEnds && solid.sizes.length !== shown.sizes.length
    const ratio = longer ? metres(solid.sizes.length) / metres(shown.sizes.length) : 1
    made[solid.kind] = { ...sizes, ...kept, ...(longer ? stretched(said, ratio) : {}) }
  }
  const rest = Object.entries(shape).filter(([key]) => ![before.kind, 'mass', 'density'].includes(key))
  return {
    replace: { bodies: { [body.name]: { ...definition, shapes: [{ ...Object.fromEntries(rest), ...made }] } } },
    stay: true,
    closing: 'snap',
  }
}
