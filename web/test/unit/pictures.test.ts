// Pictures and copies: GIF read back by a decoder of its own, mirror images of definitions, patterns, rails, smooth paths.
import { Object3D, Vector2, Vector3 } from 'three'
import { expect, test } from 'vitest'
import { runOf } from '../../src/player/sliders'
import { Rail } from '../../src/scene/rails'
import { compress, Gif, paletteOf } from '../../src/studio/export/gif'
import { topicsAbout, topics } from '../../src/studio/help/topics'
import {
  connectionRefusal,
  flipped,
  mirroredBody,
  mirroredConnection,
  negative,
} from '../../src/studio/place/mirroring'
import { motionsOf } from '../../src/studio/place/patterns'
import { smooth, unbroken } from '../../src/studio/view/paths'

/** LZW the other way, by the description of the format. */
function expand(bytes: number[]): number[] {
  const out: number[] = []
  let [held, count, at, width] = [0, 0, 0, 9]
  let table: number[][] = []
  const begin = () => {
    table = Array.from({ length: 258 }, (_, k) => (k < 256 ? [k] : []))
    width = 9
  }
  begin()
  let before: number[] | undefined
  for (;;) {
    while (count < width) {
      held |= bytes[at++] << count
      count += 8
    }
    const code = held & ((1 << width) - 1)
    held >>>= width
    count -= width
    if (code === 257) return out
    if (code === 256) {
      begin()
      before = undefined
      continue
    }
    const word: number[] = table[code] ?? [...before!, before![0]]
    out.push(...word)
    if (before && table.length < 4096) table.push([...before, word[0]])
    if (table.length === 1 << width && width < 12) width++
    before = word
  }
}

test('what is compressed for a GIF is read back, also when the table is full several times', () => {
  let seed = 1
  const random = () => (seed = (seed * 48271) % 2147483647)
  for (const length of [1, 2, 700, 30000]) {
    const indices = Uint8Array.from({ length }, (_, k) => (k % 7 === 0 ? random() % 256 : k % 50 < 25 ? 3 : 9))
    expect(expand(compress(indices))).toEqual([...indices])
  }
})

test('a GIF has a head, one picture after the other, and an end; a palette has the colours of the picture', async () => {
  const pixels = new Uint8ClampedArray(4 * 6).map((_, i) => [255, 0, 0, 255, 0, 0, 255, 255][i % 8])
  expect(paletteOf(pixels).sort()).toEqual([
    [0, 0, 255],
    [255, 0, 0],
  ])
  const gif = new Gif(3, 2, 8)
  gif.add(pixels)
  gif.add(pixels)
  const bytes = new Uint8Array(await gif.end().arrayBuffer())
  expect(String.fromCharCode(...bytes.subarray(0, 6))).toBe('GIF89a')
  expect([bytes[6], bytes[8], bytes.at(-1)]).toEqual([3, 2, 0x3b])
  expect(gif.frames).toBe(2)
})

test('texts of numbers with the other sign', () => {
  expect(['0.3', '-0.3', '12 mm', '-12 mm', '0', '0 mm', '1e-3', 'r', '2 * r', '1 - 2'].map(negative)).toEqual([
    '-0.3',
    '0.3',
    '-12 mm',
    '12 mm',
    '0',
    '0 mm',
    '-1e-3',
    '-(r)',
    '-(2 * r)',
    '-(1 - 2)',
  ])
  expect(flipped(['1', '2', '3'])).toEqual(['1', '-2', '3'])
})

test('the mirror image of a body has its points, turns and products of inertia on the other side', () => {
  const said = {
    shapes: [{ box: { size: ['1', '2', '3'], at: ['1', '2', '3'], rotation: { quaternion: ['1', '2', '3', '4'] } } }],
    com: ['1', '2', '3'],
    inertia: ['1', '2', '3', '4', '5', '6'],
    velocity: ['1', '2', '3'],
    angular_velocity: ['1', '2', '3'],
    frames: { tip: { at: ['0', 'L', '0'], rotation: { axis: 'z', angle: '30 deg' } } },
  }
  expect(mirroredBody(said, 0, false)).toEqual({
    shapes: [
      { box: { size: ['1', '2', '3'], at: ['1', '-2', '3'], rotation: { quaternion: ['1', '-2', '3', '-4'] } } },
    ],
    com: ['1', '-2', '3'],
    inertia: ['1', '2', '3', '-4', '5', '-6'],
    velocity: ['-1', '2', '3'],
    angular_velocity: ['1', '-2', '-3'],
    frames: { tip: { at: ['0', '-(L)', '0'], rotation: { axis: 'z', angle: '-30 deg' } } },
  })
  const hinge = { type: 'revolute', limits: { angle: { low: '-10 deg', high: '90 deg' }, position: { low: '1' } } }
  expect(mirroredConnection(hinge).limits).toEqual({
    angle: { low: '-90 deg', high: '10 deg' },
    position: { low: '1' },
  })
  expect(connectionRefusal(hinge, 'joints')).toBeUndefined()
  expect(connectionRefusal({ type: 'screw' }, 'joints')).toMatch(/screw/)
})

