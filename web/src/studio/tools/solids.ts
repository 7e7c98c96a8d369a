// Solids that people build bodies from: what they are asked for, and what the model's text says of them.
import type { ShapeData } from '../../scene/data'
import type { Profiled } from './profile'

/** Texts with units, by key. */
export type Sizes = Record<string, string>

interface Solid {
  label: string
  /** key, label and default of each size */
  sizes: [key: string, label: string, given: string][]
  /** made from corners that are clicked on the work plane */
  profile?: Profiled
  /** its length lies along an axis */
  turns?: boolean
  planar: boolean
  definition: (sizes: Sizes, axis: string, planar: boolean) => object
  /** sizes of a shape that is there; none: this is not it */
  read: (size: number[]) => number[]
}

const round = (name: string) => (s: Sizes, axis: string, planar: boolean) => ({
  [name]: { radius: s.radius, length: s.length, ...(planar ? {} : { axis }) },
})
const ROUND: Solid['sizes'] = [
  ['radius', 'Radius', '50 mm'],
  ['length', 'Length', '200 mm'],
]
const asItIs = (size: number[]) => size

export const solids: Record<string, Solid> = {
  box: {
    label: 'Box',
    sizes: [
      ['x', 'Along x', '200 mm'],
      ['y', 'Along y', '100 mm'],
      ['z', 'Along z', '100 mm'],
    ],
    planar: true,
    definition: ({ x, y, z }) => ({ box: { size: [x, y, z] } }),
    read: asItIs,
  },
  cylinder: { label: 'Cylinder', sizes: ROUND, turns: true, planar: true, definition: round('cylinder'), read: asItIs },
  tube: {
    label: 'Tube',
    sizes: [...ROUND, ['inner', 'Inner radius', '40 mm']],
    turns: true,
    planar: false,
    definition: ({ radius, length, inner }, axis, planar) => ({
      tube: { radius, length, inner, ...(planar ? {} : { axis }) },
    }),
    read: asItIs,
  },
  sphere: {
    label: 'Ball',
    sizes: [['radius', 'Radius', '50 mm']],
    planar: true,
    definition: ({ radius }) => ({ sphere: { radius } }),
    read: ([radius]) => [radius],
  },
  rod: {
    label: 'Rod',
    sizes: [
      ['radius', 'Radius', '8 mm'],
      ['length', 'Length', '200 mm'],
    ],
    turns: true,
    planar: false,
    definition: round('rod'),
    read: asItIs,
  },
  capsule: { label: 'Capsule', sizes: ROUND, turns: true, planar: false, definition: round('capsule'), read: asItIs },
  cone: { label: 'Cone', sizes: ROUND, turns: true, planar: false, definition: round('cone'), read: asItIs },
  torus: {
    label: 'Ring',
    sizes: [
      ['radius', 'Radius', '100 mm'],
      ['tube', 'Radius of the tube', '20 mm'],
    ],
    turns: true,
    planar: false,
    definition: ({ radius, tube }, axis) => ({ torus: { radius, tube, axis } }),
    read: asItIs,
  },
  ellipsoid: {
    label: 'Ellipsoid',
    sizes: [
      ['x', 'Half axis x', '100 mm'],
      ['y', 'Half axis y', '60 mm'],
      ['z', 'Half axis z', '40 mm'],
    ],
    planar: false,
    definition: ({ x, y, z }) => ({ ellipsoid: { half_axes: [x, y, z] } }),
    read: asItIs,
  },
  extrude: {
    label: 'Extruded sketch',
    sizes: [['height', 'Height', '20 mm']],
    profile: 'extrude',
    planar: false,
    definition: ({ file }) => ({ mesh: { file } }),
    read: asItIs,
  },
  revolve: {
    label: 'Revolved sketch',
    sizes: [],
    profile: 'revolve',
    planar: false,
    definition: ({ file }) => ({ mesh: { file } }),
    read: asItIs,
  },
  file: {
    label: 'Mesh of a file',
    sizes: [
      ['file', 'STL file', 'part.stl'],
      ['scale', 'Its unit', '1 mm'],
    ],
    planar: false,
    definition: ({ file, scale }) => ({ mesh: { file, scale } }),
    read: asItIs,
  },
}

/** kg/m³ */
export const materials: [name: string, density: number][] = [
  ['Steel', 7850],
  ['Stainless steel', 7950],
  ['Cast iron', 7200],
  ['Aluminium', 2700],
  ['Brass', 8500],
  ['Bronze', 8800],
  ['Titanium', 4430],
  ['ABS', 1050],
  ['Nylon', 1140],
  ['POM', 1410],
  ['Rubber', 1100],
  ['Oak', 720],
  ['Concrete', 2400],
  ['Glass', 2500],
]

export const sizesOf = (kind: string): Sizes =>
  Object.fromEntries(solids[kind].sizes.map(([key, , given]) => [key, given]))

/** The single solid of a body that a form can change; undefined: it has others, or a shape of another kind. */
export function solidOf(shapes: ShapeData[]): { kind: string; sizes: number[] } | undefined {
  const [shape] = shapes
  if (shapes.length !== 1 || !(shape.kind in solids) || solids[shape.kind].sizes.length === 0) return undefined
  return { kind: shape.kind, sizes: solids[shape.kind].read(shape.size).slice(0, solids[shape.kind].sizes.length) }
}
