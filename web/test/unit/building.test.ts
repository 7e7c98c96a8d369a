// Building: definitions read from texts, handles, motions as commands, surfaces from sketches, free motions of joints.
import { Matrix4, Quaternion, Ray, Vector2, Vector3 } from 'three'
import { expect, test } from 'vitest'
import { alongLine, Gizmo, motionOf } from '../../src/studio/place/gizmo'
import { moveBody, moveJoint } from '../../src/studio/place/moves'
import { metres, radians } from '../../src/studio/place/typed'
import { tidy, withNumbers } from '../../src/studio/digits'
import { definitionOf, readText } from '../../src/studio/text/definition'
import { cleanOutline, extrude, revolve, stl, volumeOf } from '../../src/studio/tools/meshes'
import { surfaceOf } from '../../src/studio/tools/profile'
import { reshapeBody, solidityOf } from '../../src/studio/tools/reshape'
import { planeAcross } from '../../src/studio/view/workplane'
import { freeMotions } from '../../src/studio/view/freemotion'
import { twoLinks } from './fakes'

const TEXT = `# a model
tenon: 1
bodies:
  arm:            # the first
    shapes:
      - { rod: { from: [0, 0], to: [r, 0], radius: 8 mm }, mass: 1 kg }
      - box: { size: [1, 2, 3] }
        density: 7850 kg/m^3
    position: [max(a, b), 0.5]
    frames:
      tip: { at: [r, 0] }
  "odd name": { mass: 2 kg, inertia: 1 }
joints:
  pin: { type: revolute, between: [ground, arm],
         at: [0, 0] }   # over two lines
`

test('definitions have expressions, units and order as written', () => {
  expect(definitionOf(TEXT, 'bodies', 'arm')).toEqual({
    shapes: [
      { rod: { from: ['0', '0'], to: ['r', '0'], radius: '8 mm' }, mass: '1 kg' },
      { box: { size: ['1', '2', '3'] }, density: '7850 kg/m^3' },
    ],
    position: ['max(a, b)', '0.5'],
    frames: { tip: { at: ['r', '0'] } },
  })
  expect(definitionOf(TEXT, 'bodies', 'odd name')).toEqual({ mass: '2 kg', inertia: '1' })
  expect(definitionOf(TEXT, 'joints', 'pin')).toEqual({ type: 'revolute', between: ['ground', 'arm'], at: ['0', '0'] })
})

test('what is not there, or said by anchors, is not read', () => {
  expect(definitionOf(TEXT, 'bodies', 'leg')).toBeUndefined()
  expect(definitionOf('bodies:\n  a: &x { mass: 1 }\n  b: *x\n', 'bodies', 'b')).toBeUndefined()
  expect(readText('{ "a": [1, "x, y"], "b": {} }')).toEqual({ a: ['1', 'x, y'], b: {} })
})

test('typed lengths and angles', () => {
  expect(metres('60 mm')).toBeCloseTo(0.06, 12)
  expect(metres('-1.5e-1')).toBeCloseTo(-0.15, 12)
  expect(metres('6 kg')).toBeNaN()
  expect(radians('90')).toBeCloseTo(Math.PI / 2, 12)
  expect(radians('1 rad')).toBe(1)
})

/** Looks down z from above: a metre is 100 pixels, the origin is at (500, 400). */
const above = {
  toCanvas: ({ x, y }: Vector3) => new Vector2(500 + 100 * x, 400 - 100 * y),
  towards: () => new Vector3(0, 0, 1),
  ray: (x: number, y: number) => new Ray(new Vector3((x - 500) / 100, (400 - y) / 100, 10), new Vector3(0, 0, -1)),
}

test('a handle moves along its axis only, in steps; a ring turns about its own', () => {
  const gizmo = new Gizmo(new Vector3(1, 0, 0), new Quaternion(), true)
  expect(gizmo.grips.map(({ kind, axis }) => `${kind}${axis}`)).toEqual(['move0', 'move1', 'turn2'])
  const arrow = gizmo.find(new Vector2(680, 401), above)!
  expect(arrow).toEqual({ kind: 'move', axis: 0 })
  gizmo.take(arrow, new Vector2(680, 401), above)
  gizmo.drag(new Vector2(733, 300), above, 0.05)
  expect(gizmo.amount).toBeCloseTo(0.55, 9)
  expect(new Vector3().setFromMatrixPosition(gizmo.motion()).toArray()).toEqual(
    [0.55, 0, 0].map((v) => expect.closeTo(v, 9)),
  )
  const ring = gizmo.find(new Vector2(600 - 44, 400 - 44), above)!
  expect(ring).toEqual({ kind: 'turn', axis: 2 })
  gizmo.take(ring, new Vector2(600 + 62, 400), above)
  gizmo.drag(new Vector2(600, 400 - 62), above, Math.PI / 36)
  expect(gizmo.amount).toBeCloseTo(Math.PI / 2, 9)
  const turned = new Vector3(2, 0, 0).applyMatrix4(gizmo.motion())
  expect(turned.toArray()).toEqual([1, 1, 0].map((v) => expect.closeTo(v, 9)))
  expect(gizmo.find(new Vector2(900, 100), above)).toBeUndefined()
})

