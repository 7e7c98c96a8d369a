// A planar mechanism as a line drawing (SVG) with the lengths of its links, as textbooks show it.
import { Line3, Vector3 } from 'three'
import type { ConnectionData, Poses } from '../../scene/data'
import { linkKind } from '../../scene/links'
import { endMatrix, pointOn } from '../../scene/space'
import type { MeasureKind } from '../measure/measures'
import type { StudioScene } from '../protocol'
import { quantity } from '../units'
import type { Outline } from './outlines'
import { outlinesOf, pinsOf } from './outlines'
import type { Point } from './sheet'
import { directionOf, Sheet, shifted, WIDTH } from './sheet'

const PIN = 5
const FOOT = 20
const GUIDE = 90 // half the length of the line that something slides along
const BLOCK: Point = [18, 11] // half of what slides and has no shape
const SHORTEST = 40 // line that is given its length
const MOST_FEET = 6 // of ground that are dimensioned
const FULL = 16 // corners of a circle's outline, to find how far it reaches
const HIGHEST = 12 // above a floor that is drawn, of the size of the rest
const NEAR = 0.01 // of a length: a line this near to another is the same
const Z = new Vector3(0, 0, 1)

/** What somebody measured: places in the world, and what is said of them. */
export interface Measured {
  kind: MeasureKind
  points: Vector3[]
  text: string
}

/** Lines below a line of ground, to the right of its direction. */
function hatch(sheet: Sheet, from: Point, to: Point): void {
  const along = directionOf(from, to)
  const below: Point = [-along[1], along[0]]
  const count = Math.floor(Math.hypot(to[0] - from[0], to[1] - from[1]) / 8)
  for (let k = 1; k <= count; k++) {
    const start = shifted(from, along, 8 * k)
    sheet.path([start, shifted(shifted(start, along, -5), below, 7)], false, 'thin')
  }
}

/** A triangle with hatching under a pin. */
function drawFoot(sheet: Sheet, at: Vector3): void {
  const [x, y] = sheet.place(at)
  const low = y + FOOT
  const corners: Point[] = [[x, y], [x - 12, low], [x + 12, low]] // prettier-ignore
  sheet.path(corners, true, 'pin')
  const base: [Point, Point] = [[x - 18, low], [x + 18, low]] // prettier-ignore
  sheet.path(base, false, 'thin')
  hatch(sheet, ...base)
}

/** A zigzag between the ends of a spring. */
function drawSpring(sheet: Sheet, a: Point, b: Point): void {
  const along = directionOf(a, b)
  const size = Math.hypot(b[0] - a[0], b[1] - a[1])
  const at = (part: number, by: number) => shifted(shifted(a, along, part * size), [-along[1], along[0]], 8 * by)
  const teeth = Array.from({ length: 10 }, (_, k) => at(0.15 + 0.07 * (k + 0.5), k % 2 === 0 ? 1 : -1))
  sheet.path([a, at(0.15, 0), ...teeth, at(0.85, 0), b], false, 'thin')
}

/** A cup with a piston in it. */
function drawDamper(sheet: Sheet, a: Point, b: Point): void {
  const along = directionOf(a, b)
  const size = Math.hypot(b[0] - a[0], b[1] - a[1])
  const at = (part: number, by: number) => shifted(shifted(a, along, part * size), [-along[1], along[0]], by)
  sheet.path([at(0.65, 9), at(0.35, 9), at(0.35, -9), at(0.65, -9)], false, 'thin')
  sheet.path([a, at(0.35, 0)], false, 'thin')
  sheet.path([at(0.5, 7), at(0.5, -7)], false, 'link')
  sheet.path([at(0.5, 0), b], false, 'thin')
}

function drawForce(sheet: Sheet, force: ConnectionData, poses: Poses): void {
  const kind = linkKind(force)
  if (!kind) return
  const [a, b] = [force.end1, force.end2].map((end) => sheet.place(pointOn(poses, end.body, end.position)))
  if (kind === 'spring') drawSpring(sheet, a, b)
  else drawDamper(sheet, a, b)
}

/** The line along which something slides: of ground with hatching. */
function drawSlide(
  sheet: Sheet,
  { end1, end2 }: ConnectionData,
  poses: Poses,
  hasShape: (body: number) => boolean,
): void {
  const axis = new Vector3().setFromMatrixColumn(endMatrix(poses, end1), 0)
  const along: Point = [axis.x, -axis.y]
  const there = sheet.place(pointOn(poses, end2.body, end2.position))
  const ground = end1.body < 0 || end2.body < 0
  const side: Point = along[0] < -1e-9 || (Math.abs(along[0]) <= 1e-9 && along[1] > 0) ? [-along[0], -along[1]] : along
  const slider = end2.body < 0 ? end1.body : end2.body
  const bare = !hasShape(slider)
  const below: Point = bare && ground ? [-side[1], side[0]] : [0, 0]
  const middle = shifted(there, below, BLOCK[1])
  const ends: [Point, Point] = [shifted(middle, side, -GUIDE), shifted(middle, side, GUIDE)]
  sheet.path(ends, false, bare && ground ? 'thin' : 'guide')
  if (bare && ground) hatch(sheet, ...ends)
  if (!bare) return
  const corner = (a: number, b: number) =>
    shifted(shifted(there, side, a * BLOCK[0]), [-side[1], side[0]], b * BLOCK[1])
  sheet.path([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], true, 'face')
}

