// Draws connections between bodies that are no bodies themselves: rods, springs, dampers and cylinders.
import { CatmullRomCurve3, Group, Quaternion, TubeGeometry, Vector3 } from 'three'
import type { Mesh } from 'three'
import type { ConnectionData, Poses } from './data'
import { cylinderZ, shared, solid, unitCylinder } from './solids'
import { pointOn } from './space'
import type { Materials } from './theme'

const Z = new Vector3(0, 0, 1)
const COILS = 9
const BARREL = 0.58 // length of the barrel of a cylinder, of the whole at the start
const INSERTED = 0.96 // of the length: the largest part that the barrel takes

export type LinkKind = 'rod' | 'spring' | 'damper' | 'cylinder'

/** How a force between two points is drawn; undefined: not at all. */
export function linkKind({ type, damper, end1, end2 }: ConnectionData): LinkKind | undefined {
  if (isTorsional(type) || end1.body === end2.body) return undefined
  if (type.endsWith('-cylinder')) return 'cylinder'
  if (!type.includes('spring')) return undefined
  return damper ? 'damper' : 'spring'
}

/** Springs along a coordinate of a joint: their ends are those of bodies, not places. */
export const isTorsional = (type: string): boolean => type.includes('torsion-spring')

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

const SPIRAL_TURNS = 2.5

/** A flat spiral across z, as in clocks, from its arbor to its outer end. */
export function spiral(inner: number, outer: number, wire: number) {
  return shared(`spiral ${inner} ${outer} ${wire}`, () => {
    const steps = 72
    const points = Array.from({ length: steps + 1 }, (_, k) => {
      const turn = (2 * Math.PI * SPIRAL_TURNS * k) / steps
      const r = inner + ((outer - inner) * k) / steps
      return new Vector3(r * Math.cos(turn), r * Math.sin(turn), 0)
    })
    return new TubeGeometry(new CatmullRomCurve3(points), 2 * steps, wire, 8)
  })
}

/** Stretched between its ends whenever the poses change. */
export class Link {
  readonly object = new Group()
  private readonly stretched: Mesh
  private readonly barrel?: Mesh
  private readonly head?: Mesh
  /** of the barrel, m */
  private barrelLength = 0
  private readonly from = new Vector3()
  private readonly to = new Vector3()
  private readonly turn = new Quaternion()

  constructor(
    private readonly data: ConnectionData,
    kind: LinkKind,
    radius: number,
    materials: Materials,
    private readonly height: number,
  ) {
    const part = (geometry: Parameters<typeof solid>[0], paint: 'steel' | 'ground', edges: boolean) => {
      const mesh = solid(geometry, materials, paint, edges)
      this.object.add(mesh)
      return mesh
    }
    this.object.name = data.name
    if (kind === 'spring') this.stretched = part(coil(1.9 * radius, 0.4 * radius), 'steel', false)
    else this.stretched = part(unitCylinder((kind === 'damper' ? 0.5 : 0.7) * radius), 'steel', false)
    if (kind === 'cylinder' || kind === 'damper') {
      this.barrel = part(unitCylinder((kind === 'damper' ? 1.2 : 1.6) * radius), 'ground', false)
      this.head = part(cylinderZ((kind === 'damper' ? 1.3 : 1.75) * radius, 0.9 * radius), 'steel', true)
    }
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
    this.stretched.scale.z = length
    if (!this.barrel || !this.head) return
    this.barrelLength ||= BARREL * length
    const long = Math.min(this.barrelLength, INSERTED * length)
    this.barrel.scale.z = long
    this.head.position.z = long
  }
}
