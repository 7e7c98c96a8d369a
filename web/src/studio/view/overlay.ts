// What is drawn over the picture in pixels: arrows with values, the tether of a pull, paths, marks of tools.
import { Vector2 } from 'three'
import type { ArrowLayer } from './arrows'

export interface Ink extends Record<ArrowLayer, string> {
  halo: string
  accent: string
  pull: string
}

const STRIP = 58 // pixels that buttons take at the right
const LEGEND_ROW = 22 // pixels
const FONT = 0.88 // of the size of text on the page
const HEAD = 9 // length of an arrow's head, pixels
const TURN = 17 // radius of the arc of a torque
const TURN_SWEEP = 1.5 * Math.PI

export class Overlay {
  private readonly pen: CanvasRenderingContext2D
  private ratio = 1
  private font = ''

  constructor(
    private readonly canvas: HTMLCanvasElement,
    public ink: Ink,
  ) {
    this.pen = canvas.getContext('2d')!
  }

  resize(width: number, height: number): void {
    this.ratio = Math.min(devicePixelRatio, 2)
    this.canvas.width = Math.round(width * this.ratio)
    this.canvas.height = Math.round(height * this.ratio)
    const { fontSize, fontFamily } = getComputedStyle(document.body)
    this.font = `${FONT * parseFloat(fontSize)}px ${fontFamily}`
  }

