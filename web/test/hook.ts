// What is shown now, for the tests in a browser: window.tenon. The page that is shipped has no such thing.
import { Vector3 } from 'three'
import { analyses } from '../src/studio/analysis/analyses.svelte'
import { swing } from '../src/studio/analysis/swing.svelte'
import { notices } from '../src/studio/notices.svelte'
import { measuring } from '../src/studio/measure/measuring.svelte'
import { placing } from '../src/studio/place/placing.svelte'
import { patterning } from '../src/studio/place/patterning.svelte'
import { sketch } from '../src/studio/sketch/sketch.svelte'
import * as timing from '../src/studio/timing'
import { joining } from '../src/studio/tools/joining.svelte'
import { newBody } from '../src/studio/tools/newbody.svelte'
import { tour } from '../src/studio/tour/tour.svelte'
import { ui } from '../src/studio/ui.svelte'
import { current } from '../src/studio/view/current'
import { plots } from '../src/studio/plot/plots.svelte'
import type { Given, Verb } from '../src/studio/protocol'
import { session } from '../src/studio/session.svelte'
import { eye, film, sockets } from './environment'
import { POSE_SIZE } from '../src/scene/data'
import type { ArrowLayer } from '../src/studio/view/arrows'

const SHOWN = { ...ui.show }

function reset(): void {
  timing.stopLoop()
  swing.stop()
  ui.endFilm?.() // of a test that failed: it would go on for ever
  eye.open = false
  joining.end()
  Object.assign(joining, { type: 'revolute', axis: 'z', plane: { across: 'z', offset: '0 m' } })
  newBody.choose('box')
  if (sketch.active) sketch.toggle()
  placing.end()
  patterning.end()
  measuring.end()
  measuring.list = []
  for (const { id } of plots.list) plots.remove(id)
  plots.recorder.clear()
  notices.list = []
  tour.at = undefined
  Object.assign(analyses, { assembly: undefined, equilibrium: undefined, modes: undefined, shown: undefined })
  Object.assign(ui, { overlay: undefined, inside: undefined, dock: undefined, doomed: [], menu: undefined })
  Object.assign(ui, {
    presenting: false,
    stopAtEnd: false,
    arrowScale: 1,
    pullRate: 4,
    leftOpen: true,
    rightOpen: true,
  })
  Object.assign(ui.show, SHOWN)
  session.select([])
  session.hovered = undefined
  session.blocking = []
  session.happenings = []
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
}

/** Where corners of boxes around all bodies are in the view, from -1 to 1 both ways; NaN before there is one. */
function spots(): number[][] {
  const { viewport } = current
  const canvas = document.querySelector('canvas')
  if (!viewport?.view || !viewport.mechanism || !canvas) return [[NaN, NaN]]
  return viewport.mechanism.corners(viewport.poses).map((corner) => {
    const { x, y } = viewport.view!.toCanvas(corner)
    return [(2 * x) / canvas.clientWidth - 1, (2 * y) / canvas.clientHeight - 1]
  })
}

