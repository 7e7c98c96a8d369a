// Frames: binary messages with what moves (docs/protocol.md, "Frames").
import type { Poses } from '../scene/data'
import { POSE_SIZE } from '../scene/data'

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
  /** point and force of each touch of a contact, on its body 2; where that is ground, on the other */
  touches?: Float32Array
  /** grabbed point and force */
  pull?: Float32Array
  channels: Float64Array
  /** number of the subscription that the channels belong to */
  subscription: number
}

const MAGIC = 0x32464e54
const HEADER = 56
const FLAG = {
  running: 1,
  failed: 2,
  pull: 4,
  reactions: 8,
  velocities: 16,
  accelerations: 32,
  forces: 64,
  touches: 128,
}

/** A binary message; undefined when it is not a frame. */
export function decodeFrame(data: ArrayBuffer): Frame | undefined {
  if (data.byteLength < HEADER) return undefined
  const head = new DataView(data)
  const word = (at: number) => head.getUint32(at, true)
  if (word(0) !== MAGIC) return undefined
  const [flags, bodies, joints, channels] = [word(12), word(32), word(36), word(40)]
  const [forceCount, touchCount] = [word(48), word(52)]
  let at = HEADER
  const floats = (count: number) => {
    const part = new Float32Array(data, at, count)
    at += 4 * count
    return part
  }
  const screws = (flag: number, count: number) => (flags & flag ? floats(6 * count) : undefined)
  const poses = new Float64Array(data, at, POSE_SIZE * bodies)
  at += poses.byteLength
  const velocities = screws(FLAG.velocities, bodies)
  const accelerations = screws(FLAG.accelerations, bodies)
  const reactions = screws(FLAG.reactions, joints)
  const forces = screws(FLAG.forces, forceCount)
  const touches = screws(FLAG.touches, touchCount)
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
    touches,
    pull,
    channels: new Float64Array(data, at, channels),
    subscription: word(44),
  }
}
