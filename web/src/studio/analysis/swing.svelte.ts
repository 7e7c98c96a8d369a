// A natural motion, shown on the mechanism in slow motion and with an amplitude that can be seen.
import { Quaternion, Vector3 } from 'three'
import type { Poses } from '../../scene/data'
import { POSE_SIZE } from '../../scene/data'
import { pointOn, readPose } from '../../scene/space'
import type { BodyMotion, FreeMotion } from '../protocol'
import { session } from '../session.svelte'
import * as timing from '../timing'
import { current } from '../view/current'

const PERIOD = 1.6 // s
const REACH = 0.12 // of the mechanism's size: largest displacement
const TURN = 0.35 // rad: largest turn

class Swing {
  /** number of the mode, from 1 */
  mode = $state<number>()
  /** coordinate of the free motion */
  free = $state<string>()
  private running = 0

  async start(mode: number): Promise<void> {
    await this.rest()
    const answer = await session.act('modes', { bodies: mode })
    if (answer.ok && this.play(answer.bodies ?? [])) this.mode = mode
  }

  /** A motion that the joints leave free, to and fro from where things are. */
  async toggleFree({ coordinate, bodies }: FreeMotion): Promise<void> {
    const shown = this.free === coordinate
    await this.rest()
    if (!shown && this.play(bodies.map(({ name, re }) => ({ name, re: re.map(() => 0), im: re }))))
      this.free = coordinate
  }

  private async rest(): Promise<void> {
    this.stop()
    if (session.running) timing.pause()
    while (session.running) await new Promise(requestAnimationFrame)
  }

  private play(motions: BodyMotion[]): boolean {
    const { frame, scene } = session
    if (!frame || !scene) return false
    const base = new Float64Array(frame.poses)
    const scale = scaleOf(motions, current.viewport?.mechanism?.size ?? 1)
    const numbers = motions.map(({ name }) => scene.bodies.findIndex((body) => body.name === name))
    if (numbers.includes(-1)) return false
    const show = (phase: number) => {
      const poses = new Float64Array(base)
      motions.forEach((motion, k) =>
        displace(poses, numbers[k], scene.bodies[numbers[k]].com, screwAt(motion, phase, scale)),
      )
      current.viewport?.pretend(poses)
    }
    this.animate(show, base)
    return true
  }

  stop(): void {
    this.running++
    this.mode = this.free = undefined
  }

  /** Until it is stopped, or the session goes on. */
  private animate(show: (phase: number) => void, base: Poses): void {
    const run = this.running
    const { revision, frame } = session
    const began = performance.now()
    const draw = () => {
      const moved = session.running || session.revision !== revision || session.frame?.time !== frame?.time
      if (moved) this.stop()
      if (run !== this.running) {
        current.viewport?.pretend(session.frame?.poses ?? base)
        return
      }
      show((2 * Math.PI * (performance.now() - began)) / 1000 / PERIOD)
      requestAnimationFrame(draw)
    }
    requestAnimationFrame(draw)
  }
}

/** The largest displacement or turn comes to a fixed one. */
function scaleOf(motions: BodyMotion[], size: number): number {
  const length = (v: number[], from: number) => Math.hypot(...v.slice(from, from + 3))
  const largest = (from: number) =>
    Math.max(1e-12, ...motions.map(({ re, im }) => Math.hypot(length(re, from), length(im, from))))
  return Math.min((REACH * size) / largest(0), TURN / largest(3))
}

function screwAt({ re, im }: BodyMotion, phase: number, scale: number): number[] {
  return re.map((value, k) => scale * (value * Math.cos(phase) - im[k] * Math.sin(phase)))
}

/** Moves a body by a displacement of its centre of mass and a turn about it. */
function displace(poses: Poses, body: number, com: number[], screw: number[]): void {
  const centre = pointOn(poses, body, com)
  const position = new Vector3()
  const rotation = new Quaternion()
  readPose(poses, body, position, rotation)
  const axis = new Vector3().fromArray(screw, 3)
  const angle = axis.length()
  const turn = new Quaternion().setFromAxisAngle(axis.normalize(), angle)
  position.sub(centre).applyQuaternion(turn).add(centre).add(new Vector3().fromArray(screw))
  rotation.premultiply(turn)
  poses.set([...position.toArray(), rotation.w, rotation.x, rotation.y, rotation.z], POSE_SIZE * body)
}

export const swing = new Swing()
