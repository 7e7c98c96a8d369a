// The time that is shown: runs with the wall clock, or stands.

export class Clock {
  time = 0
  playing = false
  loop = true
  private wall: number | undefined

  /** speed: simulated seconds per second */
  constructor(
    public duration: number,
    public speed: number,
  ) {}

  play(): void {
    if (this.time >= this.duration) this.time = 0
    this.playing = true
    this.wall = undefined
  }

  pause(): void {
    this.playing = false
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, 0), this.duration)
  }

  /** Called for every picture with the wall clock, ms. True when the time has changed. */
  tick(now: number): boolean {
    const elapsed = this.wall === undefined ? 0 : (now - this.wall) / 1000
    this.wall = now
    if (!this.playing || elapsed <= 0) return false
    this.time += elapsed * this.speed
    if (this.time >= this.duration) this.finish()
    return true
  }

  private finish(): void {
    if (this.loop && this.duration > 0) {
      this.time %= this.duration
      return
    }
    this.time = this.duration
    this.playing = false
  }
}
