// The path of a point: the whole of it faint, what has been passed bright.
import type { Vector3 } from 'three'
import { Group, Mesh, MeshBasicMaterial, SphereGeometry } from 'three'
import { Line2 } from 'three/examples/jsm/lines/Line2.js'
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js'
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js'

export class Trace {
  readonly object = new Group()
  private readonly passed = new LineGeometry()
  private readonly marker: Mesh
  private readonly material = new LineMaterial({ linewidth: 2.6, worldUnits: false })
  private readonly faint = new LineMaterial({ linewidth: 1.6, transparent: true, opacity: 0.32 })

  /** points: x, y, z of the point in each frame, at least two frames. */
  constructor(points: Float32Array, radius: number, colour: number) {
    const whole = new LineGeometry()
    whole.setPositions(points)
    this.passed.setPositions(points)
    this.marker = new Mesh(new SphereGeometry(0.75 * radius, 24, 16), new MeshBasicMaterial())
    this.object.add(new Line2(whole, this.faint), new Line2(this.passed, this.material), this.marker)
    for (const child of this.object.children) child.raycast = () => {}
    this.paint(colour)
  }

  /** The point is at `now`, between frame `frame` and the next. */
  update(frame: number, now: Vector3): void {
    this.passed.instanceCount = frame
    this.marker.position.copy(now)
  }

  paint(colour: number): void {
    this.material.color.set(colour)
    this.faint.color.set(colour)
    ;(this.marker.material as MeshBasicMaterial).color.set(colour)
  }

  get place(): Vector3 {
    return this.marker.position
  }

  dispose(): void {
    for (const child of this.object.children as Mesh[]) child.geometry.dispose()
    for (const material of [this.material, this.faint, this.marker.material as MeshBasicMaterial]) material.dispose()
  }
}
