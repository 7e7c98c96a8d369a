// The tools that add something: joint, force, spring, body. A tool collects places, then makes one command.
import type { Vector2 } from 'three'
import { Matrix4, Quaternion, Vector3 } from 'three'
import { effects, freeName, sentence } from '../edits'
import type { Acknowledgement, Descriptor, EditAnswer } from '../protocol'
import { notices } from '../notices.svelte'
import { session } from '../session.svelte'
import type { ToolName } from '../ui.svelte'
import { ui } from '../ui.svelte'
import { current } from '../view/current'
import type { FreeMotion } from '../view/freemotion'
import { freeMotions } from '../view/freemotion'
import type { Attachment } from '../view/snap'
import type { Across, PlaneFrame } from '../view/workplane'
import { planeAcross } from '../view/workplane'
import { faceAt } from '../view/faces'
import { bodiesThrough } from '../view/inside'
import { metres } from '../place/typed'
import { attachments, bodyName } from '../view/snap'
import { bodyMatrix, pointOn, readPose } from '../../scene/space'

/** How to close the gap of a joint whose places are apart. */
export type Closing = 'snap' | 'draw' | 'built'
/** of the world, or that of the first place */
export type Axis = 'x' | 'y' | 'z' | 'place'
const AXES: Record<string, Vector3> = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) }

const MEET = 1e-6 // m: nearer places are one
const DRAW_TIME = 1 // s that drawing together takes
const PLACES: Record<ToolName, number> = { joint: 2, spring: 2, force: 1, body: 1 }

class Joining {
  places = $state.raw<Attachment[]>([])
  type = $state('revolute')
  /** in space */
  axis = $state<Axis>('z')
  /** corners of a sketch that becomes a solid, in the world */
  outline = $state.raw<Vector3[]>([])
  /** places that are picked are corners of that sketch */
  outlining = $state(false)
  /** where free places are, in space: across which axis, or over a face, and how far along it */
  plane = $state<{ across: Across | 'face'; offset: string }>({ across: 'z', offset: '0 m' })
  /** the face that was taken for the work plane */
  private face = $state.raw<PlaneFrame>()
  /** the next click takes a face */
  facing = $state(false)
  /** The work plane is another than the floor. */
  readonly planeChosen = $derived(this.plane.across !== 'z' || metres(this.plane.offset) !== 0)
  /** The work plane in the world. */
  readonly frame = $derived.by((): PlaneFrame => {
    const { across, offset } = this.plane
    const base = across === 'face' ? (this.face ?? planeAcross('z', 0)) : planeAcross(across, 0)
    const along = metres(offset)
    const origin = base.origin.clone().addScaledVector(base.n, Number.isNaN(along) ? 0 : along)
    return { ...base, origin }
  })

  /** Types of joints between two places, in the model's dimension. */
  readonly jointTypes = $derived(
    session.types.filter((type) => type.family === 'joint' && formOf(type) && !COUPLING.has(type.name)),
  )
  /** Distance between the two places, m. */
  readonly gap = $derived.by(() => {
    const [a, b] = this.places
    return a && b && session.frame ? pointOf(a).distanceTo(pointOf(b)) : 0
  })
  readonly meets = $derived(this.gap < MEET)
  readonly complete = $derived(ui.tool !== undefined && this.places.length === PLACES[ui.tool])

  begin(tool: ToolName): void {
    ui.tool = ui.tool === tool ? undefined : tool
    this.places = []
    if (!this.jointTypes.some((type) => type.name === this.type)) this.type = this.jointTypes[0]?.name ?? ''
    this.showPlaces()
  }

  /** The next or last type of joint, once a place is there to show it at. */
  turn(by: 1 | -1): boolean {
    if (ui.tool !== 'joint' || this.places.length === 0) return false
    const at = this.jointTypes.findIndex((type) => type.name === this.type)
    const count = this.jointTypes.length
    this.type = this.jointTypes[(at + by + count) % count].name
    return true
  }

  end(): void {
    ui.tool = undefined
    this.places = []
    this.outline = []
    this.facing = false
    this.showPlaces()
  }

  /** A plane across an axis, or that of a face, which is clicked next. */
  choosePlane(across: Across | 'face'): void {
    this.facing = across === 'face'
    if (!this.facing) this.plane = { ...this.plane, across }
  }

