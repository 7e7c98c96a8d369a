// What the mechanism stands on (in space) or in front of (in the plane): a grid that fades out, and its shadow.
import {
  Color,
  DoubleSide,
  Group,
  Mesh,
  PlaneGeometry,
  Quaternion,
  ShaderMaterial,
  ShadowMaterial,
  Vector3,
} from 'three'
import type { Theme } from './theme'

const vertexShader = `
  varying vec2 at;
  void main() {
    at = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`

// Lines one pixel wide at any distance: distance to the next line over its change from pixel to pixel.
const fragmentShader = `
  uniform vec3 colour;
  uniform float opacity, cell, reach;
  varying vec2 at;
  float lines(float step) {
    vec2 p = at / step;
    vec2 d = abs(fract(p - 0.5) - 0.5) / fwidth(p);
    return 1.0 - min(min(d.x, d.y), 1.0);
  }
  void main() {
    float strength = max(0.5 * lines(cell), lines(5.0 * cell));
    float fade = 1.0 - smoothstep(0.35 * reach, reach, length(at));
    gl_FragColor = vec4(colour, opacity * strength * fade);
    if (gl_FragColor.a < 0.003) discard;
    #include <colorspace_fragment>
  }`

export class Backdrop {
  readonly object = new Group()
  private readonly grid: ShaderMaterial
  private readonly shadow = new ShadowMaterial()
  private readonly gridMesh: Mesh

  /** A plane through origin with this normal; cell and reach (where it has faded) in m. */
  constructor(
    origin: Vector3,
    normal: Vector3,
    readonly cell: number,
    reach: number,
  ) {
    this.grid = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: {
        colour: { value: new Color() },
        opacity: { value: 0 },
        cell: { value: cell },
        reach: { value: reach },
      },
    })
    const plane = new PlaneGeometry(2 * reach, 2 * reach)
    this.gridMesh = new Mesh(plane, this.grid)
    const catcher = new Mesh(plane, this.shadow)
    catcher.receiveShadow = true
    catcher.renderOrder = -1
    this.shadow.depthWrite = false
    this.object.add(catcher, this.gridMesh)
    this.object.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal))
    this.object.position.copy(origin)
  }

  show(shown: boolean): void {
    this.gridMesh.visible = shown
  }

  repaint(theme: Theme): void {
    this.grid.uniforms.colour.value.set(theme.grid)
    this.grid.uniforms.opacity.value = theme.gridOpacity
    this.shadow.opacity = theme.shadow
  }

  dispose(): void {
    this.gridMesh.geometry.dispose()
    this.grid.dispose()
    this.shadow.dispose()
  }
}
