// The faces that a joint was inferred from, as bright shapes that are seen through everything.
import type { BufferGeometry, Object3D } from 'three'
import {
  CircleGeometry,
  CylinderGeometry,
  DoubleSide,
  Group,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three'
import type { ImportContact, ImportJoint } from '../protocol'

/** bodies have none of these */
const COLOURS = { cylindrical: 0xe5007e, planar: 0xffe000, spherical: 0x00e0e0 }
const SEGMENTS = 40
const AXIS = 0.16 // length of an axis without faces, of the mechanism's size
const THIN = 0.004

function geometryOf({ kind, radius, length }: ImportContact): BufferGeometry {
  if (kind === 'cylindrical')
    return new CylinderGeometry(1.03 * radius, 1.03 * radius, length, SEGMENTS, 1, true).rotateX(Math.PI / 2)
  return kind === 'planar'
    ? new CircleGeometry(radius, SEGMENTS)
    : new SphereGeometry(1.02 * radius, SEGMENTS, SEGMENTS / 2)
}

function place(object: Object3D, point: number[], axis: number[]): Object3D {
  object.position.fromArray(point)
  object.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...axis).normalize()))
  object.renderOrder = 10
  return object
}

function paint(colour: number, opacity: number): MeshBasicMaterial {
  return new MeshBasicMaterial({ color: colour, transparent: true, opacity, depthTest: false, side: DoubleSide })
}

/** In the world, at the pose of the file; size is that of the mechanism. */
export function facesOf({ contacts, at, axis }: ImportJoint, size: number): Object3D {
  const group = new Group()
  for (const contact of contacts)
    group.add(place(new Mesh(geometryOf(contact), paint(COLOURS[contact.kind], 0.75)), contact.point, contact.axis))
  const line = new CylinderGeometry(THIN * size, THIN * size, AXIS * size, 12).rotateX(Math.PI / 2)
  group.add(place(new Mesh(line, paint(COLOURS.cylindrical, 0.9)), at, axis))
  return group
}
