// Kinds of linkages by their lengths, against what every textbook says of them.
import { expect, test } from 'vitest'
import { grashof, linkages } from '../../src/studio/analysis/linkage'
import type { StudioScene } from '../../src/studio/protocol'

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
