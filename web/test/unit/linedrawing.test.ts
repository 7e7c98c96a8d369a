// Line drawings: lengths from pin to pin, words that keep apart, and edges of solids that something hides.
import { BoxGeometry, Mesh, MeshBasicMaterial, PerspectiveCamera, Vector3 } from 'three'
import { expect, test } from 'vitest'
import { lineDrawing } from '../../src/studio/export/drawing'
import { visibleEdges } from '../../src/studio/export/linework'
import { Sheet } from '../../src/studio/export/sheet'
import { twoLinks } from './fakes'

const poses = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 0.3, 0.4, 0, 1, 0, 0, 0)
const end = (body: number, x: number, y: number) => ({ body, position: [x, y, 0], rotation: [1, 0, 0, 0] })
const still = { position: [0, 0, 0], rotation: [1, 0, 0, 0] }

test('lengths are those from pin to pin, on a disc, too; circles have radii, ground its distances, measures are drawn', () => {
  const base = twoLinks()
  const pin = (name: string, a: ReturnType<typeof end>, b: ReturnType<typeof end>) => ({
    ...base.joints[0],
    name,
    end1: a,
    end2: b,
  })
  const scene = {
    ...base,
    bodies: [
      { ...base.bodies[0], shapes: [{ kind: 'cylinder' as const, size: [0.6, 0.1], ...still }] },
      { ...base.bodies[1], shapes: [] },
    ],
    joints: [
      pin('a', end(-1, 0, 0), end(0, 0, 0)),
      pin('b', end(0, 0.3, 0.4), end(1, 0, 0)),
      pin('c', end(1, 0.9, -0.4), end(-1, 1.2, 0)),
    ],
  }
  const angle = { kind: 'angle' as const, points: [[1, 0], [0, 0], [0, 1]].map(([x, y]) => new Vector3(x, y)), text: '90°' } // prettier-ignore
  const svg = lineDrawing(scene, poses, [angle])
  const words = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)
  expect(words.sort()).toEqual(['1.2 m', '500 mm', '90°', '984.9 mm', 'R 600 mm'].sort())
  expect(svg.match(/class="axis"/g)).toHaveLength(2) // crank on its disc, and ground; the bare coupler is a line itself
  expect(lineDrawing({ ...scene, joints: scene.joints.slice(0, 1) }, poses)).not.toContain('NaN')
})

test('a floor is a line below, and a slider without a shape is a block on its guide', () => {
  const base = twoLinks()
  const scene = {
    ...base,
    ground: { shapes: [{ kind: 'half_space' as const, size: [], ...still, position: [50, -0.5, 0] }] },
    bodies: base.bodies.map((body) => ({ ...body, shapes: [] })),
    joints: [{ ...base.joints[0], type: 'translational', end1: end(-1, 0, 0), end2: end(1, 0, 0) }],
  }
  const svg = lineDrawing(scene, poses)
  expect(svg.match(/class="face"/g)).toHaveLength(1)
  expect(svg.match(/class="link"/g)).toHaveLength(1)
  const [, y] = svg.match(/class="link"/)!.input!.match(/<path d="M(?:-?[\d.]+) ([\d.]+)L[^"]*" class="link"/)!
  expect(Number(y)).toBeGreaterThan(0)
  expect(Number(y)).toBeLessThan(600)
})

test('words do not cover each other', () => {
  const sheet = new Sheet()
  for (let k = 0; k < 3; k++) sheet.textAlong([100, 300], [500, 300], 'a length')
  const places = [...sheet.toString('').matchAll(/<text x="([\d.]+)" y="([\d.]+)"/g)].map(([, x, y]) => [+x, +y])
  for (const [k, a] of places.entries())
    for (const b of places.slice(k + 1)) expect(Math.abs(a[0] - b[0]) > 50 || Math.abs(a[1] - b[1]) > 14).toBe(true)
})

test('of a cube nine edges are seen; one in front hides those behind it', () => {
  const camera = new PerspectiveCamera(30, 1)
  camera.position.set(6, -8, 5)
  camera.up.set(0, 0, 1)
  camera.lookAt(0, 0, 0)
  camera.updateMatrixWorld()
  const cube = (size: number, at: Vector3) => {
    const mesh = new Mesh(new BoxGeometry(size, size, size), new MeshBasicMaterial())
    mesh.position.copy(at)
    mesh.updateMatrixWorld()
    return mesh
  }
  const draw = (...meshes: Mesh[]) => visibleEdges(meshes, camera, 1, [600, 600], 50).lines
  const lengthOf = (lines: [number[], number[]][]) =>
    lines.reduce((sum, [a, b]) => sum + Math.hypot(a[0] - b[0], a[1] - b[1]), 0)
  const one = draw(cube(2, new Vector3()))
  expect(one).toHaveLength(9)
  const xs = one.flat().map(([x]) => x)
  const ys = one.flat().map(([, y]) => y)
  expect(Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys))).toBeCloseTo(500, 0) // as large as it can be
  const away = camera.position.clone().normalize()
  const behind = cube(0.5, away.clone().multiplyScalar(-2))
  expect(lengthOf(draw(cube(2, new Vector3()), behind))).toBeCloseTo(lengthOf(one), 0)
  expect(draw()).toEqual([]) // an empty model
  const glass = cube(2, new Vector3())
  ;(glass.material as MeshBasicMaterial).transparent = true
  expect(lengthOf(draw(glass, behind))).toBeGreaterThan(lengthOf(one) + 100)
  const inFront = cube(0.5, away.clone().multiplyScalar(2))
  expect(draw(cube(2, new Vector3()), inFront).length).toBeGreaterThanOrEqual(18)
})
