// Playing: the buttons, the scrub bar, the time and the speed.
import { button, byId } from './dom'
import type { Player } from './player'
import { speedText, timeFormat } from './units'

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]

export class Transport {
  private readonly scrub = byId<HTMLInputElement>('scrub')
  private readonly speed = byId<HTMLSelectElement>('speed')
  private readonly output = byId('time')
  private readonly timeText: (t: number) => string
  private elsewhere = false

  /** step: time between frames, s */
  constructor(
    private readonly player: Player,
    step: number,
  ) {
    this.timeText = timeFormat(player.motion.duration, step)
    this.measure()
    this.scrub.addEventListener('input', () => this.seek(Number(this.scrub.value)))
    this.offerSpeeds(player.clock.speed)
    this.show()
  }

  /** The motion is another one, and may be longer or shorter. */
  measure(): void {
    const { motion } = this.player
    const duration = this.timeText(motion.duration)
    this.output.style.minWidth = `${duration.length}ch`
    byId('duration').textContent = `of ${duration}`
    this.scrub.max = String(motion.last)
  }

  /** Brings time, bar and button up to date. */
  show(): void {
    const { clock, frame, motion } = this.player
    const text = this.timeText(clock.time)
    this.output.textContent = text
    this.scrub.value = String(frame)
    this.scrub.setAttribute('aria-valuetext', text)
    this.scrub.style.setProperty('--done', `${(100 * frame) / Math.max(motion.last, 1)}%`)
    button('play').classList.toggle('playing', clock.playing)
    button('play').setAttribute('aria-label', clock.playing ? 'Pause' : 'Play')
  }

  /** From now on the time comes from elsewhere: the recorded motion is not played any more. */
  showTime(time: number): void {
    this.elsewhere = true
    this.output.textContent = this.timeText(time)
  }

  setPlaying(on: boolean): void {
    if (this.elsewhere) return
    if (on) this.player.clock.play()
    else this.player.clock.pause()
    this.show()
  }

  seek(frame: number): void {
    if (this.elsewhere) return
    this.player.clock.pause()
    this.player.seekFrame(frame)
    this.show()
  }

  /** To the next frame, or the one before; from between two frames to the one passed. */
  step(by: 1 | -1): void {
    const { clock, frame, motion } = this.player
    const between = clock.time > motion.times[frame]
    this.seek(by < 0 && between ? frame : frame + by)
  }

  changeSpeed(by: 1 | -1): void {
    this.speed.selectedIndex = Math.min(Math.max(this.speed.selectedIndex + by, 0), this.speed.length - 1)
    this.player.clock.speed = Number(this.speed.value)
  }

  private offerSpeeds(own: number): void {
    const known = SPEEDS.some((s) => Math.abs(s - own) < 1e-9 * own)
    const all = known ? SPEEDS : [...SPEEDS, own].sort((a, b) => a - b)
    for (const value of all) this.speed.add(new Option(speedText(value), String(value)))
    this.speed.selectedIndex = all.findIndex((s) => Math.abs(s - own) < 1e-9 * own)
    this.speed.addEventListener('change', () => (this.player.clock.speed = Number(this.speed.value)))
  }
}
