// Frames as bytes, and the socket: requests with their answers, also when it is lost.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Listener } from '../../src/studio/connection'
import { Connection } from '../../src/studio/connection'
import { decodeFrame } from '../../src/studio/frame'
import { FakeSocket, hello, settle } from './fakes'

beforeEach(() => {
  FakeSocket.all = []
  vi.stubGlobal('WebSocket', FakeSocket)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** The table of docs/protocol.md: two bodies, one joint with its reaction, a pull and two channels. */
function frameBytes(): ArrayBuffer {
  const data = new ArrayBuffer(56 + 8 * 14 + 4 * (6 + 6) + 16)
  const view = new DataView(data)
  const words: [number, number][] = [
    [0, 0x32464e54],
    [4, 7],
    [8, 99],
    [12, 1 | 4 | 8],
    [32, 2],
    [36, 1],
    [40, 2],
    [44, 3],
    [48, 0],
  ]
  for (const [at, value] of words) view.setUint32(at, value, true)
  view.setFloat64(16, 1.25, true)
  view.setFloat64(24, 0.5, true)
  for (let k = 0; k < 14; k++) view.setFloat64(56 + 8 * k, k + 1 / 3, true)
  for (let k = 0; k < 12; k++) view.setFloat32(168 + 4 * k, k + 15, true)
  view.setFloat64(216, -2, true)
  view.setFloat64(224, 1 / 3, true)
  return data
}

test('a frame is taken apart as the protocol says', () => {
  const frame = decodeFrame(frameBytes())!
  expect(frame).toMatchObject({ revision: 7, number: 99, running: true, failed: false, time: 1.25, pace: 0.5 })
  expect(frame.subscription).toBe(3)
  expect([...frame.poses]).toEqual(Array.from({ length: 14 }, (_, k) => k + 1 / 3))
  expect([...frame.reactions!]).toEqual([15, 16, 17, 18, 19, 20])
  expect([...frame.pull!]).toEqual([21, 22, 23, 24, 25, 26])
  expect(frame.velocities).toBeUndefined()
  expect(frame.forces).toBeUndefined()
  expect([...frame.channels]).toEqual([-2, 1 / 3])
})

test('bytes that are no frame are none', () => {
  expect(decodeFrame(new ArrayBuffer(10))).toBeUndefined()
  expect(decodeFrame(new ArrayBuffer(100))).toBeUndefined()
})

function connect() {
  const listener = { state: vi.fn(), push: vi.fn(), frame: vi.fn(), failure: vi.fn() } satisfies Listener
  return { listener, connection: new Connection('ws://here/session', 'secret', listener) }
}

test('the token goes in a header, not in the address', () => {
  connect()
  expect(FakeSocket.last.url).toBe('ws://here/session')
  expect(FakeSocket.last.protocols).toEqual(['tenon.1', 'token.secret'])
})

test('answers come to their requests, in any order; pushes and frames to the listener', async () => {
  const { listener, connection } = connect()
  FakeSocket.last.open()
  const [first, second] = [connection.ask('session'), connection.ask('value', { channels: ['t'] })]
  FakeSocket.last.answer('value', { time: 1, values: [1] })
  FakeSocket.last.answer('session', { name: 'x' })
  expect(await second).toMatchObject({ ok: true, values: [1] })
  expect(await first).toMatchObject({ name: 'x' })
  FakeSocket.last.push(hello())
  expect(listener.push).toHaveBeenCalledWith(hello())
  FakeSocket.last.onmessage!({ data: frameBytes() })
  FakeSocket.last.onmessage!({ data: frameBytes() })
  expect(listener.frame).not.toHaveBeenCalled() // until the page draws, or something else comes that is later
  FakeSocket.last.tell({ id: 77, ok: false, code: 'argument', message: 'no' })
  expect(listener.frame.mock.calls.map(([frame]) => (frame as { number: number }).number)).toEqual([99, 99])
  expect(listener.failure).toHaveBeenCalledWith(expect.objectContaining({ message: 'no' }))
})

test('requests wait for the socket; those under way when it is lost are answered with a refusal', async () => {
  vi.useFakeTimers()
  const { listener, connection } = connect()
  const early = connection.ask('types')
  expect(FakeSocket.last.sent).toHaveLength(0)
  FakeSocket.last.open()
  expect(FakeSocket.last.sent.map((request) => request.do)).toEqual(['types'])
  FakeSocket.last.close()
  expect(await early).toMatchObject({ ok: false, code: 'connection' })
  expect(listener.state).toHaveBeenLastCalledWith('lost')
  const later = connection.ask('gallery')
  connection.tell('pull', { body: 'b', at: [0, 0], target: [0, 0] })
  vi.advanceTimersByTime(300)
  expect(FakeSocket.all).toHaveLength(2)
  FakeSocket.last.open()
  expect(FakeSocket.last.sent.map((request) => request.do)).toEqual(['gallery'])
  FakeSocket.last.answer('gallery', { models: [] })
  expect(await later).toMatchObject({ ok: true, models: [] })
})

test('a socket that is never let in is given up after three attempts', async () => {
  vi.useFakeTimers()
  const { listener } = connect()
  for (let k = 0; k < 3; k++) {
    FakeSocket.last.close()
    vi.advanceTimersByTime(5000)
  }
  expect(listener.state).toHaveBeenLastCalledWith('refused')
  vi.advanceTimersByTime(60000)
  expect(FakeSocket.all).toHaveLength(3)
  vi.useRealTimers()
  await settle()
})
