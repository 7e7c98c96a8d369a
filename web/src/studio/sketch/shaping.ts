// Shaping what was drawn: the ends of bars, and what it takes to put one elsewhere. Only bars are shaped: bodies of the
// plane with one rod, whose ends are where they are joined. Their masses follow their lengths.
import { Quaternion, Vector3 } from 'three'
import type { ConnectionData, End, Poses } from '../../scene/data'
import { matrixOf, pointOn } from '../../scene/space'
import { FINE, tidy } from '../digits'
import { placedEnds } from '../place/moves'
import type { StudioScene } from '../protocol'
import type { Value } from '../text/definition'
import { definitionOf, isMap } from '../text/definition'
import { onLink, plane } from './links'

export interface Bar {
  body: number
  name: string
  mass: number
  radius: number
  /** in the frame of the body */
  ends: [Vector3, Vector3]
}

/** An end of bars that can be put elsewhere. */
export interface Handle {
  /** in the world */
  at: Vector3
  /** bars that have an end here, and which one */
  bars: { bar: Bar; end: 0 | 1 }[]
  /** pins here */
  joints: ConnectionData[]
}

const NEAR = 1e-6 // m
const SHORTEST = 1e-4 // m
const MASS_DIGITS = 6
const OF_SHAPES = ['mass', 'inertia', 'com'] // beside the shapes: the rod has a mass

function barOf(scene: StudioScene, body: number): Bar | undefined {
  const { name, shapes, mass } = scene.bodies[body]
  const [shape, ...others] = shapes
  if (name.includes('.') || others.length > 0 || shape?.kind !== 'rod') return undefined
  const [w, x, y, z] = shape.rotation
  const half = new Vector3(0, 0, shape.size[1] / 2).applyQuaternion(new Quaternion(x, y, z, w))
  const middle = new Vector3().fromArray(shape.position)
  const ends: Bar['ends'] = [middle.clone().sub(half).setZ(0), middle.clone().add(half).setZ(0)]
  return { body, name, mass, radius: shape.size[0], ends }
}

export function barsOf(scene: StudioScene): Bar[] {
  if (scene.dimension !== 2) return []
  return scene.bodies.map((_, body) => barOf(scene, body)).filter((bar) => bar !== undefined)
}

export const lengthOf = ({ ends }: Bar): number => ends[0].distanceTo(ends[1])

const worldOf = (poses: Poses, { body, ends }: Bar, end: 0 | 1) => pointOn(poses, body, ends[end].toArray()).setZ(0)

/** Ends of bars. A pin that also holds something else than bars stays where it is. */
export function handlesOf(scene: StudioScene, poses: Poses): Handle[] {
  const bars = barsOf(scene)
  const isBar = new Set([-1, ...bars.map(({ body }) => body)])
  const handles: Handle[] = []
  for (const bar of bars)
    for (const end of [0, 1] as const) {
      const at = worldOf(poses, bar, end)
      const there = handles.find((handle) => handle.at.distanceTo(at) < NEAR)
      if (there) there.bars.push({ bar, end })
      else handles.push({ at, bars: [{ bar, end }], joints: [] })
    }
  const pins = scene.joints.filter(({ type }) => type === 'revolute')
  for (const handle of handles) {
    const here = ({ end1 }: ConnectionData) =>
      pointOn(poses, end1.body, end1.position).setZ(0).distanceTo(handle.at) < NEAR
    handle.joints = pins.filter(here)
  }
  return handles.filter(({ joints }) => joints.every(({ end1, end2 }) => isBar.has(end1.body) && isBar.has(end2.body)))
}

const unread = (name: string) => `The text does not have ${name} in a way that can be changed here`

/** The bar with another length, in its own frame; the other end stays. Whatever else its definition says stays, too. */
function reshaped(scene: StudioScene, definition: Record<string, Value>, bar: Bar, end: 0 | 1, length: number): object {
  const moved = endAt(bar, end, length)
  const [from, to] = end === 0 ? [moved, bar.ends[1]] : [bar.ends[0], moved]
  const said = definition.shapes
  const shape = Array.isArray(said) && isMap(said[0]) ? said[0] : {}
  const rest = Object.entries(definition).filter(([key]) => !OF_SHAPES.includes(key))
  const frames = isMap(definition.frames) ? definition.frames : undefined
  const isMoved = (name: string) => {
    const frame = scene.frames.find((one) => one.name === `${bar.name}.${name}`)
    return frame && new Vector3().fromArray(frame.end.position).setZ(0).distanceTo(bar.ends[end]) < NEAR
  }
  const follow = ([name, frame]: [string, Value]) =>
    [name, isMap(frame) && isMoved(name) ? { ...frame, at: onLink(moved) } : frame] as const
  return {
    ...Object.fromEntries(rest),
    shapes: [
      {
        ...shape,
        rod: { from: onLink(from), to: onLink(to), radius: tidy(bar.radius) },
        ...('density' in shape ? {} : { mass: `${tidy((bar.mass * length) / lengthOf(bar), MASS_DIGITS)} kg` }),
      },
    ],
    ...(frames ? { frames: Object.fromEntries(Object.entries(frames).map(follow)) } : {}),
  }
}

