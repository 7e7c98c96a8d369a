// The schematic: the network of a scene, where it is drawn, what dropping a port and clicking a lever mean.
import { expect, test } from 'vitest'
import { BOX, extent, layoutOf, lineTo, portPlace } from '../../src/studio/schematic/layout'
import type { NetworkForce } from '../../src/studio/schematic/network'
import { connection, leverOf, namesIn, networkOf, nextValue, sideOf } from '../../src/studio/schematic/network'

const port = (name: string, node: string, domain = 'electrical') => ({
  name,
  domain,
  text: node,
  ...(node === 'ground' ? {} : { node }),
})
const OTHERS: NetworkForce[] = [
  {
    name: 'battery',
    type: 'voltage-source',
    family: 'electrical',
    device_ports: [port('p', 'bus'), port('n', 'ground')],
  },
  { name: 'breaker', type: 'switch', family: 'electrical', device_ports: [port('p', 'bus'), port('n', 'a')] },
  {
    name: 'motor',
    type: 'dc-motor',
    family: 'machines',
    device_ports: [
      port('p', 'a'),
      port('n', 'ground'),
      { name: 'shaft', domain: 'rotary', text: 'pin.angle' },
      { name: 'heat', domain: 'thermal' },
    ],
    properties: [{ name: 'resistance', unit: 'ohm', doc: '', expression: '1 ohm + 2 * lag.y * 1 ohm' }],
  },
  { name: 'lag', type: 'lag', family: 'signals', device_ports: [] },
  { name: 'bus', domain: 'electrical', across: 'voltage', across_unit: 'V' },
  { name: 'a', domain: 'electrical', across: 'voltage', across_unit: 'V' },
  { name: 'oil', domain: 'hydraulic', across: 'pressure', across_unit: 'Pa' },
  { name: 'level', type: 'state' },
]

test('devices, nodes and signals come from the scene', () => {
  const { devices, nodes, signals } = networkOf(OTHERS)
  expect(devices.map(({ name }) => name)).toEqual(['battery', 'breaker', 'motor', 'lag'])
  expect(nodes.map(({ name }) => name)).toEqual(['bus', 'a', 'oil'])
  expect(signals).toEqual([{ from: 'lag', to: 'motor', channel: 'lag.y' }])
  expect(devices[2].ports.map(({ node }) => node)).toEqual(['a', 'ground', undefined, undefined])
  expect(namesIn('sin(t) * left.ctrl.y + 3')).toEqual(['left.ctrl.y'])
})

test('every device has a place of its own, in columns from the sources; places by hand stay', () => {
  const network = networkOf(OTHERS)
  const { devices, nodes } = layoutOf(network)
  const places = [...devices.values()].map(({ x, y }) => `${x} ${y}`)
  expect(new Set(places).size).toBe(4)
  expect(devices.get('battery')!.x).toBeLessThan(devices.get('breaker')!.x)
  const fixed = new Map([
    ['motor', { x: 700, y: -40 }],
    ['bus', { x: 5, y: 6 }],
  ])
  const again = layoutOf(network, fixed)
  expect(again.devices.get('motor')).toEqual({ x: 700, y: -40 })
  expect(again.nodes.get('bus')).toEqual({ x: 5, y: 6 })
  expect(again.devices.get('battery')).toEqual(devices.get('battery'))
  expect(nodes.size).toBe(3)
  const all = extent(again)
  for (const { x, y } of again.devices.values()) {
    expect(x - BOX.width / 2).toBeGreaterThanOrEqual(all.x)
    expect(y + BOX.height / 2).toBeLessThanOrEqual(all.y + all.height)
  }
})

test('ports stand on the sides of the box, lines go along the axes', () => {
  const { devices } = networkOf(OTHERS)
  expect(devices[2].ports.map((_, k) => sideOf(devices[2], k))).toEqual(['left', 'right', 'bottom', 'top'])
  const p = portPlace(devices[1], 0, { x: 0, y: 0 })
  expect(p).toEqual({ x: -BOX.width / 2, y: 0, side: 'left' })
  expect(lineTo(p, { x: -100, y: 30 })).toBe('M-48 0H-64V30H-100')
})

test('a port that is dropped on another node is connected there, if the domain fits', () => {
  const network = networkOf(OTHERS)
  const from = { device: 'motor', port: 'p' }
  expect(connection(network, from, { node: 'bus' })).toEqual({ set: { 'motor.at.p': 'bus' } })
  expect(connection(network, from, { device: 'battery', port: 'p' })).toEqual({ set: { 'motor.at.p': 'bus' } })
  expect(connection(network, from, { device: 'battery', port: 'n' })).toEqual({ set: { 'motor.at.p': 'ground' } })
  expect(connection(network, from, { node: 'a' })).toBeUndefined()
  expect(connection(network, from, { node: 'oil' })).toBeUndefined()
  expect(connection(network, { device: 'motor', port: 'shaft' }, { node: 'bus' })).toBeUndefined()
})

test('a click changes a switch or a valve in a circle', () => {
  const { devices } = networkOf(OTHERS)
  const lever = leverOf(devices[1])!
  expect([nextValue(lever, 0), nextValue(lever, 1), nextValue(lever, undefined)]).toEqual([1, 0, 0])
  expect(leverOf(devices[2])).toBeUndefined()
  const valve = leverOf({ ...devices[1], type: 'valve-4-3' })!
  expect([-1, 0, 1].map((value) => nextValue(valve, value))).toEqual([0, 1, -1])
})
