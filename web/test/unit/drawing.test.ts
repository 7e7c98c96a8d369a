// Drawing in the plane: outlines as convex parts, strokes by hand, who is under a point, links that are split and widened.
import { ShapeUtils, Vector2, Vector3 } from 'three'
import { expect, test } from 'vitest'
import { barOf, splitCommand, widenCommand } from '../../src/studio/sketch/linking'
import { lengthCommand, moveCommand } from '../../src/studio/sketch/shaping'
import { bodiesAt, convexParts, isOn, outlineBody, overlapping, simplified } from '../../src/studio/sketch/outline'
import { contactOf, contactsWith } from '../../src/studio/sketch/touching'
import type { StudioScene } from '../../src/studio/protocol'
import { twoLinks } from './fakes'

const points = (list: number[][]) => list.map(([x, y]) => new Vector2(x, y))
const area = (part: Vector2[]) => ShapeUtils.area(part)

test('convex parts fill an outline', () => {
  const l = points([
    [0, 0],
    [2, 0],
    [2, 1],
    [1, 1],
    [1, 2],
    [0, 2],
  ])
  const parts = convexParts(l)
  expect(parts.length).toBeLessThanOrEqual(3)
  expect(parts.reduce((sum, part) => sum + area(part), 0)).toBeCloseTo(3, 12)
  for (const part of parts)
    part.forEach((c, k) => {
      const [a, b] = [part[(k + part.length - 1) % part.length], part[(k + 1) % part.length]]
      expect((c.x - a.x) * (b.y - c.y) - (c.y - a.y) * (b.x - c.x)).toBeGreaterThan(-1e-9)
    })
  expect(
    convexParts(
      points([
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ]),
    ),
  ).toHaveLength(1)
})

test('a star by hand: few corners, its area as mass', () => {
  const line = Array.from({ length: 200 }, (_, k) => {
    const corner = Math.floor(k / 20)
    const at = (n: number) => {
      const radius = n % 2 === 0 ? 100 : 45
      return new Vector2(radius * Math.cos((n * Math.PI) / 5), radius * Math.sin((n * Math.PI) / 5))
    }
    return at(corner).lerp(at(corner + 1), (k % 20) / 20)
  })
  const corners = simplified(line, 1)
  expect(corners.length).toBeLessThanOrEqual(12)
  const body = outlineBody(corners.map((c) => c.multiplyScalar(0.01)))!
  const mass = body.shapes.reduce((sum: number, s) => sum + Number.parseFloat((s as { mass: string }).mass), 0)
  const star = 5 * 1 * 0.45 * Math.sin(Math.PI / 5)
  expect(mass / 10).toBeCloseTo(star, 1)
  expect(
    outlineBody(
      points([
        [0, 0],
        [1, 1],
        [1, 0],
        [0, 1],
      ]),
    ),
  ).toBeUndefined()
})

const rod = { kind: 'rod' as const, size: [0.05, 2], position: [1, 0, 0], rotation: [Math.SQRT1_2, 0, Math.SQRT1_2, 0] }
const fake = twoLinks()
const end = (body: number) => ({ body, position: [2, 0, 0], rotation: [1, 0, 0, 0] })
const scene: StudioScene = {
  ...fake,
  bodies: ['one', 'two'].map((name) => ({ ...fake.bodies[0], name, mass: 2, com: [1, 0, 0], shapes: [rod] })),
  frames: [{ ...fake.frames[0], name: 'one.end', end: end(0) }],
  joints: [{ ...fake.joints[0], name: 'far', type: 'revolute', end1: end(-1), end2: end(0) }],
}
/** the second stands across the first, through its middle */
const poses = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, -1, 0, Math.SQRT1_2, 0, 0, Math.SQRT1_2)
const text = `bodies:
  one: { shapes: [ { rod: { from: [0, 0], to: [2, 0], radius: 50 mm }, mass: 2 kg } ], position: [0, 0], frames: { end: { at: [2, 0] } } }
joints:
  far: { type: revolute, between: [ground, one], at: [2, 0] }
contacts:
  touch_one_two: { between: [one, two] }
`

