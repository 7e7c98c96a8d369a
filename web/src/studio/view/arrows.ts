// Arrows of what bodies do and of what is done to them: where they begin, how long they are, what they mean.
import { Vector3 } from 'three'
import type { ConnectionData } from '../../scene/data'
import type { Mechanism } from '../../scene/mechanism'
import { pointOn } from '../../scene/space'
import type { Frame } from '../frame'
import type { StudioScene } from '../protocol'

export const ARROW_LAYERS = ['reactions', 'forces', 'velocities', 'accelerations', 'touches'] as const
export type ArrowLayer = (typeof ARROW_LAYERS)[number]
export const ARROW_UNITS: Record<ArrowLayer, string> = {
  reactions: 'N',
  forces: 'N',
  velocities: 'm/s',
  accelerations: 'm/s^2',
  touches: 'N',
}

/** name: of the body, joint or force; at: in the picture; turn: a torque that comes with it, N m */
export interface Arrow {
  name: string
  at: Vector3
  vector: Vector3
  turn?: Vector3
}

const LONGEST = 0.22 // of the mechanism's size
const GROWS = 1.02 // change of the reference from frame to frame, at most

/** How long arrows are: the largest of them a fixed part of the mechanism, following slowly so that none flickers. */
export class ArrowScale {
  /** what an arrow of full length stands for */
  reference = 0

  /** Length in the world per unit of the value, for arrows in a mechanism of a size (m). */
  next(arrows: Arrow[], size: number): number {
    const largest = Math.max(0, ...arrows.map(({ vector }) => vector.length()))
    this.reference = Math.max(largest, this.reference / GROWS)
    return this.reference > 0 ? (LONGEST * size) / this.reference : 0
  }
}

const screwAt = (screws: Float32Array, k: number): [Vector3, Vector3] => [
  new Vector3().fromArray(screws, 6 * k),
  new Vector3().fromArray(screws, 6 * k + 3),
]

/** Of the centres of mass. */
function ofBodies(layer: ArrowLayer, scene: StudioScene, frame: Frame, screws: Float32Array): Arrow[] {
  return scene.bodies.map((body, b) => {
    const at = pointOn(frame.poses, b, body.com)
    const arm = at.clone().sub(pointOn(frame.poses, b, [0, 0, 0]))
    const [vector, turn] = screwAt(screws, b)
    vector.add(turn.cross(arm))
    if (layer === 'accelerations' && frame.velocities) {
      const [, omega] = screwAt(frame.velocities, b)
      vector.add(omega.clone().cross(omega.cross(arm)))
    }
    return { name: body.name, at, vector }
  })
}

/** On body 2; where that is ground, the opposite on body 1. */
function ofConnections(list: ConnectionData[], mechanism: Mechanism, frame: Frame, screws: Float32Array): Arrow[] {
  return list
    .filter((_, k) => 6 * k < screws.length)
    .map(({ name, end1, end2 }, k) => {
      const ground = end2.body < 0
      const [here, there] = ground ? [end1, end2] : [end2, end1]
      const [vector, turn] = screwAt(screws, k).map((v) => v.multiplyScalar(ground ? -1 : 1))
      return { name, at: mechanism.placeOf(frame.poses, here, there), vector, turn }
    })
}

/** Of the places where shapes touch: what presses and rubs there. */
function ofTouches(screws: Float32Array): Arrow[] {
  return Array.from({ length: screws.length / 6 }, (_, k) => {
    const [at, vector] = screwAt(screws, k)
    return { name: `touch ${k + 1}`, at, vector }
  })
}

/** All of a layer; none where frames do not carry it. */
export function arrowsOf(layer: ArrowLayer, scene: StudioScene, mechanism: Mechanism, frame: Frame): Arrow[] {
  const screws = frame[layer]
  if (!screws) return []
  if (layer === 'touches') return ofTouches(screws)
  if (layer === 'velocities' || layer === 'accelerations') return ofBodies(layer, scene, frame, screws)
  return ofConnections(layer === 'forces' ? scene.forces : scene.joints, mechanism, frame, screws)
}
