// Pictures of bodies that come without shapes: bars and plates between the points where something is attached, or a
// solid with the body's mass and inertia.
import { Group, Vector3 } from 'three'
import type { BodyData } from './data'
import { ball, bar, box, cylinderZ, plate, solid } from './solids'
import type { Materials, Paint } from './theme'

const SAME_PLACE = 0.2 // of the link radius: closer points are one

/** Points of a body where joints, forces and frames are, each place once. */
export function distinct(points: Vector3[], distance: number): Vector3[] {
  const kept: Vector3[] = []
  for (const p of points) if (!kept.some((q) => q.distanceTo(p) < distance)) kept.push(p)
  return kept
}

/** A disc with the body's moment of inertia about z: I = m r^2 / 2. */
function discRadius(body: BodyData): number {
  return Math.sqrt((2 * body.inertia[2]) / body.mass)
}

/** Edges of a box with these moments of inertia about its axes: a^2 = 6 (Iyy + Izz - Ixx) / m, and so on. */
function boxEdges(body: BodyData, least: number): [number, number, number] {
  const [xx, yy, zz] = body.inertia
  const edge = (sum: number) => Math.max(Math.sqrt(Math.max((6 * sum) / body.mass, 0)), least)
  return [edge(yy + zz - xx), edge(zz + xx - yy), edge(xx + yy - zz)]
}

/** In the plane only one moment is known; a box three times as long as high has it too: I = m (a^2 + b^2) / 12. */
function planarBox(body: BodyData, thickness: number): [number, number, number] {
  const high = Math.sqrt((12 * body.inertia[2]) / body.mass / 10)
  return [3 * high, high, thickness]
}

function lump(
  body: BodyData,
  planar: boolean,
  turns: boolean,
  radius: number,
  materials: Materials,
  paint: Paint,
): Group {
  const group = new Group()
  const geometry = !planar
    ? box(...boxEdges(body, radius))
    : turns
      ? cylinderZ(discRadius(body), 1.6 * radius, 64)
      : box(...planarBox(body, 2.4 * radius))
  const part = solid(geometry, materials, paint)
  part.position.fromArray(body.com)
  group.add(part)
  if (planar && turns) group.add(spoke(body, radius, materials, paint))
  return group
}

/** Shows that a disc turns. */
function spoke(body: BodyData, radius: number, materials: Materials, paint: Paint): Group {
  const group = new Group()
  const r = discRadius(body)
  const line = solid(box(0.8 * r, 0.5 * radius, 1.9 * radius), materials, paint)
  line.position.fromArray(body.com).add(new Vector3(0.45 * r, 0, 0))
  group.add(line)
  return group
}

export interface StandinOptions {
  planar: boolean
  /** half the thickness of links, m */
  radius: number
  /** it turns about a joint at its centre of mass */
  turns: boolean
}

export function standin(
  body: BodyData,
  anchors: Vector3[],
  options: StandinOptions,
  materials: Materials,
  paint: Paint,
): Group {
  const { planar, radius, turns } = options
  const group = new Group()
  const com = new Vector3().fromArray(body.com)
  if (body.type === 'particle' || body.mass === 0) {
    // no mass: a port of a component
    group.add(solid(ball(2 * radius), materials, paint, false))
    return group
  }
  const places = distinct(anchors, SAME_PLACE * radius)
  if (places.length === 0 || (places.length === 1 && places[0].distanceTo(com) < radius))
    return lump(body, planar, turns, radius, materials, paint)
  if (places.length === 1) {
    group.add(solid(bar(places[0], com, 0.8 * radius), materials, paint, false))
    const bob = solid(planar ? cylinderZ(2.4 * radius, 2 * radius) : ball(2.2 * radius), materials, paint, planar)
    bob.position.copy(com)
    group.add(bob)
    return group
  }
  if (planar) {
    group.add(solid(plate(places, 1.25 * radius, 1.2 * radius), materials, paint))
    return group
  }
  if (places.length === 2) group.add(solid(bar(places[0], places[1], radius), materials, paint, false))
  else for (const p of places) if (p.distanceTo(com) > 0) group.add(solid(bar(com, p, radius), materials, paint, false))
  return group
}
