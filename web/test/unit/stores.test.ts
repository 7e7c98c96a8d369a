// The stores: what messages make of them, and what they ask for.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Push } from '../../src/studio/protocol'
import { FakeSocket, hello, settle, twoLinks } from './fakes'

/** A page with its stores, fresh for each test, and a socket that is open. */
async function load(access: 'edit' | 'view' = 'edit') {
  const { session } = await import('../../src/studio/session.svelte')
  session.start()
  const socket = FakeSocket.last
  socket.open()
  socket.push(hello(access))
  return { session, socket }
}

beforeEach(() => {
  FakeSocket.all = []
  vi.resetModules()
  vi.stubGlobal('WebSocket', FakeSocket)
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }))
  localStorage.clear()
  sessionStorage.clear()
})
afterEach(() => vi.unstubAllGlobals())

const scene = (revision: number, data = twoLinks()): Push => ({
  push: 'scene',
  time: 0,
  document: 1,
  revision,
  scene: data,
})

/** Answers what the page asks after a scene has come. */
async function answerScene(socket: FakeSocket): Promise<void> {
  await settle()
  socket.answer('channels', {
    time: 0,
    channels: [
      { name: 't', unit: 's' },
      { name: 'elbow.angle', unit: 'rad' },
    ],
  })
  await settle()
}

test('the scene becomes items of each kind; drives are found among couplings', async () => {
  const { session, socket } = await load()
  socket.push(scene(2))
  expect(session.items.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'body upper',
    'body lower',
    'joint shoulder',
    'joint elbow',
    'drive motor',
    'event low',
  ])
  expect(session.revision).toBe(2)
  expect(session.item('elbow')?.index).toBe(1)
  expect(session.readOnly).toBe(false)
})

test('a selection loses what a new scene does not have', async () => {
  const { session, socket } = await load()
  socket.push(scene(1))
  session.select(['elbow', 'upper'])
  const cut = twoLinks()
  cut.joints = cut.joints.slice(0, 1)
  socket.push(scene(2, cut))
  expect(session.selection).toEqual(['upper'])
})

test('wishes of several owners are one subscription, with channels that exist', async () => {
  const { session, socket } = await load()
  socket.push(scene(1))
  await answerScene(socket)
  socket.answer('subscribe', { time: 0, channels: [], subscription: 1 })
  session.want('a', ['t', 'elbow.angle'])
  session.want('b', ['elbow.angle', 'nothing.like.it'])
  session.carry({ reactions: true })
  await settle()
  const asked = socket.sent.filter((request) => request.do === 'subscribe')
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({ channels: ['t', 'elbow.angle'], reactions: true })
  const channels = [
    { name: 't', unit: 's' },
    { name: 'elbow.angle', unit: 'rad' },
  ]
  socket.answer('subscribe', { time: 0, channels, subscription: 2 })
  await settle()
  expect(session.channelIndex('elbow.angle')).toBe(1)
  const frame = { subscription: 2, channels: Float64Array.of(3, 4) } as NonNullable<typeof session.frame>
  expect(session.value('elbow.angle', frame)).toBe(4)
  expect(session.value('elbow.angle', { ...frame, subscription: 1 })).toBeUndefined()
})

test('edits and events are kept in order; a drag that goes on is one entry', async () => {
  const { session, socket } = await load()
  const edit = { push: 'edit' as const, client: 1, revision: 2, energy_change: 0, displacement: 0.1 }
  socket.push({ ...edit, time: 0, text: 'dragged lower' })
  socket.push({ ...edit, time: 0, text: 'dragged lower' })
  socket.push({ push: 'event', time: 1, event: 'low', kind: 'down' })
  expect(session.happenings.map(({ kind, text }) => [kind, text])).toEqual([
    ['edit', 'dragged lower'],
    ['event', 'low down'],
  ])
})

test('an error of the status is noted once, and speed is kept while paused', async () => {
  const { session, socket } = await load()
  const status = {
    push: 'status' as const,
    time: 1,
    speed: 0.5,
    pace: 0.5,
    steps: 1,
    rejected: 0,
    queued: 0,
    rewind_begin: null,
    journal: '',
    unwritten: 0,
    rewind_end: 1,
    rewind_bytes: 1,
    branch: 0,
    clients: 1,
    code: '',
    message: '',
  }
  socket.push(status)
  socket.push({ ...status, speed: 0, code: 'step', message: "force 'gust' has no value" })
  socket.push({ ...status, speed: 0, code: 'step', message: "force 'gust' has no value" })
  expect(session.speed).toBe(0.5)
  expect(session.happenings.filter(({ kind }) => kind === 'error')).toHaveLength(1)
})

test('who looks on is told so, and refusals become notices', async () => {
  const { session, socket } = await load('view')
  const { notices } = await import('../../src/studio/notices.svelte')
  expect(session.readOnly).toBe(true)
  const answer = session.act('seek', { time: 1 })
  const [{ id }] = socket.sent.filter((request) => request.do === 'seek')
  socket.tell({ id, ok: false, code: 'access', message: 'needs the address for editing' })
  expect((await answer).ok).toBe(false)
  expect(notices.list.map(({ kind, text }) => [kind, text])).toEqual([['error', 'needs the address for editing']])
})

