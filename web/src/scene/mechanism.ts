// A mechanism as objects of three.js: bodies, glyphs of its joints, springs and rods. Poses come from outside.
import type { Object3D } from 'three'
import { Box3, Group, LineSegments, Matrix4, Mesh, Vector3 } from 'three'
import type { ConnectionData, End, Poses, SceneData, ShapeData } from './data'
import { Casing, portsOf } from './casings'
import { Crowd, setApart } from './crowd'
import { gyration, roomToFly, takeCorners } from './extent'
import { floorsOf } from './floors'
import type { GlyphContext } from './glyphs'
import { glyphParts, groundSupport, post, RAIL_OVER } from './glyphs'
import { layerHeights } from './layers'
import type { LinkKind } from './links'
import { isTorsional, Link, linkKind, spiral } from './links'
import { ends, feet, largest, looksOf, paintOf, shapesOf } from './looks'
import { alongAxis, Rail } from './rails'
import { bar, forgetGeometry, shapeGroup, solid } from './solids'
import { bodyMatrix, matrixOf, median, pointOn, readPose, upOf } from './space'
import { distinct, standin } from './standin'
import type { Mark, Materials } from './theme'
import type { Ball } from './view'

/** A point that has a name: a frame, or a centre of mass. */
export interface NamedPoint {
  name: string
  body: number
  local: Vector3
  watched: boolean
}

const CASING = 0.07 // radius of a casing about a port, of the whole size
const MANY = 120 // bodies from which on equal parts are drawn together
const CROWD = 0.3 // of the sides of what is round, where many bodies are drawn: each is small on the screen
const FEW = 60 // bodies that are looked at closely in every frame
const SMOOTH = 96 // sides of what is round, where there are few bodies
const PLATE = 0.6 // of the radius: most depth of looks in the plane, so that springs and pins are seen before them
const RAISE = 0.12 // of the radius: how much higher a look lies than the one before, in the plane
const CARRYING = new Set(['slide', 'sleeve', 'slot', 'weld', 'blade']) // glyphs that looks make needless
const RAILED = new Set(['slide', 'sleeve', 'slot', 'bead'])
const HIGHEST = 15 // times the whole size: what is higher above a floor is seen without it
const DESIGNED = 0.45 // of the radius: pins of bodies that have looks
const SHORT = 0.2 // of the room that slides on ground have: for those between two bodies
const MEASURED = 60 // poses looked at to find how far everything reaches
const UNSUPPORTED = new Set(['disc', 'plane', 'foot', 'blade', 'rod'])
const ROLLING = new Set(['disc', 'wheel', 'foot', 'blade']) // glyphs of joints that let bodies go anywhere
const TURNING = new Set(['hinge', 'ball', 'wheel', 'disc', 'gear'])

/** Four times as many bodies have half as many sides each. */
function finenessFor(bodies: number): number {
  return bodies < MANY ? 1 : CROWD * Math.sqrt(MANY / bodies)
}

export class Mechanism {
  readonly root = new Group()
  /** all that is covered in the poses it was made with */
  readonly bounds = new Box3()
  readonly planar: boolean
  /** of everything at the start, m */
  readonly size: number
  /** half the thickness of links, m */
  readonly radius: number
  /** points that reach as far as the bounds do */
  readonly points: Vector3[] = []
  readonly up: Vector3
  /** level of the floor along up, or in the plane of the wall along z */
  readonly floor: number
  private readonly attached: End[][]
  private readonly jointsOf: ConnectionData[][]
  private readonly bodies: Group[]
  private readonly visuals: Group[]
  private readonly links: Link[] = []
  private readonly rails: Rail[] = []
  private readonly jointParts: Object3D[] = []
  private readonly casings: Casing[] = []
  private readonly heights: number[]
  private readonly thickness: number[]
  private readonly boxes: Box3[]
  /** objects by the name of the body, joint or force they are a picture of */
  private readonly named = new Map<string, Object3D[]>()
  private readonly crowd?: Crowd
  private lastPoses: Poses = new Float32Array()
  private marks: ReadonlyMap<string, Mark> = new Map()

