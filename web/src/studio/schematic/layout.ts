// Where devices and nodes of a network are drawn. Devices stand in columns by their distance from the sources, in the
// order that makes lines short; a node stands between the ports that it joins. Places that were given by hand stay.
import type { Device, Network, Side } from './network'
import { sideOf } from './network'

export interface Point {
  x: number
  y: number
}

export interface Layout {
  /** centre of the box of each device */
  devices: Map<string, Point>
  nodes: Map<string, Point>
}

export const BOX = { width: 96, height: 56 }
const COLUMN = 190
const ROW = 120
const SWEEPS = 12

/** Neighbours over nodes (but ground) and signals. */
function neighbours({ devices, signals }: Network): Map<string, Set<string>> {
  const at = new Map<string, string[]>()
  for (const device of devices)
    for (const { node } of device.ports)
      if (node !== undefined && node !== 'ground') at.set(node, [...(at.get(node) ?? []), device.name])
  const found = new Map(devices.map(({ name }) => [name, new Set<string>()]))
  const join = (a: string, b: string) => {
    if (a === b) return
    found.get(a)?.add(b)
    found.get(b)?.add(a)
  }
  for (const names of at.values()) for (const a of names) for (const b of names) join(a, b)
  for (const { from, to } of signals) join(from, to)
  return found
}

const isSource = ({ type, family }: Device) =>
  family === 'signals' || family === 'sampled' || /source|battery|reservoir/.test(type)

/** Column of each device: steps from the nearest source, or from the first of its part of the network. */
function columnsOf(network: Network): Map<string, number> {
  const near = neighbours(network)
  const columns = new Map<string, number>()
  const spread = (starts: string[]) => {
    let front = starts.filter((name) => !columns.has(name))
    for (const name of front) columns.set(name, 0)
    for (let column = 1; front.length > 0; column++) {
      front = [...new Set(front.flatMap((name) => [...near.get(name)!]))].filter((name) => !columns.has(name))
      for (const name of front) columns.set(name, column)
    }
  }
  spread(network.devices.filter(isSource).map(({ name }) => name))
  for (const { name } of network.devices) spread([name])
  return columns
}

/** Rows by the mean row of neighbours, to and fro. */
function rowsOf(network: Network, columns: Map<string, number>): Map<string, number> {
  const near = neighbours(network)
  const rows = new Map<string, number>()
  const last = Math.max(-1, ...columns.values())
  const members = Array.from({ length: last + 1 }, (_, c) =>
    network.devices.map(({ name }) => name).filter((name) => columns.get(name) === c),
  )
  for (const list of members) list.forEach((name, k) => rows.set(name, k - (list.length - 1) / 2))
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const order = sweep % 2 === 0 ? members : [...members].reverse()
    for (const list of order) {
      const mean = (name: string) => {
        const others = [...near.get(name)!].map((other) => rows.get(other)!)
        return others.length > 0 ? others.reduce((sum, row) => sum + row, 0) / others.length : rows.get(name)!
      }
      const wanted = new Map(list.map((name) => [name, mean(name)]))
      list.sort((a, b) => wanted.get(a)! - wanted.get(b)!)
      list.forEach((name, k) => rows.set(name, k - (list.length - 1) / 2))
    }
  }
  return rows
}

/** Where a port is, and to which side its line leaves. */
export function portPlace(device: Device, index: number, at: Point): Point & { side: Side } {
  const side = sideOf(device, index)
  const same = device.ports.map((_, k) => k).filter((k) => sideOf(device, k) === side)
  const share = (same.indexOf(index) + 1) / (same.length + 1) - 0.5
  if (side === 'left') return { x: at.x - BOX.width / 2, y: at.y + share * BOX.height, side }
  if (side === 'right') return { x: at.x + BOX.width / 2, y: at.y + share * BOX.height, side }
  if (side === 'top') return { x: at.x + share * BOX.width, y: at.y - BOX.height / 2, side }
  return { x: at.x + share * BOX.width, y: at.y + BOX.height / 2, side }
}

/** The mean of the ports at a node; nodes that fall together are moved apart. */
function nodePlaces(network: Network, devices: Map<string, Point>, fixed: Map<string, Point>): Map<string, Point> {
  const places = new Map<string, Point>()
  const taken: Point[] = []
  for (const { name } of network.nodes) {
    const ports = network.devices.flatMap((device) =>
      device.ports.flatMap((port, k) => (port.node === name ? [portPlace(device, k, devices.get(device.name)!)] : [])),
    )
    const mean = (of: (p: Point) => number) => ports.reduce((sum, p) => sum + of(p), 0) / Math.max(ports.length, 1)
    const place = fixed.get(name) ?? { x: mean((p) => p.x), y: mean((p) => p.y) }
    while (!fixed.has(name) && taken.some((t) => Math.abs(t.x - place.x) < 14 && Math.abs(t.y - place.y) < 14))
      place.y += 18
    taken.push(place)
    places.set(name, place)
  }
  return places
}

/** fixed: places that were given by hand, of devices and nodes. */
export function layoutOf(network: Network, fixed: Map<string, Point> = new Map()): Layout {
  const columns = columnsOf(network)
  const rows = rowsOf(network, columns)
  const devices = new Map(
    network.devices.map(({ name }): [string, Point] => [
      name,
      fixed.get(name) ?? { x: columns.get(name)! * COLUMN, y: rows.get(name)! * ROW },
    ]),
  )
  return { devices, nodes: nodePlaces(network, devices, fixed) }
}

const STUB = 16

function lead({ x, y, side }: Point & { side: Side }): Point {
  if (side === 'left') return { x: x - STUB, y }
  if (side === 'right') return { x: x + STUB, y }
  return { x, y: y + (side === 'top' ? -STUB : STUB) }
}

/** The line from a port to a place, along the axes: a short piece out of the box, then across. */
export function lineTo(port: Point & { side: Side }, to: Point): string {
  const out = lead(port)
  const sideways = port.side === 'left' || port.side === 'right'
  const bend = sideways ? `V${to.y}H${to.x}` : `H${to.x}V${to.y}`
  return `M${port.x} ${port.y}${sideways ? `H${out.x}` : `V${out.y}`}${bend}`
}

/** All that is drawn fits into this. */
export function extent({ devices, nodes }: Layout): { x: number; y: number; width: number; height: number } {
  const all = [...devices.values(), ...nodes.values()]
  if (all.length === 0) return { x: -100, y: -60, width: 200, height: 120 }
  const xs = all.map(({ x }) => x)
  const ys = all.map(({ y }) => y)
  const x = Math.min(...xs) - BOX.width
  const y = Math.min(...ys) - BOX.height * 1.3
  return { x, y, width: Math.max(...xs) + BOX.width - x, height: Math.max(...ys) + BOX.height * 1.3 - y }
}