export function expose(): void {
  ui.stopAtEnd = false
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
    /** the view has the components and the poses of the last change */
    get settled() {
      const { frame, revision } = session
      return frame !== undefined && frame.revision >= revision && current.viewport?.scene === session.scene
    },
    /** number of the open model that is drawn */
    get document() {
      return current.viewport?.document ?? 0
    },
    /** where runs of the model end, s */
    get end() {
      return session.scene?.until
    },
    /** largest distance of a body from the middle of the view: 1 is its edge */
    get farthest(): number {
      return Math.max(...spots().flat().map(Math.abs))
    },
    /** how much of the view the bodies reach over, the wider way: 1 is all of it */
    get extent(): number {
      const reach = (k: number) => {
        const values = spots().map((spot) => spot[k])
        return (Math.max(...values) - Math.min(...values)) / 2
      }
      return Math.max(reach(0), reach(1))
    },
    /** paths as drawn: times and points by label */
    get paths() {
      const list = current.viewport?.tracers.list ?? []
      return list.map(({ label, times, points }) => ({
        label,
        times: [...times],
        points: points.map((p) => p.toArray()),
      }))
    },
    /** the picture shows what is to be seen now */
    get drawn() {
      return current.viewport?.isDrawn ?? true
    },
    /** how many pictures were drawn so far */
    get pictures() {
      return current.viewport?.pictures ?? 0
    },
    /** From now on the view is drawn, or is not: while nobody looks at it, only the page around it is. */
    look(open: boolean) {
      eye.open = open
      if (open) current.viewport?.invalidate()
    },
    /** calls of the graphics card for the last picture */
    get triangles() {
      return current.viewport?.view?.triangles ?? 0
    },
    get shaders() {
      return current.viewport?.view?.shaders ?? 0
    },
    get draws() {
      return current.viewport?.view?.draws ?? 0
    },
    get speed() {
      return session.speed
    },
    /** time of the last edit, s */
    get edited() {
      return session.happenings.filter(({ kind }) => kind === 'edit').at(-1)?.time
    },
    /** times of events, s, by what is told of them */
    happened: (text: string) => session.happenings.filter((one) => one.text.includes(text)).map(({ time }) => time),
    get looping() {
      return ui.loop !== undefined
    },
    /** sizes of the picture of a solid that would be made, m */
    get drawnSolid() {
      return newBody.ghosted
    },
    /** how many places the tool in use has */
    get places() {
      return joining.places.length
    },
    get selection() {
      return [...session.selection]
    },
    /** name of what the pointer is on */
    get hovered() {
      return session.hovered
    },
    /** position and quaternion of a body */
    pose(name: string): number[] | undefined {
      const index = session.scene?.bodies.findIndex((body) => body.name === name) ?? -1
      const poses = session.frame?.poses
      return index < 0 || !poses ? undefined : Array.from(poses.subarray(POSE_SIZE * index, POSE_SIZE * (index + 1)))
    },
    /** where a component is on the page, in pixels */
    place(name: string): { x: number; y: number } | undefined {
      const at = current.viewport?.anchorOf(name)
      const spot = at && current.viewport?.view?.toCanvas(at)
      const canvas = document.querySelector('canvas')?.getBoundingClientRect()
      return spot && canvas && { x: spot.x + canvas.x, y: spot.y + canvas.y }
    },
    /** where a point of the world is on the page, in pixels */
    spot(point: number[]): { x: number; y: number } | undefined {
      const spot = current.viewport?.view?.toCanvas(new Vector3().fromArray(point))
      const canvas = document.querySelector('canvas')?.getBoundingClientRect()
      return spot && canvas && { x: spot.x + canvas.x, y: spot.y + canvas.y }
    },
    /** a subsystem as the scene has it */
    subsystem: (name: string) => session.subsystem(name),
    /** where a component is in the world */
    anchor: (name: string) => current.viewport?.anchorOf(name)?.toArray(),
    /** picture of the joint that the tool would make */
    get ghost() {
      return current.viewport?.ghost
    },
    /** arrows of a layer as drawn: name, where they begin, and what they stand for */
    arrows(layer: ArrowLayer) {
      const list = current.viewport?.arrows(layer) ?? []
      return list.map(({ name, at, vector }) => ({ name, at: at.toArray(), vector: vector.toArray() }))
    },
    /** instant centres of planar motion, as drawn */
    get centres() {
      return current.viewport?.centres() ?? []
    },
    /** handles to move and turn by, on the page, in pixels */
    get handles() {
      const canvas = document.querySelector('canvas')?.getBoundingClientRect()
      const { view } = current.viewport ?? {}
      if (!view || !canvas) return []
      return placing.handles(view).map((handle) => ({ ...handle, x: handle.x + canvas.x, y: handle.y + canvas.y }))
    },
    /** the floor or wall is right behind the mechanism as it is now */
    get onWall() {
      const { viewport } = current
      return viewport?.view?.ground === viewport?.mechanism?.floor
    },
    /** measures in the view, with their values: m, rad */
    get measures() {
      return measuring.now().map(({ measure: { kind }, value, text }) => ({ kind, value, text }))
    },
    /** how many curves of points of what the pointer is on */
    get atlas() {
      return current.atlas?.curves.map(({ points }) => points.length) ?? []
    },
    /** lengths in the view, on the page, in pixels */
    get dimensions() {
      const canvas = document.querySelector('canvas')?.getBoundingClientRect()
      return sketch.dimensions().map(({ bar, angle, at, text }) => ({
        name: bar.name,
        kind: angle ? 'angle' : 'length',
        text,
        x: at.x + canvas!.x,
        y: at.y + canvas!.y,
      }))
    },
    /** where the flags of limits are on the page, in pixels, by side */
    get flags() {
      const { viewport } = current
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
    /** the page as it is when it has just been loaded, whatever was done on it before */
    reset,
    /** bytes of the film that is being made, or of the last one */
    get filmed() {
      return film.bytes
    },
    /** runs stop at the end of their model, as users have it; tests may take longer */
    stopAtEnd: () => (ui.stopAtEnd = true),
    /** drops the connection, as a bad network does */
    disconnect: () => sockets.at(-1)?.close(),
    ask: <V extends Verb>(verb: V, ...given: Given<V>) => session.ask(verb, ...given),
  }
  Object.defineProperty(window, 'tenon', { value: Object.freeze(shown) })
}
