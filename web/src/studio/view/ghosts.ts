// A trail of faint pictures of where the bodies were.
import type { Object3D } from 'three'
import { Group, Mesh, MeshBasicMaterial } from 'three'
import type { Poses } from '../../scene/data'
import { POSE_SIZE } from '../../scene/data'
import type { Mechanism } from '../../scene/mechanism'
import { readPose } from '../../scene/space'

const COUNT = 6
const FIRST = 0.3 // opacity of the newest

export class Ghosts {
  readonly object = new Group()
  private readonly kept: Poses[] = []
  private interval = 0.1
  private last = -Infinity
  private trail: Group[][] = []

  constructor(private readonly mechanism: Mechanism) {}

  show(shown: boolean): void {
    if (shown && this.trail.length === 0) this.build()
    this.object.visible = shown
  }

  /** time, s; period: time that the whole trail covers, s */
  record(time: number, poses: Poses, period: number): void {
    this.interval = period / COUNT
    if (time < this.last) this.kept.length = 0
    if (time < this.last || time - this.last >= this.interval) {
      this.last = time
      this.kept.unshift(new Float32Array(poses))
      this.kept.length = Math.min(this.kept.length, COUNT)
    }
    if (this.object.visible) this.place()
  }

  private build(): void {
    const surfaces = this.mechanism.surfaces()
    for (let k = 0; k < COUNT; k++) {
      const opacity = FIRST * (1 - k / COUNT)
      this.trail.push(
        surfaces.map((surface) => {
          const holder = new Group()
          holder.add(faded(surface.clone(true) as Group, opacity))
          this.object.add(holder)
          return holder
        }),
      )
    }
  }

  private place(): void {
    this.trail.forEach((bodies, k) =>
      bodies.forEach((body, b) => {
        const poses = this.kept[k]
        body.visible = poses !== undefined && poses.length >= (b + 1) * POSE_SIZE
        if (body.visible) readPose(poses, b, body.position, body.quaternion)
      }),
    )
  }
}

/** Without shadows and edges, and nothing that a pointer hits. */
export function faded(group: Group, opacity: number): Group {
  const lines: Object3D[] = []
  group.traverse((part) => {
    if (!(part instanceof Mesh)) {
      if (part !== group && part.type === 'LineSegments') lines.push(part)
      return
    }
    const { color } = part.material
    part.material = new MeshBasicMaterial({ color, transparent: true, opacity, depthWrite: false })
    part.castShadow = part.receiveShadow = false
    part.raycast = () => {}
  })
  for (const line of lines) line.removeFromParent()
  return group
}
