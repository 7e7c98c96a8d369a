// Geometry of scene and view against closed forms: poses, ends, places to take hold of, instant centres, numbers.
import { Vector3 } from 'three'
import { expect, test } from 'vitest'
import { endMatrix, median, pointOn, roundNumber, upOf } from '../../src/scene/space'
import { instantCentres } from '../../src/studio/view/centres'
import { Pacer } from '../../src/studio/view/pacer'
import { attachments, bodyName } from '../../src/studio/view/snap'
import { digits, quantity, unitText } from '../../src/studio/units'
import { twoLinks } from './fakes'

const SIN = Math.sin(Math.PI / 8)
const COS = Math.cos(Math.PI / 8)
/** at (1, 2, 0), turned by 45 degrees about z; and a second one that is not turned */
const poses = Float32Array.of(1, 2, 0, COS, 0, 0, SIN, 3, 0, 0, 1, 0, 0, 0)

test('points on a body follow its pose; ground stays', () => {
  const half = Math.SQRT1_2
  const point = pointOn(poses, 0, [1, 0, 0])
  expect(point.x).toBeCloseTo(1 + half, 6)
  expect(point.y).toBeCloseTo(2 + half, 6)
  expect(pointOn(poses, -1, [4, 5, 6]).toArray()).toEqual([4, 5, 6])
})

test('the frame of an end is that of its body, then its own', () => {
  const end = { body: 0, position: [1, 0, 0], rotation: [COS, 0, 0, SIN] }
  const x = new Vector3(1, 0, 0).applyMatrix4(endMatrix(poses, end)).sub(pointOn(poses, 0, [1, 0, 0]))
  expect(x.x).toBeCloseTo(0, 6) // 45 and 45 degrees
  expect(x.y).toBeCloseTo(1, 6)
})

test('up is against gravity in space, y in the plane', () => {
  expect(upOf(false, [0, 0, -9.81]).toArray()).toEqual([-0, -0, 1])
  expect(upOf(false, [0, 0, 0]).toArray()).toEqual([0, 0, 1])
  expect(upOf(true, [1, 0, 0]).toArray()).toEqual([0, 1, 0])
})

test('the instant centre of a wheel that rolls is where it touches', () => {
  const wheel = Float32Array.of(5, 0.5, 0, 1, 0, 0, 0)
  const velocity = Float32Array.of(2, 0, 0, 0, 0, -4) // v = r w, to the right
  const [centre] = instantCentres(['wheel'], wheel, velocity, [])
  expect(centre.x).toBeCloseTo(5, 5)
  expect(centre.y).toBeCloseTo(0, 5)
})

test('two bodies that move alike have no centre, a pair on a pin has it there', () => {
  const both = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0)
  // first turns about the origin with 1 rad/s; the second is pinned to it at (1, 0) and turns with 3 rad/s
  const moving = Float32Array.of(0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 3)
  const pair = instantCentres(['a', 'b'], both, moving, [0, 1]).find(({ label }) => label === 'a, b')!
  expect([pair.x, pair.y + 0]).toEqual([1, 0])
  const still = instantCentres(['a'], both, Float32Array.of(1, 1, 0, 0, 0, 0), [])
  expect(still).toEqual([])
})

test('places: frames by name first, then origins, joints, ends of rods, centres of mass', () => {
  const scene = twoLinks()
  const list = attachments(scene)
  expect(list[0]).toMatchObject({ body: 0, frame: 'upper.tip' })
  expect(list.filter(({ frame }) => frame).map(({ label }) => label)).toEqual(['upper.tip', 'ground', 'upper', 'lower'])
  expect(list.some(({ label }) => label === 'lower at elbow')).toBe(true)
  const ends = list.filter(({ label }) => label === 'upper, end').map(({ local }) => local.z)
  expect(ends).toEqual([-0.5, 0.5])
  expect(list.find(({ label }) => label === 'upper, centre of mass')!.local.x).toBe(0.25)
  expect(bodyName(scene, -1)).toBe('ground')
})

test('numbers as people read them', () => {
  expect(quantity(0.0032, 'm')).toBe('3.2 mm')
  expect(quantity(12345, 'N')).toBe('12.3 kN')
  expect(quantity(0, 'J')).toBe('0 J')
  expect(digits(NaN)).toBe('–')
  expect(digits(1234567)).toBe('1.235e6')
  expect(unitText('kg/s^2')).toBe('N/m')
  expect([0.013, 0.04, 3, 8].map(roundNumber)).toEqual([0.01, 0.05, 2, 10])
  expect(median([3, 1, 2])).toBe(2)
})

test('pictures that take long leave as much time to the page; quick ones follow each other', () => {
  const pacer = new Pacer()
  const turns = (times: number[]) => times.filter((now) => pacer.isDue(now) && (pacer.drew(now), true))
  expect(turns([0, 16, 33, 50])).toEqual([0, 16, 33, 50])
  expect(turns([66, 366, 400, 600, 666, 700])).toEqual([66, 666, 700]) // 300 ms for the first of them
})
