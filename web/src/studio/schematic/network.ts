// The network of devices as a drawing needs it: boxes with ports, nodes, and signals from one device to anforce.
import type { Component, Property, SceneForce } from '../protocol'

/** What the network takes from a force of the scene. */
export type NetworkForce = Component & Pick<SceneForce, 'family' | 'device_ports' | 'domain' | 'across' | 'across_unit'>

export type Side = 'left' | 'right' | 'top' | 'bottom'

export interface Port {
  name: string
  domain: string
  /** the node it is at; 'ground'; undefined: open, or a coordinate of the mechanism */
  node?: string
  /** as the model has it */
  text?: string
  mechanical: boolean
}

export interface Device {
  name: string
  type: string
  family: string
  ports: Port[]
  enabled: boolean
  properties: Property[]
}

export interface Node {
  name: string
  domain: string
  across: string
  unit: string
}

/** A device whose parameter reads a channel of anforce. */
export interface Signal {
  from: string
  to: string
  channel: string
}

export interface Network {
  devices: Device[]
  nodes: Node[]
  signals: Signal[]
}

const MECHANICAL = ['rotary', 'translational']

/** The names that an expression reads: "2 * ctrl.y" reads "ctrl.y". */
export function namesIn(expression: string): string[] {
  return expression.match(/[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)+/g) ?? []
}

function deviceOf(force: NetworkForce): Device {
  const ports = (force.device_ports ?? []).map((port): Port => {
    const mechanical = MECHANICAL.includes(port.domain)
    const node = mechanical ? undefined : (port.node ?? (port.text === 'ground' ? 'ground' : undefined))
    return { name: port.name, domain: port.domain, text: port.text, node, mechanical }
  })
  return {
    name: force.name,
    type: force.type ?? '',
    family: force.family ?? '',
    ports,
    enabled: force.enabled !== false,
    properties: force.properties ?? [],
  }
}

function signalsOf(devices: Device[]): Signal[] {
  const names = devices.map(({ name }) => name).sort((a, b) => b.length - a.length)
  return devices.flatMap((device) =>
    device.properties.flatMap(({ expression }) =>
      namesIn(expression ?? '').flatMap((channel) => {
        const from = names.find((name) => channel.startsWith(`${name}.`))
        return from !== undefined && from !== device.name ? [{ from, to: device.name, channel }] : []
      }),
    ),
  )
}

/** The network among the forces of a scene. */
export function networkOf(forces: NetworkForce[]): Network {
  const devices = forces.filter(({ family }) => family !== undefined).map(deviceOf)
  const nodes = forces
    .filter(({ domain }) => domain !== undefined)
    .map(
      ({ name, domain, across, across_unit }): Node => ({
        name,
        domain: domain!,
        across: across ?? '',
        unit: across_unit ?? '',
      }),
    )
  return { devices, nodes, signals: signalsOf(devices) }
}

/** Where on its box a port stands: the first two face each other, mechanical ports are below, heat above. */
export function sideOf(device: Device, index: number): Side {
  const port = device.ports[index]
  if (port.mechanical) return 'bottom'
  if (port.name === 'heat' || port.name === 'wall') return 'top'
  const flat = device.ports.filter(({ mechanical, name }) => !mechanical && name !== 'heat' && name !== 'wall')
  return flat.indexOf(port) % 2 === 0 ? 'left' : 'right'
}

/** What a click on a device changes while it runs; undefined: nothing. */
export interface Lever {
  property: string
  values: number[]
}

export function leverOf({ type }: Device): Lever | undefined {
  if (type === 'switch') return { property: 'closed', values: [0, 1] }
  if (type === 'valve-4-3') return { property: 'spool', values: [-1, 0, 1] }
  if (type === 'pneumatic-valve-5-2') return { property: 'spool', values: [-1, 1] }
  return undefined
}

/** The value after the present one, in a circle; the first where an expression gives it. */
export function nextValue(lever: Lever, present: number | undefined): number {
  const at = present === undefined ? -1 : lever.values.findIndex((value) => value === Math.sign(present))
  return lever.values[(at + 1) % lever.values.length]
}

/** What is dropped on: the node of a port becomes that of another port, a node, or ground. undefined: they do not fit. */
export function connection(
  network: Network,
  from: { device: string; port: string },
  onto: { device?: string; port?: string; node?: string },
): { set: Record<string, string> } | undefined {
  const source = portOf(network, from.device, from.port)
  if (!source || source.mechanical) return undefined
  const target = onto.port !== undefined ? portOf(network, onto.device!, onto.port) : undefined
  const node = target ? target.node : onto.node
  const domain = target ? target.domain : network.nodes.find(({ name }) => name === node)?.domain
  if (node === undefined || node === source.node || (node !== 'ground' && domain !== source.domain)) return undefined
  return { set: { [`${from.device}.at.${from.port}`]: node } }
}

function portOf({ devices }: Network, device: string, port: string): Port | undefined {
  return devices.find(({ name }) => name === device)?.ports.find(({ name }) => name === port)
}