test('the point of a line that is nearest to a line of sight', () => {
  const ray = new Ray(new Vector3(3, -5, 2), new Vector3(0, 1, 0))
  expect(alongLine(ray, new Vector3(), new Vector3(1, 0, 0))).toBeCloseTo(3, 12)
  expect(alongLine(ray, new Vector3(), new Vector3(0, 1, 0))).toBe(0)
})

const LINKS = `bodies:
  upper: { shapes: [ { rod: { from: [0, 0], to: [r, 0], radius: 8 mm }, mass: 1 kg } ], position: [0, 0] }
  lower: { mass: 1 kg, position: [1, 0] }
joints:
  shoulder: { type: revolute, between: [ground, upper], at: [0, 0], fuse: { force: 5 kN } }
  elbow: { type: revolute, between: [upper.tip, lower] }
`
const still = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0)
type Replace = { replace: { bodies?: Record<string, never>; joints?: Record<string, never> } }

test('a body is moved in its text; its joints come along or stay, and keep what else they have', () => {
  const scene = twoLinks()
  const shift = new Matrix4().makeTranslation(0, 0.25, 0)
  const { replace } = moveBody(scene, still, LINKS, 0, shift, 'come') as Replace
  expect(replace.bodies!.upper).toMatchObject({ position: [0, 0.25], shapes: [{ mass: '1 kg' }] })
  expect(replace.joints!.shoulder).toMatchObject({
    type: 'revolute',
    fuse: { force: '5 kN' },
    between: ['ground', 'upper'],
  })
  const joint = scene.joints.find(({ name }) => name === 'shoulder')!
  const at = (ends: { at: number[] }[]) => ends.map((end) => end.at)
  const mine = joint.end1.body < 0 ? 1 : 0
  const came = at((replace.joints!.shoulder as { ends: { at: number[] }[] }).ends)
  expect(came[1 - mine][1] - joint[mine === 1 ? 'end1' : 'end2'].position[1]).toBeCloseTo(0.25, 6)
  const stayed = moveBody(scene, still, LINKS, 0, shift, 'stay') as Replace
  const stays = at((stayed.replace.joints!.shoulder as { ends: { at: number[] }[] }).ends)
  expect(stays[mine][1] - joint[mine === 1 ? 'end2' : 'end1'].position[1]).toBeCloseTo(-0.25, 6)
  expect(moveBody(scene, still, 'bodies: {}', 0, shift, 'come')).toMatch(/in the text/)
})

test('a joint is moved on both bodies, which stay', () => {
  const scene = twoLinks()
  const turn = motionOf({ kind: 'turn' }, Math.PI / 2, new Vector3(), new Vector3(0, 0, 1))
  const joint = scene.joints.find(({ name }) => name === 'shoulder')!
  const { replace } = moveJoint(scene, still, LINKS, joint, turn) as Replace
  expect(replace.bodies).toBeUndefined()
  const { ends } = replace.joints!.shoulder as { ends: { angle: number }[] }
  expect(ends.map(({ angle }) => angle)).toEqual([1, 1].map(() => expect.closeTo(Math.PI / 2, 6)))
})

test('an extruded L has its volume, a revolved rectangle that of a tube', () => {
  const corners = [
    [0, 0],
    [2, 0],
    [2, 1],
    [1, 1],
    [1, 2],
    [0, 2],
  ].map(([x, y]) => new Vector2(x, y))
  expect(volumeOf(extrude(cleanOutline([...corners].reverse())!, 0.5))).toBeCloseTo(1.5, 12)
  const tube = [
    [0.1, 0],
    [0.2, 0],
    [0.2, 1],
    [0.1, 1],
  ].map(([x, y]) => new Vector2(x, y))
  const round = Math.PI * (0.2 ** 2 - 0.1 ** 2)
  const volume = Math.abs(volumeOf(revolve(tube)))
  expect(volume / round).toBeGreaterThan(0.999)
  expect(volume).toBeLessThan(round)
  expect(stl(extrude(corners, 1)).match(/facet normal/g)).toHaveLength(4 + 4 + 12)
  const bow = [
    [0, 0],
    [1, 1],
    [1, 0],
    [0, 1],
  ].map(([x, y]) => new Vector2(x, y))
  expect(cleanOutline(bow)).toBeUndefined()
})

