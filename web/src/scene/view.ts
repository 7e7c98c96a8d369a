// Camera, light and canvas for one mechanism. Draws only when something changed.
import type { Object3D, Ray } from 'three'
import {
  Box3,
  DirectionalLight,
  HemisphereLight,
  MOUSE,
  OrthographicCamera,
  PCFShadowMap,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Sphere,
  TOUCH,
  Vector2,
  Vector3,
  WebGLRenderer,
  NeutralToneMapping,
} from 'three'
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js'
import { Backdrop } from './backdrop'
import { roundNumber } from './space'
import type { Theme } from './theme'

/** What is looked at. A mechanism is one. */
export interface Subject {
  planar: boolean
  up: Vector3
  /** all that should be seen, and points that reach as far */
  bounds: Box3
  points: Vector3[]
  /** level of the floor along up, or in the plane of the wall along z */
  floor: number
}

/** What is under a place on the canvas. */
export interface Picked {
  object: Object3D
  point: Vector3
  normal?: Vector3
}

/** A ball around a part of the subject. */
export interface Ball {
  centre: Vector3
  radius: number
}

/** What dragging does, by button and by number of fingers. */
export interface Gestures {
  mouse: OrbitControls['mouseButtons']
  touch: OrbitControls['touches']
}

/** For a page that only shows: dragging with the left button moves the camera, too. */
export function lookingGestures(planar: boolean): Gestures {
  return {
    mouse: { LEFT: planar ? MOUSE.PAN : MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.ROTATE },
    touch: { ONE: planar ? TOUCH.PAN : TOUCH.ROTATE, TWO: planar ? TOUCH.DOLLY_ROTATE : TOUCH.DOLLY_PAN },
  }
}

/** For a page where the left button and one finger act on the mechanism. */
export function workingGestures(): Gestures {
  return {
    mouse: { LEFT: null, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.ROTATE },
    touch: { ONE: null, TWO: TOUCH.DOLLY_ROTATE },
  }
}

const FIELD_OF_VIEW = 32 // degrees: little distortion
const MARGIN = 1.12
const INSIDE = 0.94 // of half the canvas: what is wider makes the view wider
const EARLY = 0.72 // of half the canvas: how far from the middle what is small is put when it comes to the edge
const SMALL = 0.35 // of the canvas
const WIDEST = 6 // times the first span: farther apart, only a part is followed
const LOOSE = 0.4 // of the canvas: what takes less is looked at more closely, up to the first span
const CLOSER = 1.08 // at most, from picture to picture
const SHADOW_MAP = 2048 // pixels of the shadows' own picture, on a screen with one pixel for each of the page
const SOFT = 3.5 // pixels of it over which a shadow ends
const LIFT = 4 // pixels of it that surfaces are moved, so that they do not shade themselves

/** Of a canvas that has none yet. */
export function makeRenderer(canvas: HTMLCanvasElement): WebGLRenderer {
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true })
  renderer.shadowMap.enabled = true
  renderer.shadowMap.type = PCFShadowMap
  renderer.toneMapping = NeutralToneMapping
  return renderer
}

export class View {
  readonly scene = new Scene()
  cell = 1
  camera: PerspectiveCamera | OrthographicCamera
  private fence?: WebGLSync
  private controls: OrbitControls
  private backdrop: Backdrop
  private readonly sky = new HemisphereLight()
  private readonly sun = new DirectionalLight()
  private readonly fill = new DirectionalLight(0xffffff, 0.5)
  private up = new Vector3()
  private sphere = new Sphere()
  private readonly raycaster = new Raycaster()
  private inset = { top: 0, bottom: 0 }
  private gridShown = true
  private theme?: Theme
  private stale = true
  /** half of what is seen upwards when everything was fitted */
  private firstHalf = 1
  /** somebody moved the camera by hand */
  onTouched?: () => void