/** An end of a bar of another length, in the frame of its body. */
function endAt({ ends }: Bar, end: 0 | 1, length: number): Vector3 {
  const kept = ends[1 - end]
  return ends[end].clone().sub(kept).setLength(length).add(kept)
}

/** Where the body of a bar is when one of its ends is put to a point and the other stays. */
function standing(poses: Poses, bar: Bar, end: 0 | 1, target: Vector3): object {
  const kept = bar.ends[1 - end]
  const pivot = worldOf(poses, bar, end === 0 ? 1 : 0)
  const along = bar.ends[end].clone().sub(kept)
  const way = target.clone().sub(pivot)
  const angle = Math.atan2(way.y, way.x) - Math.atan2(along.y, along.x)
  const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), angle)
  return { position: plane(pivot.clone().sub(kept.clone().applyQuaternion(turn))), angle: tidy(angle, FINE) }
}

/** Pins with their ends where the ends of bars have come to be, on the bodies. A text: why that cannot be done. */
function repinned(
  scene: StudioScene,
  text: string,
  joints: ConnectionData[],
  moved: Map<number, Vector3>,
): Record<string, object> | string {
  const nameOf = (body: number) => (body < 0 ? 'ground' : scene.bodies[body].name)
  const frame = (end: End) => {
    const matrix = matrixOf(end)
    const at = moved.get(end.body)
    return at ? matrix.setPosition(at) : matrix
  }
  const made: Record<string, object> = {}
  for (const { name, end1, end2 } of joints) {
    const definition = definitionOf(text, 'joints', name)
    if (!definition) return unread(name)
    made[name] = placedEnds(definition, true, [nameOf(end1.body), nameOf(end2.body)], [frame(end1), frame(end2)])
  }
  return made
}

/** The command that puts an end elsewhere; a text where that cannot be done: why. starts: the bodies stand where they start, and
 * will start where they come to be. While they move they go on, with other lengths, and the joints close again. */
export function moveCommand(
  scene: StudioScene,
  poses: Poses,
  text: string,
  handle: Handle,
  target: Vector3,
  starts: boolean,
): object | string {
  const bodies: Record<string, object> = {}
  const moved = new Map<number, Vector3>()
  for (const { bar, end } of handle.bars) {
    const definition = definitionOf(text, 'bodies', bar.name)
    const length = worldOf(poses, bar, end === 0 ? 1 : 0).distanceTo(target)
    if (!definition) return unread(bar.name)
    if (length < SHORTEST) return `${bar.name} would have no length`
    moved.set(bar.body, endAt(bar, end, length))
    const place = starts ? standing(poses, bar, end, target) : {}
    bodies[bar.name] = { ...reshaped(scene, definition, bar, end, length), ...place }
  }
  const { joints } = handle
  if (starts) {
    const move = Object.fromEntries(joints.map(({ name }) => [name, { at: plane(target) }]))
    return { replace: { bodies }, ...(joints.length > 0 ? { move } : {}), closing: 'snap' }
  }
  const pins = repinned(scene, text, joints, moved.set(-1, target))
  if (typeof pins === 'string') return pins
  return { replace: { bodies, ...(joints.length > 0 ? { joints: pins } : {}) }, stay: true, closing: 'snap' }
}

/** The command that gives a bar another length and leaves all others theirs: the mechanism closes again. The end that
 * is not at ground moves. A text where that cannot be done: why. */
export function lengthCommand(scene: StudioScene, text: string, bar: Bar, length: number): object | string {
  const joined = scene.joints.filter(({ end1, end2 }) => end1.body === bar.body || end2.body === bar.body)
  const own = ({ end1, end2 }: ConnectionData) => (end1.body === bar.body ? end1 : end2)
  const at = (end: 0 | 1) =>
    joined.filter((joint) => new Vector3().fromArray(own(joint).position).setZ(0).distanceTo(bar.ends[end]) < NEAR)
  const grounded = (end: 0 | 1) => at(end).some(({ end1, end2 }) => end1.body < 0 || end2.body < 0)
  const end = grounded(1) && !grounded(0) ? 0 : 1
  const definition = definitionOf(text, 'bodies', bar.name)
  if (!definition) return unread(bar.name)
  const joints = repinned(scene, text, at(end), new Map([[bar.body, endAt(bar, end, length)]]))
  if (typeof joints === 'string') return joints
  const bodies = { [bar.name]: reshaped(scene, definition, bar, end, length) }
  return { replace: { bodies, ...(at(end).length > 0 ? { joints } : {}) }, stay: true, closing: 'snap' }
}

/** The parameter that says a length in the text of the model: its name stands in the definition of the body. */
export function parameterFor(scene: StudioScene, text: string, bar: Bar): string | undefined {
  const line = scene.bodies[bar.body].line
  if (!line) return undefined
  const lines = text.split('\n')
  const indent = (words: string) => words.search(/\S/)
  const first = indent(lines[line - 1] ?? '')
  let end = line
  while (end < lines.length && (lines[end].trim() === '' || indent(lines[end]) > first)) end++
  const definition = lines
    .slice(line - 1, end)
    .join('\n')
    .replace(/#.*/g, '')
  const said = scene.parameters.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(definition))
  return said.find(({ value }) => Math.abs(value - lengthOf(bar)) < 1e-9 * Math.max(value, 1))?.name
}
