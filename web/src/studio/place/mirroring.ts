// Mirror images of definitions. The frame of a mirrored body is chosen so that what its text says along x and z stays and what it
// says along y changes its sign: links along x keep their text. Its pose is then M P S, with M the mirror in the world, P the
// pose of the original and S the mirror of y.
import type { Value } from '../text/definition'
import { isMap } from '../text/definition'

/** Joints whose equations are the same in a mirror. */
const JOINTS = new Set([
  'revolute',
  'prismatic',
  'spherical',
  'fixed',
  'cylindrical',
  'universal',
  'translational',
  'rod',
])
JOINTS.add('point-on-line').add('point-on-plane').add('parallel').add('perpendicular').add('pin-in-slot').add('planar')
const FORCES = new Set(['spring', 'damper', 'table-spring', 'gas-cylinder', 'hydraulic-cylinder', 'actuator'])
/** Surfaces of triangles and height fields are not turned inside out here. */
const SHAPES = new Set(['box', 'cylinder', 'sphere', 'rod', 'capsule', 'disc', 'polygon', 'cone', 'torus', 'ellipsoid'])
SHAPES.add('tube').add('hull').add('half_space')
const TURNED = ['ratchet', 'fuse', 'latch']

/** The text of a number with the other sign. */
export function negative(value: Value): Value {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (/^[-+]?0(\.0*)?(\s|$)/.test(text)) return text
  if (/^-[\d.]+(e[-+]?\d+)?(\s*[a-z°%][\w^/*.°-]*)?$/i.test(text)) return text.slice(1)
  if (/^\+?[\d.]+(e[-+]?\d+)?(\s*[a-z°%][\w^/*.°-]*)?$/i.test(text)) return `-${text.replace(/^\+/, '')}`
  return `-(${text})`
}

/** A vector with the other sign along y. */
export function flipped(vector: Value): Value {
  return Array.isArray(vector) ? vector.map((part, k) => (k === 1 ? negative(part) : part)) : vector
}

function flippedAxis(axis: Value): Value {
  if (axis === 'y') return ['0', '-1', '0']
  if (axis === '-y') return 'y'
  return flipped(axis)
}

/** A turn as a mirror that reverses y shows it. */
function flippedRotation(rotation: Value): Value {
  if (!isMap(rotation)) return rotation
  const { axis, angle, quaternion, euler } = rotation
  const signs = (list: Value, which: number[]) =>
    Array.isArray(list) ? list.map((part, k) => (which.includes(k) ? negative(part) : part)) : list
  if (quaternion) return { quaternion: signs(quaternion, [1, 3]) }
  if (euler) return { euler: signs(euler, [0, 2]) }
  return { axis: flippedAxis(axis), angle: negative(angle) }
}

const PLACES: Record<string, (value: Value) => Value> = {
  at: flipped,
  from: flipped,
  to: flipped,
  axis: flippedAxis,
  angle: negative,
  rotation: flippedRotation,
  normal: flippedAxis,
  points: (points) => (Array.isArray(points) ? points.map(flipped) : points),
  corners: (corners) => (Array.isArray(corners) ? corners.map(flipped) : corners),
}

const mapped = (map: Record<string, Value>, change: (key: string, value: Value) => Value): Record<string, Value> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(key, value)]))

function flippedPlace(place: Value): Value {
  return isMap(place) ? mapped(place, (key, value) => PLACES[key]?.(value) ?? value) : place
}

const flippedShape = (shape: Value): Value =>
  isMap(shape) ? mapped(shape, (key, value) => (SHAPES.has(key) ? flippedPlace(value) : value)) : shape

const OTHER_SHAPES = ['mesh', 'height_field']
const unlike = (list: Value | undefined) =>
  Array.isArray(list) && list.some((shape) => isMap(shape) && OTHER_SHAPES.some((kind) => kind in shape))

/** Why a body has no mirror image; undefined where it has one. */
export function bodyRefusal(said: Record<string, Value>): string | undefined {
  return unlike(said.shapes) || unlike(said.look) ? 'has a shape that is not mirrored here' : undefined
}

/** The inside of a body as a mirror shows it. Its place is left to others; velocities turn with the mirror across an axis. */
export function mirroredBody(said: Record<string, Value>, across: number, planar: boolean): Record<string, Value> {
  const list = (value: Value, change: (one: Value) => Value) => (Array.isArray(value) ? value.map(change) : value)
  return mapped(said, (key, value) => {
    if (key === 'com') return flipped(value)
    if (key === 'shapes' || key === 'look') return list(value, flippedShape)
    if (key === 'frames' && isMap(value)) return mapped(value, (_, frame) => flippedPlace(frame))
    if (key === 'inertia' && Array.isArray(value) && value.length === 6)
      return value.map((part, k) => (k === 3 || k === 5 ? negative(part) : part))
    if (key === 'velocity' && Array.isArray(value)) return value.map((v, k) => (k === across ? negative(v) : v))
    if (key === 'angular_velocity') return planar ? negative(value) : spun(value, across)
    return value
  })
}

/** An angular velocity keeps its part across the mirror. */
function spun(value: Value, across: number): Value {
  return Array.isArray(value) ? value.map((v, k) => (k === across ? v : negative(v))) : value
}

/** Why a joint or force has no mirror image; undefined where it has one. */
export function connectionRefusal(said: Record<string, Value>, section: 'joints' | 'forces'): string | undefined {
  const type = String(said.type ?? '')
  if (TURNED.some((key) => key in said))
    return 'has a sense of its own (ratchet, fuse or latch) and is not mirrored here'
  return (section === 'joints' ? JOINTS : FORCES).has(type) ? undefined : `of type ${type} is not mirrored here`
}

/** Limits of angles change their signs, those of lengths stay. */
export function mirroredConnection(said: Record<string, Value>): Record<string, Value> {
  if (!isMap(said.limits)) return said
  const turned = (limit: Value): Value => {
    if (!isMap(limit)) return limit
    const { low, high, ...rest } = limit
    return {
      ...rest,
      ...(high === undefined ? {} : { low: negative(high) }),
      ...(low === undefined ? {} : { high: negative(low) }),
    }
  }
  return { ...said, limits: mapped(said.limits, (key, limit) => (key.startsWith('angle') ? turned(limit) : limit)) }
}
