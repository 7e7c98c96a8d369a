// Velocity and acceleration polygons of a planar mechanism: arrows from a pole to the image of each pin, and the images of bodies
// between them.
import { Vector2 } from 'three'
import type { Poses } from '../../scene/data'
import { pointOn } from '../../scene/space'
import type { StudioScene } from '../protocol'
import { inChosen } from '../units'
import type { Overlay } from './overlay'

export interface Polygon {
  /** what pins do: name of the joint, m/s or m/s² */
  images: { name: string; value: Vector2 }[]
  /** sides: images of two pins of one body */
  sides: { body: string; from: Vector2; to: Vector2 }[]
}

const MOST = 12 // pins

/** Of a point of a body: v + w x r; for accelerations also the part towards the origin of the body, - w² r. */
function imageOf(
  poses: Poses,
  screws: Float32Array,
  spins: Float32Array | undefined,
  body: number,
  at: number[],
): Vector2 {
  if (body < 0) return new Vector2()
  const origin = pointOn(poses, body, [0, 0, 0])
  const r = pointOn(poses, body, at).sub(origin)
  const [x, y, turn] = [screws[6 * body], screws[6 * body + 1], screws[6 * body + 5]]
  const spin = spins ? spins[6 * body + 5] : 0
  return new Vector2(x - turn * r.y - spin * spin * r.x, y + turn * r.x - spin * spin * r.y)
}

/** velocities: given with accelerations, whose polygon it is then. */
export function polygonOf(scene: StudioScene, poses: Poses, screws: Float32Array, velocities?: Float32Array): Polygon {
  const pins = scene.joints.filter(({ type, enabled }) => type === 'revolute' && enabled !== false).slice(0, MOST)
  const image = (body: number, at: number[]) => imageOf(poses, screws, velocities, body, at)
  const images = pins.map(({ name, end1, end2 }) => {
    const end = end1.body < 0 ? end1 : end2.body < 0 ? end2 : end1
    return { name, value: image(end.body, end.position) }
  })
  const sides = scene.bodies.flatMap(({ name }, body) => {
    const points = pins.flatMap(({ end1, end2 }) =>
      [end1, end2].filter((end) => end.body === body).map(({ position }) => image(body, position)),
    )
    return points.slice(1).map((to, k) => ({ body: name, from: points[k], to }))
  })
  return { images, sides }
}

const WIDE = 184 // pixels of the plate of a polygon
const HIGH = 164
const TITLE = 34 // pixels above the polygon, for words
const LARGEST = 92 // pixels
const GAP = 10

/** In the lower right corner of the canvas; row 0 is the lowest. */
export function drawPolygon(
  overlay: Overlay,
  canvas: Vector2,
  row: number,
  { images, sides }: Polygon,
  unit: string,
  title: string,
  colour: string,
): void {
  const largest = Math.max(...images.map(({ value }) => value.length()), 0)
  const box = new Vector2(canvas.x - WIDE - 62, canvas.y - (row + 1) * (HIGH + GAP) - 10)
  overlay.plate(box, WIDE, HIGH)
  overlay.label(box.clone().add(new Vector2(8, 14)), `${title}, ${inChosen(largest, unit)}`, colour)
  if (!(largest > 0)) return
  const xs = [0, ...images.map(({ value }) => value.x)]
  const ys = [0, ...images.map(({ value }) => value.y)]
  const span = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys))
  const scale = LARGEST / span
  const middle = new Vector2((Math.max(...xs) + Math.min(...xs)) / 2, (Math.max(...ys) + Math.min(...ys)) / 2)
  const at = (v: Vector2) =>
    box.clone().add(new Vector2(WIDE / 2 + scale * (v.x - middle.x), (TITLE + HIGH) / 2 - scale * (v.y - middle.y)))
  for (const { from, to } of sides) overlay.path([at(from), at(to)], overlay.ink.accent, 1.6)
  for (const { name, value } of images)
    if (value.length() > 1e-3 * largest) overlay.arrow(at(new Vector2()), at(value), colour, name)
  overlay.dot(at(new Vector2()), 3, colour)
}
