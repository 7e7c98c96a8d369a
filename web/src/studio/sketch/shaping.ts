// Shaping what was drawn: the ends of bars, and what it takes to put one elsewhere. Only bars are shaped: bodies of the
// plane with one rod, whose ends are where they are joined. Their masses follow their lengths.
import { Quaternion, Vector3 } from 'three'
import type { ConnectionData, End, Poses } from '../../scene/data'
import { pointOn } from '../../scene/space'
import type { SceneJoint, StudioScene } from '../protocol'

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

/** Without the last, meaningless digits. */
const tidy = (value: number) => Number(value.toPrecision(10)) + 0
const plane = ({ x, y }: Vector3) => [tidy(x), tidy(y)]

/** The bar with one end elsewhere: the other stays, in the world and on the body. */
function reshaped(scene: StudioScene, poses: Poses, bar: Bar, end: 0 | 1, target: Vector3): object {
  const kept = bar.ends[1 - end]
  const pivot = worldOf(poses, bar, end === 0 ? 1 : 0)
  const along = bar.ends[end].clone().sub(kept).normalize()
  const way = target.clone().sub(pivot)
  const length = way.length()
  const angle = Math.atan2(way.y, way.x) - Math.atan2(along.y, along.x)
  const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), angle)
  const origin = pivot.clone().sub(kept.clone().applyQuaternion(turn))
  const moved = kept.clone().addScaledVector(along, length)
  const [from, to] = end === 0 ? [moved, kept] : [kept, moved]
  const frames = scene.frames
    .filter((frame) => frame.end.body === bar.body)
    .map((frame) => {
      const at = new Vector3().fromArray(frame.end.position).setZ(0)
      return [frame.name.slice(bar.name.length + 1), { at: plane(at.distanceTo(bar.ends[end]) < NEAR ? moved : at) }]
    })
  return {
    shapes: [
      {
        rod: { from: plane(from), to: plane(to), radius: tidy(bar.radius) },
        mass: `${tidy((bar.mass * length) / lengthOf(bar))} kg`,
      },
    ],
    position: plane(origin),
    angle: tidy(angle),
    ...(frames.length > 0 ? { frames: Object.fromEntries(frames) } : {}),
  }
}

/** The command that puts an end elsewhere; undefined where a bar would have no length. */
export function moveCommand(scene: StudioScene, poses: Poses, handle: Handle, target: Vector3): object | undefined {
  const tooShort = handle.bars.some(
    ({ bar, end }) => worldOf(poses, bar, end === 0 ? 1 : 0).distanceTo(target) < SHORTEST,
  )
  if (tooShort) return undefined
  const bodies = handle.bars.map(({ bar, end }) => [bar.name, reshaped(scene, poses, bar, end, target)] as const)
  const move = handle.joints.map(({ name }) => [name, { at: plane(target) }] as const)
  return {
    replace: { bodies: Object.fromEntries(bodies) },
    ...(move.length > 0 ? { move: Object.fromEntries(move) } : {}),
    closing: 'snap',
  }
}

/** A pin with one of its ends elsewhere on its body; undefined where it has more to it than its place. */
function repinned(scene: StudioScene, joint: SceneJoint, body: number, at: Vector3): object | undefined {
  const said = (joint.properties ?? []).some(({ value, expression }) => value !== undefined || expression !== undefined)
  if (said || joint.limits?.length) return undefined
  const nameOf = (b: number) => (b < 0 ? 'ground' : scene.bodies[b].name)
  const end = ({ body: b, position, rotation }: End) => ({
    at: b === body ? plane(at) : plane(new Vector3().fromArray(position)),
    rotation: { quaternion: rotation },
  })
  const { end1, end2 } = joint
  return { type: joint.type, between: [nameOf(end1.body), nameOf(end2.body)], ends: [end(end1), end(end2)] }
}

/** The command that gives a bar another length and leaves all others theirs: the mechanism closes again. The end that
 * is not at ground moves. A text where that cannot be done: why. */
export function lengthCommand(scene: StudioScene, poses: Poses, bar: Bar, length: number): object | string {
  const joined = scene.joints.filter(({ end1, end2 }) => end1.body === bar.body || end2.body === bar.body)
  const own = ({ end1, end2 }: ConnectionData) => (end1.body === bar.body ? end1 : end2)
  const at = (end: 0 | 1) =>
    joined.filter((joint) => new Vector3().fromArray(own(joint).position).setZ(0).distanceTo(bar.ends[end]) < NEAR)
  const grounded = (end: 0 | 1) => at(end).some(({ end1, end2 }) => end1.body < 0 || end2.body < 0)
  const end = grounded(1) && !grounded(0) ? 0 : 1
  const target = worldOf(poses, bar, end === 0 ? 1 : 0).add(
    worldOf(poses, bar, end)
      .sub(worldOf(poses, bar, end === 0 ? 1 : 0))
      .setLength(length),
  )
  const kept = bar.ends[1 - end]
  const moved = bar.ends[end].clone().sub(kept).setLength(length).add(kept)
  const joints = at(end).map((joint) => [joint.name, repinned(scene, joint, bar.body, moved)] as const)
  const stuck = joints.find(([, joint]) => joint === undefined)
  if (stuck) return `${stuck[0]} has values of its own: move it instead`
  return {
    replace: {
      bodies: { [bar.name]: reshaped(scene, poses, bar, end, target) },
      ...(joints.length > 0 ? { joints: Object.fromEntries(joints) } : {}),
    },
    closing: 'snap',
  }
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
