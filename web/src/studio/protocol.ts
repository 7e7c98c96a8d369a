// What goes over the wire: docs/protocol.md.
import type { BodyData, ConnectionData, Poses, SceneData } from '../scene/data'
import { POSE_SIZE } from '../scene/data'

/** A parameter of a component. expression: as the model has it, where it is more than a number. */
export interface Property {
  name: string
  value?: number
  unit: string
  expression?: string
  default?: number
  as_built?: string
  doc: string
  fixed?: boolean
}

/** What every component of the scene has. */
export interface Component {
  name: string
  type?: string
  enabled?: boolean
  line?: number
  properties?: Property[]
}

/** A stop of a coordinate of a joint, m or rad; a side without one is not there. */
export interface Limit {
  coordinate: string
  low?: number
  high?: number
  restitution: number
}

/** given: the value as what is around the subsystem says it. */
export interface FileParameter {
  name: string
  value: number
  unit: string
  given?: string
}

/** Methods by name; step, s, is not there where the method chooses. */
export interface Solve {
  scheme: string
  integrator: string
  solver: string
  step?: number
}

export interface Subsystem extends Component {
  parent: string
  file: string
  closed: boolean
  /** name of each, and the path of the body or frame behind it */
  ports: Record<string, string>
  parameters: FileParameter[]
  /** settings of its own */
  solve?: Solve
}

/** A file that can be used as a subsystem. */
export interface Part {
  file: string
  ports: string[]
  parameters: FileParameter[]
}

export interface StudioScene extends SceneData {
  bodies: (BodyData & Component)[]
  joints: (ConnectionData & Component & { limits?: Limit[]; mirrored?: boolean })[]
  forces: (ConnectionData & Component)[]
  couplings: (Component & { name: string; type: string; couples?: { joint: string; coordinate: string }[] })[]
  /** forces that act nowhere: states, controllers */
  others?: Component[]
  events?: (Component & { when?: string })[]
  subsystems: Subsystem[]
  parameters: FileParameter[]
  solve: Solve
  /** end of a run, s */
  until?: number
}

export type Kind = 'body' | 'joint' | 'force' | 'coupling' | 'drive' | 'event' | 'subsystem'

/** Simulated seconds a second; 0: paused. */
export type Speed = number | 'max'

export interface Hello {
  protocol: number
  version: string
  access: 'edit' | 'view'
  client: number
  name: string
  folder: string
  revision: number
  time: number
  speed: Speed
  /** for those who edit: the token for looking on */
  view_token?: string
}

export interface Status {
  time: number
  speed: Speed
  pace: number
  steps: number
  rejected: number
  /** the last step that was tried and not taken */
  refused?: { time: number; step: number; why: string }
  past_begin: number
  /** memory that the past may take */
  past_bytes: number
  past_end: number
  clients: number
  code: string
  message: string
}

export interface Diagnostic {
  severity: string
  file?: string
  line?: number
  column?: number
  message: string
}

/** The answer to a request: the acknowledgement of an edit, or what was asked for. */
export interface Answer {
  ok: boolean
  time?: number
  text?: string
  changed?: boolean
  energy_change?: number
  displacement?: number
  revision?: number
  hash?: string
  code?: string
  message?: string
  diagnostics?: Diagnostic[]
  [more: string]: unknown
}

export interface EditPush {
  client: number
  time: number
  text: string
  revision: number
  energy_change: number
  displacement: number
}

export interface EventPush {
  time: number
  event?: string
  kind?: string
  text?: string
}

export interface Push {
  push: 'hello' | 'scene' | 'edit' | 'event' | 'status' | 'sweep'
  [more: string]: unknown
}

export interface Channel {
  name: string
  unit: string
}

export interface Parameter {
  name: string
  unit?: string
  doc?: string
  default?: number
  default_expression?: string
}

interface Form {
  equations?: string[]
  velocity_equations?: string[]
  coordinates?: { name: string; unit: string }[]
}

/** A type of joint, force, … as `tenon describe --json` has it. */
export interface Descriptor {
  family: string
  name: string
  doc: string
  parameters: Parameter[]
  /** of a joint: name of its picture */
  glyph?: string
  planar?: Form
  spatial?: Form
  [more: string]: unknown
}

export interface Frame {
  revision: number
  number: number
  running: boolean
  failed: boolean
  time: number
  pace: number
  poses: Poses
  /** velocity and angular velocity of each body */
  velocities?: Float32Array
  /** acceleration and angular acceleration of each body */
  accelerations?: Float32Array
  /** force and torque of each joint on its body 2 */
  reactions?: Float32Array
  /** force and torque of each force on its body 2 */
  forces?: Float32Array
  /** grabbed point and force */
  pull?: Float32Array
  channels: Float64Array
  /** number of the subscription that the channels belong to */
  subscription: number
}

const MAGIC = 0x31464e54
const HEADER = 56
const FLAG = { running: 1, failed: 2, pull: 4, reactions: 8, velocities: 16, accelerations: 32, forces: 64 }

/** A binary message; undefined when it is not a frame. */
export function decodeFrame(data: ArrayBuffer): Frame | undefined {
  if (data.byteLength < HEADER) return undefined
  const head = new DataView(data)
  const word = (at: number) => head.getUint32(at, true)
  if (word(0) !== MAGIC) return undefined
  const [flags, bodies, joints, channels, forceCount] = [word(12), word(32), word(36), word(40), word(48)]
  let at = HEADER
  const floats = (count: number) => {
    const part = new Float32Array(data, at, count)
    at += 4 * count
    return part
  }
  const screws = (flag: number, count: number) => (flags & flag ? floats(6 * count) : undefined)
  const poses = floats(POSE_SIZE * bodies)
  const velocities = screws(FLAG.velocities, bodies)
  const accelerations = screws(FLAG.accelerations, bodies)
  const reactions = screws(FLAG.reactions, joints)
  const forces = screws(FLAG.forces, forceCount)
  const pull = screws(FLAG.pull, 1)
  at = Math.ceil(at / 8) * 8
  return {
    revision: word(4),
    number: word(8),
    running: (flags & FLAG.running) !== 0,
    failed: (flags & FLAG.failed) !== 0,
    time: head.getFloat64(16, true),
    pace: head.getFloat64(24, true),
    poses,
    velocities,
    accelerations,
    reactions,
    forces,
    pull,
    channels: new Float64Array(data, at, channels),
    subscription: word(44),
  }
}
