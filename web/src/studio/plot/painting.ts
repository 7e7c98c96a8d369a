// A plot painted onto a canvas, small enough to stand over a film: frame, a few numbers, curves, names.
import { unitText } from '../units'
import { colourOf, palette } from './colours'
import type { Axis, Figure } from './figure'
import { ticks, titled } from './figure'

export interface Room {
  x: number
  y: number
  width: number
  height: number
}

/** Colours of a theme as the canvas needs them. */
export interface Inks {
  panel: string
  ink: string
  soft: string
  line: string
  dark: boolean
}

const short = (value: number) => String(Number(value.toPrecision(4)))
const scale = (axis: Axis, from: number, to: number) => (value: number) =>
  from + ((value - axis.min) / (axis.max - axis.min)) * (to - from)

function paintAxes(pen: CanvasRenderingContext2D, figure: Figure, field: Room, inks: Inks, font: number): void {
  const [bottom, right] = [field.y + field.height, field.x + field.width]
  const atX = scale(figure.x, field.x, right)
  pen.strokeStyle = inks.line
  pen.lineWidth = Math.max(1, font / 12)
  pen.fillStyle = inks.soft
  pen.beginPath()
  pen.textAlign = 'center'
  pen.textBaseline = 'top'
  for (const value of ticks(figure.x.min, figure.x.max, 4)) {
    pen.moveTo(atX(value), field.y)
    pen.lineTo(atX(value), bottom)
    pen.fillText(short(value), atX(value), bottom + 0.25 * font)
  }
  const [axis] = figure.y
  if (axis) {
    const atY = scale(axis, bottom, field.y)
    pen.textAlign = 'right'
    pen.textBaseline = 'middle'
    for (const value of ticks(axis.min, axis.max, 3)) {
      pen.moveTo(field.x, atY(value))
      pen.lineTo(right, atY(value))
      pen.fillText(short(value), field.x - 0.3 * font, atY(value))
    }
  }
  pen.stroke()
  pen.textAlign = 'right'
  pen.textBaseline = 'top'
  pen.fillText(titled(figure.x), right, bottom + 1.35 * font)
}

function paintCurves(pen: CanvasRenderingContext2D, figure: Figure, field: Room, inks: Inks, font: number): void {
  const atX = scale(figure.x, field.x, field.x + field.width)
  pen.save()
  pen.beginPath()
  pen.rect(field.x, field.y, field.width, field.height)
  pen.clip()
  pen.lineWidth = Math.max(1.5, font / 7)
  pen.lineJoin = 'round'
  for (const curve of figure.curves) {
    const axis = figure.y.find(({ unit }) => unit === curve.unit)!
    const atY = scale(axis, field.y + field.height, field.y)
    pen.strokeStyle = colourOf(curve, inks.dark ? palette.dark : palette.light)
    pen.beginPath()
    let down = false
    curve.points.x.forEach((x, k) => {
      const y = curve.points.y[k]
      const known = Number.isFinite(x) && Number.isFinite(y)
      if (known && down) pen.lineTo(atX(x), atY(y))
      else if (known) pen.moveTo(atX(x), atY(y))
      down = known
    })
    pen.stroke()
  }
  pen.restore()
}

function paintNames(pen: CanvasRenderingContext2D, figure: Figure, room: Room, inks: Inks, font: number): void {
  let x = room.x + 0.8 * font
  pen.textAlign = 'left'
  pen.textBaseline = 'top'
  for (const curve of figure.curves.filter(({ colour }) => colour >= 0)) {
    const words = `${curve.channel} [${unitText(curve.unit)}]`
    pen.fillStyle = colourOf(curve, inks.dark ? palette.dark : palette.light)
    pen.fillRect(x, room.y + 0.95 * font, font, 0.25 * font)
    pen.fillStyle = inks.ink
    pen.fillText(words, x + 1.3 * font, room.y + 0.55 * font)
    x += 1.3 * font + pen.measureText(words).width + font
  }
}

/** font: size of the letters, pixels. */
export function paintFigure(pen: CanvasRenderingContext2D, figure: Figure, room: Room, inks: Inks, font: number): void {
  pen.save()
  pen.globalAlpha = 0.9
  pen.fillStyle = inks.panel
  pen.beginPath()
  pen.roundRect(room.x, room.y, room.width, room.height, 0.6 * font)
  pen.fill()
  pen.globalAlpha = 1
  pen.font = `${font}px system-ui, sans-serif`
  const field = {
    x: room.x + 4.2 * font,
    y: room.y + 2.1 * font,
    width: room.width - 5.2 * font,
    height: room.height - 4.9 * font,
  }
  paintAxes(pen, figure, field, inks, font)
  paintCurves(pen, figure, field, inks, font)
  paintNames(pen, figure, room, inks, font)
  pen.restore()
}