  /** samples: poses that the picture should be made for, the start first. room: how much further than there slides may
   * go, as a part of the whole size. */
  constructor(
    readonly data: SceneData,
    samples: Poses[],
    private readonly materials: Materials,
    private readonly room = 0,
  ) {
    forgetGeometry(finenessFor(data.bodies.length))
    this.planar = data.dimension === 2
    this.up = upOf(this.planar, data.gravity)
    this.attached = this.endsByBody()
    this.jointsOf = this.jointsByBody()
    this.size = this.wholeSize(samples[0])
    this.radius = this.chooseRadius()
    this.bodies = data.bodies.map(() => new Group())
    this.visuals = data.bodies.map((_, b) => this.bodyVisual(b))
    this.boxes = this.visuals.map((visual) => new Box3().setFromObject(visual))
    this.thickness = this.boxes.map((box) => (box.isEmpty() ? 0 : box.max.z - box.min.z))
    this.heights = this.planar
      ? layerHeights(data, samples[0], this.thickness, 0.25 * this.radius, (b) => looksOf(this.data, b).length > 0)
      : data.bodies.map(() => 0)
    this.visuals.forEach((visual, b) => {
      visual.userData.body = b
      visual.position.z = this.heights[b]
      this.boxes[b].translate(visual.position)
      this.bodies[b].add(visual)
      this.name(data.bodies[b].name, visual)
    })
    for (const body of this.bodies) this.root.add(body)
    this.root.add(this.groundPicture())
    for (const joint of data.joints) this.addJoint(joint, samples)
    for (const force of data.forces) this.addForce(force)
    this.addCasings(samples[0])
    this.measure(samples)
    this.floor = this.floorLevel()
    if (!this.planar) this.addPosts()
    this.addHalfSpaces()
    if (data.bodies.length >= MANY) {
      this.crowd = new Crowd(this.root, this.bodies, this.jointParts)
      this.root.add(this.crowd.object)
    }
    this.setPoses(samples[0])
  }

  setPoses(poses: Poses): void {
    this.bodies.forEach((group, b) => readPose(poses, b, group.position, group.quaternion))
    for (const part of [...this.links, ...this.casings]) part.update(poses)
    for (const rail of this.rails) rail.follow(poses)
    this.lastPoses = poses
    this.crowd?.setPoses(poses)
  }

  showJoints(shown: boolean): void {
    for (const part of this.jointParts) part.visible = shown
    this.crowd?.showJoints(shown)
  }

  private name(name: string, object: Object3D): void {
    const objects = this.named.get(name)
    object.userData.component = name
    if (objects) objects.push(object)
    else this.named.set(name, [object])
  }

  /** Sets off what is named, and nothing else. anew: also what had the same mark, since materials have changed. */
  mark(marks: ReadonlyMap<string, Mark>, anew = false): void {
    const before = this.marks
    this.marks = new Map(marks)
    const names = new Set([...before.keys(), ...marks.keys()])
    for (const name of names) {
      const mark = marks.get(name)
      if (mark === before.get(name) && !anew) continue
      for (const object of this.named.get(name) ?? [])
        object.traverse((part) => {
          if (!(part instanceof Mesh) || part.userData.paint === undefined) return
          const { paint, shell } = part.userData
          if (shell) part.material = this.materials.shell(paint, mark)
          else part.material = mark ? this.materials.variant(paint, mark) : this.materials.solid(paint)
          part.castShadow = mark !== 'faint' && !shell
          for (const line of part.children)
            if (line instanceof LineSegments)
              line.material = mark === 'faint' ? this.materials.faintEdge : this.materials.edge
          setApart(part, mark !== undefined)
        })
    }
    if (names.size > 0) this.crowd?.setPoses(this.lastPoses)
  }

  /** Joints and forces as they are seen, for picking; nameOf tells which one is. */
  connections(): Object3D[] {
    const connected = [...this.data.joints, ...this.data.forces]
    return connected.flatMap((c) => this.named.get(c.name) ?? []).filter((object) => object.visible)
  }

  /** Of compiled components: what stands for their insides, and which one has a body as a port. */
  closed(): readonly Casing[] {
    return this.casings
  }

  casingAt(body: number): Casing | undefined {
    return this.casings.find(({ ports }) => ports.some((port) => port.body === body))
  }

  /** What an object is a picture of. */
  nameOf(object: Object3D): string | undefined {
    for (let o: Object3D | null = object; o; o = o.parent)
      if (typeof o.userData.component === 'string') return o.userData.component
    return undefined
  }

