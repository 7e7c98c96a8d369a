// Places on a mechanism that a tool may take hold of: frames, joints, centres of mass, and what shapes have: ends, faces,
// edges, and the axes of holes and shafts.
import { Quaternion, Vector3 } from 'three'
import type { ShapeData } from '../../scene/data'
import type { StudioScene } from '../protocol'
import { meshFeatures } from './features'

/** A place on a body (-1: ground). */
export interface Attachment {
  body: number
  /** in the frame of the body */
  local: Vector3
  /** of a hole, a shaft or a face there, in the frame of the body */
  axis?: Vector3
  /** as people are told */
  label: string
  /** name of the frame there, if it has one: `crank.tip`, or the body's name at its origin */
  frame?: string
}

export function bodyName(scene: StudioScene, body: number): string {
  return body < 0 ? 'ground' : scene.bodies[body].name
}

interface Spot {
  what: string
  at: Vector3
  axis?: Vector3
}

const X = new Vector3(1, 0, 0)
const Y = new Vector3(0, 1, 0)
const Z = new Vector3(0, 0, 1)

/** Centres of faces and middles of edges. In the plane, depth is for the mass only. */
function boxSpots([a, b, c]: number[], planar: boolean): Spot[] {
  const half = [X.clone().multiplyScalar(a / 2), Y.clone().multiplyScalar(b / 2), Z.clone().multiplyScalar(c / 2)]
  const axes = planar ? [0, 1] : [0, 1, 2]
  const faces = axes.flatMap((k) =>
    [1, -1].map((side) => ({
      what: 'face',
      at: half[k].clone().multiplyScalar(side),
      axis: planar ? undefined : half[k].clone().normalize(),
    })),
  )
  const edges = axes.flatMap((i) =>
    axes
      .filter((k) => k > i)
      .flatMap((k) =>
        [1, -1].flatMap((si) =>
          [1, -1].map((sk) => ({
            what: planar ? 'corner' : 'edge',
            at: half[i].clone().multiplyScalar(si).addScaledVector(half[k], sk),
            axis: planar ? undefined : half[i].clone().cross(half[k]).normalize(),
          })),
        ),
      ),
  )
  const signs = [1, -1]
  const corners = planar
    ? []
    : signs.flatMap((i) =>
        signs.flatMap((k) =>
          signs.map((m) => ({
            what: 'corner',
            at: half[0].clone().multiplyScalar(i).addScaledVector(half[1], k).addScaledVector(half[2], m),
          })),
        ),
      )
  return [...faces, ...edges, ...corners, { what: 'centre', at: new Vector3() }]
}

/** The middle of a round solid, its ends, and four places of each rim. */
function roundSpots(radius: number, [low, high]: [number, number], planar: boolean, rims = [low, high]): Spot[] {
  const axis = planar ? undefined : Z
  const along = [
    { what: 'end', at: new Vector3(0, 0, low), axis },
    { what: 'end', at: new Vector3(0, 0, high), axis },
    { what: 'middle', at: new Vector3(), axis },
  ]
  if (planar) return along
  const quarters = [X, Y, X.clone().negate(), Y.clone().negate()]
  const rim = rims.flatMap((z) =>
    quarters.map((side) => ({ what: 'rim', at: side.clone().multiplyScalar(radius).setZ(z), axis: side })),
  )
  return [...along, ...rim]
}

/** In the coordinates of the shape. */
function ownSpots(shape: ShapeData, planar: boolean): Spot[] {
  const [radius, length] = shape.size
  switch (shape.kind) {
    case 'rod':
    case 'capsule':
      return roundSpots(radius, [-length / 2, length / 2], planar, [])
    case 'cylinder':
    case 'tube':
      return roundSpots(radius, [-length / 2, length / 2], planar)
    case 'cone':
      return roundSpots(radius, [-length / 2, length / 2], planar, [-length / 2])
    case 'torus':
      return [{ what: 'centre', at: new Vector3(), axis: planar ? undefined : Z }]
    case 'box':
      return boxSpots(shape.size, planar)
    case 'polygon':
      return (shape.corners ?? []).map(([x, y]) => ({ what: 'corner', at: new Vector3(x, y, 0) }))
    case 'mesh':
      return meshFeatures(shape).map(({ label, at, axis }) => ({ what: label, at, axis }))
    default:
      return [{ what: 'centre', at: new Vector3() }]
  }
}

function spotsOf(shape: ShapeData, planar: boolean): Spot[] {
  const [w, x, y, z] = shape.rotation
  const turn = new Quaternion(x, y, z, w).normalize()
  const centre = new Vector3().fromArray(shape.position)
  return ownSpots(shape, planar).map(({ what, at, axis }) => ({
    what,
    at: at.clone().applyQuaternion(turn).add(centre),
    axis: axis?.clone().applyQuaternion(turn),
  }))
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
      spotsOf(shape, scene.dimension === 2).map(({ what, at, axis }) => ({
        body: b,
        local: at,
        axis,
        label: `${body.name}, ${what}`,
      })),
    ),
    { body: b, local: vector(body.com), label: `${body.name}, centre of mass` },
  ])
  return [...frames, ...origins, ...joints, ...bodies]
}
