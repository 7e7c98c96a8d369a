// Amplitudes by frequency of samples that need not be equally spaced.
import type { Points } from './table'

const MOST = 1 << 13

/** x, y: samples; the answer has frequencies (1/unit of x) and amplitudes in the unit of y. A Hann window is used. */
export function spectrum({ x, y }: Points): Points {
  const known = y.findIndex((value) => Number.isFinite(value))
  if (known < 0 || x.length - known < 8) return { x: new Float64Array(), y: new Float64Array() }
  const [t0, t1] = [x[known], x[x.length - 1]]
  const count = Math.min(1 << Math.floor(Math.log2(x.length - known)), MOST)
  const re = evenly(x.subarray(known), y.subarray(known), count)
  const im = new Float64Array(count)
  const mean = re.reduce((sum, value) => sum + value, 0) / count
  for (let k = 0; k < count; k++) re[k] = (re[k] - mean) * (1 - Math.cos((2 * Math.PI * k) / count))
  transform(re, im)
  const half = count / 2
  const step = (count - 1) / (count * (t1 - t0))
  return {
    x: Float64Array.from({ length: half }, (_, k) => k * step),
    y: Float64Array.from({ length: half }, (_, k) => (2 * Math.hypot(re[k], im[k])) / count),
  }
}

/** By straight lines, at so many times with equal distances from the first to the last. */
function evenly(x: Float64Array, y: Float64Array, count: number): Float64Array {
  const values = new Float64Array(count)
  const step = (x[x.length - 1] - x[0]) / (count - 1)
  let at = 0
  for (let k = 0; k < count; k++) {
    const t = x[0] + k * step
    while (at < x.length - 2 && x[at + 1] < t) at++
    const part = Math.min((t - x[at]) / (x[at + 1] - x[at]), 1)
    values[k] = y[at] + part * (y[at + 1] - y[at])
  }
  return values
}

/** Discrete Fourier transform in place; the length is a power of two. */
export function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length
  reorder(re, im)
  for (let size = 2; size <= n; size *= 2) {
    const turn = (-2 * Math.PI) / size
    for (let k = 0; k < size / 2; k++) {
      const [c, s] = [Math.cos(turn * k), Math.sin(turn * k)]
      for (let a = k; a < n; a += size) {
        const b = a + size / 2
        const [r, i] = [re[b] * c - im[b] * s, re[b] * s + im[b] * c]
        re[b] = re[a] - r
        im[b] = im[a] - i
        re[a] += r
        im[a] += i
      }
    }
  }
}

function reorder(re: Float64Array, im: Float64Array): void {
  const n = re.length
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i < j) {
      ;[re[i], re[j]] = [re[j], re[i]]
      ;[im[i], im[j]] = [im[j], im[i]]
    }
  }
}
