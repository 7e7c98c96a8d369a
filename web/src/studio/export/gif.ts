// Animated GIF (GIF89a): one palette for all pictures, chosen by median cut from the first; pixels that stay are transparent.

const COLOURS = 255 // and one for what stays as it is
const SAME = COLOURS // index of that one
const BITS = 8
const MOST_CODES = 4096
const STEP = 3 // bits of a colour that are left out while colours are counted

interface Count {
  rgb: [number, number, number]
  count: number
}

/** How often colours occur, similar ones together. */
function countColours(pixels: Uint8ClampedArray): Count[] {
  const found = new Map<number, { sum: [number, number, number]; count: number }>()
  for (let i = 0; i < pixels.length; i += 4) {
    const [r, g, b] = [pixels[i], pixels[i + 1], pixels[i + 2]]
    const key = ((r >> STEP) << 10) | ((g >> STEP) << 5) | (b >> STEP)
    const entry = found.get(key)
    if (entry) {
      entry.sum[0] += r
      entry.sum[1] += g
      entry.sum[2] += b
      entry.count++
    } else found.set(key, { sum: [r, g, b], count: 1 })
  }
  return [...found.values()].map(({ sum, count }) => ({
    rgb: sum.map((s) => s / count) as [number, number, number],
    count,
  }))
}

/** How far the colours of a box reach, along the axis where they reach furthest. */
function reach(box: Count[]): { axis: number; size: number } {
  const sizes = [0, 1, 2].map((axis) => {
    const values = box.map(({ rgb }) => rgb[axis])
    return Math.max(...values) - Math.min(...values)
  })
  const size = Math.max(...sizes)
  return { axis: sizes.indexOf(size), size }
}

/** At most so many colours that stand for all of a picture. */
export function paletteOf(pixels: Uint8ClampedArray, most = COLOURS): number[][] {
  const boxes = [countColours(pixels)]
  while (boxes.length < most) {
    const widest = boxes
      .map((box, k) => ({ k, ...reach(box) }))
      .sort((a, b) => b.size * Math.sqrt(boxes[b.k].length) - a.size * Math.sqrt(boxes[a.k].length))[0]
    if (widest.size < 1) break
    const box = boxes[widest.k].sort((a, b) => a.rgb[widest.axis] - b.rgb[widest.axis])
    const half = Math.max(1, box.length >> 1)
    boxes.splice(widest.k, 1, box.slice(0, half), box.slice(half))
  }
  return boxes.map((box) => {
    const all = box.reduce((sum, { count }) => sum + count, 0)
    return [0, 1, 2].map((axis) => Math.round(box.reduce((sum, c) => sum + c.rgb[axis] * c.count, 0) / all))
  })
}

/** Codes of changing width, as GIF packs them. */
class BitWriter {
  readonly bytes: number[] = []
  private held = 0
  private count = 0

  write(code: number, width: number): void {
    this.held |= code << this.count
    this.count += width
    while (this.count >= 8) {
      this.bytes.push(this.held & 255)
      this.held >>>= 8
      this.count -= 8
    }
  }

  end(): number[] {
    if (this.count > 0) this.bytes.push(this.held & 255)
    return this.bytes
  }
}

/** LZW as GIF has it: a table that grows to 4096 codes and begins anew. */
export function compress(indices: Uint8Array): number[] {
  const [clear, end] = [1 << BITS, (1 << BITS) + 1]
  const out = new BitWriter()
  let table = new Map<number, number>()
  let width = BITS + 1
  let next = end + 1
  out.write(clear, width)
  let code = indices[0]
  for (let k = 1; k < indices.length; k++) {
    const key = (code << 8) | indices[k]
    const longer = table.get(key)
    if (longer !== undefined) {
      code = longer
      continue
    }
    out.write(code, width)
    code = indices[k]
    if (next === MOST_CODES) {
      out.write(clear, width)
      table = new Map()
      width = BITS + 1
      next = end + 1
      continue
    }
    table.set(key, next++)
    if (next > 1 << width && width < 12) width++
  }
  out.write(code, width)
  out.write(end, width)
  return out.end()
}

const word = (value: number) => [value & 255, value >> 8]

/** Blocks of at most 255 bytes, and an empty one. */
function blocks(bytes: number[]): number[] {
  const out: number[] = []
  for (let k = 0; k < bytes.length; k += 255) {
    const part = bytes.slice(k, k + 255)
    out.push(part.length, ...part)
  }
  return [...out, 0]
}

export class Gif {
  private readonly parts: BlobPart[] = []
  private palette?: number[][]
  private readonly nearest = new Map<number, number>()
  private before?: Uint8Array
  frames = 0

  constructor(
    private readonly width: number,
    private readonly height: number,
    /** of a picture, hundredths of a second */
    private readonly delay: number,
  ) {}

  add(pixels: Uint8ClampedArray): void {
    if (!this.palette) {
      this.palette = paletteOf(pixels)
      this.head()
    }
    const now = this.indicesOf(pixels)
    const { before } = this
    const shown = before ? now.map((index, k) => (index === before[k] ? SAME : index)) : now
    this.before = now
    this.frames++
    this.put([0x21, 0xf9, 4, 0b101, ...word(this.delay), SAME, 0]) // stays, has a transparent colour
    this.put([0x2c, 0, 0, 0, 0, ...word(this.width), ...word(this.height), 0, BITS])
    this.put(blocks(compress(shown)))
  }

  end(): Blob {
    return new Blob([...this.parts, Uint8Array.of(0x3b)], { type: 'image/gif' })
  }

  private put(bytes: number[]): void {
    this.parts.push(Uint8Array.from(bytes))
  }

  private head(): void {
    const colours = Array.from({ length: 256 }, (_, k) => this.palette![k] ?? [0, 0, 0])
    this.put([...'GIF89a'].map((c) => c.charCodeAt(0)))
    this.put([...word(this.width), ...word(this.height), 0xf7, 0, 0])
    this.put(colours.flat())
    this.put([0x21, 0xff, 11, ...[...'NETSCAPE2.0'].map((c) => c.charCodeAt(0)), 3, 1, 0, 0, 0]) // for ever
  }

  private indicesOf(pixels: Uint8ClampedArray): Uint8Array {
    const out = new Uint8Array(pixels.length / 4)
    for (let k = 0, i = 0; k < out.length; k++, i += 4) {
      const key = ((pixels[i] >> 2) << 12) | ((pixels[i + 1] >> 2) << 6) | (pixels[i + 2] >> 2)
      let index = this.nearest.get(key)
      if (index === undefined) {
        index = this.nearestTo(pixels[i], pixels[i + 1], pixels[i + 2])
        this.nearest.set(key, index)
      }
      out[k] = index
    }
    return out
  }

  private nearestTo(r: number, g: number, b: number): number {
    let [best, least] = [0, Infinity]
    this.palette!.forEach(([pr, pg, pb], k) => {
      const d = (r - pr) ** 2 + (g - pg) ** 2 + (b - pb) ** 2
      if (d < least) [best, least] = [k, d]
    })
    return best
  }
}
