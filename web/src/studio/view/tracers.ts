// Paths that points leave behind while the mechanism moves. Frames bring the newest points; the record of the session
// replaces them by all that it has, since frames may be left out. Going back in time takes the later part away.
import { Quaternion, Vector3 } from 'three'
import type { Poses } from '../../scene/data'
import type { Mechanism } from '../../scene/mechanism'
import { pointOn } from '../../scene/space'

const MOST = 6000 // points of a path

/** The part of a mechanism that places rows of the record. */
export type RowPlacer = Pick<Mechanism, 'planar' | 'height'>

export interface Tracer {
  label: string
  body: number
  local: Vector3
  times: number[]
  points: Vector3[]
  /** s up to which the points are those of the record */
  settled: number
}

export class Tracers {
  readonly list: Tracer[] = []
  /** points before this are not wanted any more, s */
  private cleared = -Infinity

  find(body: number, local: Vector3, near: number): Tracer | undefined {
    return this.list.find((t) => t.body === body && t.local.distanceTo(local) < near)
  }

  add(label: string, body: number, local: Vector3): void {
    this.list.push({ label, body, local, times: [], points: [], settled: this.cleared })
  }

  remove(tracer: Tracer): void {
    this.list.splice(this.list.indexOf(tracer), 1)
  }

  clear(): void {
    this.list.length = 0
    this.cleared = -Infinity
  }

  /** Begins all paths anew from a time on. */
  wipe(time: number): void {
    this.cleared = time
    for (const tracer of this.list) Object.assign(tracer, { times: [], points: [], settled: time })
  }

  record(time: number, poses: Poses, mechanism: Mechanism): void {
    if (time < this.cleared) this.cleared = -Infinity
    for (const tracer of this.list) {
      while (tracer.times.length > 0 && tracer.times[tracer.times.length - 1] >= time) {
        tracer.times.pop()
        tracer.points.pop()
      }
      tracer.settled = Math.min(tracer.settled, time)
      const point = pointOn(poses, tracer.body, tracer.local.toArray())
      point.z += mechanism.height(tracer.body)
      tracer.times.push(time)
      tracer.points.push(point)
      trim(tracer)
    }
  }

  /** The earliest time from which on the record is wanted. */
  get unsettled(): number {
    return Math.min(Infinity, ...this.list.map(({ settled }) => settled))
  }

  /** What the record says of a body: rows of time, position and angle (in the plane) or quaternion. */
  settle(body: number, rows: number[][], mechanism: RowPlacer): void {
    if (rows.length === 0) return
    const last = rows[rows.length - 1][0]
    for (const tracer of this.list.filter((t) => t.body === body)) {
      const fresh = rows.filter(([time]) => time > tracer.settled)
      if (fresh.length === 0) continue
      const first = fresh[0][0] // the record begins anew with each edit: what frames brought before stays
      const keep = tracer.times.findIndex((time) => time > tracer.settled && time >= first)
      const later = tracer.times.findIndex((time) => time > last)
      const [head, tail] = [keep < 0 ? tracer.times.length : keep, later < 0 ? tracer.times.length : later]
      const points = fresh.map((row) => placed(row, tracer.local, mechanism, body))
      tracer.times = [...tracer.times.slice(0, head), ...fresh.map(([time]) => time), ...tracer.times.slice(tail)]
      tracer.points = [...tracer.points.slice(0, head), ...points, ...tracer.points.slice(tail)]
      tracer.settled = last
      trim(tracer)
    }
  }
}

function trim(tracer: Tracer): void {
  const over = tracer.points.length - MOST
  if (over <= 0) return
  tracer.times.splice(0, over)
  tracer.points.splice(0, over)
}

function placed(row: number[], local: Vector3, mechanism: RowPlacer, body: number): Vector3 {
  const point = local.clone()
  if (mechanism.planar) {
    const [, x, y, angle = 0] = row
    point.applyAxisAngle(new Vector3(0, 0, 1), angle).add(new Vector3(x, y, mechanism.height(body)))
  } else {
    const [, x, y, z, w = 1, i = 0, j = 0, k = 0] = row
    point.applyQuaternion(new Quaternion(i, j, k, w).normalize()).add(new Vector3(x, y, z))
  }
  return point
}

/** Speeds along a path, as parts of the largest. */
export function speedsAlong({ times, points }: Tracer): number[] {
  const speeds = points.map((point, k) => {
    const [a, b] = [Math.max(k - 1, 0), Math.min(k + 1, points.length - 1)]
    const dt = times[b] - times[a]
    return dt > 0 ? points[b].distanceTo(points[a]) / dt : point.lengthSq() * 0
  })
  const largest = Math.max(1e-300, ...speeds)
  return speeds.map((speed) => speed / largest)
}
