// Names for what is drawn: the kind of entity and a number that is free in the session.
import { session } from '../session.svelte'

export function freeNames(stem: string, count: number): string[] {
  const names = []
  for (let k = 1; names.length < count; k++) if (!session.item(`${stem}_${k}`)) names.push(`${stem}_${k}`)
  return names
}
