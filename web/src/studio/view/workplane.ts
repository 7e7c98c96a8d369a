// The plane on which free places are picked: the plane of a planar model; in space one across an axis, at a distance.
import { Plane, Vector2, Vector3 } from 'three'
import type { View } from '../../scene/view'
import type { Overlay } from './overlay'

export type Across = 'x' | 'y' | 'z'

const REACH = 4 // cells of the grid from the middle that are drawn
const STEEP = 0.02 // cosine: seen from the side, a plane has no places to pick

export class WorkPlane {
  /** the axis that it lies across */
  across: Across = 'z'
  /** along that axis, m */
  offset = 0
  /** a tool wants places: the plane is drawn */
  shown = false

  private get plane(): Plane {
    const normal = new Vector3().setComponent('xyz'.indexOf(this.across), 1)
    return new Plane(normal, -this.offset)
  }

  /** Where the line of sight meets the plane, at a crossing of half cells; undefined: it does not. */
  pointAt(view: View, planar: boolean, x: number, y: number): Vector3 | undefined {
    const step = view.cell / 2
    const snap = (value: number) => Math.round(value / step) * step + 0
    if (planar) {
      const { x: px, y: py } = view.onPlane(x, y, new Vector3())
      return new Vector3(snap(px), snap(py), 0)
    }
    const { plane } = this
    const ray = view.ray(x, y)
    if (Math.abs(ray.direction.dot(plane.normal)) < STEEP) return undefined
    const point = ray.intersectPlane(plane, new Vector3())
    if (!point) return undefined
    const k = 'xyz'.indexOf(this.across)
    return point.fromArray(point.toArray().map((value, i) => (i === k ? this.offset : snap(value))))
  }

  /** In space, while a tool wants places. */
  draw(overlay: Overlay, view: View, centre: Vector3): void {
    if (!this.shown) return
    const k = 'xyz'.indexOf(this.across)
    const [u, v] = [0, 1, 2].filter((i) => i !== k)
    const at = (a: number, b: number) => {
      const point = new Vector3().setComponent(k, this.offset)
      const middle = (i: number) => Math.round(centre.getComponent(i) / view.cell) * view.cell
      point.setComponent(u, middle(u) + a * view.cell).setComponent(v, middle(v) + b * view.cell)
      return view.toCanvas(point)
    }
    const { accent } = overlay.ink
    for (let line = -REACH; line <= REACH; line++) {
      overlay.path([at(line, -REACH), at(line, REACH)], accent, 1, 0.3)
      overlay.path([at(-REACH, line), at(REACH, line)], accent, 1, 0.3)
    }
    const corner = at(REACH, REACH)
    overlay.label(corner.add(new Vector2(4, 0)), `work plane across ${this.across}`, accent)
  }
}
