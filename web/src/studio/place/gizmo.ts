// Handles to move and turn something by: arrows along axes and rings about them, as long on the page wherever it is.
import type { Ray, Quaternion } from 'three'
import { Matrix4, Plane, Vector2, Vector3 } from 'three'
import type { Overlay } from '../view/overlay'

/** What the gizmo needs of the picture. */
export interface Eye {
  toCanvas(point: Vector3): Vector2
  towards(): Vector3
  ray(x: number, y: number): Ray
}

export interface Grip {
  kind: 'move' | 'turn'
  axis: 0 | 1 | 2
}

const ARROW = 92 // pixels
const RING = 62
const REACH = 9
const FROM = 0.25 // of an arrow: nearer to the middle it is not taken
const RING_PIECES = 48
const EDGE_ON = 0.12 // cosine: a ring that is seen from the side cannot be turned by its plane
export const AXIS_INKS = ['#d64545', '#2f9e44', '#3b6fe0']

const UNITS = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)]

export class Gizmo {
  held?: Grip
  /** along or about the axis since it was taken: m or rad */
  amount = 0
  private start = 0

  constructor(
    readonly origin: Vector3,
    readonly frame: Quaternion,
    private readonly planar: boolean,
  ) {}

  get grips(): Grip[] {
    const axes: Grip['axis'][] = [0, 1, 2]
    const moves = axes.filter((axis) => !this.planar || axis < 2).map((axis): Grip => ({ kind: 'move', axis }))
    const turns = axes.filter((axis) => !this.planar || axis === 2).map((axis): Grip => ({ kind: 'turn', axis }))
    return [...moves, ...turns]
  }

  axis(k: Grip['axis']): Vector3 {
    return UNITS[k].clone().applyQuaternion(this.frame)
  }

  /** Metres that a pixel is there. */
  private pixel(eye: Eye): number {
    const towards = eye.towards()
    const side = towards
      .clone()
      .cross(Math.abs(towards.z) < 0.9 ? UNITS[2] : UNITS[0])
      .normalize()
    const there = eye.toCanvas(this.origin.clone().add(side)).distanceTo(eye.toCanvas(this.origin))
    return there > 0 ? 1 / there : 1
  }

  tip(eye: Eye, axis: Grip['axis']): Vector2 {
    return eye.toCanvas(this.origin.clone().addScaledVector(this.axis(axis), ARROW * this.pixel(eye)))
  }

  ring(eye: Eye, axis: Grip['axis']): Vector2[] {
    const radius = RING * this.pixel(eye)
    const [u, v] = [this.axis(((axis + 1) % 3) as 0), this.axis(((axis + 2) % 3) as 0)]
    return Array.from({ length: RING_PIECES + 1 }, (_, k) => {
      const angle = (2 * Math.PI * k) / RING_PIECES
      const point = this.origin.clone().addScaledVector(u, radius * Math.cos(angle))
      return eye.toCanvas(point.addScaledVector(v, radius * Math.sin(angle)))
    })
  }

  /** The handle at a place on the canvas. */
  find(here: Vector2, eye: Eye): Grip | undefined {
    const near = this.grips
      .map((grip) => ({ grip, distance: this.distance(grip, here, eye) }))
      .filter(({ distance }) => distance < REACH)
      .sort((a, b) => a.distance - b.distance)
    return near[0]?.grip
  }

  private distance({ kind, axis }: Grip, here: Vector2, eye: Eye): number {
    if (kind === 'turn') {
      const points = this.ring(eye, axis)
      return Math.min(...points.slice(1).map((to, k) => toSegment(here, points[k], to)))
    }
    const middle = eye.toCanvas(this.origin)
    const tip = this.tip(eye, axis)
    return toSegment(here, middle.clone().lerp(tip, FROM), tip)
  }

  take(grip: Grip, here: Vector2, eye: Eye): void {
    this.held = grip
    this.amount = 0
    this.start = this.measure(grip, eye.ray(here.x, here.y), 0)
  }

