// How long arrows are: the largest of them a fixed part of the mechanism, following slowly so that they do not flicker.

const LONGEST = 0.22 // of the mechanism's size
const GROWS = 1.02 // change of the reference from frame to frame, at most

export class ArrowScale {
  private reference = 0

  /** Length in the world per unit of the value, for arrows with these sizes in a mechanism of a size (m). */
  next(sizes: number[], size: number): number {
    const largest = Math.max(0, ...sizes)
    if (largest > this.reference) this.reference = largest
    else this.reference = Math.max(largest, this.reference / GROWS)
    return this.reference > 0 ? (LONGEST * size) / this.reference : 0
  }
}
