// The components as rows of a tree: subsystems as boxes within boxes, and what belongs to none by kind.
import type { IconName } from '../parts/Icon.svelte'
import type { Kind } from '../protocol'
import type { Item } from '../session.svelte'
import { isInside, localName } from '../subsystems'

const GROUPS: { kind: Kind; title: string; icon: IconName }[] = [
  { kind: 'subsystem', title: 'Subsystems', icon: 'subsystem' },
  { kind: 'body', title: 'Bodies', icon: 'body' },
  { kind: 'joint', title: 'Joints', icon: 'joint' },
  { kind: 'coupling', title: 'Couplings', icon: 'coupling' },
  { kind: 'drive', title: 'Drives', icon: 'drive' },
  { kind: 'force', title: 'Forces', icon: 'force' },
  { kind: 'device', title: 'Devices', icon: 'device' },
  { kind: 'node', title: 'Nodes', icon: 'node' },
  { kind: 'event', title: 'Events', icon: 'event' },
]
const iconOf = Object.fromEntries(GROUPS.map(({ kind, icon }) => [kind, icon])) as Record<Kind, IconName>
const order = Object.fromEntries(GROUPS.map(({ kind }, k) => [kind, k])) as Record<Kind, number>

export interface Row {
  /** what folds: a group, or the path of a subsystem */
  key: string
  level: number
  label: string
  icon?: IconName
  /** not there: the head of a group */
  item?: Item
  /** not there: nothing to fold */
  open?: boolean
  count?: number
}

const parentOf = (name: string): string => name.slice(0, Math.max(name.lastIndexOf('.'), 0))

/** By the subsystem they are directly in; '' is the model. */
function byOwner(items: Item[]): Map<string, Item[]> {
  const boxes = new Set(items.filter((item) => item.kind === 'subsystem').map((item) => item.name))
  const owners = new Map<string, Item[]>()
  for (const item of items) {
    let owner = parentOf(item.name)
    while (owner !== '' && !boxes.has(owner)) owner = parentOf(owner)
    const list = owners.get(owner)
    if (list) list.push(item)
    else owners.set(owner, [item])
  }
  return owners
}

/** What people call things, besides the names that types have. */
const ALSO: Record<string, string> = {
  revolute: 'hinge pin pivot bearing rotary',
  translational: 'slider slide guide prismatic linear',
  spherical: 'ball socket',
  fixed: 'weld rigid',
  cylindrical: 'sleeve',
  spring: 'damper strut',
  drive: 'motor actuator',
}

/** What people call a type or kind, besides. */
export function alsoCalled(type: string): string {
  return Object.entries(ALSO)
    .filter(([word]) => type.includes(word))
    .map(([, others]) => others)
    .join(' ')
}

export const isCalled = (names: string, filter: string): boolean =>
  names.toLowerCase().includes(filter.trim().toLowerCase())

/** By its name, kind or type. words: in small letters. */
export function answersTo({ name, kind, data }: Item, words: string): boolean {
  const type = (data.type ?? '').toLowerCase()
  return [name, kind, type, alsoCalled(type), alsoCalled(kind)].some((text) => isCalled(text, words))
}

/** inside: a subsystem that is looked at alone. filter: words to look for; boxes are open then. */
export function outline(all: Item[], filter: string, inside: string, isOpen: (key: string) => boolean): Row[] {
  const words = filter.toLowerCase()
  const hit = (item: Item) => answersTo(item, words)
  const items =
    words === ''
      ? all
      : all.filter(
          (item) => hit(item) || (item.kind === 'subsystem' && all.some((i) => isInside(i.name, item.name) && hit(i))),
        )
  const owners = byOwner(items)
  const rowsIn = (path: string, level: number): Row[] =>
    [...(owners.get(path) ?? [])].sort((a, b) => order[a.kind] - order[b.kind]).flatMap((item) => rowsOf(item, level))
  const rowsOf = (item: Item, level: number): Row[] => {
    const row: Row = { key: item.name, level, label: localName(item.name), icon: iconOf[item.kind], item }
    if (item.kind !== 'subsystem') return [row]
    const open = words !== '' || isOpen(item.name)
    return [{ ...row, open }, ...(open ? rowsIn(item.name, level + 1) : [])]
  }
  const own = owners.get(inside) ?? []
  return GROUPS.flatMap(({ kind, title }) => {
    const group = own.filter((item) => item.kind === kind)
    if (group.length === 0) return []
    const key = `#${kind}` // no component has such a name
    const open = isOpen(key)
    const head: Row = { key, level: 1, label: title, open, count: group.length }
    return [head, ...(open ? group.flatMap((item) => rowsOf(item, 2)) : [])]
  })
}

/** Paths of the subsystems around something, the outermost first. */
export function subsystemsAround(name: string): string[] {
  const words = name.split('.')
  return words.slice(1).map((_, k) => words.slice(0, k + 1).join('.'))
}
