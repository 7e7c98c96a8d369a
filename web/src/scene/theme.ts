// Colours of the view, and the materials that follow them.
import { Color, DoubleSide, LineBasicMaterial, MeshStandardMaterial, ShaderMaterial } from 'three'
import type { SurfaceData } from './data'

export type ThemeName = 'light' | 'dark'

export interface Theme {
  bodies: number[]
  steel: number
  ground: number
  /** half-spaces of ground in space: what lies, and what stands upright */
  floor: number
  wall: number
  rail: number
  edge: number
  edgeOpacity: number
  grid: number
  gridOpacity: number
  traces: number[]
  shadow: number
  sky: number
  fromBelow: number
  skyIntensity: number
  sunIntensity: number
  /** glow of what is marked */
  selected: number
  hovered: number
  blocking: number
}

export const themes: Record<ThemeName, Theme> = {
  light: {
    bodies: [0x3b78c2, 0xe2873a, 0x45a078, 0x8767c2, 0xcc5a5a, 0x2f9fac, 0xc7a02e, 0xc4659b, 0x6c86a8, 0x9a7455],
    steel: 0x8d97a5,
    ground: 0x4a5566,
    floor: 0xd5dce5,
    wall: 0xc3ccd8,
    rail: 0x8793a3,
    edge: 0x0f1722,
    edgeOpacity: 0.45,
    grid: 0x4e6280,
    gridOpacity: 0.3,
    traces: [0xd6336c, 0x0b7285, 0x7048e8, 0xb35c00, 0x2b8a3e],
    shadow: 0.16,
    sky: 0xffffff,
    fromBelow: 0xb9c3d0,
    skyIntensity: 2.1,
    sunIntensity: 2.0,
    selected: 0xffa800,
    hovered: 0x3b78c2,
    blocking: 0xe0202e,
  },
  dark: {
    bodies: [0x5b9be6, 0xf0a05a, 0x62c196, 0xa78be2, 0xe57c7c, 0x52c1cd, 0xdfbd55, 0xe08abb, 0x93abc9, 0xbd9877],
    steel: 0xaab4c2,
    ground: 0x93a0b4,
    floor: 0x2c3644,
    wall: 0x364252,
    rail: 0x8695ab,
    edge: 0x05080c,
    edgeOpacity: 0.6,
    grid: 0x8fa5c4,
    gridOpacity: 0.2,
    traces: [0xff7aa8, 0x5fdcec, 0xb69cff, 0xffb75e, 0x7fe39a],
    shadow: 0.4,
    sky: 0xdfe9f7,
    fromBelow: 0x2b3442,
    skyIntensity: 1.5,
    sunIntensity: 2.0,
    selected: 0xffb81f,
    hovered: 0x6fb0ff,
    blocking: 0xff4d5a,
  },
}

/** A surface that the model describes; body: whose colour it has where it has none of its own. */
export interface Surface extends SurfaceData {
  body: number
}

export type Paint = 'steel' | 'ground' | 'rail' | 'floor' | 'wall' | number | Surface
type Key = string | number

/** How something is set off: chosen, under the pointer, in the way (or about to go), or taking no part. */
export type Mark = 'selected' | 'hovered' | 'blocking' | 'faint'
const MARK_SHARE = 0.45 // in the colour of what is selected
const GLOW: Record<Exclude<Mark, 'faint'>, number> = { selected: 0.4, hovered: 0.3, blocking: 0.45 }
const FAINT = 0.22 // opacity
const SHELL = 0.3
const HATCHING = 0.6

const hatchVertex = `
  varying vec2 at;
  varying float deep;
  void main() {
    at = position.xy;
    deep = 1.0 - uv.y;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`

// Slanting lines of one and a half pixels that fade with depth.
const hatchFragment = `
  uniform vec3 colour;
  uniform float opacity, step;
  varying vec2 at;
  varying float deep;
  void main() {
    float p = (at.x - at.y) / step;
    float d = abs(fract(p - 0.5) - 0.5) / fwidth(p);
    float line = 1.0 - smoothstep(0.4, 1.3, d);
    gl_FragColor = vec4(colour, opacity * (0.16 + 0.84 * line) * (1.0 - deep));
    #include <colorspace_fragment>
  }`

/** One material for each paint, repainted when the theme changes. A number is that of a body (colours repeat); -1 is
 * ground. */
