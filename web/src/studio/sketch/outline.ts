// Shapes of the plane from drawn outlines: their convex parts, their bodies, and the bodies under a point.
import { Quaternion, ShapeUtils, Vector2, Vector3 } from 'three'
import type { Poses, ShapeData } from '../../scene/data'
import { bodyMatrix, pointOn } from '../../scene/space'
import { tidy } from '../digits'
import type { StudioScene } from '../protocol'
import { cleanOutline } from '../tools/meshes'

const AREAL = 10 // kg for a square metre of a drawn shape
const DIGITS = 6 // of corners: drawing by hand is not more exact
const FLAT = 1e-9 // of the size squared: three corners in a line

const cross = (a: Vector2, b: Vector2, c: Vector2) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)

/** Corners all round without those that lie in a line. */
function isConvex(corners: Vector2[]): boolean {
  const n = corners.length
  return corners.every((c, k) => cross(corners[(k + n - 1) % n], c, corners[(k + 1) % n]) > -FLAT)
}

/** Two loops with a common side become one; undefined: they have none, or it would not be convex. */
function united(a: number[], b: number[], points: Vector2[]): number[] | undefined {
  for (let i = 0; i < a.length; i++)
    for (let k = 0; k < b.length; k++)
      if (a[i] === b[(k + 1) % b.length] && a[(i + 1) % a.length] === b[k]) {
        const first = [...a.slice(i + 1), ...a.slice(0, i + 1)] // ends with a[i]
        const second = [...b.slice(k + 1), ...b.slice(0, k + 1)] // begins with a[i]
        const loop = [...first.slice(0, -1), ...second.slice(0, -1)]
        return new Set(loop).size === loop.length && isConvex(loop.map((n) => points[n])) ? loop : undefined
      }
  return undefined
}

/** Convex parts that fill an outline (anticlockwise): triangles, united as long as they stay convex. */
export function convexParts(corners: Vector2[]): Vector2[][] {
  const parts = ShapeUtils.triangulateShape(corners, []).map((face) => [...face])
  for (let again = true; again; ) {
    again = false
    for (let i = 0; i < parts.length && !again; i++)
      for (let k = i + 1; k < parts.length && !again; k++) {
        const loop = united(parts[i], parts[k], corners)
        if (!loop) continue
        parts[i] = loop
        parts.splice(k, 1)
        again = true
      }
  }
  return parts.map((loop) => loop.map((n) => corners[n]))
}

/** Points of a line without those that are nearer than a distance to the line between their neighbours. */
export function simplified(points: Vector2[], within: number): Vector2[] {
  if (points.length < 3) return points
  const [first, last] = [points[0], points[points.length - 1]]
  const way = last.clone().sub(first)
  const off = (p: Vector2) => {
    const from = p.clone().sub(first)
    return way.lengthSq() > 0 ? Math.abs(way.cross(from)) / way.length() : from.length()
  }
  const far = points.reduce((best, p, k) => (off(p) > off(points[best]) ? k : best), 0)
  if (off(points[far]) <= within) return [first, last]
  return [...simplified(points.slice(0, far + 1), within).slice(0, -1), ...simplified(points.slice(far), within)]
}

/** The definition of a body with an outline of the world; undefined: it encloses nothing or crosses itself. */
export function outlineBody(outline: Vector2[]): { shapes: object[]; position: number[] } | undefined {
  const clean = cleanOutline(outline)
  if (!clean) return undefined
  const middle = clean.reduce((sum, p) => sum.add(p), new Vector2()).divideScalar(clean.length)
  const origin = new Vector2(tidy(middle.x, DIGITS), tidy(middle.y, DIGITS))
  const local = clean.map((p) => p.clone().sub(origin))
  const shapes = convexParts(local).map((part) => ({
    polygon: { corners: part.map(({ x, y }) => [tidy(x, DIGITS), tidy(y, DIGITS)]) },
    mass: `${tidy(AREAL * Math.abs(ShapeUtils.area(part)), DIGITS)} kg`,
  }))
  return { shapes, position: origin.toArray() }
}

/** Is a point, in the frame of the shape's body, on the shape? slack: m around it that count. */
export function isOn(shape: ShapeData, point: Vector3, slack: number): boolean {
  const [w, x, y, z] = shape.rotation
  const turn = new Quaternion(x, y, z, w).normalize()
  const at = point.clone().sub(new Vector3().fromArray(shape.position)).applyQuaternion(turn.clone().invert())
  switch (shape.kind) {
    case 'rod':
    case 'capsule': {
      const half = shape.size[1] / 2
      const along = Math.min(Math.max(at.z, -half), half)
      return Math.hypot(at.x, at.y, at.z - along) <= shape.size[0] + slack
    }
    case 'box':
      return Math.abs(at.x) <= shape.size[0] / 2 + slack && Math.abs(at.y) <= shape.size[1] / 2 + slack
    case 'sphere':
    case 'cylinder':
      return Math.hypot(at.x, at.y) <= shape.size[0] + slack
    case 'polygon': {
      const corners = (shape.corners ?? []).map(([a, b]) => new Vector2(a, b))
      const round = ShapeUtils.area(corners) < 0 ? [...corners].reverse() : corners
      const here = new Vector2(at.x, at.y)
      return round.every((a, k) => {
        const b = round[(k + 1) % round.length]
        return cross(a, b, here) >= -slack * a.distanceTo(b)
      })
    }
    default:
      return false
  }
}

/** Bodies of the plane that are under a point of the world, the last drawn first. */
export function bodiesAt(scene: StudioScene, poses: Poses, point: Vector3, slack: number): number[] {
  const on = (body: number) => {
    const local = point.clone().applyMatrix4(bodyMatrix(poses, body).invert())
    return scene.bodies[body].shapes.some((shape) => isOn(shape, local, slack))
  }
  return [...scene.bodies.keys()].filter(on).reverse()
}

const SAMPLES = 24 // points of each side that are looked at

/** Is a point inside of an outline? By how often a ray from it meets the outline. */
function isInside(outline: Vector3[], { x, y }: Vector3): boolean {
  let inside = false
  outline.forEach((a, k) => {
    const b = outline[(k + 1) % outline.length]
    if (a.y > y !== b.y > y && x < a.x + ((y - a.y) * (b.x - a.x)) / (b.y - a.y)) inside = !inside
  })
  return inside
}

/** Bodies that an outline of the world overlaps. */
export function overlapping(scene: StudioScene, poses: Poses, outline: Vector3[]): number[] {
  const sides = outline.flatMap((a, k) => {
    const b = outline[(k + 1) % outline.length]
    return Array.from({ length: SAMPLES }, (_, n) => a.clone().lerp(b, n / SAMPLES))
  })
  const crossed = new Set(sides.flatMap((point) => bodiesAt(scene, poses, point, 0)))
  const within = (body: number) => isInside(outline, pointOn(poses, body, scene.bodies[body].com).setZ(0))
  return [...scene.bodies.keys()].filter((body) => crossed.has(body) || within(body))
}
