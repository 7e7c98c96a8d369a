// What is done to links that are drawn: split, widened to a third point, and made to slide along each other.
import type { Vector3 } from 'three'
import type { Poses } from '../../scene/data'
import { POSE_SIZE } from '../../scene/data'
import { bodyMatrix, pointOn } from '../../scene/space'
import { tidy } from '../digits'
import type { StudioScene } from '../protocol'
import type { Value } from '../text/definition'
import { definitionOf, isMap } from '../text/definition'
import { onLink, plane } from './links'
import type { Bar } from './shaping'
import { barsOf, lengthOf } from './shaping'

const NEAR = 1e-6 // m
const ENDS = 0.05 // of a link: nearer to its ends it is not split
const AREAL = 10 // kg for a square metre of what is added to a link

/** Where a point of the world is in the frame of a body. */
const onBody = (poses: Poses, body: number, point: Vector3) =>
  point.clone().applyMatrix4(bodyMatrix(poses, body).invert()).setZ(0)

/** Where a body is now, as its definition says it. */
function standing(poses: Poses, body: number): { position: number[]; angle: number } {
  const at = POSE_SIZE * body
  return { position: [tidy(poses[at]), tidy(poses[at + 1])], angle: tidy(2 * Math.atan2(poses[at + 6], poses[at + 3])) }
}

/** The bar of a body; undefined: it is none. */
export const barOf = (scene: StudioScene, body: number): Bar | undefined =>
  barsOf(scene).find((bar) => bar.body === body)

/** The command that makes two links of one, pinned to each other at a point; a text: why not. The joints beyond that point go
 * to the new link. */
export function splitCommand(
  scene: StudioScene,
  poses: Poses,
  text: string,
  bar: Bar,
  point: Vector3,
  names: { link: string; pin: string },
): object | string {
  const local = onBody(poses, bar.body, point)
  const [from, to] = bar.ends
  const length = lengthOf(bar)
  const along = to.clone().sub(from).divideScalar(length)
  const part = local.clone().sub(from).dot(along) / length
  if (part < ENDS || part > 1 - ENDS) return 'Click a link between its ends'
  const middle = from.clone().addScaledVector(along, part * length)
  const definition = definitionOf(text, 'bodies', bar.name)
  if (!definition) return `The text does not have ${bar.name} in a way that can be changed here`
  const rod = (a: Vector3, b: Vector3, share: number) => [
    { rod: { from: onLink(a), to: onLink(b), radius: tidy(bar.radius) }, mass: `${tidy(bar.mass * share)} kg` },
  ]
  const beyond = (at: number[]) => {
    const [x, y] = at
    return (x - from.x) * along.x + (y - from.y) * along.y > part * length + NEAR
  }
  const frames = isMap(definition.frames) ? definition.frames : {}
  const own = Object.entries(frames).filter(([name]) => !beyond(frameAt(scene, bar, name)))
  const others = Object.entries(frames).filter(([name]) => beyond(frameAt(scene, bar, name)))
  const first = { ...definition, shapes: rod(from, middle, part), frames: Object.fromEntries(own) }
  const second = { ...standing(poses, bar.body), shapes: rod(middle, to, 1 - part), frames: Object.fromEntries(others) }
  const moved = movedJoints(scene, text, bar, names.link, beyond)
  if (typeof moved === 'string') return moved
  const pin = {
    type: 'revolute',
    between: [bar.name, names.link],
    at: plane(pointOn(poses, bar.body, middle.toArray())),
  }
  return {
    add: { bodies: { [names.link]: second }, joints: { [names.pin]: pin } },
    replace: { bodies: { [bar.name]: first } },
    ...(Object.keys(moved).length > 0 ? { move: moved } : {}),
    stay: true,
    closing: 'snap',
  }
}

function frameAt(scene: StudioScene, bar: Bar, name: string): number[] {
  return scene.frames.find((frame) => frame.name === `${bar.name}.${name}`)?.end.position ?? [0, 0]
}

/** Joints of a link that belong to its other half: they stay where they are, on another body. */
function movedJoints(
  scene: StudioScene,
  text: string,
  bar: Bar,
  link: string,
  beyond: (at: number[]) => boolean,
): Record<string, object> | string {
  const moved: Record<string, object> = {}
  for (const { name, end1, end2 } of scene.joints) {
    const ends = [end1, end2]
    if (!ends.some(({ body, position }) => body === bar.body && beyond(position))) continue
    if (!definitionOf(text, 'joints', name)) return `${name} is not in this text`
    const nameOf = (body: number) => (body < 0 ? 'ground' : body === bar.body ? link : scene.bodies[body].name)
    moved[name] = { between: ends.map(({ body }) => nameOf(body)) }
  }
  return moved
}

/** The command that gives a link a third point: a triangle over the link, and a frame to join others to. */
export function widenCommand(
  poses: Poses,
  text: string,
  bar: Bar,
  point: Vector3,
): { command: object; frame: string } | string {
  const definition = definitionOf(text, 'bodies', bar.name)
  const shapes: Value[] | undefined = Array.isArray(definition?.shapes) ? definition.shapes : undefined
  if (!definition || !shapes) return `The text does not have ${bar.name} in a way that can be changed here`
  const corner = onBody(poses, bar.body, point)
  const [from, to] = bar.ends
  const twice = (to.x - from.x) * (corner.y - from.y) - (to.y - from.y) * (corner.x - from.x)
  const height = Math.abs(twice) / lengthOf(bar)
  const frames = isMap(definition.frames) ? definition.frames : {}
  let k = 1
  while (`point_${k}` in frames) k++
  const frame = `point_${k}`
  const wide = height > 2 * bar.radius
  const triangle = {
    polygon: { corners: [from, twice > 0 ? to : corner, twice > 0 ? corner : to].map(onLink) },
    mass: `${tidy((AREAL * Math.abs(twice)) / 2)} kg`,
  }
  const made = {
    ...definition,
    shapes: wide ? [...shapes, triangle] : shapes,
    frames: { ...frames, [frame]: { at: onLink(corner) } },
  }
  return {
    command: { replace: { bodies: { [bar.name]: made } }, stay: true, closing: 'snap' },
    frame: `${bar.name}.${frame}`,
  }
}

/** The joint that lets a point of one body slide along a link. */
export function slotJoint(scene: StudioScene, poses: Poses, slot: Bar, slider: number, point: Vector3): object {
  const [a, b] = slot.ends.map((end) => pointOn(poses, slot.body, end.toArray()))
  const way = b.sub(a).setZ(0).normalize()
  return { type: 'pin-in-slot', between: [slot.name, scene.bodies[slider].name], at: plane(point), axis: plane(way) }
}
