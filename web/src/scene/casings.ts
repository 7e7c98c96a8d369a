// Compiled components: what is inside is not told, so a translucent casing around the ports stands for it.
import { BufferGeometry, EdgesGeometry, IcosahedronGeometry, LineSegments, Mesh, Vector3 } from 'three'
import { ConvexGeometry } from 'three/addons/geometries/ConvexGeometry.js'
import type { End, Poses, SceneData, SubsystemData } from './data'
import { pointOn } from './space'
import type { Materials, Paint } from './theme'

const EDGE_ANGLE = 40 // degrees

/** Corners of a ball, each once. */
function roundCorners(radius: number): Vector3[] {
  const { position } = new IcosahedronGeometry(radius, 1).attributes
  const corners = new Map<string, Vector3>()
  for (let k = 0; k < position.count; k++) {
    const corner = new Vector3().fromBufferAttribute(position, k)
    corners.set(
      corner
        .toArray()
        .map((x) => x.toFixed(9))
        .join(),
      corner,
    )
  }
  return [...corners.values()]
}

/** The bodies or frames behind the ports, as far as they move. */
export function portsOf(data: SceneData, { ports }: SubsystemData): End[] {
  return Object.values(ports).flatMap((path) => {
    const body = data.bodies.findIndex(({ name }) => name === path)
    if (body >= 0) return [{ body, position: [0, 0, 0], rotation: [1, 0, 0, 0] }]
    return data.frames.filter(({ name }) => name === path).map(({ end }) => end)
  })
}

export class Casing {
  readonly object: Mesh
  readonly centre = new Vector3()
  private readonly edges: LineSegments
  private readonly corners: Vector3[]
  private drawn: Vector3[] = []

  constructor(
    readonly name: string,
    readonly ports: End[],
    radius: number,
    private readonly height: (body: number) => number,
    materials: Materials,
    paint: Paint,
  ) {
    this.corners = roundCorners(radius)
    this.object = new Mesh(new BufferGeometry(), materials.shell(paint))
    this.object.name = name
    this.object.userData = { paint, shell: true }
    this.edges = new LineSegments(new BufferGeometry(), materials.edge)
    this.edges.raycast = () => {}
    this.object.add(this.edges)
  }

  /** Around the ports as they are now. */
  update(poses: Poses): void {
    const places = this.ports.map(({ body, position }) => {
      const place = pointOn(poses, body, position)
      return place.setZ(place.z + this.height(body))
    })
    if (places.every((place, k) => this.drawn[k]?.equals(place))) return
    this.drawn = places
    this.centre.setScalar(0)
    for (const place of places) this.centre.addScaledVector(place, 1 / places.length)
    this.object.geometry.dispose()
    this.edges.geometry.dispose()
    const around = places.flatMap((place) => this.corners.map((corner) => corner.clone().add(place)))
    this.object.geometry = new ConvexGeometry(around)
    this.edges.geometry = new EdgesGeometry(this.object.geometry, EDGE_ANGLE)
  }

  /** The body of the port that is nearest to a point. */
  nearest(point: Vector3): number {
    const distances = this.drawn.map((place) => place.distanceTo(point))
    return this.ports[distances.indexOf(Math.min(...distances))].body
  }
}
