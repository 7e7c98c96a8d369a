// What is shown now, for tests and the curious: window.tenon.
import { joining } from './tools/joining.svelte'
import { plots } from './plot/plots.svelte'
import { session } from './session.svelte'
import { POSE_SIZE } from '../scene/data'
import type { ArrowLayer } from './view/arrows'

export function expose(): void {
  const shown = {
    get time() {
      return session.time
    },
    get running() {
      return session.running
    },
    get pulling() {
      return session.frame?.pull !== undefined
    },
    get revision() {
      return session.revision
    },
    get names() {
      return session.items.map((item) => item.name)
    },
    get selection() {
      return [...session.selection]
    },
    /** position and quaternion of a body */
    pose(name: string): number[] | undefined {
      const index = session.scene?.bodies.findIndex((body) => body.name === name) ?? -1
      const poses = session.frame?.poses
      return index < 0 || !poses ? undefined : Array.from(poses.subarray(POSE_SIZE * index, POSE_SIZE * (index + 1)))
    },
    /** where a component is on the page, in pixels */
    place(name: string): { x: number; y: number } | undefined {
      const at = joining.viewport?.anchorOf(name)
      const spot = at && joining.viewport?.view?.toCanvas(at)
      const canvas = document.querySelector('canvas')?.getBoundingClientRect()
      return spot && canvas && { x: spot.x + canvas.x, y: spot.y + canvas.y }
    },
    /** a subsystem as the scene has it */
    subsystem: (name: string) => session.subsystem(name),
    /** where a component is in the world */
    anchor: (name: string) => joining.viewport?.anchorOf(name)?.toArray(),
    /** picture of the joint that the tool would make */
    get ghost() {
      return joining.viewport?.ghost
    },
    /** arrows of a layer as drawn: name, where they begin, and what they stand for */
    arrows(layer: ArrowLayer) {
      const list = joining.viewport?.arrows(layer) ?? []
      return list.map(({ name, at, vector }) => ({ name, at: at.toArray(), vector: vector.toArray() }))
    },
    /** instant centres of planar motion, as drawn */
    get centres() {
      return joining.viewport?.centres() ?? []
    },
    /** where the flags of limits are on the page, in pixels, by side */
    get flags() {
      const { viewport } = joining
      const canvas = document.querySelector('canvas')?.getBoundingClientRect()
      if (!viewport?.view || !viewport.mechanism || !canvas) return []
      const { planar, radius } = viewport.mechanism
      return viewport.flags.places(viewport.poses, planar, radius).map(({ flag, at }) => {
        const spot = viewport.view!.toCanvas(at)
        return { ...flag, x: spot.x + canvas.x, y: spot.y + canvas.y }
      })
    },
    /** a number that a component has, in SI units */
    property(component: string, name: string): number | undefined {
      return session.item(component)?.data.properties?.find((property) => property.name === name)?.value
    },
    /** what plots have of a channel: values by time, and how many old runs */
    curve(channel: string): { t: number[]; y: number[]; old: number } {
      const { now, old } = plots.recorder
      return { t: Array.from(now.times()), y: Array.from(now.column(channel)), old: old.length }
    },
    /** drops the connection, as a bad network does */
    disconnect: () => session.disconnect(),
    ask: (verb: string, more?: object) => session.ask(verb, more),
  }
  Object.defineProperty(window, 'tenon', { value: Object.freeze(shown) })
}
