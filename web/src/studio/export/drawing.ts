// A planar mechanism as a line drawing (SVG) with the lengths of its links, as textbooks show it.
import { Vector3 } from 'three'
import type { ConnectionData, Poses, ShapeData } from '../../scene/data'
import { bodyMatrix, endMatrix, matrixOf, pointOn } from '../../scene/space'
import type { StudioScene } from '../protocol'
import { quantity } from '../units'

const WIDTH = 900 // of the drawing; lengths below are in its units, too
const HEIGHT = 600
const MARGIN = 70
const PIN = 5
const FOOT = 20
const FULL = 48 // corners of a circle's outline, to find how far it reaches

type Point = [number, number]

/** Outline of a shape in the plane, closed; a rod is its axis. */
function outline(shape: ShapeData): { points: Vector3[]; closed: boolean; radius?: number } {
  const at = (x: number, y: number, z = 0) => new Vector3(x, y, z)
  const [a, b] = shape.size
  switch (shape.kind) {
    case 'rod':
    case 'capsule':
      return { points: [at(0, 0, -b / 2), at(0, 0, b / 2)], closed: false }
    case 'box':
      return { points: [at(-a / 2, -b / 2), at(a / 2, -b / 2), at(a / 2, b / 2), at(-a / 2, b / 2)], closed: true }
    case 'polygon':
      return { points: (shape.corners ?? []).map(([x, y]) => at(x, y)), closed: true }
    case 'sphere':
    case 'cylinder':
      return { points: [at(0, 0)], closed: true, radius: a }
    default:
      return { points: [], closed: false }
  }
}

class Drawing {
  private readonly lines: string[] = []
  private low: Point = [Infinity, Infinity]
  private high: Point = [-Infinity, -Infinity]
  private scale = 1

  reach(points: Vector3[]): void {
    for (const { x, y } of points) {
      this.low = [Math.min(this.low[0], x), Math.min(this.low[1], y)]
      this.high = [Math.max(this.high[0], x), Math.max(this.high[1], y)]
    }
  }

  /** All that was reached fits into the sheet. */
  settle(): void {
    const wide = Math.max(this.high[0] - this.low[0], 1e-9)
    const high = Math.max(this.high[1] - this.low[1], 1e-9)
    this.scale = Math.min((WIDTH - 2 * MARGIN) / wide, (HEIGHT - 2 * MARGIN) / high)
  }

  place({ x, y }: Vector3): Point {
    const middle = [0, 1].map((k) => (this.low[k] + this.high[k]) / 2)
    return [WIDTH / 2 + this.scale * (x - middle[0]), HEIGHT / 2 - this.scale * (y - middle[1])]
  }

  length(metres: number): number {
    return this.scale * metres
  }

  add(line: string): void {
    this.lines.push(line)
  }

  path(points: Vector3[], closed: boolean, style: string): void {
    if (points.length < 2) return
    const steps = points.map((p, k) => `${k === 0 ? 'M' : 'L'}${this.place(p).map(tidy).join(' ')}`)
    this.add(`<path d="${steps.join('')}${closed ? 'Z' : ''}" class="${style}"/>`)
  }

  circle(at: Vector3, radius: number, style: string): void {
    const [x, y] = this.place(at)
    this.add(`<circle cx="${tidy(x)}" cy="${tidy(y)}" r="${tidy(radius)}" class="${style}"/>`)
  }

  text(at: Point, words: string, angle = 0): void {
    const [x, y] = at.map(tidy)
    const turned = angle === 0 ? '' : ` transform="rotate(${tidy(angle)} ${x} ${y})"`
    this.add(`<text x="${x}" y="${y}"${turned}>${escaped(words)}</text>`)
  }

  toString(title: string): string {
    const style =
      'path,circle{fill:none;stroke:#16202c;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}' +
      '.link{stroke-width:4}.face{fill:#eef2f7}.pin{fill:#fff}.thin{stroke-width:1}.guide{stroke-dasharray:6 5;stroke-width:1.2}' +
      'text{font:14px sans-serif;text-anchor:middle;fill:#16202c;paint-order:stroke;stroke:#fff;stroke-width:4px}'
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"><title>${escaped(title)}</title>` +
      `<style>${style}</style>\n${this.lines.join('\n')}\n</svg>\n`
    )
  }
}

const tidy = (x: number) => Number(x.toFixed(2))
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Outlines of a body's shapes in the world, or lines between the places where it is joined. */
function bodyLines(scene: StudioScene, poses: Poses, body: number): ReturnType<typeof outline>[] {
  const shapes = body < 0 ? scene.ground.shapes : scene.bodies[body].shapes
  const world = body < 0 ? undefined : bodyMatrix(poses, body)
  const drawn = shapes.map((shape) => {
    const local = matrixOf(shape)
    const { points, ...rest } = outline(shape)
    const moved = points.map((p) => p.applyMatrix4(local))
    return { ...rest, points: world ? moved.map((p) => p.applyMatrix4(world)) : moved }
  })
  if (body < 0 || drawn.some(({ points }) => points.length > 0)) return drawn
  const ends = [...scene.joints, ...scene.forces].flatMap((c) => [c.end1, c.end2]).filter((end) => end.body === body)
  const points = ends.map((end) => pointOn(poses, body, end.position))
  return [{ points: points.length > 1 ? points : [], closed: points.length > 2 }]
}

