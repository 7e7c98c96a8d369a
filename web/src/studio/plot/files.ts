// Plots as files: SVG, PNG and CSV.
import type { Axis, Figure } from './figure'
import { unitText } from '../units'
import { ticks, titled } from './figure'
import { colourOf, palette } from './colours'
import type { Table } from './table'

const WIDTH = 900
const HEIGHT = 480
const ROOM = { left: 70, right: 20, top: 24, bottom: 56 }
const AXIS_ROOM = 68 // for each further axis
const PNG_SCALE = 2
const MOST_NAMED = 4 // curves; of more, the first and the last have their names

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)
const short = (value: number) => String(Number(value.toPrecision(6)))

interface Field {
  left: number
  right: number
  top: number
  bottom: number
}

function scale(axis: Axis, from: number, to: number): (value: number) => number {
  return (value) => from + ((value - axis.min) / (axis.max - axis.min)) * (to - from)
}

/** One axis on the left, further ones on the right. */
function fieldOf(figure: Figure): Field {
  const right = WIDTH - ROOM.right - AXIS_ROOM * Math.max(figure.y.length - 1, 0)
  return { left: ROOM.left, right, top: ROOM.top, bottom: HEIGHT - ROOM.bottom }
}

function text(x: number, y: number, words: string, more = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escaped(words)}</text>`
}

function axisOfX(axis: Axis, f: Field): string[] {
  const at = scale(axis, f.left, f.right)
  const grid = ticks(axis.min, axis.max, 8).flatMap((value) => [
    `<path class="grid" d="M${at(value).toFixed(1)} ${f.top}V${f.bottom}"/>`,
    text(at(value), f.bottom + 18, short(value), 'text-anchor="middle"'),
  ])
  return [...grid, text((f.left + f.right) / 2, f.bottom + 38, titled(axis), 'text-anchor="middle"')]
}

function axisOfY(axis: Axis, index: number, f: Field): string[] {
  const at = scale(axis, f.bottom, f.top)
  const x = index === 0 ? f.left : f.right + AXIS_ROOM * (index - 1)
  const out = index === 0 ? -8 : 8
  const anchor = `text-anchor="${index === 0 ? 'end' : 'start'}"`
  const marks = ticks(axis.min, axis.max, 6).flatMap((value) => [
    index === 0 ? `<path class="grid" d="M${f.left} ${at(value).toFixed(1)}H${f.right}"/>` : '',
    text(x + out, at(value) + 4, short(value), anchor),
  ])
  return [
    ...marks,
    `<path class="axis" d="M${x} ${f.top}V${f.bottom}"/>`,
    text(x + out, f.top - 9, titled(axis), anchor),
  ]
}

function polyline(x: Float64Array, y: Float64Array, atX: (v: number) => number, atY: (v: number) => number): string {
  let path = ''
  let pen = 'M'
  for (let k = 0; k < x.length; k++) {
    const known = Number.isFinite(x[k]) && Number.isFinite(y[k])
    if (known) path += `${pen}${atX(x[k]).toFixed(2)} ${atY(y[k]).toFixed(2)}`
    pen = known ? 'L' : 'M'
  }
  return path
}

function curvesOf(figure: Figure, f: Field): string[] {
  const atX = scale(figure.x, f.left, f.right)
  return figure.curves.map((curve) => {
    const { points, unit } = curve
    const atY = scale(figure.y.find((axis) => axis.unit === unit)!, f.bottom, f.top)
    return `<path class="curve" stroke="${colourOf(curve, palette.light)}" d="${polyline(points.x, points.y, atX, atY)}"/>`
  })
}

function legendOf(figure: Figure, f: Field): string[] {
  let x = f.left
  const own = figure.curves.filter((curve) => curve.colour >= 0)
  return own
    .filter((_, k) => own.length <= MOST_NAMED || k === 0 || k === own.length - 1)
    .flatMap((curve) => {
      const words = `${curve.channel} [${unitText(curve.unit)}]`
      const here = x
      x += 34 + 7 * words.length
      return [
        `<path class="curve" stroke="${colourOf(curve, palette.light)}" d="M${here} ${HEIGHT - 10}h18"/>`,
        text(here + 24, HEIGHT - 6, words),
      ]
    })
}

const STYLE =
  'text{font:12px sans-serif;fill:#18212e}.grid{stroke:#e2e7ef}.axis,.frame{stroke:#566376}' +
  '.curve{stroke-width:1.6}path{fill:none}.mark{stroke:#d9690b;stroke-dasharray:3 3}'

export function svgOf(figure: Figure): string {
  const f = fieldOf(figure)
  const atX = scale(figure.x, f.left, f.right)
  const marks = figure.marks.map(
    ({ time, text: words }) =>
      `<path class="mark" d="M${atX(time).toFixed(1)} ${f.top}V${f.bottom}"><title>${escaped(words)}</title></path>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">`,
    `<style>${STYLE}</style><rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    `<clipPath id="field"><path d="M${f.left} ${f.top}H${f.right}V${f.bottom}H${f.left}Z"/></clipPath>`,
    ...axisOfX(figure.x, f),
    ...figure.y.flatMap((axis, k) => axisOfY(axis, k, f)),
    `<g clip-path="url(#field)">`,
    ...marks,
    ...curvesOf(figure, f),
    `</g><path class="frame" d="M${f.left} ${f.top}V${f.bottom}H${f.right}"/>`,
    ...legendOf(figure, f),
    '</svg>\n',
  ].join('\n')
}

export async function pngOf(figure: Figure): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svgOf(figure)], { type: 'image/svg+xml' }))
  const image = new Image()
  image.src = url
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = PNG_SCALE * WIDTH
  canvas.height = PNG_SCALE * HEIGHT
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
  URL.revokeObjectURL(url)
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/png'),
  )
}

const quoted = (words: string) => (/[",\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words)
const number = (value: number) => (Number.isFinite(value) ? String(value) : '')

/** A column of a table: as many numbers as the others. */
export interface Column {
  name: string
  unit: string
  values: Float64Array
}

/** All samples of these channels. */
export function columnsOf(table: Table, channels: string[], unitOf: (channel: string) => string): Column[] {
  const time = { name: 't', unit: 's', values: table.times() }
  return [time, ...channels.map((name) => ({ name, unit: unitOf(name), values: table.column(name) }))]
}

/** Amplitudes by frequency; curves of a figure may differ in length. */
export function columnsOfSpectrum(figure: Figure): Column[] {
  const own = figure.curves.filter((curve) => curve.colour >= 0)
  const f = own[0]?.points.x ?? new Float64Array()
  const padded = (y: Float64Array) => Float64Array.from(f, (_, k) => y[k] ?? NaN)
  return [
    { name: 'f', unit: 'Hz', values: f },
    ...own.map(({ channel, unit, points }) => ({ name: channel, unit, values: padded(points.y) })),
  ]
}

/** To the last digit. */
export function csvOf(columns: Column[]): string {
  const head = columns.map(({ name, unit }) => quoted(`${name} [${unit}]`)).join(',')
  const rows = Array.from(columns[0].values, (_, k) => columns.map(({ values }) => number(values[k])).join(','))
  return [head, ...rows, ''].join('\n')
}
