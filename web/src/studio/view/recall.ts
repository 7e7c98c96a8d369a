// Paths as the record of the session has them: asked for now and then while the motion goes on.
import { session } from '../session.svelte'
import type { RowPlacer, Tracers } from './tracers'

const PERIOD = 250 // ms between two questions
const MOST_BODIES = 24

/** Channels of a body that say where it is. */
export function channelsOf(name: string, planar: boolean): string[] {
  const parts = planar
    ? ['position.x', 'position.y', 'angle']
    : ['position.x', 'position.y', 'position.z', 'orientation.w', 'orientation.x', 'orientation.y', 'orientation.z']
  return parts.map((part) => `${name}.${part}`).filter((channel) => session.channelNames.has(channel))
}

/** A view with paths. */
export interface PathView {
  readonly tracers: Tracers
  scene?: { bodies: { name: string }[] }
  mechanism?: RowPlacer
  invalidate(): void
}

export class Recall {
  private asked = 0
  private busy = false
  private waiting?: ReturnType<typeof setTimeout>

  constructor(private readonly viewport: PathView) {}

  /** To be called with every frame. */
  async now(): Promise<void> {
    const { tracers, scene, mechanism } = this.viewport
    if (this.busy || tracers.list.length === 0 || !scene || !mechanism) return
    if (tracers.unsettled >= session.time) return
    if (session.channels.length === 0) return // not answered yet: rows would hold times without places
    const early = PERIOD - (performance.now() - this.asked)
    if (early > 0) {
      // no frame may come any more, where the run has stopped
      this.waiting ??= setTimeout(() => {
        this.waiting = undefined
        void this.now()
      }, early)
      return
    }
    this.busy = true
    this.asked = performance.now()
    const bodies = [...new Set(tracers.list.map(({ body }) => body))].slice(0, MOST_BODIES)
    const names = bodies.map((body) => channelsOf(scene.bodies[body]?.name ?? '', mechanism.planar))
    const gained = await this.ask(bodies, names)
    this.busy = false
    if (gained) void this.now() // of what came meanwhile
  }

  /** True: the record had more than was known. */
  private async ask(bodies: number[], names: string[][]): Promise<boolean> {
    const { tracers, scene } = this.viewport
    const before = tracers.unsettled
    for (let more = true; more; ) {
      const after = tracers.unsettled
      const answer = await session.ask('history', {
        channels: names.flat(),
        ...(Number.isFinite(after) ? { after } : {}),
      })
      const { mechanism } = this.viewport
      if (!answer.ok || answer.rows.length === 0 || this.viewport.scene !== scene || !mechanism) break
      let at = 1
      bodies.forEach((body, k) => {
        const from = at
        at += names[k].length
        const rows = answer.rows.map((row) => [row[0]!, ...row.slice(from, at).map((value) => value ?? NaN)])
        tracers.settle(body, rows, mechanism)
      })
      more = answer.more
    }
    this.viewport.invalidate()
    return tracers.unsettled > before
  }
}
