// Commands that put a body or a joint elsewhere. The model's text gets the new place; whatever else it says stays.
import type { Matrix4 } from 'three'
import { Quaternion, Vector3 } from 'three'
import type { End, Poses } from '../../scene/data'
import { bodyMatrix, endMatrix } from '../../scene/space'
import { FINE, tidy } from '../digits'
import type { SceneJoint, StudioScene } from '../protocol'
import type { Value } from '../text/definition'
import { definitionOf } from '../text/definition'

/** What becomes of the joints of a body that is moved: they go with it, or stay where they are. */
export type Following = 'come' | 'stay'

const NO_TURN = 1e-7

interface Placed {
  at: Vector3
  turn: Quaternion
}

function placeOf(matrix: Matrix4): Placed {
  const placed = { at: new Vector3(), turn: new Quaternion() }
  matrix.decompose(placed.at, placed.turn, new Vector3())
  return placed
}

const angleOf = ({ z, w }: Quaternion) => 2 * Math.atan2(z, w)
const numbers = (vector: Vector3, planar: boolean, digits?: number) =>
  vector
    .toArray()
    .slice(0, planar ? 2 : 3)
    .map((value) => tidy(value, digits))
const quaternion = ({ x, y, z, w }: Quaternion) => ({ quaternion: [w, x, y, z].map((value) => tidy(value, FINE)) })

function turnWords(turn: Quaternion, planar: boolean): object {
  if (2 * Math.acos(Math.min(Math.abs(turn.w), 1)) < NO_TURN) return {}
  return planar ? { angle: tidy(angleOf(turn), FINE) } : { rotation: quaternion(turn) }
}

const without = (definition: Record<string, Value>, keys: string[]) =>
  Object.fromEntries(Object.entries(definition).filter(([key]) => !keys.includes(key)))

const turns = (motion: Matrix4) => Math.abs(placeOf(motion).turn.w) < 1 - 1e-12

/** The definition of a body at another place. */
export function placedBody(
  definition: Record<string, Value>,
  pose: Matrix4,
  turned: boolean,
  planar: boolean,
): Record<string, unknown> {
  const { at, turn } = placeOf(pose)
  const rest = without(definition, turned ? ['position', 'angle', 'rotation'] : ['position'])
  return { ...rest, position: numbers(at, planar), ...(turned ? turnWords(turn, planar) : {}) }
}

const PLACE_KEYS = ['between', 'ends', 'at', 'axis', 'axis2', 'angle', 'rotation']

/** The definition of a connection between bodies, with its ends where these frames of theirs are. */
export function placedEnds(
  definition: Record<string, Value>,
  planar: boolean,
  between: [string, string],
  frames: [Matrix4, Matrix4],
): Record<string, unknown> {
  const end = (frame: Matrix4) => {
    const { at, turn } = placeOf(frame)
    return { at: numbers(at, planar, FINE), ...turnWords(turn, planar) }
  }
  return { ...without(definition, PLACE_KEYS), between, ends: frames.map(end) }
}

/** The definition of a joint with its ends where these frames of the bodies are. */
function placedJoint(
  definition: Record<string, Value>,
  scene: StudioScene,
  joint: SceneJoint,
  frames: [Matrix4, Matrix4],
): object {
  const name = ({ body }: End) => (body < 0 ? 'ground' : scene.bodies[body].name)
  return placedEnds(definition, scene.dimension === 2, [name(joint.end1), name(joint.end2)], frames)
}

const unread = (name: string) =>
  `The text of this model does not have ${name} in a way that can be changed here: change it in the text (E)`

function onBody(poses: Poses, body: number, world: Matrix4): Matrix4 {
  return bodyMatrix(poses, body).invert().multiply(world)
}

/** The ends of a joint of a body that moves. */
function followed(poses: Poses, joint: SceneJoint, body: number, motion: Matrix4, how: Following): [Matrix4, Matrix4] {
  const one = (end: End): Matrix4 => {
    const world = endMatrix(poses, end)
    const own = onBody(poses, end.body, world)
    if (how === 'come') return end.body === body ? own : onBody(poses, end.body, motion.clone().multiply(world))
    if (end.body !== body) return own
    return motion.clone().multiply(bodyMatrix(poses, body)).invert().multiply(world)
  }
  return [one(joint.end1), one(joint.end2)]
}

/** The command that moves a body; a text where that cannot be done: why. */
export function moveBody(
  scene: StudioScene,
  poses: Poses,
  text: string,
  body: number,
  motion: Matrix4,
  how: Following,
): object | string {
  const { name } = scene.bodies[body]
  const definition = definitionOf(text, 'bodies', name)
  if (!definition) return unread(name)
  const pose = motion.clone().multiply(bodyMatrix(poses, body))
  const joints: Record<string, object> = {}
  for (const joint of scene.joints.filter(({ end1, end2 }) => end1.body === body || end2.body === body)) {
    const said = definitionOf(text, 'joints', joint.name)
    if (!said) return unread(joint.name)
    joints[joint.name] = placedJoint(said, scene, joint, followed(poses, joint, body, motion, how))
  }
  const bodies = { [name]: placedBody(definition, pose, turns(motion), scene.dimension === 2) }
  return { replace: { bodies, ...(Object.keys(joints).length > 0 ? { joints } : {}) }, closing: 'snap' }
}

/** The command that moves a joint, on both of its bodies, which stay. */
export function moveJoint(
  scene: StudioScene,
  poses: Poses,
  text: string,
  joint: SceneJoint,
  motion: Matrix4,
): object | string {
  const said = definitionOf(text, 'joints', joint.name)
  if (!said) return unread(joint.name)
  const frames = [joint.end1, joint.end2].map((end) =>
    onBody(poses, end.body, motion.clone().multiply(endMatrix(poses, end))),
  ) as [Matrix4, Matrix4]
  return { replace: { joints: { [joint.name]: placedJoint(said, scene, joint, frames) } }, closing: 'snap' }
}
