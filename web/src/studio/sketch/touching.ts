// Who touches whom among drawn shapes: a contact for every pair that no joint connects.
import type { StudioScene } from '../protocol'
import { definitionOf } from '../text/definition'

const LAW = { friction: 0.4, restitution: 0.2 }
const TOUCHES = new Set(['polygon', 'box', 'sphere', 'cylinder', 'capsule'])

const nameOf = (a: string, b: string) => `touch_${[a, b].sort().join('_')}`

/** Bodies with shapes that can touch others. */
export const touchable = (scene: StudioScene): string[] =>
  scene.bodies
    .filter(({ name, shapes }) => !name.includes('.') && shapes.some(({ kind }) => TOUCHES.has(kind)))
    .map(({ name }) => name)

/** Contacts between a body (or ground) and others, as far as the text has none; by name. */
export function contactsWith(text: string, one: string, others: string[]): Record<string, object> {
  const missing = others.filter((other) => other !== one && !definitionOf(text, 'contacts', nameOf(one, other)))
  return Object.fromEntries(missing.map((other) => [nameOf(one, other), { between: [one, other], ...LAW }]))
}

/** The contact of a pair, where the text has one. */
export function contactOf(text: string, a: string, b: string): string | undefined {
  return definitionOf(text, 'contacts', nameOf(a, b)) ? nameOf(a, b) : undefined
}