export class Materials {
  private readonly solids = new Map<Key, MeshStandardMaterial>()
  /** those that the theme paints */
  private readonly themed = new Map<MeshStandardMaterial, Paint>()
  private readonly marked = new Map<string, MeshStandardMaterial>()
  readonly edge = new LineBasicMaterial({ transparent: true })
  /** of what is faint */
  readonly faintEdge = new LineBasicMaterial({ transparent: true })

  private readonly hatchings = new Map<number, ShaderMaterial>()

  constructor(private theme: Theme) {
    this.repaint(theme)
  }

  private key(paint: Paint): Key {
    if (typeof paint === 'string') return paint
    if (typeof paint === 'number') return paint < 0 ? 'ground' : paint % this.theme.bodies.length
    const { colour, metalness, roughness, opacity, body } = paint
    return [colour ?? `of ${this.key(body)}`, metalness, roughness, opacity].join()
  }

  /** Of the side of a floor that nobody goes to, in the plane; step: from line to line, m. */
  hatching(step: number): ShaderMaterial {
    let material = this.hatchings.get(step)
    if (!material) {
      material = new ShaderMaterial({
        vertexShader: hatchVertex,
        fragmentShader: hatchFragment,
        transparent: true,
        depthWrite: false,
        side: DoubleSide,
        uniforms: {
          colour: { value: new Color(this.theme.ground) },
          opacity: { value: HATCHING },
          step: { value: step },
        },
      })
      this.hatchings.set(step, material)
    }
    return material
  }

  /** The material of a paint, set off by a mark. */
  variant(paint: Paint, mark: Mark): MeshStandardMaterial {
    const name = `${this.key(paint)} ${mark}`
    let material = this.marked.get(name)
    if (!material) {
      material = this.solid(paint).clone()
      this.setOff(material, mark)
      this.marked.set(name, material)
    }
    return material
  }

  /** Of what others are seen through. */
  shell(paint: Paint, mark?: Mark): MeshStandardMaterial {
    const name = `${this.key(paint)} ${mark} shell`
    let material = this.marked.get(name)
    if (!material) {
      material = this.solid(paint).clone()
      if (mark) this.setOff(material, mark)
      Object.assign(material, { transparent: true, opacity: SHELL, depthWrite: false })
      this.marked.set(name, material)
    }
    return material
  }

  private setOff(material: MeshStandardMaterial, mark: Mark): void {
    if (mark === 'faint') {
      Object.assign(material, { transparent: true, opacity: FAINT, depthWrite: false })
      return
    }
    if (mark === 'selected') material.color.lerp(new Color(this.theme.selected), MARK_SHARE) // its paint is still seen
    if (mark === 'blocking') material.color.set(this.theme.blocking)
    material.emissive.set(this.theme[mark])
    material.emissiveIntensity = GLOW[mark]
  }

  solid(paint: Paint): MeshStandardMaterial {
    const key = this.key(paint)
    let material = this.solids.get(key)
    if (!material) {
      material = new MeshStandardMaterial(surfaceOf(paint))
      // edges lie in front of their faces
      Object.assign(material, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 })
      material.color.set(this.colour(paint))
      this.solids.set(key, material)
      this.themed.set(material, paint)
    }
    return material
  }

  private colour(paint: Paint): number {
    if (typeof paint === 'string') return this.theme[paint]
    if (typeof paint === 'object') return paint.colour ?? this.colour(paint.body)
    return paint < 0 ? this.theme.ground : this.theme.bodies[paint % this.theme.bodies.length]
  }

  repaint(theme: Theme): void {
    this.theme = theme
    for (const [material, paint] of this.themed) material.color.set(this.colour(paint))
    for (const material of this.marked.values()) material.dispose()
    this.marked.clear()
    for (const { uniforms } of this.hatchings.values()) uniforms.colour.value.set(theme.ground)
    this.edge.color = new Color(theme.edge)
    this.edge.opacity = theme.edgeOpacity
    this.faintEdge.color = this.edge.color
    this.faintEdge.opacity = FAINT * theme.edgeOpacity
  }
}

function surfaceOf(paint: Paint): { metalness: number; roughness: number; transparent?: boolean; opacity?: number } {
  if (typeof paint !== 'object') {
    const metal = paint === 'steel' || paint === 'rail'
    return { roughness: metal ? 0.38 : 0.55, metalness: metal ? 0.35 : 0.05 }
  }
  const { metalness, roughness, opacity } = paint
  return opacity < 1 ? { metalness, roughness, opacity, transparent: true } : { metalness, roughness }
}
