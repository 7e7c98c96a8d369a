// A sheet for line drawings (SVG): lines, arrows and labels. Labels are placed where they cover nothing.
import type { Vector3 } from 'three'

export const WIDTH = 900 // lengths of the sheet are in its own units
export const HEIGHT = 600
export const MARGIN = 70
const CLEAR = 15 // between words
const LETTER = 7.2 // width of one
const ARROW = 9

export type Point = [number, number]

export const tidy = (x: number): number => Number(x.toFixed(2))
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const across = ([x, y]: Point): Point => [-y, x]

/** From a to b, one long; zero where they are the same. */
export function directionOf(a: Point, b: Point): Point {
  const size = Math.hypot(b[0] - a[0], b[1] - a[1])
  return size > 0 ? [(b[0] - a[0]) / size, (b[1] - a[1]) / size] : [0, 0]
}

export const shifted = (at: Point, along: Point, by: number): Point => [at[0] + by * along[0], at[1] + by * along[1]]

const STYLE =
  'path,circle{fill:none;stroke:#16202c;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}' +
  '.link{stroke-width:4}.face{fill:#eef2f7}.pin{fill:#fff}.thin{stroke-width:1}.full{fill:#16202c;stroke-width:0.5}' +
  '.guide{stroke-dasharray:6 5;stroke-width:1.2}.axis{stroke-dasharray:12 3 2 3;stroke-width:1}' +
  '.edge{stroke-width:1.3}.measure{stroke:#1d5fb4;stroke-width:1.2}' +
  'text{font:14px sans-serif;text-anchor:middle;fill:#16202c;paint-order:stroke;stroke:#fff;stroke-width:4px}'

export class Sheet {
  private readonly lines: string[] = []
  private readonly words: string[] = []
  private readonly taken: Point[] = []
  private low: Point = [Infinity, Infinity]
  private high: Point = [-Infinity, -Infinity]
  private scale = 1

  /** These points of the plane (m) are to be on the sheet. */
  reach(points: Vector3[]): void {
    for (const { x, y } of points) {
      this.low = [Math.min(this.low[0], x), Math.min(this.low[1], y)]
      this.high = [Math.max(this.high[0], x), Math.max(this.high[1], y)]
    }
  }

  /** All that was reached fits into the sheet. */
  settle(): void {
    const [wide, high] = [0, 1].map((k) => Math.max(this.high[k] - this.low[k], 1e-9))
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

  path(points: Point[], closed: boolean, style: string): void {
    if (points.length < 2) return
    const steps = points.map((p, k) => `${k === 0 ? 'M' : 'L'}${p.map(tidy).join(' ')}`)
    this.add(`<path d="${steps.join('')}${closed ? 'Z' : ''}" class="${style}"/>`)
  }

  circle([x, y]: Point, radius: number, style: string): void {
    this.add(`<circle cx="${tidy(x)}" cy="${tidy(y)}" r="${tidy(radius)}" class="${style}"/>`)
  }

  arrowHead(at: Point, along: Point, style: string): void {
    const foot = shifted(at, along, -ARROW)
    const side = across(along)
    this.path([at, shifted(foot, side, ARROW / 3), shifted(foot, side, -ARROW / 3)], true, style)
  }

  /** Words along a direction, at the first of some places where they are clear of others. */
  text(places: Point[], words: string, along: Point = [1, 0]): void {
    const reading: Point =
      along[0] < -1e-9 || (Math.abs(along[0]) <= 1e-9 && along[1] > 0) ? [-along[0], -along[1]] : along
    const half = (LETTER * words.length) / 2
    const spots = (at: Point) => {
      const count = Math.max(2, Math.ceil((2 * half) / CLEAR))
      return Array.from({ length: count + 1 }, (_, k) => shifted(at, reading, -half + (2 * half * k) / count))
    }
    const isClear = (at: Point) =>
      spots(at).every(([x, y]) => this.taken.every(([a, b]) => Math.hypot(x - a, y - b) > CLEAR))
    const at = places.find(isClear) ?? places[0]
    this.taken.push(...spots(at))
    const [x, y] = at.map(tidy)
    const angle = tidy((Math.atan2(reading[1], reading[0]) * 180) / Math.PI)
    const turned = angle === 0 ? '' : ` transform="rotate(${angle} ${x} ${y})"`
    // the middle of the letters, not their foot, is at the place
    this.words.push(`<text x="${x}" y="${y}" dy="5"${turned}>${escaped(words)}</text>`)
  }

  /** Words beside a line, at its middle if they are clear of others there. */
  textAlong(a: Point, b: Point, words: string, aside = 12): void {
    const along = directionOf(a, b)
    const side = across(along)
    const at = (part: number, by: number) =>
      shifted([a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])], side, by)
    const up = side[1] <= 0 ? aside : -aside
    this.text(
      [0.5, 0.35, 0.65, 0.2, 0.8].flatMap((part) => [at(part, up), at(part, -up)]),
      words,
      along,
    )
  }

  toString(title: string): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"><title>${escaped(title)}</title>` +
      `<style>${STYLE}</style>\n${[...this.lines, ...this.words].join('\n')}\n</svg>\n`
    )
  }
}
