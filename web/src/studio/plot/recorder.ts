// The values of plotted channels as frames bring them. Where a run goes on from a past instant, what came after that
// instant stays as an old run.
import type { Frame } from '../frame'
import { Table } from './table'

const OLD_RUNS = 4

export class Recorder {
  now = new Table()
  old: Table[] = []
  /** counts changes */
  changes = 0
  private revision = 0
  channels: string[] = []

  setChannels(names: string[]): void {
    this.channels = names
    this.now.setColumns(names)
    for (const run of this.old) run.setColumns(names)
    this.changes++
  }

  clear(): void {
    this.now = new Table()
    this.now.setColumns(this.channels)
    this.old = []
    this.changes++
  }

  record(frame: Frame, value: (name: string) => number | undefined): void {
    const edited = frame.revision !== this.revision
    this.revision = frame.revision
    this.changes++
    if (frame.time < this.now.last && (frame.running || edited)) this.fork(frame.time)
    if (frame.time <= this.now.last || this.channels.every((name) => value(name) === undefined)) return
    this.now.append(frame.time, value)
  }

  /** Values of the past that were told late. */
  weave(names: string[], rows: number[][]): void {
    this.now.weave(names, rows)
    this.changes++
  }

  /** From a time on there is another future. */
  fork(time: number): void {
    if (this.now.count === 0 || time >= this.now.last) return
    const tail = this.now.cut(time)
    if (tail.count > 1) this.old = [...this.old.slice(1 - OLD_RUNS), tail]
    this.changes++
  }
}