test('bodies under a point, the last first', () => {
  expect(bodiesAt(scene, poses, new Vector3(1, 0, 0), 0)).toEqual([1, 0])
  expect(bodiesAt(scene, poses, new Vector3(0.2, 0.04, 0), 0)).toEqual([0])
  expect(bodiesAt(scene, poses, new Vector3(0.2, 0.4, 0), 0)).toEqual([])
  const triangle = {
    kind: 'polygon' as const,
    size: [1],
    corners: [
      [0, 0],
      [0, 1],
      [1, 0],
    ],
    position: [0, 0, 0],
    rotation: [1, 0, 0, 0],
  }
  expect(isOn(triangle, new Vector3(0.3, 0.3, 0), 0)).toBe(true)
  expect(isOn(triangle, new Vector3(0.6, 0.6, 0), 0)).toBe(false)
})

test('an outline overlaps what it crosses and what it encloses', () => {
  const square = (x: number, y: number, half: number) =>
    [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ].map(([a, b]) => new Vector3(x + a * half, y + b * half, 0))
  expect(overlapping(scene, poses, square(0.3, 0, 0.2))).toEqual([0])
  expect(overlapping(scene, poses, square(1, 0, 3))).toEqual([0, 1])
  expect(overlapping(scene, poses, square(3, 3, 0.5))).toEqual([])
})

test('a link is split: masses by length, joints and frames beyond go with the new one', () => {
  const bar = barOf(scene, 0)!
  const command = splitCommand(scene, poses, text, bar, new Vector3(0.5, 0.01, 0), { link: 'link_2', pin: 'pin_9' })
  expect(command).toMatchObject({
    replace: { bodies: { one: { shapes: [{ rod: { to: [0.5, 0] }, mass: '0.5 kg' }], frames: {} } } },
    add: {
      bodies: {
        link_2: {
          shapes: [{ rod: { from: [0.5, 0], to: [2, 0] }, mass: '1.5 kg' }],
          frames: { end: { at: ['2', '0'] } },
        },
      },
      joints: { pin_9: { between: ['one', 'link_2'], at: [0.5, 0] } },
    },
    move: { far: { between: ['ground', 'link_2'] } },
  })
  expect(splitCommand(scene, poses, text, bar, new Vector3(0, 0, 0), { link: 'a', pin: 'b' })).toMatch(
    /between its ends/,
  )
})

test('a third point makes a triangle with a frame', () => {
  const made = widenCommand(poses, text, barOf(scene, 0)!, new Vector3(1, 0.5, 0))
  expect(made).toMatchObject({
    frame: 'one.point_1',
    command: { replace: { bodies: { one: { frames: { end: {}, point_1: { at: [1, 0.5] } } } } } },
  })
})

test('a contact for every pair that has none', () => {
  expect(Object.keys(contactsWith(text, 'two', ['one', 'ground', 'two']))).toEqual(['touch_ground_two'])
  expect(contactOf(text, 'two', 'one')).toBe('touch_one_two')
  expect(contactOf(text, 'two', 'ground')).toBeUndefined()
})

test('a link of another length keeps what else its text says, and goes on where it is', () => {
  const bar = barOf(scene, 0)!
  const said = text
    .replace('frames:', 'look: [ { colour: red } ], frames:')
    .replace('at: [2, 0] }\ncon', 'at: [2, 0], limits: { angle: [0, 1] } }\ncon')
  const command = lengthCommand(scene, said, bar, 1)
  expect(command).toMatchObject({
    stay: true,
    replace: {
      bodies: {
        one: {
          position: ['0', '0'],
          look: [{ colour: 'red' }],
          shapes: [{ rod: { from: [1, 0], to: [2, 0], radius: 0.05 }, mass: '1 kg' }],
          frames: { end: { at: ['2', '0'] } },
        },
      },
    },
  })
  const target = new Vector3(2, 1, 0)
  const handle = { at: new Vector3(2, 0, 0), bars: [{ bar, end: 1 as const }], joints: scene.joints }
  const root = Math.sqrt(5)
  const length = { shapes: [{ rod: { to: [expect.closeTo(root, 11), 0] }, mass: `${root.toFixed(5)} kg` }] }
  expect(moveCommand(scene, poses, said, handle, target, false)).toMatchObject({
    stay: true,
    replace: {
      bodies: { one: { position: ['0', '0'], ...length } },
      joints: { far: { limits: { angle: ['0', '1'] }, ends: [{ at: [2, 1] }, { at: [expect.closeTo(root, 11), 0] }] } },
    },
  })
  expect(moveCommand(scene, poses, said, handle, target, true)).toMatchObject({
    replace: { bodies: { one: { position: [0, 0], angle: expect.closeTo(Math.atan2(1, 2), 11), ...length } } },
    move: { far: { at: [2, 1] } },
  })
})