  /** Where an end of a connection is drawn. */
  placeOf(poses: Poses, end: End, other: End, target = new Vector3()): Vector3 {
    pointOn(poses, end.body, end.position, target)
    target.z += this.endHeight(end.body, other.body)
    return target
  }

  dispose(): void {
    this.crowd?.dispose()
    this.root.traverse((part) => {
      if ('geometry' in part) (part as Mesh).geometry.dispose()
    })
  }

  /** The bodies' surfaces, for picking; bodyOf tells whose one is. */
  surfaces(): Object3D[] {
    return this.visuals
  }

  bodyOf(object: Object3D): number {
    for (let o: Object3D | null = object; o; o = o.parent)
      if (typeof o.userData.body === 'number') return o.userData.body
    return -1
  }

  /** Height at which a body is drawn over the plane; 0 in space. */
  height(body: number): number {
    return body < 0 ? 0 : this.heights[body]
  }

  namedPoints(): NamedPoint[] {
    const bodies = this.data.bodies.map((body, b) => ({
      name: body.name,
      body: b,
      local: new Vector3(),
      watched: body.watched,
    }))
    const frames = this.data.frames
      .filter((frame) => frame.end.body >= 0)
      .map((frame) => ({
        name: frame.name,
        body: frame.end.body,
        local: new Vector3().fromArray(frame.end.position),
        watched: frame.watched,
      }))
    return [...bodies, ...frames].sort((a, b) => a.body - b.body)
  }

  /** Where something is attached to a body, in its frame. */
  private anchors(body: number): Vector3[] {
    return this.attached[body].map((end) => new Vector3().fromArray(end.position))
  }

  /** Ends of connections and frames, by body. */
  private endsByBody(): End[][] {
    const { joints, forces, frames } = this.data
    const lists: End[][] = this.data.bodies.map(() => [])
    const placed = forces.filter(({ type }) => !isTorsional(type))
    const all = [...joints, ...placed].flatMap((c) => [c.end1, c.end2]).concat(frames.map((frame) => frame.end))
    for (const end of all) if (end.body >= 0) lists[end.body].push(end)
    return lists
  }

  /** Joints of each body. */
  private jointsByBody(): ConnectionData[][] {
    const lists: ConnectionData[][] = this.data.bodies.map(() => [])
    for (const joint of this.data.joints)
      for (const body of new Set([joint.end1.body, joint.end2.body])) if (body >= 0) lists[body].push(joint)
    return lists
  }

  private reach(b: number): Box3 {
    const { com } = this.data.bodies[b]
    return new Box3().setFromPoints([...this.anchors(b), new Vector3().fromArray(com)])
  }

  private extents(): number[] {
    return this.data.bodies.map((body, b) => {
      const { min, max } = this.reach(b)
      const shapes = shapesOf(this.data, b)
      const own = shapes.length > 0 ? shapes.map((shape) => largest(shape, this.planar)) : [gyration(body)]
      return Math.max(min.distanceTo(max), ...own)
    })
  }

  private wholeSize(start: Poses): number {
    const all = new Box3()
    this.data.bodies.forEach((_, b) => {
      const { min, max } = this.reach(b)
      for (const p of [min, max]) all.expandByPoint(pointOn(start, b, p.toArray()))
    })
    for (const { position, body } of this.data.joints.flatMap((j) => [j.end1, j.end2]))
      all.expandByPoint(pointOn(start, body, position))
    return Math.max(all.isEmpty() ? 0 : all.min.distanceTo(all.max), ...this.extents()) || 1
  }

  private chooseRadius(): number {
    const middling = median(this.extents().filter((x) => x > 0))
    return Math.min(Math.max(0.028 * middling, 0.004 * this.size), 0.02 * this.size)
  }

  /** Shapes and looks. In the plane, depth is for the mass only: pictures are as thick as links are. */
  private pictureOf(body: number): Group {
    const looks = looksOf(this.data, body).length > 0
    const drawing = {
      slender: 0.5 * this.radius,
      depth: this.planar ? (looks ? PLATE : 3) * this.radius : Infinity,
      segments: SMOOTH,
    }
    const plain = paintOf(this.data, body)
    const paint = ({ surface }: ShapeData) => (surface ? { ...surface, body } : plain)
    const raise = this.planar && looks ? RAISE * this.radius : 0
    return shapeGroup(shapesOf(this.data, body), drawing, this.materials, paint, raise)
  }

