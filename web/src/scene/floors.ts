// Half-spaces of the model: floors and walls. In space, planes that are lighter than bodies and take shadows; in the plane, a
// line with the hatching of drawings below it, which fades out.
import type { Object3D } from 'three'
import { Group, Matrix4, Mesh, PlaneGeometry, Vector3 } from 'three'
import type { SceneData, ShapeData } from './data'
import { ends, paintOf, shapesOf } from './looks'
import { box, sheet, solid } from './solids'
import { matrixOf } from './space'
import type { Materials, Paint } from './theme'

const FAR = 40 // width of floors, of the whole size
const WALL = 0.7 // width of planes that stand upright, of the whole size
const HATCHED = 0.05 // depth of the hatching, of the whole size
const FINE = 0.014 // distance of its lines, of the whole size

export interface FloorContext {
  data: SceneData
  materials: Materials
  planar: boolean
  up: Vector3
  /** middle of all that is seen, and its whole size, m */
  centre: Vector3
  size: number
  /** half the thickness of links, m */
  radius: number
  /** planar: height of a body over the plane */
  height: (body: number) => number
}

/** What a half-space is painted with: floors of ground have a paint of their own. */
function floorPaint({ data }: FloorContext, body: number, shape: ShapeData): Paint {
  const paint = shape.surface ? { ...shape.surface, body } : paintOf(data, body)
  if (typeof paint === 'object' && paint.colour === undefined && body < 0) return 'floor'
  return paint === -1 ? 'floor' : paint
}

/** Line and hatching, just below the x axis. */
function hatchedLine({ materials, size, radius }: FloorContext, paint: Paint): Group {
  const group = new Group()
  const thick = 0.35 * radius
  const deep = HATCHED * size
  const line = solid(box(FAR * size, thick, 3 * radius), materials, paint === 'floor' ? 'ground' : paint, false)
  line.position.y = -thick / 2
  line.castShadow = false
  const hatching = new Mesh(new PlaneGeometry(FAR * size, deep), materials.hatching(FINE * size))
  hatching.position.y = -deep / 2 - thick
  hatching.raycast = () => {}
  group.add(line, hatching)
  return group
}

/** Wider than all that is seen (walls a little), from their front only, so that none stands before what is in a box; those of
 * ground are in the middle of all. */
function floorPicture(context: FloorContext, body: number, shape: ShapeData): Object3D {
  const { planar, up, size, centre } = context
  const place = matrixOf(shape)
  const paint = floorPaint(context, body, shape)
  const normal = planar ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1)
  const level = new Vector3().setFromMatrixColumn(place, 2).dot(up) > 0.7
  const part = planar
    ? hatchedLine(context, paint)
    : solid(sheet((level ? FAR : WALL) * size), context.materials, paint === 'floor' && !level ? 'wall' : paint, false)
  const middle = body < 0 ? centre.clone().applyMatrix4(place.clone().invert()) : new Vector3()
  middle.projectOnPlane(normal)
  if (planar) middle.z = context.height(body)
  part.castShadow = false
  part.applyMatrix4(place.multiply(new Matrix4().makeTranslation(middle)))
  return part
}

/** The half-spaces of a body; -1 is ground. */
export function floorsOf(context: FloorContext, body: number): Object3D[] {
  return shapesOf(context.data, body)
    .filter((shape) => !ends(shape))
    .map((shape) => floorPicture(context, body, shape))
}
