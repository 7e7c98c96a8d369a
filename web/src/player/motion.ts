// A recorded motion: poses frame by frame, and between frames.
import type { Poses } from '../scene/data'
import { bytesOf, POSE_SIZE } from '../scene/data'

export class Motion {
  readonly times: Float32Array
  readonly frames: Poses[]

  /** base64 of float32: for every frame the time, s, and the poses of all bodies. */
  constructor(base64: string, bodies: number) {
    const numbers = new Float32Array(bytesOf(base64))
    const row = 1 + bodies * POSE_SIZE
    const count = Math.floor(numbers.length / row)
    this.times = new Float32Array(count)
    this.frames = []
    for (let k = 0; k < count; k++) {
      this.times[k] = numbers[k * row]
      this.frames.push(numbers.subarray(k * row + 1, (k + 1) * row))
    }
  }

  get last(): number {
    return this.frames.length - 1
  }

  get duration(): number {
    return this.times[this.last]
  }

  /** The last frame that is not after t. */
  frameAt(t: number): number {
    let low = 0
    let high = this.last
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.times[middle] <= t) low = middle
      else high = middle - 1
    }
    return low
  }

  /** Poses at any time: those of a frame, or in between positions on straight lines and the shorter turn. */
  at(t: number, target: Poses): Poses {
    const k = this.frameAt(t)
    const before = this.frames[k]
    const after = this.frames[Math.min(k + 1, this.last)]
    const step = this.times[Math.min(k + 1, this.last)] - this.times[k]
    const part = step > 0 ? Math.min((t - this.times[k]) / step, 1) : 0
    for (let b = 0; b < before.length; b += POSE_SIZE) {
      let same = 0
      for (let i = b + 3; i < b + POSE_SIZE; i++) same += before[i] * after[i]
      for (let i = b; i < b + POSE_SIZE; i++) {
        const towards = i >= b + 3 && same < 0 ? -after[i] : after[i]
        target[i] = before[i] + part * (towards - before[i])
      }
    }
    return target
  }

  /** At most count frames, spread over the motion, first and last among them. */
  sample(count: number): Poses[] {
    const most = Math.min(count, this.frames.length)
    return Array.from({ length: most }, (_, i) => this.frames[Math.round((i * this.last) / Math.max(most - 1, 1))])
  }
}
