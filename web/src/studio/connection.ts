// The socket: requests with their answers, and coming back when it is lost. What was asked while it was away is sent
// when it is back; what was sent and not answered is answered here, because nobody knows whether it took effect.
import type { Frame } from './frame'
import { decodeFrame } from './frame'
import type { Accepted, Answer, Given, Push, Refusal, Verb } from './protocol'

export type LinkState = 'connecting' | 'open' | 'lost' | 'refused'

export interface Listener {
  state(state: LinkState): void
  push(message: Push): void
  frame(frame: Frame): void
  /** something that was told, not asked, failed */
  failure(refusal: Refusal): void
}

/** Any answer; the request that it belongs to knows more about it. */
type AnyAnswer = Accepted<Verb> | Refusal

interface Request {
  id: number
  text: string
  answer: (answer: AnyAnswer) => void
}

type Incoming = Push | (AnyAnswer & { id: number | null })

const SUBPROTOCOL = 'tenon.1'
const FIRST_WAIT = 250 // ms until it tries again; doubles
const LONGEST_WAIT = 4000
const REFUSALS = 3 // so many attempts without ever being let in, and the token is wrong

const MOST_FRAMES = 64 // that wait; older ones are dropped
const LONGEST_TURN = 250 // ms: pages that nobody sees have no turns of drawing

const LOST: Refusal = {
  ok: false,
  code: 'connection',
  message: 'The connection was lost before the answer came. The list of edits shows whether it took effect.',
}

export class Connection {
  private socket?: WebSocket
  private nextId = 1
  private readonly waiting: Request[] = []
  private readonly pending = new Map<number, Request>()
  private wait = FIRST_WAIT
  private failures = 0
  private everOpen = false
  /** frames that came since the last turn: a slow page takes them together, and draws once */
  private frames: ArrayBuffer[] = []
  private turn?: { drawing: number; timer: ReturnType<typeof setTimeout> }

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly listener: Listener,
  ) {
    addEventListener('online', () => this.socket?.readyState !== WebSocket.OPEN && this.open())
    this.open()
  }

  /** Asks and returns the answer; never rejects. */
  ask<V extends Verb>(verb: V, ...[more]: Given<V>): Promise<Answer<V>> {
    // the table of verbs says that an answer with the id of a request has the type of its verb
    return new Promise((resolve) =>
      this.post({ ...this.request(verb, more ?? {}), answer: (answer) => resolve(answer as Answer<V>) }),
    )
  }

  /** Says something that is answered only when it fails. Dropped while the socket is away: it will be out of date. */
  tell<V extends Verb>(verb: V, ...[more]: Given<V>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(this.request(verb, more ?? {}).text)
  }

  private request(verb: Verb, more: object): Omit<Request, 'answer'> {
    const id = this.nextId++
    return { id, text: JSON.stringify({ id, do: verb, ...more }) }
  }

  private post(request: Request): void {
    if (this.socket?.readyState !== WebSocket.OPEN) {
      this.waiting.push(request)
      return
    }
    this.pending.set(request.id, request)
    this.socket.send(request.text)
  }

  private open(): void {
    const socket = new WebSocket(this.url, [SUBPROTOCOL, `token.${this.token}`]) // a header; browsers offer no other
    socket.binaryType = 'arraybuffer'
    this.socket = socket
    socket.onopen = () => this.opened()
    socket.onmessage = (event) => this.received(event.data)
    socket.onclose = () => socket === this.socket && this.closed()
  }

  private opened(): void {
    this.wait = FIRST_WAIT
    this.failures = 0
    this.everOpen = true
    this.listener.state('open')
    for (const request of this.waiting.splice(0)) this.post(request)
  }

  private closed(): void {
    const lost = [...this.pending.values()]
    this.pending.clear()
    for (const request of lost) request.answer(LOST)
    if (!this.everOpen && ++this.failures >= REFUSALS) {
      this.listener.state('refused')
      return
    }
    this.listener.state(this.everOpen ? 'lost' : 'connecting')
    setTimeout(() => this.open(), this.wait)
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT)
  }

  private received(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      if (this.frames.push(data) > MOST_FRAMES) this.frames.shift()
      this.turn ??= {
        drawing: requestAnimationFrame(() => this.takeFrames()),
        timer: setTimeout(() => this.takeFrames(), LONGEST_TURN),
      }
      return
    }
    this.takeFrames() // in the order in which they came
    const message = JSON.parse(data) as Incoming
    if ('push' in message) {
      this.listener.push(message)
      return
    }
    const request = this.pending.get(message.id ?? -1)
    this.pending.delete(message.id ?? -1)
    if (request) request.answer(message)
    else if (!message.ok) this.listener.failure(message)
  }

  private takeFrames(): void {
    if (this.turn) {
      cancelAnimationFrame(this.turn.drawing)
      clearTimeout(this.turn.timer)
      this.turn = undefined
    }
    for (const data of this.frames.splice(0)) {
      const frame = decodeFrame(data)
      if (frame) this.listener.frame(frame)
    }
  }
}
