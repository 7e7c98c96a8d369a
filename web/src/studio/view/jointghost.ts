// A faint picture of the joint that a tool is about to make.
import type { Matrix4, Object3D } from 'three'
import { Group } from 'three'
import { glyphParts } from '../../scene/glyphs'
import type { Mechanism } from '../../scene/mechanism'
import type { Materials } from '../../scene/theme'
import { faded } from './ghosts'

const OPACITY = 0.55

export class JointGhost {
  readonly object = new Group()
  /** name of the picture that is shown */
  shown?: string

  constructor(
    private readonly mechanism: Mechanism,
    private readonly materials: Materials,
  ) {}

  /** At a frame of the world; without a glyph nothing is shown. */
  show(glyph: string | undefined, frame: Matrix4): void {
    if (glyph !== this.shown) this.build(glyph)
    frame.decompose(this.object.position, this.object.quaternion, this.object.scale)
  }

  private build(glyph: string | undefined): void {
    this.object.clear()
    this.shown = glyph
    if (glyph === undefined) return
    const { planar, radius } = this.mechanism
    const materials = this.materials
    const reach = 6 * radius
    const range: [number, number] = [-reach, reach]
    const context = { planar, radius, paint1: 0, paint2: 1, height1: 0, height2: 0, range, materials }
    const { on1, on2 } = glyphParts(glyph, context)
    const parts = new Group()
    parts.add(...(on1 as Object3D[]), ...on2)
    this.object.add(faded(parts, OPACITY))
  }
}
