// Follows a session that another program runs and serves beside this page: docs/python.md.
import type { Player } from './player'
import type { Transport } from './transport'
import { byId } from './dom'

const PERIOD = 33 // ms between two questions

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** Asks for the time and all poses again and again. A model that has changed has another page. */
export async function follow(player: Player, transport: Transport): Promise<void> {
  document.documentElement.classList.add('live')
  let revision: string | null = null
  try {
    for (;;) {
      const answer = await fetch('poses', { cache: 'no-store' })
      if (!answer.ok) throw new Error(`answer ${answer.status}`)
      const numbers = new Float32Array(await answer.arrayBuffer())
      const now = answer.headers.get('Revision')
      if (revision !== null && now !== revision) return location.reload()
      revision = now
      player.showPoses(numbers.subarray(1))
      transport.showTime(numbers[0])
      await wait(PERIOD)
    }
  } catch {
    const failure = byId('failure')
    failure.textContent = 'The session does not answer any more: this is its last state.'
    failure.hidden = false
  }
}
