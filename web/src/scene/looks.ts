// What a body is drawn as: its looks, or its shapes, and their paint. Body -1 is ground.
import { Vector3 } from 'three'
import type { Poses, SceneData, ShapeData } from './data'
import { matrixOf, pointOn } from './space'
import type { Paint } from './theme'

function sourceOf(data: SceneData, body: number): { shapes: ShapeData[]; looks?: ShapeData[] } {
  return body < 0 ? data.ground : data.bodies[body]
}

const isShape = ({ kind }: ShapeData): boolean => kind !== 'none'

/** Shapes that the looks of a body are, in place of its own. */
export function looksOf(data: SceneData, body: number): ShapeData[] {
  return (sourceOf(data, body).looks ?? []).filter(isShape)
}

/** The look that paints what is drawn without looks. */
function coatOf(data: SceneData, body: number): ShapeData | undefined {
  return sourceOf(data, body).looks?.find((look) => !isShape(look))
}

/** What the picture without looks is painted with. */
export function paintOf(data: SceneData, body: number): Paint {
  const coat = coatOf(data, body)?.surface
  return coat ? { ...coat, body } : body
}

/** The shapes that are drawn. */
export function shapesOf(data: SceneData, body: number): ShapeData[] {
  const looks = looksOf(data, body)
  const own = sourceOf(data, body).shapes
  if (looks.length === 0) return own
  return coatOf(data, body) ? [...own, ...looks] : looks
}

/** Half-spaces do not. */
export const ends = ({ kind }: ShapeData): boolean => kind !== 'half_space'

/** Points of floors and walls of ground that bodies are right above: what falls onto them is seen together with them, unless
 * it is higher than highest, m. */
export function feet(data: SceneData, start: Poses, highest: number): Vector3[] {
  const planes = shapesOf(data, -1).filter((shape) => !ends(shape))
  return planes.flatMap((plane) => {
    const normal = new Vector3().setFromMatrixColumn(matrixOf(plane), data.dimension === 2 ? 1 : 2)
    const through = new Vector3().fromArray(plane.position)
    return data.bodies.flatMap((body, b) => {
      const centre = pointOn(start, b, body.com)
      const height = centre.clone().sub(through).dot(normal)
      return height > 0 && height < highest ? [centre.addScaledVector(normal, -height)] : []
    })
  })
}

/** Does the length of a round shape point along the z axis of its body? */
export function alongZ({ rotation: [, x, y] }: ShapeData): boolean {
  return Math.hypot(x, y) < 1e-9
}

/** Length of the longest side of a shape, m; in the plane, depth does not count. */
export function largest(shape: ShapeData, planar: boolean): number {
  if (planar && shape.kind === 'box') return Math.max(shape.size[0], shape.size[1])
  if (planar && (shape.kind === 'cylinder' || shape.kind === 'tube') && alongZ(shape)) return 2 * shape.size[0]
  if (shape.corners) {
    const [xs, ys] = [0, 1].map((k) => shape.corners!.map((corner) => corner[k]))
    return Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys))
  }
  if (shape.kind === 'tube') return Math.max(2 * shape.size[0], shape.size[1])
  if (shape.kind === 'bowl') return 2 * shape.size[0]
  if (shape.kind === 'torus') return 2 * (shape.size[0] + shape.size[1])
  if (shape.kind === 'ellipsoid') return 2 * Math.max(...shape.size)
  return ['cylinder', 'capsule', 'sphere', 'cone'].includes(shape.kind)
    ? Math.max(2 * shape.size[0], shape.size[1] ?? 0)
    : Math.max(0, ...shape.size)
}