  clear(): void {
    this.pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0)
    this.pen.clearRect(0, 0, this.canvas.width / this.ratio, this.canvas.height / this.ratio)
    this.pen.lineCap = 'round'
    this.pen.lineJoin = 'round'
    this.pen.font = this.font
  }

  line(from: Vector2, to: Vector2, colour: string, width = 2, dash: number[] = []): void {
    const { pen } = this
    pen.strokeStyle = colour
    pen.lineWidth = width
    pen.setLineDash(dash)
    pen.beginPath()
    pen.moveTo(from.x, from.y)
    pen.lineTo(to.x, to.y)
    pen.stroke()
    pen.setLineDash([])
  }

  arrow(from: Vector2, to: Vector2, colour: string, label?: string): void {
    const length = from.distanceTo(to)
    if (length < 1) return
    const along = to.clone().sub(from).divideScalar(length)
    const head = Math.min(HEAD, length)
    const neck = to.clone().addScaledVector(along, -head)
    this.line(from, neck, this.ink.halo, 5)
    this.line(from, neck, colour, 2.4)
    const { pen } = this
    pen.fillStyle = colour
    pen.beginPath()
    pen.moveTo(to.x, to.y)
    pen.lineTo(neck.x - along.y * head * 0.45, neck.y + along.x * head * 0.45)
    pen.lineTo(neck.x + along.y * head * 0.45, neck.y - along.x * head * 0.45)
    pen.fill()
    if (label) this.label(to.clone().addScaledVector(along, 12), label, colour, along.x < -0.3 ? 'right' : 'left')
  }

  /** An arc with a head about a place, around so many others: a torque; anticlockwise or not. */
  turn(at: Vector2, others: number, anticlockwise: boolean, colour: string, label?: string): void {
    const { pen } = this
    const radius = TURN + 8 * others
    const sense = anticlockwise ? -1 : 1
    const end = sense * TURN_SWEEP
    for (const [ink, width] of [
      [this.ink.halo, 5],
      [colour, 2.4],
    ] as const) {
      pen.strokeStyle = ink
      pen.lineWidth = width
      pen.beginPath()
      pen.arc(at.x, at.y, radius, 0, end, anticlockwise)
      pen.stroke()
    }
    const tip = at.clone().add(new Vector2(radius * Math.cos(end), radius * Math.sin(end)))
    const along = new Vector2(-sense * Math.sin(end), sense * Math.cos(end))
    this.arrow(tip, tip.clone().addScaledVector(along, HEAD), colour)
    if (label) this.label(at.clone().add(new Vector2(radius + 8, TURN + LEGEND_ROW * others)), label, colour)
  }

  /** A line of the legend, counted from the bottom. */
  legend(row: number, words: string, colour: string): void {
    const y = this.canvas.height / this.ratio - LEGEND_ROW * (row + 1)
    this.arrow(new Vector2(16, y), new Vector2(44, y), colour)
    this.label(new Vector2(52, y), words, colour)
  }

  dot(at: Vector2, radius: number, colour: string, filled = true): void {
    const { pen } = this
    pen.beginPath()
    pen.arc(at.x, at.y, radius, 0, 2 * Math.PI)
    pen.lineWidth = 2
    pen.strokeStyle = filled ? this.ink.halo : colour
    pen.fillStyle = colour
    if (filled) pen.fill()
    pen.stroke()
  }

  cross(at: Vector2, arm: number, colour: string): void {
    const ends = (side: number): [Vector2, Vector2] => [
      at.clone().add(new Vector2(-arm, -side * arm)),
      at.clone().add(new Vector2(arm, side * arm)),
    ]
    for (const side of [1, -1]) this.line(...ends(side), this.ink.halo, 5)
    for (const side of [1, -1]) this.line(...ends(side), colour, 2)
  }

  label(at: Vector2, text: string, colour: string, align: CanvasTextAlign = 'left'): void {
    const { pen } = this
    const wide = this.canvas.width / this.ratio
    const most = wide - STRIP - pen.measureText(text).width // it ends where buttons begin
    const x = align === 'left' && at.x < wide ? Math.max(Math.min(at.x, most), Math.min(at.x, 4)) : at.x
    pen.textAlign = align
    pen.textBaseline = 'middle'
    pen.lineWidth = 4
    pen.strokeStyle = this.ink.halo
    pen.strokeText(text, x, at.y)
    pen.fillStyle = colour
    pen.fillText(text, x, at.y)
  }

  /** A field to draw on. */
  plate(at: Vector2, width: number, height: number): void {
    const { pen } = this
    pen.beginPath()
    pen.roundRect(at.x, at.y, width, height, 8)
    pen.globalAlpha = 0.88
    pen.fillStyle = this.ink.halo
    pen.fill()
    pen.globalAlpha = 0.35
    pen.strokeStyle = this.ink.accent
    pen.lineWidth = 1
    pen.stroke()
    pen.globalAlpha = 1
  }

  badgeSize(words: string): Vector2 {
    return new Vector2(this.pen.measureText(words).width + 14, LEGEND_ROW)
  }

  /** Words on a plate of their own. */
  badge(at: Vector2, words: string, chosen: boolean): void {
    const { pen } = this
    const { x: wide, y: high } = this.badgeSize(words)
    pen.beginPath()
    pen.roundRect(at.x - wide / 2, at.y - high / 2, wide, high, high / 2)
    pen.fillStyle = this.ink.halo
    pen.fill()
    pen.strokeStyle = this.ink.accent
    pen.lineWidth = chosen ? 2.4 : 1
    pen.stroke()
    pen.textAlign = 'center'
    pen.textBaseline = 'middle'
    pen.fillStyle = this.ink.accent
    pen.fillText(words, at.x, at.y)
  }

  path(points: Vector2[], colour: string, width = 2, alpha = 1): void {
    if (points.length < 2) return
    const { pen } = this
    pen.globalAlpha = alpha
    pen.strokeStyle = colour
    pen.lineWidth = width
    pen.beginPath()
    points.forEach((p, k) => (k === 0 ? pen.moveTo(p.x, p.y) : pen.lineTo(p.x, p.y)))
    pen.stroke()
    pen.globalAlpha = 1
  }

  box(from: Vector2, to: Vector2): void {
    const { pen } = this
    const corner = [Math.min(from.x, to.x), Math.min(from.y, to.y)] as const
    const size = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)] as const
    pen.globalAlpha = 0.12
    pen.fillStyle = this.ink.accent
    pen.fillRect(...corner, ...size)
    pen.globalAlpha = 1
    pen.strokeStyle = this.ink.accent
    pen.lineWidth = 1.5
    pen.strokeRect(...corner, ...size)
  }
}