  /** In the plane, looks of ground are behind everything. */
  private groundPicture(): Group {
    const picture = this.pictureOf(-1)
    this.name('ground', picture)
    if (this.planar && looksOf(this.data, -1).length > 0)
      picture.position.z = -new Box3().setFromObject(picture).max.z - 0.25 * this.radius
    return picture
  }

  private bodyVisual(b: number): Group {
    const body = this.data.bodies[b]
    const com = new Vector3().fromArray(body.com)
    if (shapesOf(this.data, b).some(ends)) {
      const visual = this.pictureOf(b)
      if (looksOf(this.data, b).length === 0) this.addArms(visual, b, com)
      return visual
    }
    const turns = this.jointsOf[b].some((joint) => {
      const end = [joint.end1, joint.end2].find((e) => e.body === b)
      return (
        end && TURNING.has(joint.glyph ?? '') && com.distanceTo(new Vector3().fromArray(end.position)) < this.radius
      )
    })
    const options = { planar: this.planar, radius: this.radius, turns }
    return standin(body, this.anchors(b), options, this.materials, paintOf(this.data, b))
  }

  /** Thin arms to points that matter and lie outside of the body's shapes. */
  private addArms(visual: Group, b: number, com: Vector3): void {
    const joints = this.jointsOf[b].flatMap((j) => [j.end1, j.end2])
    const frames = this.data.frames.filter((frame) => frame.watched && frame.end.body === b)
    const ends = [...joints, ...frames.map((frame) => frame.end)]
    const reach = new Box3().setFromObject(visual).expandByScalar(2 * this.radius)
    for (const end of ends) {
      const to = new Vector3().fromArray(end.position)
      if (end.body === b && !reach.containsPoint(to))
        visual.add(solid(bar(com, to, 0.35 * this.radius), this.materials, paintOf(this.data, b), false))
    }
  }

  /** Half the thickness of a body's slender parts; 0 where it has none. */
  private slenderness(body: number): number {
    const slender = shapesOf(this.data, body).filter((s) => s.kind === 'rod' || s.kind === 'capsule')
    return Math.max(0, ...slender.map((s) => s.size[0]))
  }

  /** Ground has no layer of its own: it is right behind what it carries. */
  private endHeight(body: number, other: number): number {
    if (!this.planar || (body < 0 && other < 0)) return 0
    return body >= 0 ? this.heights[body] : this.heights[other] - this.thickness[other] / 2 - 0.9 * this.radius
  }

  private addJoint(joint: ConnectionData, samples: Poses[]): void {
    const { end1, end2 } = joint
    const context: GlyphContext = {
      planar: this.planar,
      radius: this.jointRadius(end1, end2),
      paint1: paintOf(this.data, end1.body),
      paint2: paintOf(this.data, end2.body),
      height1: this.endHeight(end1.body, end2.body),
      height2: this.endHeight(end2.body, end1.body),
      range: this.range(joint, samples),
      materials: this.materials,
    }
    const parts = glyphParts(joint.glyph, context)
    if (this.room > 0 && RAILED.has(joint.glyph ?? '') && this.data.bodies.length < MANY)
      this.rails.push(new Rail(parts.on1[0], end1, end2, this.planar, context.range, RAIL_OVER * context.radius))
    if (!this.looksCarry(joint, end1)) this.attach(end1, joint.name, parts.on1)
    if (!this.looksCarry(joint, end2)) this.attach(end2, joint.name, parts.on2)
    if (joint.glyph === 'rod') this.addLink(joint, 'rod', this.root)
    if (this.planar && joint.glyph === 'hinge') this.addSupport(joint, context)
  }

  /** As thick as the links it joins; where bodies have looks, small, so that they are seen. */
  private jointRadius(end1: End, end2: End): number {
    const thick = 1.1 * Math.max(this.slenderness(end1.body), this.slenderness(end2.body))
    const designed = [end1, end2].some(({ body }) => body >= 0 && looksOf(this.data, body).length > 0)
    if (designed && this.planar) return DESIGNED * this.radius
    return Math.min(Math.max(thick, 0.8 * this.radius), 2.2 * this.radius)
  }

