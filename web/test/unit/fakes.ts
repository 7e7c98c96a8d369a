// A server without a network: the socket that the page opens, and messages to and from it.
import type { Push, StudioScene } from '../../src/studio/protocol'

export interface Sent {
  id: number
  do: string
  [argument: string]: unknown
}

/** Stands in for WebSocket; the newest one is last. */
export class FakeSocket {
  static readonly OPEN = 1
  static all: FakeSocket[] = []
  static get last(): FakeSocket {
    return FakeSocket.all.at(-1)!
  }
  readyState = 0
  binaryType = ''
  sent: Sent[] = []
  onopen?: () => void
  onmessage?: (event: { data: string | ArrayBuffer }) => void
  onclose?: () => void

  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {
    FakeSocket.all.push(this)
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Sent)
  }

  open(): void {
    this.readyState = FakeSocket.OPEN
    this.onopen?.()
  }

  close(): void {
    this.readyState = 3
    this.onclose?.()
  }

  tell(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }

  push(message: Push): void {
    this.tell(message)
  }

  /** Answers the oldest request with that verb. */
  answer(verb: string, fields: object): void {
    const index = this.sent.findIndex((request) => request.do === verb)
    if (index < 0) throw new Error(`nobody asked for '${verb}'`)
    const [{ id }] = this.sent.splice(index, 1)
    this.tell({ id, ok: true, ...fields })
  }
}

export const hello = (access: 'edit' | 'view' = 'edit'): Push => ({
  push: 'hello',
  protocol: 1,
  version: '0',
  access,
  client: 1,
  name: 'a.yaml',
  folder: '/',
  journal: '',
  revision: 1,
  branch: 0,
  time: 0,
  speed: 0,
  document: 1,
  documents: [{ number: 1, name: 'a.yaml', title: 'A', unsaved: false }],
})

const place = { position: [0, 0, 0], rotation: [1, 0, 0, 0] }

/** Two bodies in the plane, a joint to ground and one between them, and a drive. */
export function twoLinks(name = 'Links'): StudioScene {
  const body = (own: string, x: number) => ({
    name: own,
    type: 'rigid',
    mass: 1,
    com: [x, 0, 0],
    inertia: [0, 0, 1, 0, 0, 0],
    watched: false,
    shapes: [{ kind: 'rod' as const, size: [0.01, 1], ...place }],
  })
  const joint = (own: string, a: number, b: number) => ({
    name: own,
    type: 'revolute',
    end1: { body: a, ...place },
    end2: { body: b, ...place, position: [0.5, 0, 0] },
  })
  return {
    name,
    dimension: 2,
    gravity: [0, -9.81, 0],
    units: { length: 'm', time: 's' },
    ground: { shapes: [] },
    bodies: [body('upper', 0.25), body('lower', 0)],
    frames: [{ name: 'upper.tip', watched: false, end: { body: 0, ...place, position: [0.5, 0, 0] } }],
    joints: [joint('shoulder', -1, 0), joint('elbow', 0, 1)],
    forces: [],
    couplings: [{ name: 'motor', type: 'drive-rate', couples: [{ joint: 'shoulder', coordinate: 'angle' }] }],
    events: [{ name: 'low', when: 'elbow.angle + 1', crosses: 'both', do: [] }],
    subsystems: [],
    parameters: [],
    solve: { scheme: 'projection', integrator: 'rk4', solver: 'direct', step: 0.001 },
  }
}

/** Lets promises that are due go on. */
export const settle = () => new Promise((resolve) => setTimeout(resolve, 0))
