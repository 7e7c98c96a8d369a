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
