// Samples of channels over time. Bounded: when it is full, the older half is thinned to the least and the largest of
// neighbours, so that peaks stay.

export interface Points {
  x: Float64Array
  y: Float64Array
}

export const MOST_ROWS = 1 << 15
const FIRST_ROWS = 1 << 10

export class Table {
  count = 0
  private time = new Float64Array(FIRST_ROWS)
  private columns = new Map<string, Float64Array>()

  get first(): number {
    return this.count > 0 ? this.time[0] : Infinity
  }

  get last(): number {
    return this.count > 0 ? this.time[this.count - 1] : -Infinity
  }

  /** Time of the first row in which one of the columns is known. */
  knownFrom(names: string[]): number {
    const rows = names.map((name) => this.column(name).findIndex((value) => Number.isFinite(value)))
    return Math.min(Infinity, ...rows.filter((row) => row >= 0).map((row) => this.time[row]))
  }

  /** Keeps these columns only; new ones know nothing of the past. */
  setColumns(names: string[]): void {
    const kept = names.map((name) => [name, this.columns.get(name) ?? this.emptyColumn()] as const)
    this.columns = new Map(kept)
  }

  /** time is later than all before */
  append(time: number, value: (name: string) => number | undefined): void {
    if (this.count === this.time.length) this.makeRoom()
    this.time[this.count] = time
    for (const [name, column] of this.columns) column[this.count] = value(name) ?? NaN
    this.count++
  }

  /** Puts in rows that were told late, with what the columns were then. */
  weave(names: string[], rows: number[][]): void {
    const there = new Map(Array.from(this.times(), (time, k) => [time, k]))
    const late = new Map(rows.map(([time, ...values]) => [time, values]))
    const merged = new Table()
    merged.setColumns([...this.columns.keys()])
    const known = (name: string, time: number) => {
      const told = late.get(time)?.[names.indexOf(name)]
      const row = there.get(time)
      return told ?? (row === undefined ? undefined : this.columns.get(name)![row])
    }
    for (const time of [...new Set([...there.keys(), ...late.keys()])].sort((a, b) => a - b))
      merged.append(time, (name) => known(name, time))
    this.count = merged.count
    this.time = merged.time
    this.columns = merged.columns
  }

  /** Takes away what is later than a time; as a table of its own, that begins at that time. */
  cut(time: number): Table {
    const from = Math.max(this.indexAfter(time) - 1, 0)
    const rest = new Table()
    rest.count = this.count - from
    rest.time = this.time.slice(from, Math.max(this.count, from + 1))
    for (const [name, column] of this.columns)
      rest.columns.set(name, column.slice(from, Math.max(this.count, from + 1)))
    this.count = this.indexAfter(time)
    return rest
  }

  times(): Float64Array {
    return this.time.subarray(0, this.count)
  }

  column(name: string): Float64Array {
    return (this.columns.get(name) ?? new Float64Array()).subarray(0, this.count)
  }

  /** Between samples by a straight line; NaN where nothing is known. */
  at(name: string, time: number): number {
    const column = this.columns.get(name)
    if (!column || time < this.first || time > this.last) return NaN
    let after = this.indexAfter(time)
    let before = after - 1
    while (before >= 0 && Number.isNaN(column[before])) before--
    while (after < this.count && Number.isNaN(column[after])) after++
    if (before < 0) return NaN
    if (after === this.count) return column[before]
    const part = (time - this.time[before]) / (this.time[after] - this.time[before])
    return column[before] + part * (column[after] - column[before])
  }

  /** What is known of a column between two rows. */
  known(name: string, begin: number, end: number): Points {
    const [x, y] = [this.time.subarray(begin, end), this.column(name).subarray(begin, end)]
    if (!y.some(Number.isNaN)) return { x, y }
    const finite = (_: number, k: number) => !Number.isNaN(y[k])
    return { x: x.filter(finite), y: y.filter(finite) }
  }

  /** A column between two times, by at most two points (the least and the largest) for each of so many buckets. */
  reduced(name: string, from: number, to: number, buckets: number): Points {
    const begin = Math.max(this.indexAfter(from) - 1, 0)
    const end = Math.min(this.indexAfter(to) + 1, this.count)
    if (!this.columns.has(name) || end <= begin) return { x: new Float64Array(), y: new Float64Array() }
    const points = this.known(name, begin, end)
    return points.x.length <= 2 * buckets ? points : extremes(points, buckets)
  }

  /** Number of the first row that is later than a time. */
  indexAfter(time: number): number {
    let [low, high] = [0, this.count]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.time[middle] > time) high = middle
      else low = middle + 1
    }
    return low
  }

  private emptyColumn(): Float64Array {
    return new Float64Array(this.time.length).fill(NaN)
  }

  private makeRoom(): void {
    if (this.time.length < MOST_ROWS) this.resize(2 * this.time.length)
    else this.thin()
  }

  private resize(rows: number): void {
    const grown = (column: Float64Array) => {
      const larger = new Float64Array(rows).fill(NaN)
      larger.set(column.subarray(0, rows))
      return larger
    }
    this.time = grown(this.time)
    this.columns = new Map([...this.columns].map(([name, column]) => [name, grown(column)]))
  }

  /** Four rows of the older half become two: the least and the largest of each column in the order they came. */
  private thin(): void {
    const quads = this.count >> 3
    for (const column of this.columns.values()) {
      for (let k = 0; k < quads; k++) {
        const [a, b] = leastAndLargest(column, 4 * k, 4 * k + 4)
        const values = [column[a], column[b]]
        column.set(values, 2 * k)
      }
      column.copyWithin(2 * quads, 4 * quads, this.count)
    }
    for (let k = 0; k < 2 * quads; k++) this.time[k] = this.time[2 * k]
    this.time.copyWithin(2 * quads, 4 * quads, this.count)
    this.count -= 2 * quads
  }
}

function extremes({ x, y }: Points, buckets: number): Points {
  const points = { x: new Float64Array(2 * buckets), y: new Float64Array(2 * buckets) }
  for (let k = 0; k < buckets; k++) {
    const from = Math.floor((k * x.length) / buckets)
    const to = Math.floor(((k + 1) * x.length) / buckets)
    leastAndLargest(y, from, to).forEach((row, side) => {
      points.x[2 * k + side] = x[row]
      points.y[2 * k + side] = y[row]
    })
  }
  return points
}

/** Rows of the least and of the largest value, in order; the first and the last where nothing is known. */
function leastAndLargest(column: Float64Array, from: number, to: number): [number, number] {
  let least = -1
  let largest = -1
  for (let k = from; k < to; k++) {
    if (!(column[k] === column[k])) continue
    if (least < 0 || column[k] < column[least]) least = k
    if (largest < 0 || column[k] > column[largest]) largest = k
  }
  if (least < 0) return [from, to - 1]
  return least < largest ? [least, largest] : [largest, least]
}