  /** Takes the face at a place on the canvas for the work plane, where one is wanted. */
  takeFace({ x, y }: Vector2): boolean {
    if (!this.facing || !current.viewport) return false
    const face = faceAt((a, b) => current.viewport!.surfaceAt(a, b), x, y)
    if (!face) {
      notices.show('info', 'There is no flat face here')
      return true
    }
    this.face = face
    this.facing = false
    this.plane = { across: 'face', offset: '0 m' }
    return true
  }

  /** All places with a name, for choosing without a pointer. */
  named(): Attachment[] {
    return session.scene ? attachments(session.scene).filter((place) => place.frame) : []
  }

  setPlace(index: number, place: Attachment): void {
    const places = [...this.places]
    places[index] = place
    this.places = places
    this.showPlaces()
  }

  pick(place: Attachment): void {
    if (ui.tool === 'body' && this.outlining) {
      this.outline = [...this.outline, pointOf(place)]
      this.showPlaces()
      return
    }
    if (!ui.tool || this.places.length >= PLACES[ui.tool]) return
    const [first] = this.places
    if (first && first.body === place.body) {
      notices.show('info', 'The second place must be on another body')
      return
    }
    if (!first && place.axis) this.axis = 'place'
    else if (!first && this.axis === 'place') this.axis = 'z'
    this.places = [...this.places, place]
    const other = first || ui.tool !== 'joint' ? undefined : this.otherAt(place)
    if (other) this.places = [place, other]
    this.showPlaces()
  }

  /** The only other body that is where a joint was placed, at the same point: most joints are between the two. */
  private otherAt(place: Attachment): Attachment | undefined {
    const { scene, frame } = session
    if (scene?.dimension !== 3 || place.body < 0) return undefined
    const point = pointOf(place)
    const there = bodiesThrough(scene, frame!.poses, point).filter((body) => body !== place.body)
    if (there.length !== 1) return undefined
    const [body] = there
    const local = point.applyMatrix4(bodyMatrix(frame!.poses, body).invert())
    return { body, local, label: `${bodyName(scene, body)}, same point` }
  }

  /** In the plane every axis is across it. */
  get hasAxis(): boolean {
    return (
      session.scene?.dimension === 3 && this.jointTypes.find(({ name }) => name === this.type)?.spatial?.axis === true
    )
  }

  /** The axis of the joint in the world, now. */
  private worldAxis(): Vector3 {
    const [first] = this.places
    if (this.axis !== 'place' || !first?.axis) return AXES[this.axis] ?? AXES.z
    return first.axis.clone().applyQuaternion(rotationOf(first.body))
  }

  /** The joint as it would be, at the first place. */
  showGhost(): void {
    const glyph = ui.tool === 'joint' ? this.jointTypes.find((type) => type.name === this.type)?.glyph : undefined
    const axis = session.scene?.dimension === 2 ? AXES.z : this.worldAxis()
    current.viewport?.ghostJoint(glyph, this.places[0], axis)
  }

  /** Places that are picked are corners of a sketch, or not. */
  outlines(wanted: boolean): void {
    if (this.outlining === wanted) return
    this.outlining = wanted
    this.outline = []
    this.showPlaces()
  }

  takeCornerBack(): void {
    this.outline = this.outline.slice(0, -1)
    this.showPlaces()
  }

  /** How the joint would let its bodies move, at the first place; undefined: there is none yet. */
  free(): { frame: Matrix4; motions: FreeMotion[] } | undefined {
    const [first] = this.places
    const type = this.jointTypes.find(({ name }) => name === this.type)
    const planar = session.scene?.dimension === 2
    const form = planar ? type?.planar : type?.spatial
    if (ui.tool !== 'joint' || !first || !form || !current.viewport) return undefined
    const turn = new Quaternion().setFromUnitVectors(AXES.z, planar ? AXES.z : this.worldAxis())
    const frame = new Matrix4().compose(current.viewport.placeOf(first), turn, new Vector3(1, 1, 1))
    return {
      frame,
      motions: freeMotions(
        (form.coordinates ?? []).map(({ name }) => name),
        planar,
      ),
    }
  }

  private showPlaces(): void {
    if (!current.viewport) return
    this.showGhost()
    const corners = this.outline.map((point) => ({ body: -1, local: point, label: '' }))
    current.viewport.picks = this.outlining ? corners : this.places
    current.viewport.offered = undefined
    current.viewport.invalidate()
  }