  /** Rails, carriages and the like are part of what a body looks like, where it has looks. */
  private looksCarry({ glyph }: ConnectionData, { body }: End): boolean {
    return CARRYING.has(glyph ?? '') && looksOf(this.data, body).length > 0
  }

  private attach(end: End, name: string, objects: Object3D[]): void {
    if (objects.length === 0) return
    const group = new Group()
    group.name = name
    group.add(...objects)
    group.applyMatrix4(matrixOf(end))
    this.jointParts.push(group)
    this.name(name, group)
    this.parentOf(end.body).add(group)
  }

  private parentOf(body: number): Group {
    return body < 0 ? this.root : this.bodies[body]
  }

  private addSupport({ name, end1, end2 }: ConnectionData, context: GlyphContext): void {
    const ground = [end1, end2].find((end) => end.body < 0)
    if (!ground || looksOf(this.data, -1).length > 0) return
    const [gx, gy] = this.data.gravity
    const behind = { ...context, height1: Math.min(context.height1, context.height2) }
    const support = groundSupport(behind, gx === 0 && gy === 0 ? -Math.PI / 2 : Math.atan2(gy, gx))
    support.position.x = ground.position[0]
    support.position.y = ground.position[1]
    this.jointParts.push(support)
    this.name(name, support)
    this.root.add(support)
  }

  private addCasings(start: Poses): void {
    this.data.subsystems?.forEach((subsystem, k) => {
      const ports = subsystem.closed ? portsOf(this.data, subsystem) : []
      if (ports.length === 0) return
      const casing = new Casing(subsystem.name, ports, CASING * this.size, (b) => this.height(b), this.materials, k)
      casing.update(start)
      this.casings.push(casing)
      this.name(subsystem.name, casing.object)
      this.root.add(casing.object)
    })
  }

  private addForce(force: ConnectionData): void {
    const kind = linkKind(force)
    if (kind) this.addLink(force, kind, this.root)
    else if (isTorsional(force.type) && !force.damper) this.addSpiral(force)
  }

  /** A spring along the angle of a hinge is a spiral about it. */
  private addSpiral({ name, end1, end2 }: ConnectionData): void {
    const bodies = [end1.body, end2.body].sort().join()
    const hinge = this.data.joints.find(
      (joint) => joint.glyph === 'hinge' && [joint.end1.body, joint.end2.body].sort().join() === bodies,
    )
    if (!hinge || [end1.body, end2.body].some((body) => looksOf(this.data, body).length > 0)) return
    const wire = solid(spiral(1.3 * this.radius, 3.4 * this.radius, 0.22 * this.radius), this.materials, 'steel', false)
    wire.position.z = this.planar
      ? Math.max(this.endHeight(hinge.end1.body, hinge.end2.body), this.endHeight(hinge.end2.body, hinge.end1.body)) +
        this.radius
      : 2 * this.radius
    this.attach(hinge.end1, name, [wire])
  }

  private addLink(connection: ConnectionData, kind: LinkKind, parent: Object3D): void {
    const { end1, end2 } = connection
    const height = (this.endHeight(end1.body, end2.body) + this.endHeight(end2.body, end1.body)) / 2
    const link = new Link(connection, kind, this.radius, this.materials, height)
    this.links.push(link)
    this.name(connection.name, link.object)
    parent.add(link.object)
    if (kind !== 'rod') this.attachFeet(connection)
  }

  /** Where a spring holds on. */
  private attachFeet(connection: ConnectionData): void {
    const { name, end1, end2 } = connection
    for (const [end, other] of [
      [end1, end2],
      [end2, end1],
    ]) {
      const context = this.footContext(end.body, this.endHeight(end.body, other.body))
      this.attach(end, name, glyphParts('rod', context).on1)
    }
    if (this.planar)
      this.addSupport(connection, this.footContext(-1, this.endHeight(-1, Math.max(end1.body, end2.body))))
  }

  private footContext(paint: number, height: number): GlyphContext {
    return {
      planar: this.planar,
      radius: 0.8 * this.radius,
      paint1: paint,
      paint2: paint,
      height1: height,
      height2: height,
      range: [0, 0],
      materials: this.materials,
    }
  }