function drawOutline(sheet: Sheet, { points, closed, radius, inner, along }: Outline): void {
  if (along) {
    const at = sheet.place(points[0])
    const way: Point = [along.x, -along.y]
    const ends: [Point, Point] = [shifted(at, way, -2 * WIDTH), shifted(at, way, 2 * WIDTH)]
    sheet.path(ends, false, 'link')
    hatch(sheet, ...ends)
  } else if (radius !== undefined) {
    sheet.circle(sheet.place(points[0]), sheet.length(radius), 'face')
    if (inner !== undefined) sheet.circle(sheet.place(points[0]), sheet.length(inner), 'pin')
  } else
    sheet.path(
      points.map((p) => sheet.place(p)),
      closed,
      closed ? 'face' : 'link',
    )
}

/** Along a line that points lie on, from one to the next; undefined: they do not lie on one. */
function inLine(points: Vector3[]): [Vector3, Vector3][] | undefined {
  const far = points.reduce((most, p) => (p.distanceTo(points[0]) > most.distanceTo(points[0]) ? p : most), points[0])
  const way = far.clone().sub(points[0])
  const along = (p: Vector3) => p.clone().sub(points[0]).dot(way)
  const beside = (p: Vector3) => p.clone().sub(points[0]).cross(way).length() / way.lengthSq()
  if (points.some((p) => beside(p) > NEAR)) return undefined
  const sorted = [...points].sort((a, b) => along(a) - along(b))
  return sorted.slice(1).map((p, k) => [sorted[k], p])
}

/** Between points that belong together: along their line, or around those of a plate. */
function barsBetween(points: Vector3[]): [Vector3, Vector3][] {
  if (points.length < 2) return []
  const line = inLine(points)
  if (line) return line
  const centre = points.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(points.length)
  const angle = (p: Vector3) => Math.atan2(p.y - centre.y, p.x - centre.x)
  const around = [...points].sort((a, b) => angle(a) - angle(b))
  return around.map((p, k) => [p, around[(k + 1) % around.length]])
}

/** The line from a to b is drawn already. */
function liesOn(a: Vector3, b: Vector3, { points, closed }: Outline): boolean {
  if (closed || points.length !== 2) return false
  const line = new Line3(points[0], points[1])
  return [a, b].every((p) => line.closestPointToPoint(p, true, new Vector3()).distanceTo(p) < NEAR * a.distanceTo(b))
}

/** The lengths of a body between its pins; of a bar with one pin, its own. */
function dimensionBody(sheet: Sheet, outlines: Outline[], pins: Vector3[]): void {
  const bars = barsBetween(pins)
  const own = outlines.flatMap(({ points, closed }): [Vector3, Vector3][] =>
    !closed && points.length === 2 ? [[points[0], points[1]]] : [],
  )
  const free = (pins.length < 2 ? own : []).filter(
    ([a, b]) => !bars.some(([c, d]) => liesOn(c, d, { points: [a, b], closed: false })),
  )
  for (const [from, to] of [...bars, ...free]) {
    const [a, b] = [sheet.place(from), sheet.place(to)]
    if (Math.hypot(b[0] - a[0], b[1] - a[1]) < SHORTEST) continue
    if (!outlines.some((drawn) => liesOn(from, to, drawn))) sheet.path([a, b], false, 'axis')
    sheet.textAlong(a, b, quantity(from.distanceTo(to), 'm', 4))
  }
  for (const { points, radius } of outlines) {
    if (radius === undefined || sheet.length(radius) < SHORTEST / 2) continue
    const away: Point = [Math.SQRT1_2, -Math.SQRT1_2]
    const rim = shifted(sheet.place(points[0]), away, sheet.length(radius))
    const words = `R ${quantity(radius, 'm', 4)}`
    sheet.arrowHead(rim, [-away[0], -away[1]], 'full')
    sheet.path([rim, shifted(rim, away, 18)], false, 'thin')
    sheet.text([shifted(shifted(rim, away, 24), [1, 0], 3.6 * words.length)], words)
  }
}

