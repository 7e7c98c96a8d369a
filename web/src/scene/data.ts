// A mechanism as it is seen, without its motion. SI units; quaternions are (w, x, y, z). See docs/animate.md.

export interface Place {
  position: number[]
  rotation: number[]
}

/** A frame fixed on a body; body -1 is ground. */
export interface End extends Place {
  body: number
}

export interface ShapeData extends Place {
  kind:
    | 'box'
    | 'cylinder'
    | 'sphere'
    | 'rod'
    | 'capsule'
    | 'mesh'
    | 'polygon'
    | 'half_space'
    | 'cone'
    | 'torus'
    | 'ellipsoid'
    | 'tube'
    | 'bowl'
    | 'none'
  /** box: edges; cylinder, rod, capsule, cone: radius and length along z; sphere: radius; polygon: thickness along z; torus:
   * radii of ring and tube; ellipsoid: half axes; tube: radius, length, inner radius; bowl: radius of the sphere, depth */
  size: number[]
  /** mesh: base64 of float32 coordinates and of uint32 corner numbers */
  vertices?: string
  triangles?: string
  /** polygon: x and y of each corner */
  corners?: number[][]
  /** looks */
  surface?: SurfaceData
}

/** How a look is painted; without a colour, in that of its body. */
export interface SurfaceData {
  colour?: number
  metalness: number
  roughness: number
  opacity: number
}

export interface BodyData {
  name: string
  type: string
  mass: number
  com: number[]
  /** xx yy zz xy xz yz about the centre of mass */
  inertia: number[]
  /** its position is among the outputs of the model */
  watched: boolean
  shapes: ShapeData[]
  /** what it is drawn as in place of its shapes; 'none': paint for what is drawn without looks */
  looks?: ShapeData[]
}

export interface FrameData {
  name: string
  watched: boolean
  end: End
}

export interface ConnectionData {
  name: string
  type: string
  glyph?: string
  end1: End
  end2: End
  /** a spring that only damps */
  damper?: boolean
  /** stops of its coordinates */
  limits?: { coordinate: string; low?: number; high?: number }[]
}

export interface SubsystemData {
  name: string
  /** compiled: its contents are not told */
  closed: boolean
  /** name of each, and the path of the body or frame behind it */
  ports: Record<string, string>
}

export interface SceneData {
  name: string
  dimension: 2 | 3
  gravity: number[]
  units: { length: string; time: string }
  ground: { shapes: ShapeData[]; looks?: ShapeData[] }
  bodies: BodyData[]
  frames: FrameData[]
  joints: ConnectionData[]
  couplings: { name: string; type: string }[]
  forces: ConnectionData[]
  subsystems?: SubsystemData[]
}

/** Poses of all bodies, POSE_SIZE numbers each: position and quaternion. Recorded motions have them in single precision, sessions
 * in double precision: what is made in the view gets its places from them. */
export type Poses = Float32Array | Float64Array
export const POSE_SIZE = 7

export function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes.buffer
}
