// The picture of the session: a mechanism that follows frames, what is marked on it, and what a place on it means.
import type { Object3D, WebGLRenderer } from 'three'
import { Matrix4, Quaternion, Vector2, Vector3 } from 'three'
import type { Poses } from '../../scene/data'
import type { Casing } from '../../scene/casings'
import { Mechanism } from '../../scene/mechanism'
import { bodyMatrix, pointOn } from '../../scene/space'
import type { Mark, ThemeName } from '../../scene/theme'
import { Materials, themes } from '../../scene/theme'
import { makeRenderer, View, workingGestures } from '../../scene/view'
import { warmUp } from '../../scene/warmup'
import type { Frame } from '../frame'
import type { StudioScene } from '../protocol'
import { quantity } from '../units'
import type { Arrow, ArrowLayer } from './arrows'
import { ARROW_LAYERS, ARROW_UNITS, arrowsOf, ArrowScale } from './arrows'
import type { Centre } from './centres'
import { instantCentres } from './centres'
import type { Surface } from './faces'
import { Flags } from './flags'
import { Ghosts } from './ghosts'
import { inks } from './inks'
import { JointGhost } from './jointghost'
import type { Hit, Layers, Tether } from './viewtypes'
import { drawPaths } from './paths'
import { drawArrows } from './arrowdrawing'
import { Overlay } from './overlay'
import { Pacer } from './pacer'
import { drawPlaces } from './placemarks'
import type { Attachment } from './snap'
import { attachments } from './snap'
import { sweptPoints } from './sweep'
import { Tracers } from './tracers'
import { WorkPlane } from './workplane'

const JOINT_REACH = 9 // pixels
const SNAP_REACH = 14
const ROOM = 0.35 // how much further than now slides are drawn, of the whole size
const GHOST_PERIOD = 0.6 // s
const PULL_ARROW = 0.6 // of the tether

const badgeOf = ({ name }: Casing) => `${name}, closed`