  /** How far end 2 goes along the axis of end 1: from stop to stop where it has two, otherwise as far as it is known to go. */
  private range({ end1, end2, limits = [] }: ConnectionData, samples: Poses[]): [number, number] {
    const [travel] = limits.filter(({ coordinate }) => coordinate === 'position')
    if (travel?.low !== undefined && travel.high !== undefined) return [travel.low, travel.high]
    const range: [number, number] = [Infinity, -Infinity]
    for (const poses of samples) {
      const along = alongAxis(poses, end1, end2, this.planar)
      range[0] = Math.min(range[0], along)
      range[1] = Math.max(range[1], along)
    }
    const further = this.room * (end1.body < 0 || end2.body < 0 ? this.size : SHORT * this.size)
    return [range[0] - further, range[1] + further]
  }

  private measure(samples: Poses[]): void {
    const every = Math.ceil(samples.length / MEASURED)
    samples.forEach((poses, k) => {
      if (k % every === 0 || k === samples.length - 1) this.points.push(...this.corners(poses))
    })
    const bodies = new Set<Object3D>(this.bodies)
    for (const child of this.root.children)
      if (!bodies.has(child) && !(child instanceof Mesh))
        takeCorners(this.points)(new Box3().setFromObject(child), new Matrix4())
    this.points.push(...feet(this.data, samples[0], HIGHEST * this.size))
    if (samples.length === 1 && this.data.joints.every(({ glyph }) => ROLLING.has(glyph ?? '')))
      this.points.push(...roomToFly(this, samples[0]))
    if (this.points.length === 0) this.points.push(new Vector3(-1, -1, -1), new Vector3(1, 1, 1))
    this.bounds.setFromPoints(this.points)
  }

  /** Balls around all bodies; of few bodies, the corners of boxes, which are closer to them. */
  balls(poses: Poses): Ball[] {
    if (this.boxes.length <= FEW) return this.corners(poses).map((centre) => ({ centre, radius: 0 }))
    return this.boxes.map((box, b) => {
      const centre = box.getCenter(new Vector3()).applyMatrix4(bodyMatrix(poses, b))
      return { centre, radius: box.min.distanceTo(box.max) / 2 }
    })
  }

  /** Corners of boxes around all bodies. */
  corners(poses: Poses): Vector3[] {
    return this.boxes.flatMap((_, b) => this.cornersOf(b, poses))
  }

  cornersOf(body: number, poses: Poses): Vector3[] {
    const points: Vector3[] = []
    takeCorners(points)(this.boxes[body], bodyMatrix(poses, body))
    return points
  }

  /** Behind everything in the plane; in space under everything, at zero when that is about there. */
  private floorLevel(): number {
    const size = this.bounds.min.distanceTo(this.bounds.max)
    if (this.planar) return this.bounds.min.z - 0.015 * size
    if (this.data.bodies.length === 0) return 0
    const low = this.points.reduce((least, p) => Math.min(least, p.dot(this.up)), Infinity)
    return Math.abs(low) < 0.01 * size ? 0 : low
  }

  private addHalfSpaces(): void {
    const context = {
      data: this.data,
      materials: this.materials,
      planar: this.planar,
      up: this.up,
      centre: this.bounds.getCenter(new Vector3()),
      size: this.bounds.min.distanceTo(this.bounds.max),
      radius: this.radius,
      height: (body: number) => this.height(body),
    }
    for (let body = -1; body < this.bodies.length; body++)
      for (const floor of floorsOf(context, body)) this.parentOf(body).add(floor)
  }

  /** What holds a joint on ground, in space: a post on the floor. */
  private addPosts(): void {
    if (looksOf(this.data, -1).length > 0) return
    const places = this.data.joints
      .filter((joint) => !UNSUPPORTED.has(joint.glyph ?? ''))
      .flatMap((joint) => [joint.end1, joint.end2])
      .filter((end) => end.body < 0)
      .map((end) => new Vector3().fromArray(end.position))
    for (const top of distinct(places, this.radius)) {
      const foot = top.clone().addScaledVector(this.up, this.floor - top.dot(this.up))
      if (foot.distanceTo(top) < this.radius) continue
      this.points.push(foot)
      this.bounds.expandByPoint(foot)
      const parts = post(foot, top, this.radius, this.materials)
      this.jointParts.push(parts)
      this.root.add(parts)
    }
  }
}
