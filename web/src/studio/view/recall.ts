// Paths as the record of the session has them: asked for now and then while the motion goes on.
import { session } from '../session.svelte'
import type { Viewport } from './viewport'

const PERIOD = 250 // ms between two questions
const MOST_BODIES = 24

/** Channels of a body that say where it is. */
export function channelsOf(name: string, planar: boolean): string[] {
  const parts = planar
    ? ['position.x', 'position.y', 'angle']
    : ['position.x', 'position.y', 'position.z', 'orientation.w', 'orientation.x', 'orientation.y', 'orientation.z']
  const known = new Set(session.channels.map((channel) => channel.name))
  return parts.map((part) => `${name}.${part}`).filter((channel) => known.has(channel))
}

export class Recall {
  private asked = 0
  private busy = false

  constructor(private readonly viewport: Viewport) {}

  /** To be called with every frame. */
  async now(): Promise<void> {
    const { tracers, scene, mechanism } = this.viewport
    if (this.busy || tracers.list.length === 0 || !scene || !mechanism) return
    if (performance.now() - this.asked < PERIOD || tracers.unsettled >= session.time) return
    this.busy = true
    this.asked = performance.now()
    const bodies = [...new Set(tracers.list.map(({ body }) => body))].slice(0, MOST_BODIES)
    const names = bodies.map((body) => channelsOf(scene.bodies[body]?.name ?? '', mechanism.planar))
    await this.ask(bodies, names)
    this.busy = false
  }

  private async ask(bodies: number[], names: string[][]): Promise<void> {
    const { tracers, scene } = this.viewport
    for (let more = true; more; ) {
      const after = tracers.unsettled
      const answer = await session.ask('past', {
        channels: names.flat(),
        ...(Number.isFinite(after) ? { after } : {}),
      })
      const { mechanism } = this.viewport
      if (!answer.ok || answer.rows.length === 0 || this.viewport.scene !== scene || !mechanism) return
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
  }
}
