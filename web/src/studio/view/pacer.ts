// When to draw. Pictures that take very long, as those by software on a busy machine, would leave the page no time to answer:
// then it rests after each as long as the picture took.
const LONG = 120 // ms
const LONGEST_REST = 1000 // ms

export class Pacer {
  /** when the last picture was begun; how long it takes is known at the next turn */
  private drawn?: number
  private next = 0

  /** Is there time for a picture now (ms)? To be asked at every turn. */
  isDue(now: number): boolean {
    if (this.drawn !== undefined) {
      const took = now - this.drawn
      this.next = took > LONG ? now + Math.min(took, LONGEST_REST) : now
      this.drawn = undefined
    }
    return now >= this.next
  }

  drew(now: number): void {
    this.drawn = now
  }
}