/** What somebody measured, in place. */
export function drawMeasured(sheet: Sheet, { kind, text }: Measured, seen: Point[]): void {
  if (kind === 'distance') {
    const along = directionOf(seen[0], seen[1])
    sheet.path(seen, false, 'measure')
    sheet.arrowHead(seen[1], along, 'measure')
    sheet.arrowHead(seen[0], [-along[0], -along[1]], 'measure')
    sheet.textAlong(seen[0], seen[1], text)
    return
  }
  if (kind === 'angle') {
    const legs = [directionOf(seen[1], seen[0]), directionOf(seen[1], seen[2])]
    sheet.path(seen, false, 'measure')
    const middle = directionOf([0, 0], [legs[0][0] + legs[1][0], legs[0][1] + legs[1][1]])
    const arc = [0, 0.25, 0.5, 0.75, 1].map((part) => {
      const way = directionOf([0, 0], [0, 1].map((k) => (1 - part) * legs[0][k] + part * legs[1][k]) as Point)
      return shifted(seen[1], way, 34)
    })
    sheet.path(arc, false, 'measure')
    sheet.text([shifted(seen[1], middle, 62), shifted(seen[1], middle, -30)], text)
    return
  }
  sheet.circle(seen[0], 3, 'measure')
  sheet.text([shifted(seen[0], [0, -1], 18), shifted(seen[0], [0, 1], 18)], text)
}

type Drawn = { body: number; pins: Vector3[]; outlines: Outline[] }[]

/** Bodies without outlines are lines between their pins. */
function bodiesOf(scene: StudioScene, poses: Poses): Drawn {
  return [-1, ...scene.bodies.keys()].map((body) => {
    const pins = pinsOf(scene, poses, body)
    const outlines = outlinesOf(scene, poses, body)
    const bare = body >= 0 && outlines.every(({ points }) => points.length === 0)
    const links = bare && pins.length > 1 ? [{ points: pins, closed: pins.length > 2 }] : []
    return { body, pins, outlines: [...outlines, ...links] }
  })
}

const turned = (r: number, k: number) => new Vector3(r, 0).applyAxisAngle(Z, (2 * Math.PI * k) / FULL)

/** How far an outline reaches; floors have no end. */
function reachOf({ points, radius, along }: Outline): Vector3[] {
  if (along || points.length === 0) return []
  if (radius === undefined) return points
  return Array.from({ length: FULL }, (_, k) => turned(radius, k).add(points[0]))
}

/** Lines of half-spaces begin below the middle of all else; those that are not far from it are to be on the sheet. */
function bringFloors(sheet: Sheet, floors: Outline[], all: Vector3[]): void {
  if (all.length === 0) return
  const middle = all.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(all.length)
  const size = Math.max(...all.map((p) => p.distanceTo(middle)))
  for (const { points, along } of floors) {
    points[0].addScaledVector(along!, middle.clone().sub(points[0]).dot(along!))
    if (size === 0 || points[0].distanceTo(middle) < HIGHEST * size) sheet.reach(points)
  }
}

/** The mechanism as it stands. */
export function lineDrawing(scene: StudioScene, poses: Poses, measured: Measured[] = []): string {
  const sheet = new Sheet()
  const bodies = bodiesOf(scene, poses)
  const outlines = bodies.flatMap((body) => body.outlines)
  const ends = [...scene.joints, ...scene.forces].flatMap(({ end1, end2 }) => [end1, end2])
  const all = [
    ...bodies.flatMap(({ pins }) => pins),
    ...outlines.flatMap(reachOf),
    ...ends.map((end) => pointOn(poses, end.body, end.position)),
    ...measured.flatMap(({ points }) => points),
  ]
  sheet.reach(all)
  bringFloors(
    sheet,
    outlines.filter(({ along }) => along),
    all,
  )
  sheet.settle()
  drawMechanism(sheet, scene, poses, bodies)
  const place = (p: Vector3) => sheet.place(p)
  for (const one of measured) drawMeasured(sheet, one, one.points.map(place))
  return sheet.toString(scene.name)
}

/** From back to front: shapes, springs, joints, and what is written. */
function drawMechanism(sheet: Sheet, scene: StudioScene, poses: Poses, bodies: Drawn): void {
  const joints = scene.joints.filter(({ enabled }) => enabled !== false)
  const all = bodies.flatMap(({ outlines }) => outlines)
  for (const one of all.filter(({ closed }) => closed)) drawOutline(sheet, one)
  for (const one of all.filter(({ closed }) => !closed)) drawOutline(sheet, one)
  for (const force of scene.forces) drawForce(sheet, force, poses)
  const hasShape = (body: number) => bodies.some((one) => one.body === body && one.outlines.length > 0)
  for (const joint of joints) if (joint.type === 'translational') drawSlide(sheet, joint, poses, hasShape)
  for (const { end1, end2, type } of joints) {
    if (type !== 'revolute') continue
    const at = pointOn(poses, end1.body, end1.position)
    if (end1.body < 0 || end2.body < 0) drawFoot(sheet, at)
  }
  for (const { body, pins, outlines } of bodies)
    if (body >= 0) dimensionBody(sheet, outlines, pins)
    else if (pins.length <= MOST_FEET) dimensionBody(sheet, [], pins)
  for (const { end1, type } of joints)
    if (type === 'revolute') sheet.circle(sheet.place(pointOn(poses, end1.body, end1.position)), PIN, 'pin')
}
