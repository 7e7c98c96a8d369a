// A figure on a canvas: uPlot has the axes, the curves are drawn here, because each has its own x.
import uPlot from 'uplot'
import type { Curve, Figure } from './figure'
import { titled } from './figure'
import { colourOf, palette } from './colours'
import type { ThemeName } from '../../scene/theme'

const FONT = '12px system-ui, sans-serif'
const AXIS_WIDTH = 54
const NEAR = 6 // pixels

interface Look {
  ink: string
  grid: string
  mark: Record<'edit' | 'event' | 'error', string>
  now: string
  curves: string[]
}

const looks: Record<ThemeName, Look> = {
  light: {
    ink: '#566376',
    grid: '#e6ebf2',
    mark: { edit: '#1f5fae', event: '#d9690b', error: '#b3202f' },
    now: '#18212e',
    curves: palette.light,
  },
  dark: {
    ink: '#9eabbd',
    grid: '#28323f',
    mark: { edit: '#74b2ff', event: '#ffa057', error: '#ff8590' },
    now: '#e7edf5',
    curves: palette.dark,
  },
}

export class Chart {
  private plot?: uPlot
  private shape = ''
  private figure?: Figure
  private now = NaN

  constructor(private readonly holder: HTMLElement) {}

  get field(): HTMLElement | undefined {
    return this.plot?.over
  }

  /** Draws; now: time that is marked, or NaN. */
  show(figure: Figure, theme: ThemeName, now: number): void {
    const { clientWidth: width, clientHeight: height } = this.holder
    if (width < 40 || height < 40) return
    const shape = [theme, titled(figure.x), ...figure.y.map((axis) => axis.unit)].join('|')
    this.figure = figure
    this.now = now
    if (shape !== this.shape) this.build(figure, theme, width, height)
    this.shape = shape
    const plot = this.plot!
    if (plot.width !== width || plot.height !== height) plot.setSize({ width, height })
    plot.batch(() => {
      plot.setScale('x', { min: figure.x.min, max: figure.x.max })
      for (const { unit, min, max } of figure.y) plot.setScale(`y ${unit}`, { min, max })
    })
    plot.redraw(false, false)
  }

  dispose(): void {
    this.plot?.destroy()
  }

  /** Value of x at a place on the field, and what happened near there. */
  at(clientX: number): { x: number; happened?: string } {
    const { left } = this.plot!.over.getBoundingClientRect()
    const place = clientX - left
    const near = this.figure!.marks.filter(({ time }) => Math.abs(this.plot!.valToPos(time, 'x') - place) < NEAR)
    return { x: this.plot!.posToVal(place, 'x'), happened: near.at(-1)?.text }
  }

  private build(figure: Figure, theme: ThemeName, width: number, height: number): void {
    const look = looks[theme]
    const line = { stroke: look.ink, font: FONT, labelFont: FONT, labelSize: 15, labelGap: 0, ticks: { show: false } }
    const axes = figure.y.map((axis, k) => ({
      ...line,
      scale: `y ${axis.unit}`,
      side: (k === 0 ? 3 : 1) as uPlot.Axis.Side,
      size: AXIS_WIDTH,
      label: titled(axis),
      grid: { show: k === 0, stroke: look.grid, width: 1 },
    }))
    const scales = Object.fromEntries(figure.y.map(({ unit }) => [`y ${unit}`, { auto: false }]))
    this.plot?.destroy()
    this.plot = new uPlot(
      {
        width,
        height,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, auto: false }, ...scales },
        axes: [{ ...line, label: titled(figure.x), size: 22, gap: 2, grid: { stroke: look.grid, width: 1 } }, ...axes],
        series: [
          {},
          ...figure.y.map(({ unit }) => ({ scale: `y ${unit}`, paths: () => null, points: { show: false } })),
        ],
        hooks: { draw: [(plot) => this.draw(plot, look)] },
      },
      [[0, 1], ...figure.y.map(() => [0, 1])] as uPlot.AlignedData,
      this.holder,
    )
  }

  private draw(plot: uPlot, look: Look): void {
    const { ctx, bbox } = plot
    const { figure } = this
    if (!figure) return
    ctx.save()
    ctx.beginPath()
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
    ctx.clip()
    for (const { time, kind } of figure.marks) upright(plot, time, look.mark[kind], [3, 3])
    for (const curve of figure.curves) drawCurve(plot, curve, colourOf(curve, look.curves))
    if (Number.isFinite(this.now)) upright(plot, this.now, look.now, [])
    if (figure.kind === 'against') for (const curve of figure.curves) drawEnd(plot, curve, look)
    ctx.restore()
  }
}

function upright({ ctx, bbox, valToPos }: uPlot, x: number, colour: string, dash: number[]): void {
  const at = Math.round(valToPos(x, 'x', true))
  ctx.strokeStyle = colour
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash(dash.map((d) => d * devicePixelRatio))
  ctx.beginPath()
  ctx.moveTo(at, bbox.top)
  ctx.lineTo(at, bbox.top + bbox.height)
  ctx.stroke()
  ctx.setLineDash([])
}

function drawCurve(plot: uPlot, { points: { x, y }, unit, dots }: Curve, colour: string): void {
  const { ctx } = plot
  const scale = `y ${unit}`
  ctx.strokeStyle = colour
  ctx.lineWidth = 1.6 * devicePixelRatio
  ctx.lineJoin = 'round'
  ctx.beginPath()
  let down = false
  for (let k = 0; k < x.length; k++) {
    const known = Number.isFinite(x[k]) && Number.isFinite(y[k])
    if (known && down) ctx.lineTo(plot.valToPos(x[k], 'x', true), plot.valToPos(y[k], scale, true))
    else if (known) ctx.moveTo(plot.valToPos(x[k], 'x', true), plot.valToPos(y[k], scale, true))
    down = known
  }
  ctx.stroke()
  if (dots) for (let k = 0; k < x.length; k++) drawDot(plot, x[k], y[k], scale, colour)
}

/** Where a curve that is no function of x has come to. */
function drawEnd(plot: uPlot, { points: { x, y }, unit, colour }: Curve, look: Look): void {
  if (colour < 0 || x.length === 0) return
  drawDot(plot, x[x.length - 1], y[y.length - 1], `y ${unit}`, look.curves[colour % look.curves.length])
}

function drawDot({ ctx, valToPos }: uPlot, x: number, y: number, scale: string, colour: string): void {
  ctx.fillStyle = colour
  ctx.beginPath()
  ctx.arc(valToPos(x, 'x', true), valToPos(y, scale, true), 4 * devicePixelRatio, 0, 2 * Math.PI)
  ctx.fill()
}
