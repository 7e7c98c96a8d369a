// Solids drawn with the pointer: planes, steps, flat faces, sizes and places; points inside shapes; what things are called.
import { Ray, Vector2, Vector3 } from 'three'
import { expect, test } from 'vitest'
import type { ShapeData } from '../../src/scene/data'
import { shapeGeometry } from '../../src/scene/solids'
import { alsoCalled, isCalled } from '../../src/studio/panels/outline'
import { drawnSolid, eulerTurn, eulerWords, shapeData, standing } from '../../src/studio/tools/drawn'
import { newSolid } from '../../src/studio/tools/solidity'
import { sizesOf } from '../../src/studio/tools/solids'
import { faceAt } from '../../src/studio/view/faces'
import { isInside } from '../../src/studio/view/inside'
import { meetPlane, planeAcross, planeThrough, snapOn, stepAt } from '../../src/studio/view/workplane'

const solid = (kind: string) => ({ ...newSolid(), kind, sizes: sizesOf(kind) })
const V = (x: number, y: number, z: number) => new Vector3(x, y, z)
const close = (vector: Vector3, wanted: number[]) =>
  expect(vector.toArray()).toEqual(wanted.map((x) => expect.closeTo(x, 9)))

test('planes are right-handed, places on them are multiples of a step, finer as the view comes nearer', () => {
  for (const plane of [
    planeAcross('x', 2),
    planeAcross('y', 0),
    planeThrough(V(1, 2, 3), V(0.3, -0.4, 0.6)),
    planeThrough(V(0, 0, 0), V(0, 0, -1)),
  ])
    close(plane.u.clone().cross(plane.v), plane.n.toArray())
  close(snapOn(planeAcross('x', 2), V(2, 0.33, -0.48), 0.1), [2, 0.3, -0.5])
  const eye = (metre: number) => ({ cell: 1, toCanvas: ({ x, y }: Vector3) => new Vector2(metre * x, metre * y) })
  expect(stepAt(eye(40), planeAcross('z', 0), V(0, 0, 0))).toBe(0.5)
  expect(stepAt(eye(200), planeAcross('z', 0), V(0, 0, 0))).toBe(0.1)
  const ray = (x: number, y: number) => new Ray(V(x, y, 10), V(0, 0, -1))
  close(meetPlane({ ray }, planeAcross('z', 1), 3, 4)!, [3, 4, 1])
  expect(meetPlane({ ray }, planeAcross('x', 1), 3, 4)).toBeUndefined()
})

test('a box drawn on a plane across any axis has its sizes along axes of the world', () => {
  for (const across of ['x', 'y', 'z'] as const) {
    const plane = planeAcross(across, 0.5)
    const from = plane.origin.clone()
    const to = from.clone().addScaledVector(plane.u, -0.2).addScaledVector(plane.v, 0.3)
    const { solid: box, at, turn } = drawnSolid(solid('box'), { plane, from, to, height: -0.4 }, false)!
    const k = 'xyz'.indexOf(across)
    expect(box.sizes['xyz'[k]]).toBe('400 mm')
    expect(box.sizes['xyz'[(k + 1) % 3]]).toBe('200 mm')
    expect(box.sizes['xyz'[(k + 2) % 3]]).toBe('300 mm')
    expect(turn.w).toBe(1)
    expect(at.getComponent(k)).toBeCloseTo(0.3, 12)
  }
  expect(
    drawnSolid(solid('box'), { plane: planeAcross('z', 0), from: V(0, 0, 0), to: V(1, 0, 0), height: 1 }, false),
  ).toBeUndefined()
})