/** A triangle with hatching under a pin. */
function drawFoot(drawing: Drawing, at: Vector3): void {
  const [x, y] = drawing.place(at)
  const low = y + FOOT
  drawing.add(
    `<path d="M${tidy(x)} ${tidy(y)}L${tidy(x - 12)} ${tidy(low)}L${tidy(x + 12)} ${tidy(low)}Z" class="pin"/>`,
  )
  const hatch = [-15, -9, -3, 3, 9, 15].map((dx) => `M${tidy(x + dx)} ${tidy(low)}l-5 7`)
  drawing.add(`<path d="M${tidy(x - 18)} ${tidy(low)}h36${hatch.join('')}" class="thin"/>`)
}

/** A zigzag between the ends of a spring. */
function drawSpring(drawing: Drawing, from: Vector3, to: Vector3): void {
  const [a, b] = [drawing.place(from), drawing.place(to)]
  const way = [b[0] - a[0], b[1] - a[1]]
  const size = Math.hypot(...way) || 1
  const side = [(-8 * way[1]) / size, (8 * way[0]) / size]
  const at = (part: number, sign: number) => [0, 1].map((k) => tidy(a[k] + part * way[k] + sign * side[k])).join(' ')
  const teeth = Array.from({ length: 10 }, (_, k) => `L${at(0.15 + 0.07 * (k + 0.5), k % 2 === 0 ? 1 : -1)}`)
  drawing.add(`<path d="M${at(0, 0)}L${at(0.15, 0)}${teeth.join('')}L${at(0.85, 0)}L${at(1, 0)}" class="thin"/>`)
}

function drawJoint(drawing: Drawing, joint: ConnectionData, poses: Poses): void {
  const at = pointOn(poses, joint.end1.body, joint.end1.position)
  if (joint.type === 'translational') {
    const along = new Vector3().setFromMatrixColumn(endMatrix(poses, joint.end1), 0)
    const half = along.multiplyScalar(90 / drawing.length(1))
    const there = pointOn(poses, joint.end2.body, joint.end2.position)
    drawing.path([there.clone().sub(half), there.clone().add(half)], false, 'guide')
    return
  }
  if (joint.type !== 'revolute') return
  if (joint.end1.body < 0 || joint.end2.body < 0) drawFoot(drawing, at)
  drawing.circle(at, PIN, 'pin')
}

/** The length of a bar, beside it. */
function drawLength(drawing: Drawing, [from, to]: Vector3[]): void {
  const [a, b] = [drawing.place(from), drawing.place(to)]
  if (Math.hypot(b[0] - a[0], b[1] - a[1]) < 40) return
  let angle = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI
  if (angle > 90 || angle <= -90) angle += 180
  const up = (angle * Math.PI) / 180
  const middle: Point = [(a[0] + b[0]) / 2 + 12 * Math.sin(up), (a[1] + b[1]) / 2 - 12 * Math.cos(up)]
  drawing.text(middle, quantity(from.distanceTo(to), 'm', 4), angle)
}

/** The mechanism as it stands. */
export function lineDrawing(scene: StudioScene, poses: Poses): string {
  const drawing = new Drawing()
  const parts = [-1, ...scene.bodies.keys()].flatMap((body) => bodyLines(scene, poses, body))
  const turn = (r: number) =>
    Array.from({ length: FULL }, (_, k) => new Vector3(r, 0).applyAxisAngle(Z, (2 * Math.PI * k) / FULL))
  for (const { points, radius } of parts)
    drawing.reach(radius === undefined ? points : turn(radius).map((p) => p.add(points[0])))
  for (const { end1 } of scene.joints) drawing.reach([pointOn(poses, end1.body, end1.position)])
  drawing.settle()
  for (const { points, closed, radius } of parts)
    if (radius !== undefined) drawing.circle(points[0], drawing.length(radius), 'face')
    else drawing.path(points, closed, closed ? 'face' : 'link')
  for (const force of scene.forces.filter(({ type }) => type.includes('spring')))
    drawSpring(
      drawing,
      pointOn(poses, force.end1.body, force.end1.position),
      pointOn(poses, force.end2.body, force.end2.position),
    )
  for (const joint of scene.joints) drawJoint(drawing, joint, poses)
  for (const { points, closed } of parts) if (!closed && points.length === 2) drawLength(drawing, points)
  return drawing.toString(scene.name)
}

const Z = new Vector3(0, 0, 1)
