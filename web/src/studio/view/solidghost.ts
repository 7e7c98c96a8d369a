// A translucent picture of a solid that is about to be made.
import type { Matrix4, Scene } from 'three'
import { EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial } from 'three'
import type { ShapeData } from '../../scene/data'
import { shapeGeometry } from '../../scene/solids'
import { matrixOf } from '../../scene/space'

const OPACITY = 0.32
const EDGE_ANGLE = 32 // degrees: flatter meetings of faces are one round surface
const DRAWING = { slender: 0, depth: Infinity, segments: 48 }

/** Shapes that are the stretched unit of their kind: sizes of the unit, and how it is stretched. */
const STRETCHED: Partial<
  Record<ShapeData['kind'], { unit: number[]; scale: (size: number[]) => [number, number, number] }>
> = {
  box: { unit: [1, 1, 1], scale: ([a, b, c]) => [a, b, c] },
  sphere: { unit: [1], scale: ([r]) => [r, r, r] },
  ellipsoid: { unit: [1, 1, 1], scale: ([a, b, c]) => [a, b, c] },
  cylinder: { unit: [1, 1], scale: ([r, l]) => [r, r, l] },
  rod: { unit: [1, 1], scale: ([r, l]) => [r, r, l] },
  cone: { unit: [1, 1], scale: ([r, l]) => [r, r, l] },
}

export class SolidGhost {
  private readonly object = new Group()
  private readonly inner = new Group()
  private readonly fill = new MeshBasicMaterial({ transparent: true, opacity: OPACITY, depthWrite: false })
  private readonly line = new LineBasicMaterial({ transparent: true, opacity: 0.9 })
  private key = ''
  /** sizes of what is shown, m */
  shown?: number[]

  /** Without a shape nothing is shown. */
  show(scene: Scene, shape: ShapeData | undefined, pose: Matrix4, colour: string): void {
    this.shown = shape?.size
    if (!shape) {
      this.object.removeFromParent()
      return
    }
    const { unit, scale } = STRETCHED[shape.kind] ?? {}
    this.build(unit ? { ...shape, size: unit } : shape)
    this.inner.scale.set(...(scale?.(shape.size) ?? ([1, 1, 1] as const)))
    this.fill.color.set(colour)
    this.line.color.set(colour)
    pose.clone().multiply(matrixOf(shape)).decompose(this.object.position, this.object.quaternion, this.object.scale)
    if (this.object.parent !== scene) scene.add(this.object)
  }

  private build(shape: ShapeData): void {
    const key = `${shape.kind} ${shape.size.join()}`
    if (key === this.key) return
    this.key = key
    for (const part of this.inner.children as Mesh[]) part.geometry.dispose()
    this.inner.clear()
    const geometry = shapeGeometry(shape, DRAWING).clone()
    const mesh = new Mesh(geometry, this.fill)
    const lines = new LineSegments(new EdgesGeometry(geometry, EDGE_ANGLE), this.line)
    for (const part of [mesh, lines]) part.raycast = () => {}
    this.inner.add(mesh, lines)
    this.object.add(this.inner)
  }
}
