// Kinds of linkages by their lengths, against what every textbook says of them.
import { Vector3 } from 'three'
import { expect, test } from 'vitest'
import { deadPoints, deadPointsOfSlider, grashof, linkages } from '../../src/studio/analysis/linkage'
import type { StudioScene } from '../../src/studio/protocol'
import { atlasPoints, curvesOf } from '../../src/studio/view/atlas'
import { polygonOf } from '../../src/studio/view/polygons'
import { twoLinks } from './fakes'

test('Grashof: the shortest link decides, and the sum whether anything turns', () => {
  const name = (...lengths: number[]) => grashof(lengths).name
  expect(name(1, 4, 3, 3.5)).toBe('Crank-rocker')
  expect(name(3, 1, 3.5, 4)).toBe('Double rocker')
  expect(name(3, 3.5, 4, 1)).toBe('Double crank')
  expect(name(2, 6, 3, 4)).toBe('Triple rocker')
  expect(name(2, 5, 2, 5)).toBe('Change-point linkage')
})

/** Links between points of the plane, each a body with its frame in the first point, all joined by pins; ground last. */
function loop(points: [number, number][], slides = false): { scene: StudioScene; poses: Float32Array } {
  const bodies = [0, 1, 2].map((k) => ({
    name: `b${k}`,
    type: 'rigid',
    mass: 1,
    com: [0, 0, 0],
    inertia: [0, 0, 1, 0, 0, 0],
    watched: false,
    shapes: [],
  }))
  const poses = new Float32Array(21)
  bodies.forEach((_, k) => poses.set([...points[k], 0, 1, 0, 0, 0], 7 * k))
  const end = (body: number, [x, y]: [number, number]) => {
    const [ox, oy] = body < 0 ? [0, 0] : points[body]
    return { body, position: [x - ox, y - oy, 0], rotation: [1, 0, 0, 0] }
  }
  const joints = points.map((point, k) => ({
    name: `j${k}`,
    type: slides && k === 3 ? 'translational' : 'revolute',
    end1: end(k === 0 ? -1 : k - 1, point),
    end2: end(k === 3 ? -1 : k, point),
  }))
  const scene: StudioScene = {
    name: 'Loop',
    dimension: 2,
    gravity: [0, 0, 0],
    units: { length: 'm', time: 's' },
    ground: { shapes: [] },
    bodies,
    frames: [],
    joints,
    couplings: [],
    forces: [],
    subsystems: [],
    parameters: [],
    solve: { scheme: '', integrator: '', solver: '' },
  }
  return { scene, poses }
}

test('a four-bar is found once, with its lengths and the transmission angle', () => {
  const { scene, poses } = loop([
    [0, 0],
    [0, 1],
    [4, 3],
    [4, 0],
  ])
  const [linkage, ...others] = linkages(scene, poses)
  expect(others).toEqual([])
  expect(linkage.name).toBe('Crank-rocker')
  expect(linkage.lengths.map((x) => Number(x.toFixed(6)))).toEqual([1, Number(Math.sqrt(20).toFixed(6)), 3, 4])
  expect(linkage.angle).toBeCloseTo(Math.acos(2 / Math.sqrt(20)), 6)
  // law of cosines at the two positions in which the crank lies along the ground
  const at = (d: number) => Math.acos((20 + 9 - d * d) / (2 * Math.sqrt(20) * 3))
  expect(linkage.range![0]).toBeCloseTo(at(3), 6)
  expect(linkage.range![1]).toBeCloseTo(at(5), 6)
})

test('bodies that are fixed to each other are one link; what is fixed to ground is ground', () => {
  const { scene, poses } = loop([
    [0, 0],
    [0, 1],
    [4, 3],
    [4, 0],
  ])
  const plain = linkages(scene, poses)
  // the coupler ends in a bracket, and the last pin is on a block on the ground
  const more = ['bracket', 'block'].map((name) => ({ ...scene.bodies[0], name }))
  const welded = new Float32Array([...poses, 4, 3, 0, 1, 0, 0, 0, 4, 0, 0, 1, 0, 0, 0])
  const end = (body: number) => ({ body, position: [0, 0, 0], rotation: [1, 0, 0, 0] })
  const [first, second, third, fourth] = scene.joints
  const joints = [
    first,
    second,
    { ...third, end1: end(3) },
    { ...fourth, end2: end(4) },
    { ...first, name: 'w1', type: 'fixed', end1: end(1), end2: end(3) },
    { ...first, name: 'w2', type: 'fixed', end1: end(4), end2: end(-1) },
  ]
  const found = linkages({ ...scene, bodies: [...scene.bodies, ...more], joints }, welded)
  expect(found).toEqual(plain)
})

