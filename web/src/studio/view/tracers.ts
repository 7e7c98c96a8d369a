// Paths that points leave behind while the mechanism moves. Going back in time takes the later part away.
import type { Vector3 } from 'three'
import type { Poses } from '../../scene/data'
import type { Mechanism } from '../../scene/mechanism'
import { pointOn } from '../../scene/space'

const MOST = 3000 // points of a path

export interface Tracer {
  label: string
  body: number
  local: Vector3
  times: number[]
  points: Vector3[]
}

export class Tracers {
  readonly list: Tracer[] = []

  find(body: number, local: Vector3, near: number): Tracer | undefined {
    return this.list.find((t) => t.body === body && t.local.distanceTo(local) < near)
  }

  add(label: string, body: number, local: Vector3): void {
    this.list.push({ label, body, local, times: [], points: [] })
  }

  remove(tracer: Tracer): void {
    this.list.splice(this.list.indexOf(tracer), 1)
  }

  clear(): void {
    this.list.length = 0
  }

  record(time: number, poses: Poses, mechanism: Mechanism): void {
    for (const tracer of this.list) {
      while (tracer.times.length > 0 && tracer.times[tracer.times.length - 1] >= time) {
        tracer.times.pop()
        tracer.points.pop()
      }
      const point = pointOn(poses, tracer.body, tracer.local.toArray())
      point.z += mechanism.height(tracer.body)
      tracer.times.push(time)
      tracer.points.push(point)
      if (tracer.points.length > MOST) {
        tracer.times.shift()
        tracer.points.shift()
      }
    }
  }
}
