// A mechanism in space as a line drawing (SVG), seen from where the camera is, with the lengths of its links.
import type { Camera } from 'three'
import type { Poses } from '../../scene/data'
import type { Mechanism } from '../../scene/mechanism'
import type { StudioScene } from '../protocol'
import { quantity } from '../units'
import type { Measured } from './drawing'
import { drawMeasured } from './drawing'
import { meshesIn, MOST_TRIANGLES, trianglesOf, visibleEdges } from './linework'
import { pinsOf } from './outlines'
import { HEIGHT, MARGIN, Sheet, tidy, WIDTH } from './sheet'

const SHORTEST = 45 // line that is given its length, in units of the sheet
const MOST_BODIES = 12 // that are given lengths

/** undefined: there is too much of it. aspect: of the view. */
export function spaceDrawing(
  scene: StudioScene,
  poses: Poses,
  mechanism: Mechanism,
  camera: Camera,
  aspect: number,
  measured: Measured[],
): string | undefined {
  const meshes = meshesIn(mechanism.root)
  if (trianglesOf(meshes) > MOST_TRIANGLES) return undefined
  const sheet = new Sheet()
  const { lines, at } = visibleEdges(meshes, camera, aspect, [WIDTH, HEIGHT], MARGIN)
  const steps = lines.map(([a, b]) => `M${a.map(tidy).join(' ')}L${b.map(tidy).join(' ')}`)
  sheet.add(`<path d="${steps.join('')}" class="edge"/>`)
  if (scene.bodies.length <= MOST_BODIES)
    for (const body of scene.bodies.keys()) {
      const pins = pinsOf(scene, poses, body)
      if (pins.length !== 2) continue
      const [a, b] = pins.map(at)
      if (Math.hypot(b[0] - a[0], b[1] - a[1]) < SHORTEST) continue
      sheet.path([a, b], false, 'axis')
      sheet.textAlong(a, b, quantity(pins[0].distanceTo(pins[1]), 'm', 4), 16)
    }
  for (const one of measured) drawMeasured(sheet, one, one.points.map(at))
  return sheet.toString(scene.name)
}
