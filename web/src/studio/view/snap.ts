// Places on a mechanism that a tool may take hold of: frames, joints, centres of mass, ends and centres of shapes.
import { Quaternion, Vector3 } from 'three'
import type { ShapeData } from '../../scene/data'
import type { StudioScene } from '../protocol'

/** A place on a body (-1: ground). */
export interface Attachment {
  body: number
  /** in the frame of the body */
  local: Vector3
  /** as people are told */
  label: string
  /** name of the frame there, if it has one: `crank.tip`, or the body's name at its origin */
  frame?: string
}

export function bodyName(scene: StudioScene, body: number): string {
  return body < 0 ? 'ground' : scene.bodies[body].name
}

function shapePoints(shape: ShapeData): [string, Vector3][] {
  const centre = new Vector3().fromArray(shape.position)
  const [w, x, y, z] = shape.rotation
  const turn = new Quaternion(x, y, z, w).normalize()
  const at = (dx: number, dy: number, dz: number) => new Vector3(dx, dy, dz).applyQuaternion(turn).add(centre)
  const [a, b, c] = shape.size
  switch (shape.kind) {
    case 'rod':
    case 'cylinder':
    case 'capsule':
      return [
        ['end', at(0, 0, -b / 2)],
        ['end', at(0, 0, b / 2)],
        ['middle', centre],
      ]
    case 'box':
      return [
        ['face', at(a / 2, 0, 0)],
        ['face', at(-a / 2, 0, 0)],
        ['face', at(0, b / 2, 0)],
        ['face', at(0, -b / 2, 0)],
        ...(c
          ? ([
              ['face', at(0, 0, c / 2)],
              ['face', at(0, 0, -c / 2)],
            ] as [string, Vector3][])
          : []),
        ['centre', centre],
      ]
    default:
      return [['centre', centre]]
  }
}

/** Named places first: where two coincide, the name counts. */
export function attachments(scene: StudioScene): Attachment[] {
  const vector = (p: number[]) => new Vector3().fromArray(p)
  const frames = scene.frames.map(({ name, end }) => ({
    body: end.body,
    local: vector(end.position),
    label: name,
    frame: name,
  }))
  const origins = [-1, ...scene.bodies.keys()].map((body) => {
    const name = bodyName(scene, body)
    return { body, local: new Vector3(), label: name, frame: name }
  })
  const joints = scene.joints.flatMap(({ name, end1, end2 }) =>
    [end1, end2].map((end) => ({
      body: end.body,
      local: vector(end.position),
      label: `${bodyName(scene, end.body)} at ${name}`,
    })),
  )
  const bodies = scene.bodies.flatMap((body, b) => [
    ...body.shapes.flatMap((shape) =>
      shapePoints(shape).map(([what, local]) => ({ body: b, local, label: `${body.name}, ${what}` })),
    ),
    { body: b, local: vector(body.com), label: `${body.name}, centre of mass` },
  ])
  return [...frames, ...origins, ...joints, ...bodies]
}