export class Viewport {
  scene?: StudioScene
  /** number of the document that the scene belongs to */
  document = 0
  mechanism?: Mechanism
  view?: View
  poses: Poses = new Float32Array()
  readonly tracers = new Tracers()
  readonly flags = new Flags()
  readonly workPlane = new WorkPlane()
  tether?: Tether
  /** chosen and offered places of a tool */
  picks: Attachment[] = []
  offered?: Attachment
  /** what a tool says about the offered place; without it, what is there */
  describe?: (place: Attachment) => string
  /** what tools draw over the picture */
  readonly drawers: ((overlay: Overlay, view: View) => void)[] = []
  /** corners of a box that is being drawn */
  box?: [Vector2, Vector2]
  arrowScale = 1
  /** times of edits that displaced bodies, s: paths are broken there */
  cuts: number[] = []
  /** how many were drawn so far */
  pictures = 0
  /** name beside the pointer */
  private caption?: { name: string; at: Vector2 }
  private readonly overlay: Overlay
  private readonly materials: Materials
  private readonly renderer: WebGLRenderer
  private readonly scales = Object.fromEntries(ARROW_LAYERS.map((layer) => [layer, new ArrowScale()])) as Record<
    ArrowLayer,
    ArrowScale
  >
  private ghosts?: Ghosts
  private jointGhost?: JointGhost
  private highlighted?: Object3D
  private frame?: Frame
  /** found when somebody points, since large models have many */
  private places?: Attachment[]
  private marks: ReadonlyMap<string, Mark> = new Map()
  private selected: ReadonlySet<string> = new Set()
  private layers: Layers
  private stale = true
  private running = true
  private following = true

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly over: HTMLCanvasElement,
    private theme: ThemeName,
    layers: Layers,
  ) {
    this.layers = layers
    this.overlay = new Overlay(over, inks[theme])
    this.materials = new Materials(themes[theme])
    this.renderer = makeRenderer(canvas)
    warmUp(this.renderer, this.materials)
    const pacer = new Pacer()
    const turn = (now: number) => {
      if (!this.running) return
      if (!this.view?.isBusy && pacer.isDue(now) && this.draw()) pacer.drew(now)
      requestAnimationFrame(turn)
    }
    requestAnimationFrame(turn)
  }

  dispose(): void {
    this.running = false
  }

  /** Another mechanism, or the same one after an edit. fresh: look at it anew. */
  setScene(scene: StudioScene, poses: Poses, fresh: boolean, document: number): void {
    this.document = document
    this.clearScene()
    const before = this.scene
    this.scene = scene
    this.poses = poses
    this.places = undefined
    this.mechanism = new Mechanism(scene, [poses], this.materials, ROOM)
    this.ghosts = new Ghosts(this.mechanism)
    this.jointGhost = new JointGhost(this.mechanism, this.materials)
    this.flags.joint = scene.joints.find((joint) => joint.name === this.flags.joint?.name)
    if (!this.view) {
      this.view = new View(this.canvas, this.mechanism, workingGestures(), this.renderer)
      this.view.onTouched = () => (this.following = false)
      this.view.repaint(themes[this.theme])
      this.resize()
    } else if (fresh) this.view.setSubject(this.mechanism)
    if (fresh) {
      this.frame = undefined
      this.traceWatched()
      this.fitMotion()
    } else {
      this.view.setGround(this.mechanism)
      this.keepTracers(before)
    }
    this.view.scene.add(this.mechanism.root, this.ghosts.object, this.jointGhost.object)
    this.setLayers(this.layers)
    this.applyMarks()
  }

  setFrame(frame: Frame): void {
    if (!this.mechanism || frame.poses.length !== this.poses.length) return
    this.poses = frame.poses
    this.frame = frame
    this.mechanism.setPoses(frame.poses)
    this.tracers.record(frame.time, frame.poses, this.mechanism)
    this.ghosts?.record(frame.time, frame.poses, GHOST_PERIOD)
    this.invalidate()
  }

  /** Everything that moves stays within the view, unless somebody has moved the camera. */
  private follow(): void {
    const held = this.tether !== undefined || this.picks.length > 0 || this.offered !== undefined
    if (!this.following || !this.layers.follow || held || !this.mechanism) return
    this.view!.follow(this.mechanism.balls(this.poses))
  }

  /** Shows other poses than those of the session, until its next frame. */
  pretend(poses: Poses): void {
    if (poses.length !== this.poses.length) return
    this.poses = poses
    this.mechanism?.setPoses(poses)
    this.invalidate()
  }

  setTheme(theme: ThemeName): void {
    this.theme = theme
    this.overlay.ink = inks[theme]
    this.materials.repaint(themes[theme])
    this.view?.repaint(themes[theme])
    this.applyMarks(true)
  }

  setLayers(layers: Layers): void {
    this.layers = layers
    this.mechanism?.showJoints(layers.joints)
    this.view?.showGrid(layers.grid)
    this.ghosts?.show(layers.ghosts)
    this.invalidate()
  }

  /** selected: names whose arrows are labelled and who are among the marked. */
  setMarks(marks: ReadonlyMap<string, Mark>, selected: ReadonlySet<string>): void {
    this.marks = marks
    this.selected = selected
    this.flags.joint = this.scene?.joints.find((joint) => selected.has(joint.name) && joint.limits)
    this.applyMarks()
  }

  /** The flag of a limit at a place on the canvas is taken hold of; false: there is none. */
  takeFlag(here: Vector2): boolean {
    const { view, mechanism } = this
    if (!view || !mechanism) return false
    this.flags.held = this.flags.find(here, view, this.poses, mechanism.planar, mechanism.radius)
    return this.flags.held !== undefined
  }

  moveFlag(here: Vector2): void {
    this.flags.move(here, this.view!, this.poses, this.mechanism!.planar)
    this.invalidate()
  }

  /** Instant centres, when there are velocities to find them by. */
  centres(): Centre[] {
    const { scene, frame } = this
    if (!scene || scene.dimension !== 2 || !frame?.velocities || frame.poses.length !== this.poses.length) return []
    const names = scene.bodies.map((body) => body.name)
    const pair = names.flatMap((name, b) => (this.selected.has(name) ? [b] : []))
    return instantCentres(names, frame.poses, frame.velocities, pair)
  }

  /** The joint that a tool would make at a place; without a glyph, none. axis: of the world, in space. */
  ghostJoint(glyph: string | undefined, place: Attachment | undefined, axis: Vector3): void {
    const at = place && this.placeOf(place)
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), axis)
    const frame = at && new Matrix4().compose(at, turn, new Vector3(1, 1, 1))
    this.jointGhost?.show(frame && glyph, frame ?? new Matrix4())
    this.invalidate()
  }

  /** Something in the world that is to be seen, until the next; nothing: no more. */
  highlight(object: Object3D | undefined): void {
    this.highlighted?.removeFromParent()
    this.highlighted = object
    if (object) this.view?.scene.add(object)
    this.invalidate()
  }

  /** Name of the picture of that joint. */
  get ghost(): string | undefined {
    return this.jointGhost?.shown
  }

  /** Tells the name of what the pointer is on. */
  point(name: string | undefined, at: Vector2): void {
    if (!name && !this.caption) return
    this.caption = name ? { name, at } : undefined
    this.stale = true
  }

  invalidate(): void {
    this.stale = true
    this.view?.invalidate()
  }

  /** The page shows what is to be seen now. */
  get isDrawn(): boolean {
    return !this.stale && this.view?.isDrawn !== false
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.canvas
    if (clientWidth === 0 || clientHeight === 0) return
    this.view?.resize(clientWidth, clientHeight, 0, 0)
    this.overlay.resize(clientWidth, clientHeight)
    this.stale = true
  }

  /** Room, light and grid for the mechanism as it is now. */
  surround(): void {
    if (!this.mechanism) return
    this.view?.setSubject(this.mechanism)
    this.fitMotion()
  }

  /** Everything with its supports, and with room for what turns about ground. */
  private fitMotion(): void {
    this.following = true
    this.view!.fit([...this.mechanism!.points, ...sweptPoints(this.mechanism!, this.poses)])
  }

  /** Everything as it is now within the view. */
  fit(): void {
    if (!this.mechanism) return
    const now = this.mechanism.corners(this.poses)
    this.following = true
    this.view?.fit(now.length > 0 ? now : undefined)
  }

  /** These bodies within the view, as they are now. */
  fitBodies(names: string[]): void {
    const corners = (this.scene?.bodies ?? []).flatMap((body, b) =>
      names.includes(body.name) ? this.mechanism!.cornersOf(b, this.poses) : [],
    )
    if (corners.length > 0) this.view?.fit(corners)
  }

  /** Size of the picture in its own pixels. */
  get size(): { width: number; height: number } {
    return { width: this.canvas.width, height: this.canvas.height }
  }

  /** Draws the picture, with what is over it, onto another canvas of the same size. */
  paint(pen: CanvasRenderingContext2D): void {
    const { width, height } = this.size
    this.invalidate()
    this.draw()
    pen.drawImage(this.canvas, 0, 0)
    pen.drawImage(this.over, 0, 0, width, height)
  }

  hit(x: number, y: number): Hit | undefined {
    if (!this.mechanism || !this.view) return undefined
    const badge = this.badgeAt(x, y)
    if (badge) return this.hitOn(badge, badge.centre)
    const joint = this.layers.joints ? this.jointNear(x, y) : undefined
    if (joint) return joint
    const found = this.view.pick(x, y, [...this.mechanism.surfaces(), ...this.mechanism.connections()])
    if (!found) return this.casingAt(x, y)
    const body = this.mechanism.bodyOf(found.object)
    const name = this.mechanism.casingAt(body)?.name ?? this.mechanism.nameOf(found.object)
    return name === undefined ? undefined : { name, body, point: found.point, local: this.toBody(body, found.point) }
  }

  /** The surface of a body under a place on the canvas. */
  surfaceAt(x: number, y: number): Surface | undefined {
    const found = this.mechanism && this.view?.pick(x, y, this.mechanism.surfaces())
    const body = found ? this.mechanism!.bodyOf(found.object) : -1
    return found?.normal && body >= 0 ? { body, point: found.point, normal: found.normal } : undefined
  }

  /** A compiled component; what is seen through its casing comes first. */
  private casingAt(x: number, y: number): Hit | undefined {
    const casings = this.mechanism!.closed()
    const found = this.view!.pick(
      x,
      y,
      casings.map(({ object }) => object),
    )
    const casing = casings.find(({ object }) => object === found?.object)
    return casing && found ? this.hitOn(casing, found.point) : undefined
  }

  /** A compiled component is taken hold of at its nearest port. */
  private hitOn(casing: Casing, point: Vector3): Hit {
    const body = casing.nearest(point)
    return { name: casing.name, body, point: point.clone(), local: this.toBody(body, point) }
  }

  private badgeAt(x: number, y: number): Casing | undefined {
    return this.mechanism!.closed().find((casing) => {
      const at = this.view!.toCanvas(casing.centre)
      const { x: wide, y: high } = this.overlay.badgeSize(badgeOf(casing))
      return Math.abs(at.x - x) < wide / 2 && Math.abs(at.y - y) < high / 2
    })
  }

  /** The place a tool would take at a place on the canvas: a snapped one, the surface, or the ground. */
  attachmentAt(x: number, y: number): Attachment | undefined {
    if (!this.scene || !this.view) return undefined
    const near = this.placesNear(x, y)
    const hit = this.hit(x, y)
    const onHit = near.filter(({ place }) => !hit || hit.body < 0 || place.body === hit.body)
    const best = (onHit.length > 0 ? onHit : near).sort((a, b) => a.d - b.d)[0]
    if (best) return best.place
    if (hit && hit.body >= 0)
      return { body: hit.body, local: hit.local, label: `${this.scene.bodies[hit.body].name}, picked point` }
    return this.groundAt(x, y)
  }

  /** Places with a meaning that are near a place on the canvas, and how far from it. */
  placesNear(x: number, y: number): { place: Attachment; d: number }[] {
    const here = new Vector2(x, y)
    const distance = (place: Attachment) => this.view!.toCanvas(this.placeOf(place)).distanceTo(here)
    this.places ??= this.scene ? attachments(this.scene) : []
    return this.places.map((place) => ({ place, d: distance(place) })).filter(({ d }) => d < SNAP_REACH)
  }

  /** Where an attachment is, as drawn. */
  placeOf({ body, local }: Attachment): Vector3 {
    const point = pointOn(this.poses, body, local.toArray())
    point.z += this.mechanism?.height(body) ?? 0
    return point
  }

  /** Where an attachment is in the model. */
  modelPoint({ body, local }: Attachment): Vector3 {
    return pointOn(this.poses, body, local.toArray())
  }

  /** Names of bodies and joints within a box on the canvas. */
  within(from: Vector2, to: Vector2): string[] {
    const { scene, view, mechanism } = this
    if (!scene || !view || !mechanism) return []
    const inside = (point: Vector3) => {
      const p = view.toCanvas(point)
      return (p.x - from.x) * (p.x - to.x) <= 0 && (p.y - from.y) * (p.y - to.y) <= 0
    }
    const bodies = scene.bodies.filter((body, b) => inside(pointOn(this.poses, b, body.com)))
    const joints = scene.joints.filter((joint) => inside(mechanism.placeOf(this.poses, joint.end1, joint.end2)))
    return [...bodies, ...joints].map((component) => component.name)
  }

  /** Starts or ends the path of a point of a body. */
  toggleTracer(label: string, body: number, local: Vector3): boolean {
    const near = 0.5 * (this.mechanism?.radius ?? 0)
    const tracer = this.tracers.find(body, local, near)
    if (tracer) this.tracers.remove(tracer)
    else this.tracers.add(label, body, local)
    this.invalidate()
    return tracer === undefined
  }

  wipePaths(time: number): void {
    this.tracers.wipe(time)
    this.invalidate()
  }

  focus(name: string): void {
    const at = this.anchorOf(name)
    if (at) this.view?.focus(at)
  }

  /** A place that stands for a component. */
  anchorOf(name: string): Vector3 | undefined {
    const { scene, mechanism } = this
    if (!scene || !mechanism) return undefined
    const body = scene.bodies.findIndex((b) => b.name === name)
    if (body >= 0) return pointOn(this.poses, body, scene.bodies[body].com)
    const casing = mechanism.closed().find((closed) => closed.name === name)
    if (casing) return casing.centre.clone()
    const connection = [...scene.joints, ...scene.forces].find((c) => c.name === name)
    return connection && mechanism.placeOf(this.poses, connection.end1, connection.end2)
  }

  /** Number of body: where a point of the picture is in its frame. */
  private toBody(body: number, point: Vector3): Vector3 {
    if (body < 0) return point.clone()
    const local = point.clone()
    local.z -= this.mechanism!.height(body)
    local.applyMatrix4(bodyMatrix(this.poses, body).invert())
    return this.mechanism!.planar ? local.setZ(0) : local
  }

  private groundAt(x: number, y: number): Attachment | undefined {
    const { view, mechanism } = this
    const local = view && mechanism && this.workPlane.pointAt(view, mechanism.planar, x, y)
    return local && { body: -1, local, label: 'ground, picked point' }
  }

  private jointNear(x: number, y: number): Hit | undefined {
    const { scene, mechanism, view } = this
    if (!scene || !mechanism || !view) return undefined
    const here = new Vector2(x, y)
    let best: Hit | undefined
    let least = JOINT_REACH
    for (const joint of scene.joints) {
      const point = mechanism.placeOf(this.poses, joint.end1, joint.end2)
      const distance = view.toCanvas(point).distanceTo(here)
      if (distance >= least) continue
      least = distance
      const body = joint.end2.body >= 0 ? joint.end2.body : joint.end1.body
      best = { name: joint.name, body, point, local: this.toBody(body, point) }
    }
    return best
  }

  private clearScene(): void {
    if (!this.mechanism || !this.view) return
    this.view.scene.remove(this.mechanism.root)
    for (const part of [this.ghosts, this.jointGhost]) if (part) this.view.scene.remove(part.object)
    this.mechanism.dispose()
  }

  private traceWatched(): void {
    this.tracers.clear()
    for (const { name, body, local, watched } of this.mechanism!.namedPoints())
      if (watched) this.tracers.add(name, body, local)
  }

  /** Bodies may have gone or changed their numbers with an edit. */
  private keepTracers(before?: StudioScene): void {
    for (const tracer of [...this.tracers.list]) {
      const name = before?.bodies[tracer.body]?.name
      tracer.body = this.scene!.bodies.findIndex((body) => body.name === name)
      if (tracer.body < 0) this.tracers.remove(tracer)
    }
  }

  private applyMarks(anew = false): void {
    const disabled = [...(this.scene?.joints ?? []), ...(this.scene?.forces ?? []), ...(this.scene?.bodies ?? [])]
      .filter((component) => component.enabled === false)
      .map((component) => [component.name, 'faint'] as [string, Mark])
    this.mechanism?.mark(new Map([...disabled, ...this.marks]), anew)
    this.invalidate()
  }

  /** True: the picture had to be drawn. */
  draw(): boolean {
    if (!this.view) return false
    this.follow()
    const drew = this.view.render()
    if (drew || this.stale) this.drawOver()
    this.stale = false
    this.pictures += drew ? 1 : 0
    return drew
  }

  private drawOver(): void {
    this.overlay.clear()
    if (!this.mechanism || !this.view) return
    this.drawBadges()
    if (this.layers.paths) {
      const toCanvas = (point: Vector3) => this.view!.toCanvas(point)
      drawPaths(this.overlay, this.tracers, this.cuts, toCanvas, themes[this.theme].traces, this.layers.speeds)
    }
    this.drawArrows()
    if (this.layers.centres) this.drawCentres()
    this.flags.draw(this.overlay, this.view, this.poses, this.mechanism.planar, this.mechanism.radius)
    if (this.tether) this.drawTether(this.tether)
    for (const drawer of this.drawers) drawer(this.overlay, this.view)
    this.drawPicks()
    if (this.box) this.overlay.box(...this.box)
    if (this.caption && !this.tether) this.drawCaption(this.caption)
  }

  private drawBadges(): void {
    for (const casing of this.mechanism!.closed())
      this.overlay.badge(this.view!.toCanvas(casing.centre), badgeOf(casing), this.selected.has(casing.name))
  }

  private drawCaption({ name, at }: { name: string; at: Vector2 }): void {
    this.overlay.label(at.clone().add(new Vector2(14, 18)), name, this.overlay.ink.accent)
  }

  /** What is drawn of a layer, as the engine has it. */
  arrows(layer: ArrowLayer): Arrow[] {
    const { scene, mechanism, frame } = this
    if (!scene || !mechanism || !frame || frame.poses.length !== this.poses.length) return []
    return arrowsOf(layer, scene, mechanism, frame)
  }

  private drawArrows(): void {
    const few = (this.scene?.bodies.length ?? 0) <= 6
    const shown = ARROW_LAYERS.filter((layer) => this.layers[layer])
    shown.forEach((layer, k) => {
      const arrows = this.arrows(layer)
      const scale = this.scales[layer].next(arrows, this.mechanism!.size) * this.arrowScale
      drawArrows(this.overlay, this.view!, layer, arrows, scale, (name) => few || this.selected.has(name))
      const largest = quantity(this.scales[layer].reference, ARROW_UNITS[layer])
      this.overlay.legend(shown.length - k, `${layer}, longest ${largest}`, this.overlay.ink[layer])
    })
  }

  private drawCentres(): void {
    const { accent } = this.overlay.ink
    for (const { label, x, y } of this.centres()) {
      const at = this.view!.toCanvas(new Vector3(x, y, 0))
      this.overlay.cross(at, 5, accent)
      this.overlay.label(at.clone().add(new Vector2(9, 9)), label, accent)
    }
  }

  private drawTether({ body, local, target, label }: Tether): void {
    const from = this.view!.toCanvas(this.placeOf({ body, local, label: '' }))
    const drawn = target.clone()
    drawn.z += this.mechanism!.height(body)
    const to = this.view!.toCanvas(drawn)
    const { pull } = this.overlay.ink
    this.overlay.line(from, to, this.overlay.ink.halo, 5)
    this.overlay.line(from, to, pull, 2, [5, 5])
    this.overlay.dot(from, 4.5, pull)
    this.overlay.dot(to, 6, pull, false)
    const force = this.frame?.pull ? new Vector3().fromArray(this.frame.pull, 3).length() : undefined
    if (force) this.overlay.arrow(from, from.clone().lerp(to, PULL_ARROW), pull)
    const text = label ?? (force === undefined ? undefined : quantity(force, 'N'))
    if (text) this.overlay.label(to.clone().add(new Vector2(14, -12)), text, pull)
  }

  private drawPicks(): void {
    const seen = (place: Attachment, label: string) => ({ at: this.view!.toCanvas(this.placeOf(place)), label })
    const { offered } = this
    drawPlaces(
      this.overlay,
      this.picks.map((pick) => seen(pick, pick.label)),
      offered && seen(offered, this.describe?.(offered) ?? offered.label),
    )
  }
}
