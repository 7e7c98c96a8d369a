// Stops of a joint as flags that can be moved: where its coordinate may go, drawn around the joint's frame on body 1.
import type { Ray } from 'three'
import { Matrix4, Plane, Vector2, Vector3 } from 'three'
import type { Poses } from '../../scene/data'
import { endMatrix } from '../../scene/space'
import type { View } from '../../scene/view'
import type { Limit, StudioScene } from '../protocol'
import { digits } from '../units'
import type { Overlay } from './overlay'

type Joint = StudioScene['joints'][number]
export type Side = 'low' | 'high'

export interface Flag {
  joint: string
  coordinate: string
  side: Side
  /** rad or m */
  value: number
}

const REACH = 12 // pixels
const RADIUS = 9 // of the arc of a hinge, in radii of joints
const ARC_STEP = Math.PI / 48
const DEGREE = Math.PI / 180
const FAR = 1e3 // m: no slide goes further
const SIDES: Side[] = ['low', 'high']

/** How a joint moves one of its coordinates: about or along an axis of its frame on body 1. */
interface Way {
  turns: boolean
  centre: Vector3
  /** direction at 0 (of the turn), or that of the slide */
  along: Vector3
  across: Vector3
}

/** Only joints whose picture shows the motion: hinges about z, slides along z or, in the plane, along x. */
function wayOf(joint: Joint, poses: Poses, planar: boolean): Way | undefined {
  const turns = joint.glyph === 'hinge'
  if (!turns && joint.glyph !== 'slide') return undefined
  const frame = endMatrix(poses, joint.end1, new Matrix4())
  const axis = (k: number) => new Vector3().setFromMatrixColumn(frame, k)
  const along = turns || planar ? axis(0) : axis(2)
  const across = joint.mirrored ? axis(1).negate() : axis(1)
  return { turns, centre: new Vector3().setFromMatrixPosition(frame), along, across }
}

function spot(way: Way, value: number, radius: number): Vector3 {
  const { turns, centre, along, across } = way
  if (!turns) return centre.clone().addScaledVector(along, value)
  return centre
    .clone()
    .addScaledVector(along, radius * Math.cos(value))
    .addScaledVector(across, radius * Math.sin(value))
}

export class Flags {
  /** the joint whose flags are shown */
  joint?: Joint
  /** the flag that is being moved */
  held?: Flag

  /** Where the flags are in the world. */
  places(poses: Poses, planar: boolean, radius: number): { flag: Flag; at: Vector3 }[] {
    const way = this.joint && wayOf(this.joint, poses, planar)
    if (!way) return []
    return this.flags().map((flag) => ({ flag, at: spot(way, flag.value, RADIUS * radius) }))
  }

  find(here: Vector2, view: View, poses: Poses, planar: boolean, radius: number): Flag | undefined {
    return this.places(poses, planar, radius).find(({ at }) => view.toCanvas(at).distanceTo(here) < REACH)?.flag
  }

  /** The held flag follows the pointer, in whole degrees or three digits, and stays on its side of the other. */
  move(here: Vector2, view: View, poses: Poses, planar: boolean): void {
    const way = this.joint && wayOf(this.joint, poses, planar)
    if (!way || !this.held) return
    const { side, value } = this.held
    const wanted = (way.turns ? angleAt : slideAt)(view.ray(here.x, here.y), way, value)
    const other = this.limit()?.[side === 'low' ? 'high' : 'low'] ?? (side === 'low' ? Infinity : -Infinity)
    this.held = { ...this.held, value: side === 'low' ? Math.min(wanted, other) : Math.max(wanted, other) }
  }

  draw(overlay: Overlay, view: View, poses: Poses, planar: boolean, radius: number): void {
    const way = this.joint && wayOf(this.joint, poses, planar)
    const { low, high } = this.limit() ?? {}
    if (!way || (low === undefined && high === undefined)) return
    const { pull: colour, halo } = overlay.ink
    const flags = this.flags()
    const value = (side: Side) => flags.find((flag) => flag.side === side)?.value
    const [from, to] = [value('low') ?? value('high')!, value('high') ?? value('low')!]
    const pieces = way.turns ? Math.max(Math.ceil((to - from) / ARC_STEP), 1) : 1
    const at = (part: number) => spot(way, from + part * (to - from), RADIUS * radius)
    const points = Array.from({ length: pieces + 1 }, (_, k) => at(k / pieces))
    const seen = points.map((p) => view.toCanvas(p))
    overlay.path(seen, halo, 5)
    overlay.path(seen, colour)
    for (const flag of flags) {
      const there = view.toCanvas(spot(way, flag.value, RADIUS * radius))
      if (way.turns) overlay.line(view.toCanvas(way.centre), there, colour, 1.5, [3, 4])
      overlay.dot(there, flag.side === this.held?.side ? 8 : 6, colour)
      overlay.label(there.clone().add(new Vector2(12, -10)), reading(way, flag.value), colour)
    }
  }

  private limit(): Limit | undefined {
    return this.joint?.limits?.[0]
  }

  private flags(): Flag[] {
    const limit = this.limit()
    if (!this.joint || !limit) return []
    return SIDES.filter((side) => limit[side] !== undefined).map((side) =>
      this.held?.side === side && this.held.joint === this.joint!.name
        ? this.held
        : { joint: this.joint!.name, coordinate: limit.coordinate, side, value: limit[side]! },
    )
  }
}

/** Where the ray meets the plane of the turn. Angles count over full turns: the one next to where the flag was. */
function angleAt(ray: Ray, { centre, along, across }: Way, last: number): number {
  const normal = along.clone().cross(across)
  const arm = ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, centre), new Vector3())
  if (!arm) return last
  arm.sub(centre)
  const angle = Math.atan2(arm.dot(across), arm.dot(along))
  const turns = Math.round((last - angle) / (2 * Math.PI))
  return Math.round((angle + 2 * Math.PI * turns) / DEGREE) * DEGREE
}

/** Where the line of the slide is nearest to the ray. */
function slideAt(ray: Ray, { centre, along }: Way): number {
  const [from, to] = [-FAR, FAR].map((value) => centre.clone().addScaledVector(along, value))
  const nearest = new Vector3()
  ray.distanceSqToSegment(from, to, undefined, nearest)
  return Number(nearest.sub(centre).dot(along).toPrecision(3))
}

function reading(way: Way, value: number): string {
  return way.turns ? `${digits(value / DEGREE, 4)}°` : `${digits(value, 3)} m`
}
