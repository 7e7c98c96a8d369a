// A sketch on a work plane as a solid: its file is put into the served folder, and the body is a mesh of it.
import { Vector2, Vector3 } from 'three'
import { session } from '../session.svelte'
import type { PlaneFrame } from '../view/workplane'
import type { Triangle } from './meshes'
import { cleanOutline, extrude, revolve, stl, volumeOf } from './meshes'

export type Profiled = 'extrude' | 'revolve'

/** The surface in the world's axes, about an origin; a text: why there is none. */
export function surfaceOf(
  kind: Profiled,
  outline: Vector3[],
  { u, v, n }: Pick<PlaneFrame, 'u' | 'v' | 'n'>,
  height: number,
): { origin: Vector3; faces: Triangle[] } | string {
  if (outline.length < 3) return 'Click at least three corners in the view'
  const origin = kind === 'revolve' ? outline[0].clone() : middleOf(outline)
  const flat = outline.map((p) => new Vector2(p.clone().sub(origin).dot(u), p.clone().sub(origin).dot(v)))
  const lift = (p: Vector3) => new Vector3().addScaledVector(u, p.x).addScaledVector(v, p.y).addScaledVector(n, p.z)
  if (kind === 'revolve') {
    // the first two corners are on the axis; the others on one side of it
    const along = flat[1].clone().sub(flat[0]).normalize()
    const out = new Vector2(along.y, -along.x)
    const side = Math.sign(flat.reduce((sum, p) => sum + p.dot(out), 0)) || 1
    const seen = flat.map((p) => new Vector2(side * p.dot(out), p.dot(along)))
    if (seen.some(({ x }) => x < -1e-9)) return 'The first two corners are the axis: all others lie on one side of it'
    const clean = cleanOutline(seen.map(({ x, y }) => new Vector2(Math.max(x, 0), y)))
    if (!clean) return 'The sketch encloses nothing, or crosses itself'
    const [e1, e2] = [out.clone().multiplyScalar(side), along]
    const third = Math.sign(e1.x * e2.y - e1.y * e2.x)
    const place = (p: Vector3) => lift(new Vector3(p.x * e1.x + p.y * e2.x, p.x * e1.y + p.y * e2.y, third * p.z))
    return { origin, faces: facing(revolve(clean), place) }
  }
  const clean = cleanOutline(flat)
  if (!clean) return 'The sketch encloses nothing, or crosses itself'
  if (!(height > 0)) return 'The height is a length, such as 20 mm'
  return { origin, faces: facing(extrude(clean, height), lift) }
}

function middleOf(points: Vector3[]): Vector3 {
  return points.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(points.length)
}

/** Faces look outwards whatever the axes are. */
function facing(faces: Triangle[], place: (p: Vector3) => Vector3): Triangle[] {
  const placed = faces.map((f) => f.map(place) as Triangle)
  return volumeOf(placed) > 0 ? placed : placed.map(([a, b, c]) => [a, c, b])
}

/** Puts a file of the surface into the folder; its name, or what is wrong. */
export async function upload(name: string, faces: Triangle[]): Promise<{ file: string } | string> {
  for (let k = 1; ; k++) {
    const file = k === 1 ? `${name}.stl` : `${name}-${k}.stl`
    const answer = await session.ask('upload', { file, content: btoa(stl(faces)), replace: false })
    if (answer.ok) return { file }
    if (answer.code !== 'exists') return answer.message
  }
}