test('deleting a body asks first, with what goes with it', async () => {
  const { session, socket } = await load()
  socket.push(scene(1))
  const { remove } = await import('../../src/studio/edits')
  const { ui } = await import('../../src/studio/ui.svelte')
  const { notices } = await import('../../src/studio/notices.svelte')
  await remove(['upper'])
  expect(ui.doomed).toEqual(['upper', 'shoulder', 'elbow', 'motor'])
  expect(socket.sent.some((request) => request.do === 'command')).toBe(false)
  expect(notices.list.at(-1)?.detail).toMatch(/^Goes with it: shoulder, elbow, motor\. Nothing to watch for low/)
  void remove(['upper'])
  await settle()
  expect(socket.sent.find((request) => request.do === 'command')).toMatchObject({ command: { remove: 'upper' } })
  expect(session.items).toHaveLength(6)
})

test('the token is taken from the fragment once, and the address is without it then', async () => {
  location.hash = '#token=abc'
  const { takeToken } = await import('../../src/studio/token')
  expect(location.hash).toBe('')
  expect(takeToken()).toBe('abc')
  expect(sessionStorage.getItem('tenon.token')).toBe('abc')
})

test('speed goes through its list, up to as fast as possible', async () => {
  const { session } = await load()
  const timing = await import('../../src/studio/timing')
  session.speed = 1
  timing.changeSpeed(1)
  expect(session.speed).toBe(2)
  for (let k = 0; k < 9; k++) timing.changeSpeed(1)
  expect(session.speed).toBe('max')
  timing.changeSpeed(-1)
  expect(session.speed).toBe(10)
})

test('paths wait for the channels before they ask for the record', async () => {
  const { session, socket } = await load()
  const { Recall } = await import('../../src/studio/view/recall')
  const { Tracers } = await import('../../src/studio/view/tracers')
  const { Vector3 } = await import('three')
  const tracers = new Tracers()
  tracers.add('tip', 1, new Vector3())
  const recall = new Recall({
    tracers,
    scene: { bodies: [{ name: 'ground' }, { name: 'link' }] },
    mechanism: { planar: true, height: () => 0 },
    invalidate: () => undefined,
  })
  const asked = () => socket.sent.some((message) => message.do === 'history')
  vi.spyOn(performance, 'now').mockReturnValue(1e6)
  session.channels = []
  void recall.now()
  expect(asked()).toBe(false)
  session.channels = ['x', 'y'].map((part) => ({ name: `link.position.${part}`, unit: 'm' }))
  void recall.now()
  expect(asked()).toBe(true)
})

test('the record that an edit begins anew leaves what frames brought before it', async () => {
  const { Tracers } = await import('../../src/studio/view/tracers')
  const { Vector3 } = await import('three')
  const tracers = new Tracers()
  tracers.add('tip', 0, new Vector3())
  const mechanism = { planar: true, height: () => 0 } as never
  for (const t of [0, 1, 2, 3, 4]) tracers.record(t, Float64Array.of(t, 0, 0, 1, 0, 0, 0), mechanism)
  const [tip] = tracers.list
  tip.settled = 1
  tracers.settle(
    0,
    [3.5, 4].map((t) => [t, t, 0, 0]),
    mechanism,
  ) // the edit was at 3.5 s
  expect(tip.times).toEqual([0, 1, 2, 3, 3.5, 4])
})

test('a part that is changed gets the next free name, and what was written in vain is written again', async () => {
  const { session } = await load()
  const { nextName, writeBeside } = await import('../../src/studio/subsystems')
  expect([nextName('hub.yaml'), nextName('hub_2.yaml'), nextName('a_b.json')]).toEqual([
    'hub_2.yaml',
    'hub_3.yaml',
    'a_b_2.json',
  ])
  const taken = new Set(['hub_2.yaml'])
  const written: string[] = []
  vi.spyOn(session, 'ask').mockImplementation((async (
    _: string,
    { file, content, replace }: Record<string, string>,
  ) => {
    if (taken.has(file) && !replace) return { ok: false, code: 'exists', message: 'exists' }
    taken.add(file)
    written.push(`${file} ${atob(content)}`)
    return { ok: true }
  }) as never)
  expect(await writeBeside('hub.yaml', 'one', undefined)).toEqual({ name: 'hub_3.yaml' })
  expect(await writeBeside('hub.yaml', 'two', 'hub_3.yaml')).toEqual({ name: 'hub_3.yaml' })
  expect(written).toEqual(['hub_3.yaml one', 'hub_3.yaml two'])
})

test('text that is typed belongs to its model and subsystem, and what the page knows is newer than what was kept', async () => {
  const { drafts, markOf } = await import('../../src/studio/text/drafts')
  const draft = (text: string) => ({ text, base: markOf('before') })
  drafts.put(1, draft('a'))
  drafts.put(1, draft('b'), 'left')
  drafts.recall(1, { '': draft('old') })
  drafts.recall(2, { right: draft('c') })
  expect([drafts.of(1)?.text, drafts.of(1, 'left')?.text, drafts.of(2, 'right')?.text]).toEqual(['a', 'b', 'c'])
  drafts.put(1, undefined)
  expect(drafts.has(1)).toBe(true)
  drafts.put(1, undefined, 'left')
  expect([drafts.has(1), drafts.has(2)]).toEqual([false, true])
  expect(markOf('ab')).not.toBe(markOf('ba'))
})