test('a slider-crank in line: the stroke is twice the crank', () => {
  const { scene, poses } = loop(
    [
      [0, 0],
      [0, 1],
      [3, 0],
      [3, 0],
    ],
    true,
  )
  const [linkage] = linkages(scene, poses)
  expect(linkage.name).toBe('Slider-crank')
  expect(linkage.stroke).toBeCloseTo(2, 6)
  expect(linkage.advantage).toBeCloseTo(Math.cos(Math.atan(1 / 3)) / Math.sin(Math.atan(3)), 6)
})

test('dead points of a four-bar: coupler and output in line, or input and coupler', () => {
  const [a, b, c, d] = [3, 2, 2.5, 4] // the input only swings
  const { driving, driven } = deadPoints([a, b, c, d])
  expect(driving).toHaveLength(2)
  for (const angle of driving) {
    const diagonal = Math.sqrt(a * a + d * d - 2 * a * d * Math.cos(angle))
    expect(Math.min(Math.abs(diagonal - b - c), Math.abs(diagonal - Math.abs(b - c)))).toBeLessThan(1e-12)
  }
  for (const lengths of [
    [a, b, c, d],
    [1, 4, 3, 3.5],
  ])
    for (const angle of deadPoints(lengths).driven) {
      const ends = [1, -1].map((side) => lengths[0] + side * lengths[1])
      const off = ends.map((r) =>
        Math.abs(Math.hypot(r * Math.cos(angle) - lengths[3], r * Math.sin(angle)) - lengths[2]),
      )
      expect(Math.min(...off)).toBeLessThan(1e-12)
    }
  expect(driven.length).toBeGreaterThan(0)
  expect(deadPoints([1, 4, 3, 3.5]).driving).toEqual([]) // a crank turns fully
  const close = (...angles: number[]) => angles.map((angle) => expect.closeTo(angle, 3))
  expect(deadPoints([0.4, 0.6, 0.4, 0.6]).driven.map((angle) => angle > -3)).not.toContain(false) // 180, not -180
  expect(deadPoints([0.4, 0.6, 0.4, 0.6]).driving).toEqual(close(Math.PI, 0)) // a change point: each angle once
  expect(deadPoints([1, 4, 3, 3.5]).driven).toHaveLength(4)
})

test('dead points of a slider-crank: the slider at the ends of its stroke', () => {
  const { driving, driven } = deadPointsOfSlider(1, 3, 0.5)
  expect(driving).toEqual([])
  expect(driven[0]).toBeCloseTo(Math.asin(0.5 / 4), 12)
  expect(Math.sin(driven[1])).toBeCloseTo(-0.5 / 2, 12)
  const short = deadPointsOfSlider(2, 1, 0)
  for (const angle of short.driving) expect(Math.abs(2 * Math.sin(angle))).toBeCloseTo(1, 12)
  // rod and crank of one length, but for round-off
  const equal = deadPointsOfSlider(0.2, 0.2 * (1 + 1e-12), 0).driving
  expect(equal).toEqual([expect.closeTo(Math.PI / 2, 3), expect.closeTo(-Math.PI / 2, 3)])
})

test('the velocity polygon of a crank and a coupler', () => {
  const scene = twoLinks()
  const poses = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0)
  const velocities = Float32Array.of(0, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0, -1)
  const accelerations = Float32Array.of(0, 0, 0, 0, 0, 0, -4, 0, 0, 0, 0, 0)
  const elbow = ({ images }: ReturnType<typeof polygonOf>) =>
    images.find(({ name }) => name === 'elbow')!.value.toArray()
  const reach = scene.joints.find(({ name }) => name === 'elbow')!.end1.position[0]
  expect(elbow(polygonOf(scene, poses, velocities))).toEqual([expect.closeTo(0, 6), expect.closeTo(2 * reach, 6)])
  expect(elbow(polygonOf(scene, poses, accelerations, velocities))).toEqual([
    expect.closeTo(-4 * reach, 6),
    expect.closeTo(0, 6),
  ])
})

test('curves of points of a body are those of its poses', () => {
  const corners = [
    [0, -0.1, 0],
    [2, 0.1, 0],
  ].map((c) => new Vector3().fromArray(c))
  const points = atlasPoints(corners)
  expect(points).toHaveLength(15)
  expect(Math.min(...points.map(({ y }) => y))).toBeLessThan(-1)
  const [curve] = curvesOf(
    [new Vector3(1, 0, 0)],
    [
      [0, 0, 0, 0],
      [1, 3, 4, Math.PI / 2],
    ],
  )
  expect(curve.points[1].toArray()).toEqual([expect.closeTo(3, 12), expect.closeTo(5, 12), 0])
})