test('copies of a pattern are where it says', () => {
  const place = (point: Vector3, k: number, list = motionsOf({ kind: 'row', count: 3, step: new Vector3(1, 2, 0) })) =>
    point
      .clone()
      .applyMatrix4(list[k].matrix)
      .toArray()
      .map((v) => Number(v.toFixed(9)))
  expect(place(new Vector3(5, 0, 0), 1)).toEqual([7, 4, 0])
  const circle = motionsOf({ kind: 'circle', count: 4, angle: Math.PI / 2, axis: 2, centre: new Vector3(1, 0, 0) })
  expect(circle.length).toBe(3)
  expect(place(new Vector3(3, 0, 7), 0, circle)).toEqual([1, 2, 7])
  const mirror = motionsOf({ kind: 'mirror', axis: 0, at: 2 })
  expect(place(new Vector3(5, 1, 1), 0, mirror)).toEqual([-1, 1, 1])
})

test('a rail becomes longer when something goes beyond it, and only then', () => {
  const still = { position: [0, 0, 0], rotation: [1, 0, 0, 0] }
  const picture = new Object3D()
  const rail = new Rail(picture, { body: -1, ...still }, { body: 0, ...still }, true, [-1, 1], 0.5)
  const at = (x: number) => Float32Array.of(x, 0, 0, 1, 0, 0, 0)
  rail.follow(at(0.9))
  expect(picture.scale.x).toBe(1)
  rail.follow(at(-3))
  const [low, high] = rail.range
  expect(low).toBeLessThan(-3)
  expect(high).toBe(1)
  expect(picture.position.x).toBeCloseTo((low + high) / 2, 12)
  expect(3 * picture.scale.x).toBeCloseTo(high - low + 1, 12)
})

test('a path through few points of a circle is round, one with corners keeps them', () => {
  const times = Array.from({ length: 13 }, (_, k) => k / 12)
  const round = times.map((t) => new Vector2(100 * Math.cos(4 * t), 100 * Math.sin(4 * t)))
  const { line, from } = smooth(round, times)
  expect(line.length).toBeGreaterThan(50)
  for (const p of line.slice(from[1], from[11])) expect(Math.abs(p.length() - 100)).toBeLessThan(0.1)
  for (let k = 0; k < round.length; k++) expect(line[from[k]]).toBe(round[k])
  const corner = [new Vector2(0, 0), new Vector2(50, 0), new Vector2(50, 50)]
  expect(smooth(corner, [0, 1, 2]).line).toEqual(corner)
})

test('sliders: the first changes slowest; the help finds what has all words', () => {
  expect(runOf([3, 4], [0, 0])).toBe(0)
  expect(runOf([3, 4], [1, 2])).toBe(6)
  expect(runOf([], [])).toBe(0)
  expect(topicsAbout('').length).toBe(topics.length)
  expect(topicsAbout('exact length')[0].title).toBe('Give a link an exact length')
  expect(topicsAbout('exact zeppelin')).toEqual([])
})

test('paths are broken where an edit displaced bodies, and where frames are left out', () => {
  const times = [0, 0.1, 0.2, 0.3, 0.4]
  expect(unbroken(times, [], 1)).toEqual([[0, 5]])
  expect(unbroken(times, [0.25], 1)).toEqual([
    [0, 3],
    [3, 5],
  ])
  expect(unbroken(times, [-1, 4.5], 1)).toEqual([[0, 5]])
  expect(unbroken([], [1], 0)).toEqual([])
  expect(unbroken([0, 0.1, 0.3, 0.31, 0.32, 0.4], [], 0.1)).toEqual([
    [0, 2],
    [2, 5],
    [5, 6],
  ]) // frames that the record has not filled in yet
  expect(unbroken([0, 0.1, 0.3, 0.4], [], 1)).toEqual([
    [0, 2],
    [2, 4],
  ]) // what was left out before an edit is not in the record
})