test('a surface is closed and looks outwards, whatever plane it is sketched on', () => {
  const square = (across: 'x' | 'y' | 'z') =>
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ].map(([a, b]) => {
      const k = 'xyz'.indexOf(across)
      return new Vector3().setComponent((k + 1) % 3, a).setComponent((k + 2) % 3, b)
    })
  for (const across of ['x', 'y', 'z'] as const) {
    const box = surfaceOf('extrude', square(across), planeAcross(across, 0), 2)
    expect(typeof box === 'string' ? box : volumeOf(box.faces)).toBeCloseTo(2, 9)
    const drum = surfaceOf('revolve', square(across), planeAcross(across, 0), NaN)
    expect(typeof drum === 'string' ? drum : volumeOf(drum.faces) / Math.PI).toBeCloseTo(1, 2)
    if (typeof drum === 'string') continue
    const edges = new Map<string, number>()
    const key = (p: Vector3) =>
      p
        .toArray()
        .map((v) => v.toFixed(6))
        .join()
    for (const face of drum.faces)
      face.forEach((p, k) => {
        const [a, b] = [key(p), key(face[(k + 1) % 3])]
        edges.set(`${a}|${b}`, (edges.get(`${a}|${b}`) ?? 0) + 1)
      })
    for (const [edge, count] of edges) {
      const [a, b] = edge.split('|')
      expect(count).toBe(1)
      expect(edges.get(`${b}|${a}`)).toBe(1)
    }
  }
  expect(surfaceOf('extrude', square('z').slice(0, 2), planeAcross('z', 0), 1)).toMatch(/three corners/)
})

test('the solid of a body as a form has it, and changed', () => {
  const text =
    'bodies:\n  block: { shapes: [ { box: { size: [1, 2, 3], at: [0.5, 0, 0] }, density: 2700 kg/m^3 } ], position: [0, 0, 1] }\n'
  const shapes = [{ kind: 'box' as const, size: [1, 2, 3], position: [0.5, 0, 0], rotation: [1, 0, 0, 0] }]
  const body = { name: 'block', type: 'rigid', mass: 16200, com: [], inertia: [], watched: false, shapes }
  const solid = solidityOf(body, text)!
  expect(solid).toMatchObject({ kind: 'box', material: 'Aluminium', sizes: { x: '1 m', y: '2 m', z: '3 m' } })
  const made = reshapeBody(body, text, { ...solid, material: 'Steel', sizes: { ...solid.sizes, x: '40 mm' } }, false)
  expect(made).toMatchObject({
    replace: {
      bodies: {
        block: {
          position: ['0', '0', '1'],
          shapes: [{ density: '7850 kg/m^3', box: { size: ['40 mm', '2', '3'], at: ['0.5', '0', '0'] } }],
        },
      },
    },
  })
  expect(solidityOf(body, 'bodies: {}')).toBeUndefined()
  const link = 'bodies: { block: { shapes: [ { rod: { from: [0, 0], to: [L, 0], radius: r }, mass: m } ] } }'
  const rod = {
    kind: 'rod' as const,
    size: [0.02, 0.8544003745],
    position: [0.4, 0, 0],
    rotation: [0.5, 0.5, 0.5, 0.5],
  }
  const thin = { ...body, shapes: [rod] }
  const form = solidityOf(thin, link)!
  const thick = reshapeBody(thin, link, { ...form, sizes: { ...form.sizes, radius: '30 mm' } }, true)
  expect(thick).toMatchObject({
    replace: { bodies: { block: { shapes: [{ rod: { to: ['L', '0'], radius: '30 mm' }, mass: 'm' }] } } },
  })
})

test('what joints leave free, by their coordinates', () => {
  expect(freeMotions(['angle'], true)).toEqual([{ kind: 'turn', axis: 2 }])
  expect(freeMotions(['position'], true)).toEqual([{ kind: 'move', axis: 0 }])
  expect(freeMotions(['position', 'angle'], false)).toEqual([
    { kind: 'move', axis: 2 },
    { kind: 'turn', axis: 2 },
  ])
  expect(freeMotions(['angle_x', 'angle_y', 'angle_z'], false).map(({ axis }) => axis)).toEqual([0, 1, 2])
  expect(freeMotions(['x', 'y', 'angle'], false)).toHaveLength(3)
})

test('numbers of commands: without round-off, and without quotes where a text says one', () => {
  expect([0.30000000000000004, -3.1e-33, 2.384185791015625e-8].map((value) => tidy(value))).toEqual([
    0.3, 0, 2.384185791e-8,
  ])
  const command = { replace: { bodies: { a: { position: ['-0.3', '0'], mass: '1 kg', to: ['L', 'NaN', '1.50'] } } } }
  expect(withNumbers(command)).toEqual({
    replace: { bodies: { a: { position: [-0.3, 0], mass: '1 kg', to: ['L', 'NaN', '1.50'] } } },
  })
})