  constructor(
    readonly canvas: HTMLCanvasElement,
    private subject: Subject,
    private readonly gestures: Gestures,
    private readonly renderer = makeRenderer(canvas),
  ) {
    this.camera = this.makeCamera()
    this.controls = this.makeControls()
    this.backdrop = this.surround()
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill)
    this.normal()
  }

  /** Looks at something else, from its normal direction. */
  setSubject(subject: Subject): void {
    const { clientWidth: width, clientHeight: height } = this.canvas
    this.scene.remove(this.backdrop.object)
    this.backdrop.dispose()
    this.controls.dispose()
    this.subject = subject
    this.camera = this.makeCamera()
    this.controls = this.makeControls()
    this.backdrop = this.surround()
    if (this.theme) this.repaint(this.theme)
    this.resize(width, height, this.inset.top, this.inset.bottom)
    this.normal()
  }

  /** The subject has changed: floor or wall where it is now, while the camera stays. */
  setGround(subject: Subject): void {
    const moved = subject.floor !== this.subject.floor
    this.subject = subject
    if (moved) this.replaceBackdrop()
  }

  /** Room, light and floor for the subject. */
  private surround(): Backdrop {
    this.sphere = this.subject.bounds.getBoundingSphere(new Sphere())
    this.up = this.subject.up
    this.cell = roundNumber(this.sphere.radius / 6)
    this.camera.up.copy(this.up)
    this.limitControls()
    this.placeLights()
    const backdrop = this.makeBackdrop()
    backdrop.show(this.gridShown)
    this.scene.add(backdrop.object)
    return backdrop
  }

  invalidate(): void {
    this.stale = true
  }

  /** Draws if something changed; true if it did. */
  render(): boolean {
    if (!this.stale) return false
    this.stale = false
    this.renderer.render(this.scene, this.camera)
    this.setFence()
    return true
  }

  /** The graphics card is still at the last picture: more of them would only wait in line. */
  get isBusy(): boolean {
    const gl = this.renderer.getContext()
    if (!this.fence || !(gl instanceof WebGL2RenderingContext) || gl.isContextLost()) return false
    if (gl.getSyncParameter(this.fence, gl.SYNC_STATUS) !== gl.SIGNALED) return true
    gl.deleteSync(this.fence)
    this.fence = undefined
    return false
  }

  private setFence(): void {
    const gl = this.renderer.getContext()
    if (!(gl instanceof WebGL2RenderingContext)) return
    if (this.fence) gl.deleteSync(this.fence)
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0) ?? undefined
    gl.flush()
  }

  /** level of the floor or wall */
  get ground(): number {
    return this.subject.floor
  }

  /** calls of the graphics card for the last picture */
  get draws(): number {
    return this.renderer.info.render.calls
  }

  /** triangles of the last picture, those of shadows too */
  get triangles(): number {
    return this.renderer.info.render.triangles
  }

  /** shaders made so far */
  get shaders(): number {
    return this.renderer.info.programs?.length ?? 0
  }

  repaint(theme: Theme): void {
    this.theme = theme
    this.backdrop.repaint(theme)
    this.sky.color.set(theme.sky)
    this.sky.groundColor.set(theme.fromBelow)
    this.sky.intensity = theme.skyIntensity
    this.sun.intensity = theme.sunIntensity
    this.invalidate()
  }

  showGrid(shown: boolean): void {
    this.gridShown = shown
    this.backdrop.show(shown)
    this.invalidate()
  }

  /** Pixels at the top and at the bottom that controls cover: the picture is fitted between them. */
  resize(width: number, height: number, top: number, bottom: number): void {
    this.inset = { top, bottom }
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2))
    this.renderer.setSize(width, height, false)
    if (this.camera instanceof PerspectiveCamera) this.camera.aspect = width / height
    this.spanOrthographic(width / height)
    this.camera.setViewOffset(width, height, 0, (bottom - top) / 2, width, height)
    this.camera.updateProjectionMatrix()
    this.invalidate()
  }

  /** From what is looked at to the eye. */
  towards(): Vector3 {
    return this.camera.getWorldDirection(new Vector3()).negate()
  }

  /** From the front in the plane, from above and aside in space. */
  normal(): void {
    const direction = this.subject.planar ? new Vector3(0, 0, 1) : asideOf(this.up)
    this.camera.position.copy(this.sphere.center).addScaledVector(direction, 4 * this.sphere.radius)
    this.controls.target.copy(this.sphere.center)
    this.fit()
  }

  /** All of the points within the canvas, seen from where the camera looks; by default, those of the subject. */
  fit(points = this.subject.points): void {
    const back = this.camera.position.clone().sub(this.controls.target).normalize()
    const width = this.canvas.clientWidth || 1
    const height = this.canvas.clientHeight || 1
    const clear = Math.max(height - this.inset.top - this.inset.bottom, height / 4)
    this.camera.position.copy(this.sphere.center).addScaledVector(back, this.sphere.radius)
    this.camera.lookAt(this.sphere.center)
    this.camera.updateMatrixWorld()
    const box = new Box3().setFromPoints(this.seen(points))
    const middle = box.getCenter(new Vector3()).applyMatrix4(this.camera.matrixWorld)
    this.controls.target.copy(middle)
    this.camera.position
      .copy(middle)
      .addScaledVector(back, this.distanceFor(points, middle, width / clear, clear / height))
    this.setDepth()
    this.spanOrthographic(width / height)
    this.camera.updateProjectionMatrix()
    this.controls.update()
    this.firstHalf = this.halfHeight(this.camera.position.distanceTo(this.controls.target))
    this.invalidate()
  }

  /** How far from the middle all points are within a part (0 to 1) of the canvas' height; for an orthographic camera it
   * sets the span. aspect: of that part. */
  private distanceFor(points: Vector3[], middle: Vector3, aspect: number, part: number): number {
    this.camera.position.copy(middle)
    this.camera.updateMatrixWorld()
    const half = Math.tan((FIELD_OF_VIEW * Math.PI) / 360) * part
    let span = 0
    let distance = 0
    for (const p of this.seen(points)) {
      const reach = MARGIN * Math.max(Math.abs(p.y), Math.abs(p.x) / aspect)
      span = Math.max(span, reach)
      distance = Math.max(distance, p.z + reach / half)
    }
    if (!(this.camera instanceof OrthographicCamera)) return distance
    this.camera.zoom = 1
    this.span = (2 * span) / part
    return 4 * this.sphere.radius
  }

  /** In the axes of the camera. */
  private seen(points: Vector3[]): Vector3[] {
    const inverse = this.camera.matrixWorld.clone().invert()
    return points.map((p) => p.clone().applyMatrix4(inverse))
  }

  /** Keeps balls within the canvas: moves and widens the view where they are about to leave it. True: it did. */
  follow(balls: Ball[]): boolean {
    if (balls.length === 0) return false
    const { clientWidth: width, clientHeight: height } = this.canvas
    const axes = [0, 1, 2].map((k) => new Vector3().setFromMatrixColumn(this.camera.matrixWorld, k))
    const arm = this.camera.position.clone().sub(this.controls.target)
    this.catchUp(balls, arm.length())
    const half = this.halfHeight(arm.length())
    const reach = [(INSIDE * half * width) / height, INSIDE * half]
    const shift = new Vector3()
    let tooWide = 0
    for (const k of [0, 1]) {
      const at = balls.map(({ centre, radius }) => {
        const from = centre.clone().sub(this.controls.target)
        const larger = this.enlargement(from.dot(axes[2]), arm.length())
        return [from.dot(axes[k]) * larger, radius * larger]
      })
      const low = Math.min(...at.map(([x, r]) => x - r))
      const high = Math.max(...at.map(([x, r]) => x + r))
      tooWide = Math.max(tooWide, (high - low) / (2 * reach[k]))
      const near = high - low < 2 * SMALL * reach[k] ? (EARLY / INSIDE) * reach[k] : reach[k]
      const leaves = low < -reach[k] || high > reach[k]
      const by = high - low > 2 * near ? (high + low) / 2 : Math.min(low + near, 0) || Math.max(high - near, 0)
      if (leaves) shift.addScaledVector(axes[k], by)
    }
    // wider than needed, since something was far away for a moment: back again, step by step
    const nearer = tooWide < LOOSE ? Math.min(half / this.firstHalf, (1.5 * LOOSE) / tooWide, CLOSER) : 1
    if (tooWide <= 1 && nearer < 1.001 && shift.length() < 1e-3 * half) return false
    this.controls.target.add(shift)
    this.camera.position.add(shift)
    if (tooWide > 1 && half < WIDEST * this.firstHalf) this.zoom(1 / tooWide)
    else if (nearer > 1) this.zoom(nearer)
    this.recentre()
    this.controls.update()
    this.invalidate()
    return true
  }

  /** What went farther from picture to picture than the eye is away may be behind the eye: the camera goes there at once. */
  private catchUp(balls: Ball[], distance: number): void {
    const middle = new Box3().setFromPoints(balls.map(({ centre }) => centre)).getCenter(new Vector3())
    const away = middle.sub(this.controls.target)
    if (!(away.length() > distance)) return
    this.controls.target.add(away)
    this.camera.position.add(away)
    this.invalidate()
  }

  /** What is nearer to the eye than what the camera looks at, at a distance, is seen larger. */
  private enlargement(nearer: number, distance: number): number {
    if (this.camera instanceof OrthographicCamera) return 1
    return distance / Math.max(distance - nearer, 0.1 * distance)
  }

  /** Half of what is seen, upwards, at a distance from the eye. */
  private halfHeight(distance: number): number {
    const { camera } = this
    if (camera instanceof OrthographicCamera) return camera.top / camera.zoom
    return distance * Math.tan((FIELD_OF_VIEW * Math.PI) / 360)
  }

  /** Floor, light and shadows come along. */
  private recentre(): void {
    const away = this.controls.target.clone().sub(this.sphere.center)
    if (away.length() < 0.6 * this.sphere.radius) return
    this.sphere.center.add(away)
    this.placeLights()
    this.replaceBackdrop()
  }

  private replaceBackdrop(): void {
    this.scene.remove(this.backdrop.object)
    this.backdrop.dispose()
    this.backdrop = this.makeBackdrop()
    this.backdrop.show(this.gridShown)
    if (this.theme) this.backdrop.repaint(this.theme)
    this.scene.add(this.backdrop.object)
    this.invalidate()
  }

  /** Where the camera is, what it looks at, and its zoom. */
  getCamera(): number[] {
    const round = (x: number) => Number(x.toPrecision(5))
    return [...this.camera.position.toArray(), ...this.controls.target.toArray(), this.camera.zoom, this.span].map(
      round,
    )
  }

  setCamera(kept: number[]): void {
    if (kept.length !== 8 || !kept.every(Number.isFinite)) return
    this.camera.position.fromArray(kept)
    this.controls.target.fromArray(kept, 3)
    this.camera.zoom = kept[6]
    this.span = kept[7]
    this.spanOrthographic(this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1))
    this.camera.updateProjectionMatrix()
    this.controls.update()
    this.invalidate()
  }

  zoom(factor: number): void {
    if (this.camera instanceof OrthographicCamera) this.camera.zoom *= factor
    else this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target)
    this.camera.updateProjectionMatrix()
    this.controls.update()
    this.invalidate()
  }

  /** Moves the picture to the right, by pixels at what is looked at. */
  pan(pixels: number): void {
    this.camera.updateMatrixWorld()
    const half = this.halfHeight(this.camera.position.distanceTo(this.controls.target))
    const way = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0)
    way.multiplyScalar((-pixels * 2 * half) / Math.max(this.canvas.clientHeight, 1))
    this.controls.target.add(way)
    this.camera.position.add(way)
    this.controls.update()
    this.camera.updateMatrixWorld()
    this.invalidate()
  }

  /** Turns the camera about the vertical through what it looks at, and over it (rad). */
  orbit(about: number, over: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target).applyAxisAngle(this.up, about)
    const side = new Vector3().crossVectors(arm, this.up).normalize()
    const angle = arm.angleTo(this.up)
    const turned = arm.clone().applyAxisAngle(side, over)
    const sensible = angle - over > 0.05 && angle - over < Math.PI - 0.05
    this.camera.position.copy(this.controls.target).add(sensible ? turned : arm)
    this.controls.update()
    this.invalidate()
  }

  /** Nothing has changed since the last picture. */
  get isDrawn(): boolean {
    return !this.stale
  }

  /** Nearest hit under a place on the canvas, in pixels from its top left, and where the surface there looks to. */
  pick(x: number, y: number, among: Object3D[]): Picked | undefined {
    if (this.stale) {
      this.scene.updateMatrixWorld() // otherwise done with the next picture
      this.camera.updateMatrixWorld()
    }
    const w = this.canvas.clientWidth
    const h = this.canvas.clientHeight
    this.raycaster.setFromCamera(new Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.camera)
    const [found] = this.raycaster.intersectObjects(among, true)
    if (!found) return undefined
    const normal = found.face?.normal.clone().transformDirection(found.object.matrixWorld)
    return { object: found.object, point: found.point, normal }
  }

  /** Where the line of sight through a place on the canvas meets the plane through a point, across the view. */
  onPlane(x: number, y: number, through: Vector3): Vector3 {
    const depth = through.clone().project(this.camera).z
    const w = this.canvas.clientWidth
    const h = this.canvas.clientHeight
    return new Vector3((2 * x) / w - 1, 1 - (2 * y) / h, depth).unproject(this.camera)
  }

  /** What is behind a place on the canvas: a line from the eye. */
  ray(x: number, y: number): Ray {
    const { clientWidth: w, clientHeight: h } = this.canvas
    this.raycaster.setFromCamera(new Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.camera)
    return this.raycaster.ray.clone()
  }

  /** From another direction, at what is looked at now. */
  lookFrom(direction: Vector3): void {
    const arm = this.camera.position.distanceTo(this.controls.target)
    this.camera.position.copy(this.controls.target).addScaledVector(direction, arm)
    this.controls.update()
    this.onTouched?.()
    this.invalidate()
  }

  /** Keeps the direction and brings a point to the middle. */
  focus(point: Vector3): void {
    this.camera.position.add(point).sub(this.controls.target)
    this.controls.target.copy(point)
    this.controls.update()
    this.invalidate()
  }

  /** Where a point of the world is on the canvas, in pixels from its top left. */
  toCanvas(point: Vector3): Vector2 {
    const p = point.clone().project(this.camera)
    return new Vector2(((p.x + 1) / 2) * this.canvas.clientWidth, ((1 - p.y) / 2) * this.canvas.clientHeight)
  }

  private span = 1

  private spanOrthographic(aspect: number): void {
    const camera = this.camera
    if (!(camera instanceof OrthographicCamera)) return
    camera.top = this.span / 2
    camera.bottom = -camera.top
    camera.right = camera.top * aspect
    camera.left = -camera.right
  }

  private setDepth(): void {
    const r = this.sphere.radius
    this.camera.near = this.camera instanceof OrthographicCamera ? -40 * r : 0.01 * r
    this.camera.far = 60 * r
  }

  private makeCamera(): PerspectiveCamera | OrthographicCamera {
    return this.subject.planar ? new OrthographicCamera() : new PerspectiveCamera(FIELD_OF_VIEW)
  }

  private makeControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas)
    controls.mouseButtons = this.gestures.mouse
    controls.touches = this.gestures.touch
    controls.zoomToCursor = true
    controls.minZoom = 0.1
    controls.maxZoom = 60
    controls.addEventListener('change', () => this.invalidate())
    controls.addEventListener('start', () => this.onTouched?.())
    return controls
  }

  private limitControls(): void {
    this.controls.minDistance = 0.05 * this.sphere.radius
    this.controls.maxDistance = 40 * this.sphere.radius
  }

  private makeBackdrop(): Backdrop {
    const normal = this.subject.planar ? new Vector3(0, 0, 1) : this.up
    const snap = (x: number) => Math.round(x / (5 * this.cell)) * 5 * this.cell
    const centre = new Vector3(...(this.sphere.center.toArray().map(snap) as [number, number, number]))
    centre.addScaledVector(normal, this.subject.floor - centre.dot(normal))
    return new Backdrop(centre, normal, this.cell, 5 * this.sphere.radius)
  }

  private placeLights(): void {
    const r = this.sphere.radius
    const towards = this.subject.planar ? new Vector3(-0.2, 0.34, 1) : sunOf(this.up)
    this.sun.position.copy(this.sphere.center).addScaledVector(towards.normalize(), 5 * r)
    this.sun.target.position.copy(this.sphere.center)
    this.sun.castShadow = true
    const fineness = Math.min(devicePixelRatio, 1) ** 2 // a coarse picture needs no fine shadows
    const pixels = Math.max(SHADOW_MAP * fineness, 256)
    this.sun.shadow.mapSize.setScalar(pixels)
    this.sun.shadow.radius = SOFT
    this.sun.shadow.normalBias = (LIFT * 3 * r) / pixels // as little as can be: shadows begin where things stand
    this.sun.shadow.bias = -0.0002
    Object.assign(this.sun.shadow.camera, {
      left: -1.5 * r,
      right: 1.5 * r,
      top: 1.5 * r,
      bottom: -1.5 * r,
      near: r,
      far: 12 * r,
    })
    this.fill.position
      .copy(this.sphere.center)
      .addScaledVector(towards.multiplyScalar(-1).addScaledVector(this.up, 0.8), r)
    this.sky.position.copy(this.up)
  }
}

/** Two axes that make a right-handed system with up. */
function across(up: Vector3): [Vector3, Vector3] {
  const first = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0)
  first.addScaledVector(up, -first.dot(up)).normalize()
  return [first, new Vector3().crossVectors(up, first)]
}

function asideOf(up: Vector3): Vector3 {
  const [a, b] = across(up)
  return new Vector3().addScaledVector(a, 0.62).addScaledVector(b, -0.85).addScaledVector(up, 0.5).normalize()
}

function sunOf(up: Vector3): Vector3 {
  const [a, b] = across(up)
  return new Vector3().addScaledVector(a, -0.35).addScaledVector(b, -0.55).addScaledVector(up, 1)
}
