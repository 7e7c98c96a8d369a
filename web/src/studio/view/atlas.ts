// Curves of many points of a body, as the record of the run has them: where a coupler point should be.
import { Vector3 } from 'three'
import { bodyMatrix } from '../../scene/space'
import { session } from '../session.svelte'
import { channelsOf } from './recall'
import type { Viewport } from './viewport'

const COLUMNS = 5
const ROWS = 3
const SPREAD = 0.75 // of the body's size beyond it, across
const MOST = 400 // poses of the record that are drawn

export interface Curve {
  local: Vector3
  points: Vector3[]
}

/** Points of a body's plane over the box of its shapes, and beside it. */
export function atlasPoints(corners: Vector3[]): Vector3[] {
  const [low, high] = [new Vector3(Infinity, Infinity, 0), new Vector3(-Infinity, -Infinity, 0)]
  for (const corner of corners) {
    low.min(corner.clone().setZ(0))
    high.max(corner.clone().setZ(0))
  }
  const size = Math.max(high.x - low.x, high.y - low.y)
  const wide = (axis: 'x' | 'y') => (high[axis] - low[axis] < size / 2 ? SPREAD * size : 0)
  const [dx, dy] = [wide('x'), wide('y')]
  const at = (from: number, to: number, k: number, count: number) => from + ((to - from) * k) / (count - 1)
  return Array.from({ length: COLUMNS * ROWS }, (_, n) => {
    const [column, row] = [n % COLUMNS, Math.floor(n / COLUMNS)]
    const lies = high.x - low.x >= high.y - low.y
    const [nx, ny] = lies ? [COLUMNS, ROWS] : [ROWS, COLUMNS]
    const [kx, ky] = lies ? [column, row] : [row, column]
    return new Vector3(at(low.x - dx, high.x + dx, kx, nx), at(low.y - dy, high.y + dy, ky, ny), 0)
  })
}

/** Where points of a body were, by rows of time, x, y and angle. */
export function curvesOf(points: Vector3[], rows: number[][]): Curve[] {
  return points.map((local) => ({
    local,
    points: rows.map(([, x, y, angle]) => {
      const [c, s] = [Math.cos(angle), Math.sin(angle)]
      return new Vector3(x + c * local.x - s * local.y, y + s * local.x + c * local.y, 0)
    }),
  }))
}

/** Asks for the record of a body of the plane when it is first looked at. */
export class Atlas {
  curves: Curve[] = []
  private of = ''
  private busy = false

  constructor(private readonly viewport: Viewport) {}

  async follow(name: string | undefined): Promise<void> {
    const { scene, mechanism } = this.viewport
    const body = scene?.bodies.findIndex((b) => b.name === name) ?? -1
    const key = body < 0 ? '' : `${name} ${session.revision} ${Math.floor(4 * session.time)}`
    if (key === this.of || this.busy) return
    this.of = key
    this.curves = []
    this.viewport.invalidate()
    if (body < 0 || !mechanism?.planar) return
    this.busy = true
    const answer = await session.ask('history', { channels: channelsOf(name!, true) })
    this.busy = false
    if (!answer.ok || this.of !== key || this.viewport.mechanism !== mechanism) return
    const every = Math.max(Math.ceil(answer.rows.length / MOST), 1)
    const rows = answer.rows.filter((_, k) => k % every === 0).map((row) => row.map((value) => value ?? NaN))
    const { poses } = this.viewport
    const back = bodyMatrix(poses, body).invert()
    const corners = mechanism.cornersOf(body, poses).map((corner) => corner.applyMatrix4(back))
    this.curves = curvesOf(atlasPoints(corners), rows)
    this.viewport.invalidate()
  }
}
