// The plots of the page: which channels each shows, and the values that they share.
import { coordinatesOf } from '../edits'
import { notices } from '../notices.svelte'
import { session } from '../session.svelte'
import { ui } from '../ui.svelte'
import type { Figure, Plot } from './figure'
import { figureOf } from './figure'
import { Recorder } from './recorder'

export const DROPPED = 'text/tenon-channel'
const ENERGY = ['energy.kinetic', 'energy.potential', 'energy.total']

class Plots {
  list = $state.raw<Plot[]>([])
  readonly recorder = new Recorder()
  private nextId = 1

  constructor() {
    session.onFrame((frame) => {
      if (this.list.length > 0) this.recorder.record(frame, (name) => session.value(name, frame))
    })
  }

  unitOf = (channel: string): string => session.channels.find(({ name }) => name === channel)?.unit ?? ''

  /** A new plot, or curves for one there is. */
  add(channels: string[], more: Partial<Plot> = {}): void {
    if (channels.length === 0) return
    this.list = [...this.list, { id: this.nextId++, kind: 'time', curves: channels, ...more }]
    this.listen()
    ui.dock = 'plots'
  }

  /** To the plot with this number; without one, to the last that has the same unit, or to a new one. */
  addCurve(channel: string, id?: number): void {
    const unit = this.unitOf(channel)
    const fits = (plot: Plot) =>
      id === undefined ? plot.kind === 'time' && this.unitOf(plot.curves[0]) === unit : plot.id === id
    const plot = this.list.filter(fits).at(-1)
    ui.dock = 'plots'
    if (!plot) this.add([channel])
    else if (!plot.curves.includes(channel)) this.change(plot.id, { curves: [...plot.curves, channel] })
  }

  change(id: number, change: Partial<Plot>): void {
    this.list = this.list
      .map((plot) => (plot.id === id ? { ...plot, ...change } : plot))
      .filter((plot) => plot.curves.length > 0)
    this.listen()
  }

  remove(id: number): void {
    this.list = this.list.filter((plot) => plot.id !== id)
    this.listen()
  }

  /** Those of a document, in place of all there are. */
  restore(list: Plot[]): void {
    this.recorder.clear()
    this.list = list
    this.nextId = 1 + Math.max(0, ...list.map(({ id }) => id))
    this.recorder.channels = []
    this.listen()
  }

  /** The coordinates of selected joints, the positions of bodies, else the first channel. */
  addSelection(): void {
    const channels = session.selected.flatMap((item) => this.mainChannels(item.name))
    if (channels.length === 0) notices.show('info', 'Select something that has values first')
    for (const channel of channels) this.addCurve(channel)
  }

  addEnergy(): void {
    this.add(ENERGY.filter((name) => this.known(name)))
  }

  /** Rates of the coordinates of the selected joint, or of the first that has one, against the coordinates. */
  addPhase(): void {
    const joints = [...session.selected, ...session.items].filter((item) => item.kind === 'joint')
    for (const { name } of joints) {
      const coordinate = coordinatesOf(name)
        .map((c) => `${name}.${c}`)
        .find((c) => this.known(`${c}.rate`))
      if (coordinate) return this.add([`${coordinate}.rate`], { kind: 'against', x: coordinate })
    }
    notices.show('info', 'No joint here has a coordinate')
  }

  figure(plot: Plot, pixels: number): Figure {
    return figureOf(plot, this.recorder, this.unitOf, session.happenings, pixels)
  }

  private known(channel: string): boolean {
    return session.channelNames.has(channel)
  }

  private mainChannels(name: string): string[] {
    const own = session.channels.filter((channel) => channel.name.startsWith(`${name}.`)).map((channel) => channel.name)
    const coordinates = session.item(name)?.kind === 'joint' ? coordinatesOf(name).map((c) => `${name}.${c}`) : []
    const places = ['x', 'y', 'z'].map((axis) => `${name}.position.${axis}`)
    const main = own.filter((channel) => coordinates.includes(channel) || places.includes(channel))
    return main.length > 0 ? main : own.slice(0, 1)
  }

  private listen(): void {
    const channels = [
      ...new Set(
        this.list.flatMap((plot) => (plot.kind === 'against' && plot.x ? [plot.x, ...plot.curves] : plot.curves)),
      ),
    ]
    const fresh = channels.filter((name) => !this.recorder.channels.includes(name))
    this.recorder.setChannels(channels)
    session.want('plots', channels)
    if (fresh.length > 0) void this.recall(channels)
  }

  /** What channels were before they were plotted, as far back as the session knows. */
  private async recall(channels: string[]): Promise<void> {
    const { now } = this.recorder
    const rows: number[][] = []
    for (let more = true; more; ) {
      const after = rows.at(-1)?.[0]
      const answer = await session.ask('history', { channels, ...(after === undefined ? {} : { after }) })
      if (!answer.ok) return
      rows.push(...answer.rows.map((row) => row.map((value) => value ?? NaN)))
      more = answer.more
    }
    if (this.recorder.now === now && rows.length > 0) this.recorder.weave(channels, rows)
  }
}

export const plots = new Plots()
