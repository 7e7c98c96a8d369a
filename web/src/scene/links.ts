// What reaches from one body to another without being a body: rods and springs.
import type { Mesh, Object3D } from 'three'
import { CatmullRomCurve3, Quaternion, TubeGeometry, Vector3 } from 'three'
import type { ConnectionData, Poses } from './data'
import { solid, unitCylinder } from './solids'
import { pointOn } from './space'
import type { Materials } from './theme'

const Z = new Vector3(0, 0, 1)
const COILS = 9

/** A coil from z = 0 to z = 1 with straight ends. */
function coil(radius: number, wire: number): TubeGeometry {
  const points = [new Vector3(0, 0, 0), new Vector3(0, 0, 0.08)]
  const steps = COILS * 16
  for (let k = 0; k <= steps; k++) {
    const turn = (2 * Math.PI * COILS * k) / steps
    points.push(new Vector3(radius * Math.cos(turn), radius * Math.sin(turn), 0.1 + (0.8 * k) / steps))
  }
  points.push(new Vector3(0, 0, 0.92), new Vector3(0, 0, 1))
  return new TubeGeometry(new CatmullRomCurve3(points), 4 * steps, wire, 8)
}

/** Stretched between its ends whenever the poses change. */
export class Link {
  readonly object: Object3D
  private readonly from = new Vector3()
  private readonly to = new Vector3()
  private readonly turn = new Quaternion()

  constructor(
    private readonly data: ConnectionData,
    kind: 'rod' | 'spring',
    radius: number,
    materials: Materials,
    private readonly height: number,
  ) {
    const geometry = kind === 'rod' ? unitCylinder(0.7 * radius) : coil(1.9 * radius, 0.4 * radius)
    const mesh: Mesh = solid(geometry, materials, 'steel', false)
    mesh.name = data.name
    this.object = mesh
  }

  update(poses: Poses): void {
    const { end1, end2 } = this.data
    pointOn(poses, end1.body, end1.position, this.from)
    pointOn(poses, end2.body, end2.position, this.to)
    this.object.position.copy(this.from).setZ(this.from.z + this.height)
    this.to.sub(this.from)
    const length = this.to.length()
    this.object.visible = length > 0
    if (length === 0) return
    this.object.quaternion.copy(this.turn.setFromUnitVectors(Z, this.to.divideScalar(length)))
    this.object.scale.z = length
  }
}