  /** step: the amount becomes a multiple of it; 0: as it is. */
  drag(here: Vector2, eye: Eye, step: number): void {
    if (!this.held) return
    const now = this.measure(this.held, eye.ray(here.x, here.y), this.start + this.amount) - this.start
    this.amount = step > 0 ? Math.round(now / step) * step : now
  }

  private measure({ kind, axis }: Grip, ray: Ray, last: number): number {
    return kind === 'move' ? alongLine(ray, this.origin, this.axis(axis)) : this.angle(ray, axis, last)
  }

  /** Where the ray meets the plane of the ring; counted over full turns. */
  private angle(ray: Ray, axis: Grip['axis'], last: number): number {
    const normal = this.axis(axis)
    if (Math.abs(normal.dot(ray.direction)) < EDGE_ON) return last
    const arm = ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, this.origin), new Vector3())
    if (!arm) return last
    arm.sub(this.origin)
    const angle = Math.atan2(arm.dot(this.axis(((axis + 2) % 3) as 0)), arm.dot(this.axis(((axis + 1) % 3) as 0)))
    return angle + 2 * Math.PI * Math.round((last - angle) / (2 * Math.PI))
  }

  /** What it has moved by since it was taken, in the world. */
  motion(): Matrix4 {
    if (!this.held) return new Matrix4()
    return motionOf(this.held, this.amount, this.origin, this.axis(this.held.axis))
  }

  draw(overlay: Overlay, eye: Eye, reading: string | undefined): void {
    const middle = eye.toCanvas(this.origin)
    const shown = (grip: Grip) => !this.held || (grip.kind === this.held.kind && grip.axis === this.held.axis)
    for (const grip of this.grips.filter(({ kind }) => kind === 'turn')) {
      const points = this.ring(eye, grip.axis)
      overlay.path(points, overlay.ink.halo, 5, shown(grip) ? 0.8 : 0.2)
      overlay.path(points, AXIS_INKS[grip.axis], 2.4, shown(grip) ? 1 : 0.25)
    }
    for (const grip of this.grips.filter(({ kind }) => kind === 'move'))
      if (shown(grip)) overlay.arrow(middle, this.tip(eye, grip.axis), AXIS_INKS[grip.axis], 'xyz'[grip.axis])
    overlay.dot(middle, 5, overlay.ink.accent)
    if (reading) overlay.label(middle.clone().add(new Vector2(16, -ARROW - 14)), reading, overlay.ink.accent)
  }
}

/** A shift along an axis (m), or a turn about it through a point (rad). */
export function motionOf({ kind }: Pick<Grip, 'kind'>, amount: number, origin: Vector3, axis: Vector3): Matrix4 {
  if (kind === 'move') return new Matrix4().makeTranslation(axis.clone().multiplyScalar(amount))
  const turn = new Matrix4().makeRotationAxis(axis, amount)
  const back = new Matrix4().makeTranslation(origin.clone().negate())
  return new Matrix4().makeTranslation(origin).multiply(turn).multiply(back)
}

/** Distance of a point of a line, from its origin, that is nearest to a ray. */
export function alongLine(ray: Ray, origin: Vector3, direction: Vector3): number {
  const between = ray.origin.clone().sub(origin)
  const cosine = direction.dot(ray.direction)
  const square = 1 - cosine * cosine
  if (square < 1e-6) return 0 // the line of sight is the line
  return (between.dot(direction) - cosine * between.dot(ray.direction)) / square
}

function toSegment(p: Vector2, a: Vector2, b: Vector2): number {
  const way = b.clone().sub(a)
  const square = way.lengthSq()
  const part = square > 0 ? Math.min(Math.max(p.clone().sub(a).dot(way) / square, 0), 1) : 0
  return p.distanceTo(a.clone().addScaledVector(way, part))
}
