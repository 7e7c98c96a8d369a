// Rails become longer when what slides along them goes further than was known at first.
import type { Object3D } from 'three'
import { Matrix4, Vector3 } from 'three'
import type { End, Poses } from './data'
import { endMatrix, pointOn } from './space'

const FURTHER = 0.08 // of the length, beyond where something has come

const inverse = new Matrix4()
const point = new Vector3()

/** How far end 2 is along the axis of end 1: x in the plane, z in space. */
export function alongAxis(poses: Poses, end1: End, end2: End, planar: boolean): number {
  endMatrix(poses, end1, inverse).invert()
  pointOn(poses, end2.body, end2.position, point).applyMatrix4(inverse)
  return planar ? point.x : point.z
}

export class Rail {
  /** of the picture at first, and how much of it is beyond the range */
  private readonly length: number
  private readonly beyond: number

  constructor(
    private readonly picture: Object3D,
    private readonly end1: End,
    private readonly end2: End,
    private readonly planar: boolean,
    /** where what slides may be, and how much longer the picture is at each end */
    readonly range: [number, number],
    over: number,
  ) {
    this.beyond = 2 * over
    this.length = range[1] - range[0] + this.beyond
  }

  follow(poses: Poses): void {
    const along = alongAxis(poses, this.end1, this.end2, this.planar)
    const [low, high] = this.range
    if (!(along < low || along > high)) return
    const [from, to] = [Math.min(low, along), Math.max(high, along)]
    const further = FURTHER * (to - from)
    this.range[0] = along < low ? from - further : low
    this.range[1] = along > high ? to + further : high
    const axis = this.planar ? 'x' : 'z'
    this.picture.position[axis] = (this.range[0] + this.range[1]) / 2
    this.picture.scale[axis] = (this.range[1] - this.range[0] + this.beyond) / this.length
  }
}
