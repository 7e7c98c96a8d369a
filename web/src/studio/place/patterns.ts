// Where the copies of a pattern are: in a row, around an axis, or behind a mirror.
import { Matrix4, Quaternion, Vector3 } from 'three'
import type { Motion } from './copies'

export interface Row {
  kind: 'row'
  /** all of them, with the original */
  count: number
  step: Vector3
}

export interface Circle {
  kind: 'circle'
  count: number
  /** rad, from one to the next */
  angle: number
  axis: number
  centre: Vector3
}

export interface Mirror {
  kind: 'mirror'
  /** the axis that the mirror stands across, and where on it */
  axis: number
  at: number
}

export type Pattern = Row | Circle | Mirror

const unit = (axis: number) => new Vector3().setComponent(axis, 1)

function around(angle: number, axis: number, centre: Vector3): Matrix4 {
  const turn = new Quaternion().setFromAxisAngle(unit(axis), angle)
  const at = centre.clone().sub(centre.clone().applyQuaternion(turn))
  return new Matrix4().compose(at, turn, new Vector3(1, 1, 1))
}

function mirror(axis: number, at: number): Motion {
  const scale = new Vector3(1, 1, 1).setComponent(axis, -1)
  const shift = unit(axis).multiplyScalar(2 * at)
  return { matrix: new Matrix4().makeScale(scale.x, scale.y, scale.z).setPosition(shift), across: axis }
}

/** The motions from the original to each copy. */
export function motionsOf(pattern: Pattern): Motion[] {
  if (pattern.kind === 'mirror') return [mirror(pattern.axis, pattern.at)]
  const { count } = pattern
  return Array.from({ length: Math.max(count - 1, 0) }, (_, k) => ({
    matrix:
      pattern.kind === 'row'
        ? new Matrix4().setPosition(pattern.step.clone().multiplyScalar(k + 1))
        : around((k + 1) * pattern.angle, pattern.axis, pattern.centre),
  }))
}