test('round solids: along the normal, along the drawn line, on tilted planes turned', () => {
  const plane = planeAcross('y', 0)
  const stroke = { plane, from: V(0, 0, 0), to: V(0.3, 0, 0.4), height: 0.2 }
  const drum = drawnSolid(solid('cylinder'), stroke, false)!
  expect([drum.solid.axis, drum.solid.sizes.radius, drum.solid.sizes.length]).toEqual(['y', '500 mm', '200 mm'])
  close(drum.at, [0, 0.1, 0])
  const rod = drawnSolid(solid('rod'), stroke, false)!
  expect(rod.solid.sizes.length).toBe('500 mm')
  close(V(0, 0, 1).applyQuaternion(rod.turn), [0.6, 0, 0.8])
  const cone = drawnSolid(
    solid('cone'),
    { ...stroke, plane: planeAcross('z', 0), to: V(0.1, 0, 0), height: -1 },
    false,
  )!
  close(V(0, 0, 1).applyQuaternion(cone.turn), [0, 0, -1])
  const tilted = planeThrough(V(0, 0, 1), V(0, 0.6, 0.8))
  const { at, turn } = standing(solid('box'), tilted, V(0, 0, 1))
  close(at, [0, 0.03, 1.04])
  close(V(0, 0, 1).applyQuaternion(turn), [0, 0.6, 0.8])
  const again = eulerTurn(eulerWords(turn).map((words) => (Number.parseFloat(words) * Math.PI) / 180))
  expect(Math.abs(again.dot(turn))).toBeCloseTo(1, 9)
  expect(shapeData({ ...solid('cylinder'), sizes: { radius: 'x', length: '1 m' } })).toBeUndefined()
})

test('flat faces are planes, curved ones are not, nor are edges of nothing', () => {
  const wall = (x: number, y: number) => (x > 100 ? undefined : { body: 0, point: V(x, y, 0), normal: V(0, 0, 1) })
  expect(faceAt(wall, 50, 50)?.n.toArray()).toEqual([0, 0, 1])
  expect(faceAt(wall, 99, 50)).toBeDefined()
  expect(faceAt(wall, 120, 50)).toBeUndefined()
  const round = (x: number, y: number) => {
    const normal = V(Math.sin(x / 50), 0, Math.cos(x / 50))
    return { body: 0, point: normal.clone().multiplyScalar(50).setY(y), normal }
  }
  expect(faceAt(round, 10, 10)).toBeUndefined()
})

test('points are inside shapes or not, whichever way they lie', () => {
  const shape = (kind: ShapeData['kind'], ...size: number[]) => ({
    kind,
    size,
    position: [0, 0, 0],
    rotation: [1, 0, 0, 0],
  })
  const at = V(0.09, 0, 0.4)
  expect(isInside(shape('cylinder', 0.1, 1), at)).toBe(true)
  expect(isInside(shape('cone', 0.1, 1), at)).toBe(false)
  expect(isInside(shape('cone', 0.1, 1), V(0.09, 0, -0.45))).toBe(true)
  expect(isInside(shape('box', 0.18, 0.1, 0.8), at)).toBe(true)
  expect(isInside(shape('torus', 0.1, 0.02), V(0.1, 0, 0.019))).toBe(true)
  expect(isInside(shape('torus', 0.1, 0.02), V(0, 0, 0))).toBe(false)
  expect(isInside(shape('capsule', 0.1, 0.6), at)).toBe(false)
  expect(isInside(shape('capsule', 0.1, 0.6), V(0, 0, 0.39))).toBe(true)
})

test('types are found by what people call them', () => {
  expect(isCalled(`revolute ${alsoCalled('revolute')}`, ' Hinge')).toBe(true)
  expect(isCalled(`fixed ${alsoCalled('fixed')}`, 'hinge')).toBe(false)
})

test('ellipsoids share nothing that one of them stretches', () => {
  const shape: ShapeData = { kind: 'ellipsoid', size: [2, 1, 0.5], position: [0, 0, 0], rotation: [1, 0, 0, 0] }
  const reach = () => {
    const geometry = shapeGeometry(shape, { slender: 0, depth: Infinity, segments: 24 })
    geometry.computeBoundingBox()
    return geometry.boundingBox!.max.z
  }
  expect(reach()).toBeCloseTo(0.5, 6)
  expect(reach()).toBeCloseTo(0.5, 6)
})
