// Joins motion, clock, paths and view: what is shown at a time.
import type { Vector3 } from 'three'
import type { Poses, SceneData } from '../scene/data'
import { Mechanism } from '../scene/mechanism'
import type { ThemeName } from '../scene/theme'
import { Materials, themes } from '../scene/theme'
import { lookingGestures, View } from '../scene/view'
import { Clock } from './clock'
import type { Motion } from './motion'
import { Paths } from './paths'

const SAMPLES = 240 // frames looked at to find how much room the motion takes
const SNAP = 14 // pixels: clicks this near to a named point mean it

export class Player {
  readonly clock: Clock
  mechanism: Mechanism
  readonly view: View
  paths: Paths
  poses: Poses
  private jointsShown = true
  private readonly materials: Materials

  constructor(
    public data: SceneData,
    public motion: Motion,
    readonly canvas: HTMLCanvasElement,
    private readonly pathList: HTMLElement,
    private theme: ThemeName,
    speed: number,
  ) {
    this.clock = new Clock(motion.duration, speed)
    this.poses = new Float32Array(motion.frames[0])
    this.materials = new Materials(themes[theme])
    this.mechanism = new Mechanism(data, motion.sample(SAMPLES), this.materials)
    this.view = new View(canvas, this.mechanism, lookingGestures(this.mechanism.planar))
    this.paths = new Paths(motion, this.mechanism, pathList, themes[theme], () => this.show())
    this.view.scene.add(this.mechanism.root, this.paths.object)
    this.repaint(theme)
    this.show()
  }

  /** Another scene with its motion in place of the present one; time and camera stay. */
  swap(data: SceneData, motion: Motion): void {
    this.view.scene.remove(this.mechanism.root, this.paths.object)
    this.mechanism.dispose()
    this.pathList.replaceChildren()
    Object.assign(this, { data, motion })
    this.clock.duration = motion.duration
    this.clock.seek(this.clock.time)
    this.poses = new Float32Array(motion.frames[0])
    this.mechanism = new Mechanism(data, motion.sample(SAMPLES), this.materials)
    this.mechanism.showJoints(this.jointsShown)
    this.paths = new Paths(motion, this.mechanism, this.pathList, themes[this.theme], () => this.show())
    this.view.scene.add(this.mechanism.root, this.paths.object)
    this.show()
  }

  showJoints(shown: boolean): void {
    this.jointsShown = shown
    this.mechanism.showJoints(shown)
  }

  get frame(): number {
    return this.motion.frameAt(this.clock.time)
  }

  seekFrame(frame: number): void {
    const k = Math.min(Math.max(frame, 0), this.motion.last)
    this.clock.seek(this.motion.times[k])
    this.show()
  }

  /** Brings what is seen to the time of the clock. */
  show(): void {
    this.motion.at(this.clock.time, this.poses)
    this.mechanism.setPoses(this.poses)
    this.paths.update(this.poses, this.frame)
    this.view.invalidate()
  }

  /** Shows poses that are not of the recorded motion. */
  showPoses(poses: Poses): void {
    this.poses.set(poses)
    this.mechanism.setPoses(this.poses)
    this.paths.update(this.poses, this.motion.last)
    this.view.invalidate()
  }

  repaint(theme: ThemeName): void {
    this.theme = theme
    this.materials.repaint(themes[theme])
    this.paths.repaint(themes[theme])
    this.view.repaint(themes[theme])
  }

  /** Number of the body under a place on the canvas; -1: none. */
  bodyAt(x: number, y: number): number {
    const hit = this.view.pick(x, y, this.mechanism.surfaces())
    return hit ? this.mechanism.bodyOf(hit.object) : -1
  }

  /** A click: takes away the path of the point there; or adds that of the named point near it, or of the point. */
  click(x: number, y: number): void {
    const distance = (place: Vector3) => {
      const at = this.view.toCanvas(place)
      return Math.hypot(at.x - x, at.y - y)
    }
    const traced = this.paths.near(distance, SNAP)
    if (traced) {
      this.paths.toggle(traced)
      return
    }
    const hit = this.view.pick(x, y, this.mechanism.surfaces())
    if (!hit) return
    const body = this.mechanism.bodyOf(hit.object)
    const group = this.mechanism.surfaces()[body]
    const named = this.paths.points.find((p) => p.body === body && distance(group.localToWorld(p.local.clone())) < SNAP)
    if (named) this.paths.toggle(named)
    else this.paths.pick(body, group.worldToLocal(hit.point.clone()))
  }
}
