// Keeps the drawing clear of a card: moves it aside, and makes it smaller where it is too wide.
import type { Viewport } from './viewport'

const MARGIN = 60 // pixels, for what is written beside links, too
const STRIP = 62 // pixels that the buttons at the right take

/** Nothing of the mechanism is in the leftmost pixels of the view. */
export function makeRoom(viewport: Viewport | undefined, left: number): void {
  const { view, mechanism } = viewport ?? {}
  if (!view || !mechanism || !viewport) return
  const reach = (): [number, number] => {
    const xs = mechanism.corners(viewport.poses).map((corner) => view.toCanvas(corner).x)
    return [Math.min(...xs), Math.max(...xs)]
  }
  const [low, high] = reach()
  const from = left + MARGIN
  const to = view.canvas.clientWidth - STRIP - MARGIN
  if (!(low < from) || to - from < 100) return
  if (high - low > to - from) view.zoom((to - from) / (high - low))
  const [newLow, newHigh] = reach()
  view.pan((from + to) / 2 - (newLow + newHigh) / 2)
}
