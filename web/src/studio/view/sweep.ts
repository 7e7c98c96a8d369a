// The region that bodies on hinges at ground can reach: the first view leaves room for it.
import { Quaternion, Vector3 } from 'three'
import type { Poses } from '../../scene/data'
import type { Mechanism } from '../../scene/mechanism'
import { endMatrix } from '../../scene/space'

const POSITIONS = 8 // of a full turn
const PART = 0.8 // of the way there: few bodies turn fully

export function sweptPoints(mechanism: Mechanism, poses: Poses): Vector3[] {
  const points = mechanism.corners(poses)
  for (const { glyph, end1, end2 } of mechanism.data.joints) {
    const body = Math.max(end1.body, end2.body)
    if (glyph !== 'hinge' || Math.min(end1.body, end2.body) >= 0 || body < 0) continue
    const frame = endMatrix(poses, end1)
    const centre = new Vector3().setFromMatrixPosition(frame)
    const axis = new Vector3().setFromMatrixColumn(frame, 2)
    const corners = mechanism.cornersOf(body, poses)
    for (let k = 1; k < POSITIONS; k++) {
      const turn = new Quaternion().setFromAxisAngle(axis, (2 * Math.PI * k) / POSITIONS)
      points.push(...corners.map((p) => p.clone().sub(centre).applyQuaternion(turn).multiplyScalar(PART).add(centre)))
    }
  }
  return points
}