  /** Between the two places; parameters of the type may have units. */
  async addJoint(closing: Closing, parameters: Record<string, string>): Promise<EditAnswer> {
    const [a, b] = this.places
    const axis = this.hasAxis ? this.worldAxis() : undefined
    const name = freeName(STEMS[this.type] ?? this.type.replaceAll('-', '_'))
    const head = { type: this.type, ...parameters }
    if (this.meets || closing === 'built')
      return this.finish(name, { add: { joints: { [name]: { ...head, ...asBuilt(a, b), axis: axis?.toArray() } } } })
    const joint = { ...head, ...between(a, b, axis, this.axis === 'place') }
    if (closing === 'draw' && !session.running) void session.act('speed', { value: session.speed })
    const how = closing === 'draw' ? { draw: DRAW_TIME } : 'snap'
    return this.finish(name, { add: { joints: { [name]: joint } }, closing: how })
  }

  private added(name: string, answer: Acknowledgement): void {
    notices.show('good', sentence(answer.text), effects(answer))
    this.end()
    session.select([name])
  }

  async addSpring(parameters: Record<string, string>): Promise<EditAnswer> {
    const [a, b] = this.places
    const name = freeName('spring')
    return this.finish(name, { add: { forces: { [name]: { type: 'spring', ...between(a, b), ...parameters } } } })
  }

  async addForce(type: string, parameters: Record<string, unknown>): Promise<EditAnswer> {
    const name = freeName(type.replaceAll('-', '_'))
    const [place] = this.places
    const on = place.frame ? { on: place.frame } : between(groundAt(place), place)
    return this.finish(name, { add: { forces: { [name]: { type, ...on, ...parameters } } } })
  }

  async addBody(name: string, definition: object): Promise<EditAnswer> {
    return this.finish(name, { add: { bodies: { [name]: definition } } })
  }

  private async finish(name: string, command: object): Promise<EditAnswer> {
    const answer = await session.ask('command', { command })
    if (answer.ok) this.added(name, answer)
    return answer
  }
}

/** What people call joints. */
const STEMS: Record<string, string> = {
  revolute: 'hinge',
  translational: 'slide',
  fixed: 'weld',
  spherical: 'ball_joint',
  'pin-in-slot': 'slot',
}

/** Couple joints instead of bodies. */
const COUPLING = new Set(['gear', 'rack-and-pinion', 'coupler', 'drive', 'drive-rate', 'drive-acceleration'])

function formOf(type: Descriptor): unknown {
  return session.scene?.dimension === 2 ? type.planar : type.spatial
}

function pointOf(place: Attachment): Vector3 {
  return pointOn(session.frame!.poses, place.body, place.local.toArray())
}

function coordinates(point: Vector3): number[] {
  return point.toArray().slice(0, session.scene!.dimension)
}

/** By the names of their frames where both have one and no axis is asked for, otherwise by where they are. */
function between(a: Attachment, b: Attachment, axis?: Vector3, own = false): object {
  if (a.frame && b.frame && !axis) return { between: [a.frame, b.frame] }
  const end = (place: Attachment) => ({
    at: coordinates(place.local),
    ...(axis ? { axis: axisOn(place, axis, own).toArray() } : {}),
  })
  return { between: [a, b].map((p) => bodyName(session.scene!, p.body)), ends: [end(a), end(b)] }
}

function rotationOf(body: number): Quaternion {
  const rotation = new Quaternion()
  readPose(session.frame!.poses, body, new Vector3(), rotation)
  return rotation
}

/** An axis of the world in the frame of a body, now. own: that of the place counts where it has one, on the same side. */
function axisOn(place: Attachment, axis: Vector3, own: boolean): Vector3 {
  const rotation = rotationOf(place.body)
  if (!own || !place.axis) return axis.clone().applyQuaternion(rotation.invert())
  const side = place.axis.clone().applyQuaternion(rotation).dot(axis) < 0 ? -1 : 1
  return place.axis.clone().multiplyScalar(side)
}

/** Ground under a place. */
function groundAt(place: Attachment): Attachment {
  return { body: -1, local: pointOf(place), label: 'ground' }
}

/** At the first place, where both bodies are now. */
function asBuilt(a: Attachment, b: Attachment): object {
  return { between: [a, b].map((p) => bodyName(session.scene!, p.body)), at: coordinates(pointOf(a)) }
}

export const joining = new Joining()
