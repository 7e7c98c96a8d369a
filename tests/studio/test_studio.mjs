// 'tenon studio' from outside: every verb, good and bad; several clients; what strangers may not do; coming back.
// usage: node test_studio.mjs PROGRAM PROTOCOL_TOOL
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client, fetchFrom, openSocket, startStudio } from './client.mjs'
import { readSchema } from './schema.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const program = path.resolve(process.argv[2])
const folder = mkdtempSync(path.join(tmpdir(), 'tenon-studio-models-'))
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const PENDULUM = `# A pendulum of two rods.
tenon: 1
name: Two rods
dimension: 2
gravity: [0, -9.81]
bodies:
  upper: { mass: 1 kg, inertia: 0.1 kg m^2, position: [0.5, 0] }
  lower: { mass: 2 kg, inertia: 0.2 kg m^2, position: [1.5, 0] }
joints:
  shoulder: { type: revolute, between: [ground, upper], at: [0, 0] }
  elbow: { type: revolute, between: [upper, lower], at: [1, 0] }
forces:
  spring: { type: spring, between: [ground, lower], stiffness: 10 N/m, length: 1 m }
events:
  down: { when: shoulder.angle + 1, do: { log: "at {shoulder.angle}" } }
outputs: [shoulder.angle, elbow.reaction, { twice: 2 * elbow.angle }]
solve: { until: 10 s, step: 1 ms, integrator: rk4 }
`

/** A chain of n links. */
function chain(n) {
  const bodies = [], joints = []
  for (let k = 0; k < n; k++) {
    bodies.push(`  b${k}: { mass: 1 kg, inertia: 0.1 kg m^2, position: [${k + 0.5}, 0] }`)
    joints.push(`  j${k}: { type: revolute, between: [${k ? `b${k - 1}` : 'ground'}, b${k}], at: [${k}, 0] }`)
  }
  return `tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n${bodies.join('\n')}\njoints:\n${joints.join('\n')}\n` +
    'solve: { until: 10 s, step: 1 ms, integrator: rk4 }\n'
}

Client.schema = readSchema(path.resolve(process.argv[3]))
let studio

before(async () => {
  writeFileSync(path.join(folder, 'rods.yaml'), PENDULUM)
  writeFileSync(path.join(folder, 'chain.yaml'), chain(160))
  mkdirSync(path.join(folder, 'sub'))
  writeFileSync(path.join(folder, 'sub', 'other.yaml'), PENDULUM.replace('Two rods', 'Other rods'))
  symlinkSync('/etc/passwd', path.join(folder, 'outside.yaml'))
  symlinkSync(tmpdir(), path.join(folder, 'away'))
  studio = await startStudio(program, [path.join(folder, 'rods.yaml'), '--paused', '--gallery', `${root}/tests/../examples`])
})

after(async () => {
  assert.equal(await studio.stop(), 0, studio.trouble())
  assert.equal(studio.trouble(), '')
  rmSync(folder, { recursive: true })
})

/** A client at the start of the pendulum, paused. */
async function fresh(options) {
  const client = await Client.open(studio, options)
  const { revision } = await client.good('open', { model: 'rods.yaml' })
  await client.nextFrameOrNow((frame) => frame.revision >= revision) // none of the model before, with a later time
  const { document, documents } = await client.good('session')
  for (const { number } of documents) if (number !== document) await client.good('close', { document: number, discard: true })
  return client
}

function replay(journal) {
  const file = path.join(folder, 'download.journal')
  writeFileSync(file, journal)
  return JSON.parse(execFileSync(program, ['replay', file, '--json', '--check'], { encoding: 'utf8' }))
}

test('hello and scene come first, with properties from the descriptors', async () => {
  const client = await fresh()
  assert.equal(client.pushes[0].push, 'hello')
  assert.equal(client.hello.protocol, 1)
  assert.equal(client.hello.access, 'edit')
  assert.equal(client.pushes[1].push, 'scene')
  const { scene } = await client.push('scene', (push) => push.scene.name === 'Two rods')
  assert.deepEqual(scene.bodies.map((body) => body.name), ['upper', 'lower'])
  const stiffness = scene.forces[0].properties.find((property) => property.name === 'stiffness')
  assert.equal(stiffness.value, 10)
  assert.equal(stiffness.unit, 'N/m')
  assert.ok(stiffness.doc.length > 5)
  assert.equal(scene.forces[0].line, 13)
  assert.equal(scene.events[0].when, 'shoulder.angle + 1')
  const frame = await client.until(() => client.frame, 'a frame')
  assert.equal(frame.magic, 0x32464e54)
  assert.deepEqual(frame.poses[1].map((x) => Math.round(x * 1e6) / 1e6), [1.5, 0, 0, 1, 0, 0, 0])
  client.close()
})

test('commands: answers, edits to all, undo and redo', async () => {
  const [one, two] = [await fresh(), await Client.open(studio)]
  const ack = await one.good('command', { text: '{ set: { spring.stiffness: 20 N/m } }' })
  assert.equal(ack.changed, true)
  assert.match(ack.text, /set spring.stiffness/)
  assert.match(ack.hash, /^[0-9a-f]{16}$/)
  const edit = await two.push('edit', (push) => push.revision === ack.revision)
  assert.equal(edit.client, one.hello.client)
  const { scene } = await two.push('scene', (push) => push.revision === ack.revision)
  assert.equal(scene.forces[0].properties.find((property) => property.name === 'stiffness').value, 20)
  const same = await one.good('command', { command: { set: { 'spring.stiffness': '20 N/m' } } })
  assert.equal(same.changed, false)
  assert.equal(same.revision, ack.revision)
  const before = (await one.good('command', { command: {} })).hash
  await one.good('command', { command: { remove: 'elbow' } })
  assert.equal((await one.good('undo', { restore: true })).hash, before)
  assert.equal((await two.good('redo', { restore: false })).changed, true)
  const wrong = await one.ask('command', { text: '{ remove: elbwo }' })
  assert.equal(wrong.ok, false)
  assert.equal(wrong.code, 'model')
  assert.equal(wrong.diagnostics[0].line, 1)
  assert.match(wrong.message, /elbwo/)
  for (let k = 0; k < 3; k++) await one.ask('undo')
  assert.equal((await one.ask('undo')).code, 'argument')
  assert.equal((await one.ask('command', { command: [] })).code, 'argument')
  one.close()
  two.close()
})

test('motion: speed, steps both ways, seek, branch, run_to, reset', async () => {
  const client = await fresh()
  await client.good('journal', { go_on: false })
  await client.good('step', { count: 3 })
  await client.nextFrameOrNow((frame) => Math.abs(frame.time - 0.003) < 1e-12)
  assert.ok(Math.abs((await client.good('step', { count: -1 })).time - 0.002) < 1e-12)
  await client.good('run_to', { time: 0.25 })
  const stopped = await client.nextFrameOrNow((frame) => frame.time >= 0.25 && !(frame.flags & 1))
  assert.ok(Math.abs(stopped.time - 0.25) < 1e-12)
  const hash = (await client.good('command', { command: {} })).hash
  await client.good('speed', { value: 'max' })
  await client.nextFrame((frame) => frame.time > 1)
  await client.good('speed', { value: 0 })
  await client.good('seek', { time: 0.25 })
  assert.equal((await client.good('command', { command: {} })).hash, hash)
  assert.equal((await client.good('branch')).branch, 1)
  const told = client.pushes.length
  await client.good('run_to', { when: 'shoulder.angle + 0.5' })
  const there = await client.until(() => client.pushes.slice(told).find((push) => push.push === 'status' && push.speed === 0 && push.time > 0.25), 'the pause')
  const angle = (await client.good('value', { channels: ['shoulder.angle'] })).values[0]
  assert.ok(angle < -0.5 && angle > -0.6, `${angle} at ${there.time}`)
  assert.equal((await client.good('reset')).time, 0)
  for (const [verb, parts] of [
    ['speed', { value: -1 }], ['speed', {}], ['speed', { value: 'fast' }], ['step', { count: 'one' }], ['step', { count: -7 }],
    ['seek', { time: -3 }], ['seek', {}], ['run_to', {}], ['run_to', { when: 'shoulder.angel' }], ['run_to', { when: '1 +' }],
  ]) {
    const answer = await client.ask(verb, parts)
    assert.equal(answer.ok, false, `${verb} ${JSON.stringify(parts)}`)
    assert.ok(answer.message.length > 5)
  }
  client.close()
})

test('events and the log are told', async () => {
  const client = await fresh()
  await client.good('speed', { value: 'max' })
  const fired = await client.push('event', (push) => push.kind)
  assert.equal(fired.event, 'down')
  assert.equal(fired.kind, 'down')
  const line = await client.push('event', (push) => push.text)
  assert.match(line.text, /^at -1/)
  client.close()
})

test('pulling: no answer, the tether in frames, its energy at the end', async () => {
  const client = await fresh()
  await client.good('speed', { value: 1 })
  client.send(JSON.stringify({ id: 900, do: 'pull', body: 'lower', at: [0.5, 0], target: [2, 1] }))
  const pulled = await client.nextFrame((frame) => frame.pull)
  assert.ok(Math.hypot(pulled.pull[3], pulled.pull[4]) > 1)
  client.send(JSON.stringify({ id: 901, do: 'pull', body: 'lower', at: [0.5, 0], target: [1, 1.5] }))
  await client.nextFrame((frame) => frame.time > pulled.time + 0.2)
  const released = await client.good('release')
  assert.ok(Number.isFinite(released.energy) && released.energy !== 0)
  await client.nextFrameOrNow((frame) => !frame.pull)
  assert.equal(client.stray, undefined)
  assert.equal((await client.ask('pull', { body: 'nobody', at: [0, 0], target: [0, 0] })).code, 'argument')
  assert.equal((await client.ask('pull', { body: 'ground', at: [0, 0], target: [0, 0] })).code, 'argument')
  assert.equal((await client.ask('pull', { body: 'lower', at: [0, 'x'], target: [0, 0] })).code, 'argument')
  assert.equal((await client.ask('pull', { body: 'lower', at: [0, 0], target: [1e30, 0] })).code, 'argument')
  client.close()
})

test('dragging while paused: along the joints, and back by one undo', async () => {
  const client = await fresh()
  const before = (await client.good('command', { command: {} })).hash
  const answer = await client.good('drag', { body: 'lower', at: [0.5, 0], target: [1, -1] })
  assert.equal(answer.reached, true)
  assert.ok(answer.distance < 1e-6)
  const on = await client.good('drag', { body: 'lower', at: [0.5, 0], target: [5, 0], more: true })
  assert.equal(on.reached, false)
  assert.ok(Math.abs(on.distance - 3) < 0.5)
  assert.ok(on.blocking.length > 0)
  assert.equal((await client.good('undo', { restore: true })).hash, before)
  await client.good('speed', { value: 1 })
  assert.equal((await client.ask('drag', { body: 'lower', at: [0, 0], target: [0, 0] })).code, 'argument')
  client.close()
})

test('channels: subscriptions, values, expressions', async () => {
  const client = await fresh()
  const answer = await client.good('subscribe', { channels: ['shoulder.angle', '2 * elbow.angle', 'energy.total'], reactions: true, velocities: true, accelerations: true, forces: true })
  assert.deepEqual(answer.channels.map((channel) => channel.unit), ['rad', '', 'J'])
  await client.good('step', { count: 50 })
  const frame = await client.nextFrameOrNow((f) => f.subscription === answer.subscription && f.time > 0.0495)
  assert.equal(frame.channels.length, 3)
  const { values } = await client.good('value', { channels: ['shoulder.angle', '2 * elbow.angle', 'energy.total', 'elbow.reaction.force.y', 'lower.velocity.y', 'lower.acceleration.y', 'spring.tension'] })
  assert.deepEqual(frame.channels, values.slice(0, 3))
  assert.ok(Math.abs(frame.reactions[1][1] - values[3]) < 1e-4)
  assert.ok(Math.abs(frame.velocities[1][1] - values[4]) < 1e-6)
  assert.ok(Math.abs(frame.accelerations[1][1] - values[5]) < 1e-4)
  assert.equal(frame.forces.length, 1)
  assert.ok(Math.abs(Math.hypot(...frame.forces[0].slice(0, 3)) - Math.abs(values[6])) < 1e-4)
  const all = (await client.good('channels')).channels
  assert.ok(all.some((channel) => channel.name === 'spring.length' || channel.name === 'spring.force'))
  await client.good('command', { command: { remove: 'elbow' } })
  const without = await client.nextFrameOrNow((f) => f.reactions.length === 1)
  assert.ok(Number.isNaN(without.channels[1]) && Number.isFinite(without.channels[0]))
  await client.good('undo', { restore: true })
  await client.nextFrameOrNow((f) => Number.isFinite(f.channels[1]))
  const wrong = await client.ask('subscribe', { channels: ['shoulder.angel'] })
  assert.equal(wrong.code, 'argument')
  assert.match(wrong.message, /shoulder.angle/)
  assert.equal((await client.ask('subscribe', { channels: 'all' })).code, 'argument')
  assert.equal((await client.ask('subscribe', { channels: Array(300).fill('t') })).code, 'argument')
  assert.equal((await client.ask('value', { channels: [7] })).code, 'argument')
  const { subscription } = await client.good('subscribe', {})
  assert.equal(subscription, answer.subscription + 1)
  await client.nextFrameOrNow((f) => f.subscription === subscription && f.channels.length === 0 && !f.reactions)
  client.close()
})

test('past values: what channels were, as seeking shows, and the run is not touched', async () => {
  const client = await fresh()
  await client.good('command', { command: { set: { 'spring.stiffness': 11 } } })
  await client.good('step', { count: 400 })
  const { time: begun } = await client.nextFrameOrNow((f) => f.time > 0.3995)
  const { hash } = await client.good('command', { command: { set: { 'spring.stiffness': 11 } } })
  const rows = []
  for (let more = true; more; ) {
    const after = rows.at(-1)?.[0]
    const answer = await client.good('history', { channels: ['shoulder.angle', 't'], ...(rows.length ? { after } : {}) })
    rows.push(...answer.rows)
    more = answer.more
  }
  assert.ok(rows.length > 15, `${rows.length} rows`)
  assert.ok(rows.every((row, k) => row[2] === row[0] && (k === 0 || row[0] > rows[k - 1][0])))
  assert.equal((await client.good('command', { command: { set: { 'spring.stiffness': 11 } } })).hash, hash)
  for (const [t, angle] of [rows[1], rows[9]]) {
    await client.good('seek', { time: t })
    assert.deepEqual((await client.good('value', { channels: ['shoulder.angle'] })).values, [angle])
  }
  await client.good('seek', { time: begun })
  assert.equal((await client.ask('history', { channels: ['shoulder.angel'] })).code, 'argument')
  assert.equal((await client.ask('history', { channels: [], after: 'noon' })).code, 'argument')
  assert.equal((await client.good('history', { channels: ['t'], after: 1e9 })).rows.length, 0)
  await client.good('undo', { restore: true })
  client.close()
})

test('parts that fit into a subsystem, their texts, and what a subsystem is given', async () => {
  const car = await startStudio(program, ['car/car.yaml', '--paused'], { cwd: path.join(root, 'examples') })
  const client = await Client.open(car)
  const { scene } = await client.push('scene', (push) => push.scene.subsystems.length > 0)
  const corner = scene.subsystems.find(({ name }) => name === 'front_right')
  assert.deepEqual(corner.parameters.filter((p) => p.given).map((p) => [p.name, p.value, p.given]), [['side', -1, '-1']])
  assert.equal(corner.solve.step, 0.00125)
  assert.equal(scene.subsystems.find(({ name }) => name === 'front_right.hub').solve, undefined)
  assert.equal(scene.solve.integrator, 'rk4')
  const { parts } = await client.good('parts', { dimension: 3 })
  const files = Object.fromEntries(parts.map((part) => [part.file, part.ports]))
  assert.deepEqual(files['suspension-firm.yaml'], files['suspension.yaml'])
  assert.ok(!('car.yaml' in files) && !('car.csv' in files))
  assert.ok(parts.find(({ file }) => file === 'hub.yaml').parameters.some(({ name, unit }) => name === 'load' && unit))
  assert.equal((await client.ask('parts', {})).code, 'argument')
  const hub = await client.good('text', { subsystem: 'front_left.hub' })
  assert.equal(hub.file, 'hub.yaml')
  assert.match(hub.text, /^# Knuckle and wheel/)
  const firm = { use: 'suspension-firm.yaml', parameters: { side: '-1' } }
  await client.good('command', { command: { replace: { subsystems: { front_right: firm } }, closing: 'snap' } })
  const put = await client.good('text', { subsystem: 'front_right' })
  assert.equal(put.file, 'suspension-firm.yaml')
  assert.match(put.text, /^#/)
  assert.equal((await client.ask('text', { subsystem: 'chassis' })).code, 'argument')
  assert.equal((await client.ask('text', { subsystem: 7 })).code, 'argument')
  client.close()
  await car.stop()
})

test('a studio without a model waits for what is drawn', async () => {
  const empty = await startStudio(program, [], { cwd: folder })
  const client = await Client.open(empty)
  const seen = client.pushes.length
  const status = await client.until(() => client.pushes.slice(seen).find((push) => push.push === 'status'), 'status')
  assert.deepEqual([status.speed, status.time], [0, 0])
  client.close()
  await empty.stop()
})

test('texts: the model as it is, checking, applying, saving, opening', async () => {
  const client = await fresh()
  await client.good('command', { command: { set: { 'spring.stiffness': '33 N/m' } } })
  const { text, file } = await client.good('text')
  assert.equal(file, 'rods.yaml')
  assert.match(text, /^# A pendulum of two rods\./)
  assert.match(text, /33 N\/m/)
  const bad = await client.good('check', { text: text.replace('revolute', 'revolte') })
  assert.equal(bad.good, false)
  assert.match(bad.diagnostics[0].message, /revolute/)
  assert.equal(bad.diagnostics[0].line, text.split('\n').findIndex((line) => line.includes('revolute')) + 1)
  assert.deepEqual((await client.good('check', { text })).diagnostics, [])
  const applied = await client.good('apply_text', { text: text.replace('2 kg', '3 kg') })
  assert.equal(applied.changed, true)
  assert.equal((await client.ask('apply_text', { text: 'tenon: 2' })).code, 'model')
  await client.good('save', { name: 'saved.yaml' })
  assert.match(readFileSync(path.join(folder, 'saved.yaml'), 'utf8'), /3 kg/)
  execFileSync(program, ['check', path.join(folder, 'saved.yaml')])
  await client.good('open', { model: 'saved.yaml' })
  await client.good('open', { model: 'sub/other.yaml' })
  assert.equal((await client.good('session')).name, 'other.yaml')
  await client.good('open', { model: 'car' }) // has a folder of its own, for its parts
  await client.good('step', { count: 1 })
  await client.good('reset')
  assert.ok((await client.good('channels')).channels.some(({ name }) => name === 'rear_right.hub.wheel.position.z'))
  await client.good('open', { model: 'four-bar' })
  await client.push('scene', (push) => push.scene.name === 'Four-bar linkage')
  await client.good('new', { dimension: 3 })
  await client.push('scene', (push) => push.scene.dimension === 3 && push.scene.bodies.length === 0)
  await client.good('command', { command: { add: { bodies: { ball: { mass: 1, inertia: [1, 1, 1] } } } } })
  await client.nextFrameOrNow((frame) => frame.poses.length === 1)
  assert.equal((await client.ask('new', { dimension: 4 })).code, 'argument')
  client.close()
})

test('documents: opening another keeps what is unsaved, tabs, closing asks, saving asks before it overwrites', async () => {
  const client = await fresh()
  const first = (await client.good('session')).document
  const listed = async (number) => (await client.good('session')).documents.find((d) => d.number === number)
  assert.deepEqual([(await listed(first)).unsaved, (await listed(first)).file], [false, 'rods.yaml'])
  await client.good('open', { model: 'door' }) // nothing to lose: it takes the place
  const { document: second, documents } = await client.good('session')
  assert.deepEqual([documents.length, documents[0].file], [1, undefined])
  await client.good('command', { command: { disable: 'upper_hinge' } })
  await client.push('documents', ({ documents: list }) => list.some(({ number, unsaved }) => number === second && unsaved))
  await client.good('undo', { restore: true })
  await client.push('documents', ({ documents: list }) => list.some(({ number, unsaved }) => number === second && !unsaved))
  await client.good('redo')
  await client.good('step', { count: 3 })
  await client.nextFrameOrNow((frame) => frame.time > 0.0149) // all three steps
  await client.push('status', ({ steps }) => steps === 3)
  await client.good('open', { model: 'four-bar' })
  await client.push('status', ({ steps }) => steps === 0) // of the run that is shown
  const opened = await client.good('session')
  assert.deepEqual(opened.documents.map(({ title, unsaved }) => [title, unsaved]), [['Door with two hinges', true], ['Four-bar linkage', false]])
  await client.good('keep_view', { view: { plots: ['a'] } })
  await client.good('show', { document: second })
  assert.equal((await client.good('health')).time, 0.015) // its run stands where it was left
  assert.equal((await client.good('kept_view')).view, undefined)
  assert.deepEqual((await client.good('kept_view', { document: opened.document })).view, { plots: ['a'] })
  await client.good('undo', { restore: true })
  await client.good('redo', { restore: true })
  assert.equal((await client.ask('close', {})).code, 'unsaved')
  assert.equal((await client.ask('save', {})).code, 'name')
  assert.equal((await client.ask('save', { name: 'rods.yaml' })).code, 'exists')
  assert.equal((await client.good('save', { name: 'my-door.yaml' })).name, 'my-door.yaml')
  assert.equal((await listed(second)).unsaved, false)
  writeFileSync(path.join(folder, 'my-door.yaml'), PENDULUM) // another program does
  assert.equal((await client.ask('save', {})).code, 'changed')
  assert.equal((await client.good('save', { replace: true })).name, 'my-door.yaml')
  assert.match(readFileSync(path.join(folder, 'my-door.yaml'), 'utf8'), /upper_hinge/)
  const { files, recent } = await client.good('files')
  assert.equal(recent[0], 'my-door.yaml')
  assert.ok(files.some(({ file }) => file === 'sub/other.yaml') && !files.some(({ file }) => file === 'outside.yaml' && false))
  await client.good('close', {})
  assert.equal((await client.good('session')).document, opened.document)
  assert.equal((await client.ask('show', { document: second })).code, 'argument')
  await client.good('save', { name: 'bar.yaml' })
  assert.deepEqual(JSON.parse(readFileSync(path.join(folder, 'bar.yaml.studio'), 'utf8')), { plots: ['a'] })
  await client.good('open', { model: 'bar.yaml', beside: true })
  assert.deepEqual((await client.good('kept_view')).view, { plots: ['a'] })
  const started = await startStudio(program, [path.join(folder, 'bar.yaml'), '--paused'])
  const visitor = await Client.open(started)
  assert.deepEqual((await visitor.good('kept_view')).view, { plots: ['a'] })
  visitor.close()
  await started.stop()
  await client.good('close', {})
  await client.good('close', {}) // the last one: an empty model is there
  assert.equal((await client.good('session')).documents[0].name, 'new.yaml')
  await client.good('open', { model: 'excavator' })
  const { plots } = (await client.good('kept_view')).view // models of the gallery may bring their scopes
  const { channels } = await client.good('channels')
  for (const channel of plots.flatMap(({ curves }) => curves)) assert.ok(channels.some(({ name }) => name === channel), channel)
  await client.good('open', { model: 'car' })
  const firm = { use: 'suspension-firm.yaml', parameters: { side: '-1' } }
  await client.good('command', { command: { replace: { subsystems: { front_right: firm } }, closing: 'snap' } })
  await client.good('save', { name: 'my-car.yaml' }) // with the files that it uses, also since an edit
  execFileSync(program, ['check', path.join(folder, 'my-car.yaml')])
  for (const file of ['suspension.yaml', 'suspension-firm.yaml']) assert.ok(existsSync(path.join(folder, file)), file)
  await client.good('open', { model: 'my-car.yaml' })
  await client.good('command', { command: { move: { 'rear_left.damper': { at: [0, 0, 1] } } } }) // in a file of its own
  const marked = (wanted) =>
    client.push('documents', ({ documents: list }) => list.find(({ file }) => file === 'my-car.yaml')?.unsaved === wanted)
  await marked(true)
  await client.push('status', ({ not_kept: why }) => /inside a subsystem/.test(why))
  assert.equal((await client.ask('close', {})).code, 'unsaved')
  await client.good('undo', {})
  await marked(false)
  await client.good('open', { model: 'lane-change' })
  await client.good('save', { name: 'my-lane.yaml' }) // of those that have no folder of their own, too
  execFileSync(program, ['check', path.join(folder, 'my-lane.yaml')])
  for (let k = (await client.good('session')).documents.length; k < 16; k++) await client.good('new', { dimension: 2, beside: true })
  assert.equal((await client.ask('new', { dimension: 2, beside: true })).code, 'documents')
  client.close()
})

/** Its text takes long, so that it is not looked at after every edit. */
test('documents: a large model that was changed a moment ago stays open when another one is opened', async () => {
  const client = await fresh()
  const bodies = Array.from({ length: 3000 }, (_, k) => `  b${k}: { mass: 1, inertia: 1, position: [${k}, 0] }\n`).join('')
  writeFileSync(path.join(folder, 'large.yaml'), `tenon: 1\nname: Large\ndimension: 2\nbodies:\n${bodies}`)
  await client.good('open', { model: 'large.yaml' })
  await client.good('command', { command: { disable: 'b7' } })
  await client.push('documents', ({ documents: list }) => list.some(({ title, unsaved }) => title === 'Large' && unsaved))
  await client.good('save', {})
  await client.good('command', { command: { disable: 'b8' } })
  await client.good('open', { model: 'door' })
  const { documents } = await client.good('session')
  assert.deepEqual(documents.map(({ title, unsaved }) => [title, unsaved]), [['Large', true], ['Door with two hinges', false]])
  client.close()
})

test('texts from elsewhere, files of the folder with their mistakes, uploads, preferences', async () => {
  const client = await fresh()
  writeFileSync(path.join(folder, 'broken.yaml'), PENDULUM.replace('revolute', 'revolte'))
  const refused = await client.ask('open', { model: 'broken.yaml' })
  assert.deepEqual([refused.code, refused.diagnostics[0].line], ['model', 10])
  const { text } = await client.good('file', { file: 'broken.yaml' })
  assert.equal((await client.ask('open_text', { text, name: 'broken.yaml' })).code, 'model')
  await client.good('open_text', { text: text.replace('revolte', 'revolute'), name: 'broken.yaml', mended: true })
  const { document, documents } = await client.good('session')
  assert.deepEqual(documents.find(({ number }) => number === document).file, 'broken.yaml')
  assert.equal(documents.find(({ number }) => number === document).unsaved, true)
  await client.good('save', {})
  execFileSync(program, ['check', path.join(folder, 'broken.yaml')])
  const content = Buffer.from('t,x\n0,1\n').toString('base64')
  await client.good('upload', { file: 'data/table.csv', content })
  assert.equal(readFileSync(path.join(folder, 'data/table.csv'), 'utf8'), 't,x\n0,1\n')
  assert.equal((await client.ask('upload', { file: 'data/table.csv', content })).code, 'exists')
  for (const wrong of ['@@@', '=', '==', 'A==', 'AAAAA=='])
    assert.equal((await client.ask('upload', { file: 'data/other.csv', content: wrong })).code, 'argument', wrong)
  assert.deepEqual((await client.good('preferences', { change: { angle: 'deg', theme: 'dark' } })).preferences, { angle: 'deg', theme: 'dark' })
  assert.deepEqual((await client.good('preferences', { change: { theme: null } })).preferences, { angle: 'deg' })
  assert.deepEqual((await client.good('preferences')).preferences, { angle: 'deg' })
  client.close()
})

test('what was not saved survives: killed, ended, with a full disk', async () => {
  const state = mkdtempSync(path.join(tmpdir(), 'tenon-studio-state-'))
  const place = mkdtempSync(path.join(tmpdir(), 'tenon-studio-place-'))
  writeFileSync(path.join(place, 'rods.yaml'), PENDULUM)
  const words = [path.join(place, 'rods.yaml'), '--paused', '--state', state]
  const left = async () => {
    const other = await startStudio(program, ['--paused', '--folder', place, '--state', state])
    const client = await Client.open(other)
    return { other, client, models: (await client.good('recoverable')).models }
  }
  for (const signal of ['SIGKILL', 'SIGTERM']) {
    const doomed = await startStudio(program, words)
    const editor = await Client.open(doomed)
    await editor.good('command', { command: { set: { 'spring.stiffness': '77 N/m' } } })
    await editor.good('keep_view', { view: { layout: 1 } })
    await editor.good('command', { command: { set: { 'spring.damping': '5 N s/m' } } })
    await editor.push('documents', ({ documents }) => documents[0].unsaved)
    await editor.push('status', () => true)
    await sleep(600)
    editor.close()
    await doomed.stop(signal)
    const { other, client, models } = await left()
    assert.deepEqual(models.map(({ name, title }) => [name, title]), [['rods.yaml', 'Two rods']], signal)
    assert.equal((await client.ask('recover', { model: '../rods.yaml' })).code, 'file')
    await client.good('recover', { model: models[0].id })
    assert.match((await client.good('text')).text, /77 N\/m[^]*5 N s\/m/)
    assert.deepEqual((await client.good('session')).documents[0].unsaved, true)
    if (signal === 'SIGKILL') await client.good('close', { discard: true })
    else await client.good('save', { replace: true })
    client.close()
    assert.equal(await other.stop(), 0, other.trouble())
    const after = await left()
    assert.deepEqual(after.models, [], 'given up, or saved')
    assert.equal((await after.client.ask('forget', { model: models[0].id })).code, 'file')
    after.client.close()
    await after.other.stop()
  }
  assert.match(readFileSync(path.join(place, 'rods.yaml'), 'utf8'), /77 N\/m/)
  {
    // the number of its process belongs to another one by now
    const doomed = await startStudio(program, words)
    const editor = await Client.open(doomed)
    await editor.good('command', { command: { set: { 'spring.stiffness': '9 N/m' } } })
    await editor.push('documents', ({ documents }) => documents[0].unsaved)
    await sleep(600)
    editor.close()
    await doomed.stop('SIGKILL')
    for (const name of readdirSync(state).filter((each) => each.startsWith('unsaved-')))
      renameSync(path.join(state, name), path.join(state, name.replace(/\d+/, process.pid)))
    const { other, client, models } = await left()
    assert.equal(models.length, 1)
    await client.good('forget', { model: models[0].id })
    client.close()
    await other.stop()
    assert.deepEqual(readdirSync(state).filter((each) => each.startsWith('unsaved-')), [])
  }
  const doomed = await startStudio(program, words)
  const editor = await Client.open(doomed)
  await editor.good('command', { command: { set: { 'spring.stiffness': '7 N/m' } } })
  editor.close()
  await doomed.stop() // asked to end: what was just done is written first
  const { other, client, models } = await left()
  await client.good('forget', { model: models[0].id })
  assert.deepEqual((await client.good('recoverable')).models, [])
  client.close()
  await other.stop()
  rmSync(state, { recursive: true })
  rmSync(place, { recursive: true })
})

test('a file that cannot be written is told, and the old one stays; a broken file is opened to be mended', async () => {
  const place = mkdtempSync(path.join(tmpdir(), 'tenon-studio-place-'))
  const state = mkdtempSync(path.join(tmpdir(), 'tenon-studio-state-'))
  const long = `${PENDULUM}${'# a comment that makes the file long\n'.repeat(4000)}`
  writeFileSync(path.join(place, 'rods.yaml'), PENDULUM)
  const script = path.join(place, 'limited.sh') // files can grow to 64 KiB here, as on a disk that is nearly full
  writeFileSync(script, `#!/bin/sh\ntrap '' XFSZ\nulimit -f 128\nexec '${program}' "$@"\n`, { mode: 0o755 })
  const limited = await startStudio(script, [path.join(place, 'rods.yaml'), '--paused', '--state', state])
  const client = await Client.open(limited)
  await client.good('journal', { go_on: true }) // it has no room either
  await client.good('apply_text', { text: long.replace('10 N/m', '99 N/m') })
  await client.push('status', ({ not_kept: reason }) => /large|space/.test(reason ?? ''))
  assert.match((await client.ask('save', {})).message, /cannot be written: .*(large|space)/)
  assert.equal(readFileSync(path.join(place, 'rods.yaml'), 'utf8'), PENDULUM)
  assert.match((await client.good('text')).text, /99 N\/m/)
  client.close()
  await limited.stop()
  writeFileSync(path.join(place, 'broken.yaml'), PENDULUM.replace('revolute', 'revolte'))
  const mending = await startStudio(program, [path.join(place, 'broken.yaml'), '--paused', '--state', state])
  const mender = await Client.open(mending)
  assert.equal(mender.hello.broken, 'broken.yaml')
  assert.match(mending.trouble(), /broken.yaml:10:.*revolte/)
  mender.close()
  await mending.stop()
  rmSync(state, { recursive: true })
  rmSync(place, { recursive: true })
})

test('after a joint is removed the start can be gone back to, and the text runs', async () => {
  const client = await fresh()
  await client.good('command', { command: { remove: 'elbow' } })
  await client.good('reset')
  const { text } = await client.good('text')
  assert.ok(!text.includes('elbow'))
  client.close()
})

test('analyses and health', async () => {
  const client = await fresh()
  const statics = await client.good('statics')
  assert.equal(statics.kind, 'stable')
  const modes = await client.good('modes')
  assert.equal(modes.modes.length, 2)
  assert.ok(modes.modes[0].frequency > 0)
  const assembled = await client.good('assemble')
  assert.ok(Array.isArray(assembled.gaps) && Array.isArray(assembled.shifts))
  const health = await client.good('health')
  assert.equal(health.freedoms, 2)
  assert.equal(health.gruebler, 2)
  assert.ok(health.singularity > 0)
  assert.ok(health.drift.now < 1e-9)
  assert.equal(health.solver.integrator, 'rk4')
  assert.ok(Number.isFinite(health.energy.kinetic))
  await client.good('open', { model: 'door' })
  const door = await client.good('health')
  assert.equal(door.groups.length, 1)
  assert.ok(door.groups[0].excess >= 5)
  assert.match(door.groups[0].suggestion.command, /disable/)
  await client.good('command', { text: door.groups[0].suggestion.command })
  assert.equal((await client.good('health')).groups.length, 0)
  client.close()
})

/** Whether a file of results has what rows have. */
function sameTable(bytes, head, rows, relative) {
  const [file, text] = [path.join(folder, 'table.h5'), path.join(folder, 'table.csv')]
  writeFileSync(file, bytes)
  writeFileSync(text, [head, ...rows.map((row) => row.join(','))].join('\n') + '\n')
  const words = ['diff', file, text, '--tolerance', '0', '--relative', String(relative)]
  return spawnSync(program, words).status === 0
}

test('tables as HDF5: what a client has, and what the run keeps of the outputs', async () => {
  const client = await fresh()
  const rows = [[0, 1 / 3], [0.5, 7], [1, -2.5e-300]]
  const numbers = (k) => Buffer.from(Float64Array.from(rows, (row) => row[k]).buffer).toString('base64')
  const columns = [{ name: 't', unit: 's', values: numbers(0) }, { name: 'a', unit: 'rad', values: numbers(1) }]
  const table = { model: 'Two rods', dimension: 2, rows: 3, columns }
  const { file } = await client.good('hdf5', table)
  assert.ok(sameTable(Buffer.from(file, 'base64'), 't [s],a [rad]', rows, 0))
  for (const wrong of [{ rows: 4 }, { columns: [] }, { columns: [{ ...columns[0], name: '../t' }] }, { model: 1 }])
    assert.equal((await client.ask('hdf5', { ...table, ...wrong })).code, 'argument')

  await client.good('step', { count: 400 })
  await client.nextFrameOrNow((frame) => frame.time > 0.3995)
  const run = await fetchFrom(studio, '/export/run.h5')
  assert.equal(run.status, 200)
  const channels = ['shoulder.angle', 'elbow.reaction.force.x', 'elbow.reaction.force.y', 'elbow.reaction.torque', 'twice']
  const past = await client.good('history', { channels })
  assert.ok(past.rows.length > 20 && !past.more)
  const units = ['rad', 'N', 'N', 'N m']
  const head = ['t [s]', ...channels.map((name, k) => (units[k] ? `${name} [${units[k]}]` : name))].join(',')
  assert.ok(sameTable(run.body, head, past.rows, 1e-15))
  client.close()
})

test('a sweep runs beside the session: each run is told, it can be cancelled, and nothing else is touched', async () => {
  const client = await fresh()
  const before = await client.good('value', { channels: ['t', 'shoulder.angle'] })
  const wanted = { property: 'spring.stiffness', values: [0, 10, 1e4], channel: 'spring.tension', until: 0.2 }
  const runs = () => client.pushes.filter((push) => push.push === 'sweep')
  const answer = await client.good('sweep', wanted)
  const told = runs()
  assert.deepEqual([answer.runs, answer.cancelled], [3, false])
  assert.deepEqual(told.map((push) => push.value), wanted.values)
  await client.good('run_to', { time: 0.2 })
  await client.nextFrameOrNow((frame) => frame.time > 0.19999)
  const { values: [now] } = await client.good('value', { channels: ['spring.tension'] })
  assert.ok(Math.abs(told[1].y.at(-1) - now) < 1e-12, 'the value it has')
  assert.ok(told[0].y.at(-1) === 0 && told[2].y.at(-1) > 10 * now)
  assert.equal(told[0].t.length, 401)
  assert.equal(before.values[0], 0)
  assert.match((await client.good('text')).text, /stiffness: 10 N\/m/)

  await client.good('sweep', { ...wanted, property: 'lower.mass', values: [-1] })
  assert.match(runs().at(-1).message, /mass/)
  const long = client.good('sweep', { ...wanted, values: Array.from({ length: 200 }, (_, k) => k), until: 100 })
  assert.equal((await client.ask('sweep', wanted)).code, 'busy')
  await client.good('sweep_cancel')
  assert.equal((await long).cancelled, true)
  for (const wrong of [{ channel: 'spring.tenson' }, { values: [] }, { values: ['a'] }, { until: -1 }, { property: 3 }])
    assert.equal((await client.ask('sweep', { ...wanted, ...wrong })).ok, false)
  client.close()
})

/** Whether the program has the pages of web/. */
const hasPages = JSON.parse(execFileSync(program, ['version', '--json'], { encoding: 'utf8' })).features?.pages !== false

test('a page with sliders has the motions that tenon animate writes, and is made beside the session', async () => {
  const client = await fresh()
  writeFileSync(path.join(folder, 'swing.yaml'), PENDULUM.replace('bodies:', 'parameters: { m: 2 kg, c: 3 }\nbodies:').replace('mass: 2 kg', 'mass: m'))
  await client.good('open', { model: 'swing.yaml' })
  const wanted = { sliders: [{ parameter: 'm', low: 1, high: 2, count: 3 }], until: 0.5 }
  assert.equal((await fetchFrom(studio, '/export/page.html')).status, 404)
  const answer = await client.ask('page', wanted)
  if (!hasPages) {
    assert.equal(answer.code, 'page')
    return client.close()
  }
  assert.deepEqual([answer.ok, answer.runs, answer.short, answer.time], [true, 3, 0, 0])
  assert.deepEqual(client.pushes.filter((push) => push.push === 'page').map(({ run, runs }) => [run, runs]), [[1, 3], [2, 3], [3, 3]])
  const { status, body } = await fetchFrom(studio, '/export/page.html')
  assert.equal(status, 200)
  assert.equal(body.length, answer.bytes)
  const words = ['animate', 'swing.yaml', '-q', '--fps', '30', '--until', '0.5', '--slider', 'm=1:2:3', '-o', 'swing.html']
  execFileSync(program, words, { cwd: folder })
  const written = readFileSync(path.join(folder, 'swing.html'), 'utf8')
  assert.ok(body.toString() === written, 'the same page to the byte')
  assert.equal(written.match(/id="motion/g).length, 3)

  const slider = wanted.sliders[0]
  for (const wrong of [{ until: 0 }, { sliders: [{ ...slider, parameter: 'x' }] }, { sliders: [{ ...slider, count: 1 }] },
    { sliders: [{ ...slider, high: 0.5 }] }, { sliders: [slider, slider, slider, slider] }, { sliders: 'm' }, { until: 1e6 }])
    assert.equal((await client.ask('page', { ...wanted, ...wrong })).code, 'argument', JSON.stringify(wrong))
  const bad = await client.ask('page', { ...wanted, sliders: [{ ...slider, low: -1 }] })
  assert.match(bad.message, /with m = -1 kg: .*mass/)
  const long = client.ask('page', { sliders: [{ ...slider, count: 50 }], until: 300 })
  assert.equal((await client.ask('page', wanted)).code, 'busy')
  await client.good('sweep_cancel')
  assert.equal((await long).code, 'cancelled')
  client.close()
})

const ARM = `<robot name="arm"><link name="base"/>
<link name="arm"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pivot" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>`

test('files of other formats are uploaded in pieces, imported with decisions, opened, and their free motions told', async () => {
  const client = await fresh()
  const piece = (from, to) => Buffer.from(ARM.slice(from, to)).toString('base64')
  const file = 'import/arm/arm.urdf'
  await client.good('upload', { file, content: piece(0, 60) })
  assert.equal((await client.ask('upload', { file, content: piece(60), offset: 59 })).code, 'file')
  await client.good('upload', { file, content: piece(60), offset: 60 })
  assert.equal(readFileSync(path.join(folder, file), 'utf8'), ARM)
  const wanted = { files: [file], folder: 'arm' }
  const first = await client.good('import', wanted)
  assert.deepEqual([first.freedoms, first.model, first.source], [1, 'arm/model.yaml', file])
  assert.equal(first.joints.find(({ key }) => key === 'pivot').coordinates[0], 'angle')
  await client.good('open', { model: first.model })
  const { motions } = await client.good('mobility')
  assert.deepEqual(motions.map(({ coordinate }) => coordinate), ['pivot.angle'])
  assert.deepEqual(motions[0].bodies[0].re.map(Math.abs), [0, 0, 0, 0, 1, 0])
  const about = { about: 'joint', name: 'pivot' }
  assert.equal((await client.good('import', { ...wanted, decisions: [{ ...about, value: 'prismatic' }] })).joints.find(({ key }) => key === 'pivot').type, 'prismatic')
  assert.equal((await client.good('import', wanted)).decisions.length, 1)
  assert.equal((await client.good('import', { ...wanted, decisions: [{ ...about, value: '' }] })).decisions.length, 0)
  const lost = await client.ask('import', { ...wanted, decisions: [{ ...about, name: 'pivt', value: 'reject' }] })
  assert.match(lost.message, /there is no joint 'pivt'/)
  await client.good('import_cancel')
  for (const [wrong, code] of [[{ files: ['../x.urdf'] }, 'file'], [{ files: ['outside.yaml'] }, 'file'], [{ files: [] }, 'argument'],
    [{ folder: '../x' }, 'argument'], [{ folder: 'a/b' }, 'argument'], [{ folder: '.x' }, 'argument'], [{ folder: 'away' }, 'file'],
    [{ decisions: [{ about: 'joint' }] }, 'argument'], [{ density: -1 }, 'argument'], [{ folder: 'sub' }, 'file']])
    assert.equal((await client.ask('import', { ...wanted, ...wrong })).code, code, JSON.stringify(wrong))
  assert.ok(!existsSync(path.join(folder, '../x')))
  client.close()
})

test('what needs no solver: types, gallery, session; unknown verbs', async () => {
  const client = await fresh()
  const { types } = await client.good('types')
  assert.deepEqual(types, JSON.parse(execFileSync(program, ['describe', '--json'], { encoding: 'utf8' })))
  const { models } = await client.good('gallery')
  const fourBar = models.find((model) => model.name === 'four-bar')
  assert.equal(fourBar.title, 'Four-bar linkage')
  assert.match(fourBar.text, /^Planar four-bar linkage/)
  assert.equal((await client.good('session')).client, client.hello.client)
  const unknown = await client.ask('comand')
  assert.equal(unknown.code, 'unknown')
  assert.match(unknown.message, /'command'/)
  client.close()
})

test('a long computation does not delay what does not need it', async () => {
  const client = await Client.open(studio)
  await client.good('open', { model: 'chain.yaml' })
  let done = false
  const long = client.good('modes').then(() => (done = true))
  for (const [verb, parts] of [['gallery'], ['types'], ['session'], ['check', { text: PENDULUM }]]) {
    await client.good(verb, parts)
    assert.ok(!done, `${verb} is answered before the long computation`)
  }
  const newcomer = await Client.open(studio)
  await newcomer.push('scene')
  assert.ok(!done, 'a new client gets the scene before the long computation ends')
  await long
  client.close()
  newcomer.close()
})

test('a flood of requests: each is answered, most of them "busy"', async () => {
  const client = await Client.open(studio)
  await client.good('open', { model: 'chain.yaml' })
  const long = client.ask('modes')
  const answers = await Promise.all(Array.from({ length: 600 }, () => client.ask('value', { channels: ['t'] })))
  const busy = answers.filter((answer) => answer.code === 'busy').length
  assert.ok(busy > 200 && busy < 400, `${busy}`)
  assert.equal(answers.filter((answer) => answer.ok).length, 600 - busy)
  assert.equal((await long).ok, true)
  client.close()
})

test('errors that stop the motion stay until they are mended', async () => {
  const client = await fresh()
  await client.good('command', { command: { add: { forces: { bad: { type: 'force', on: 'lower', value: ['1 N / (0.05 - t / 1 s)^0.5', 0] } } } } })
  await client.good('speed', { value: 1 })
  const told = await client.push('status', (push) => push.message !== '')
  assert.match(told.message, /bad/)
  assert.ok((await client.nextFrameOrNow((frame) => frame.flags & 2)).time <= 0.06)
  await client.good('command', { command: { remove: 'bad' } })
  const count = client.pushes.length
  await client.until(() => client.pushes.slice(count).find((push) => push.push === 'status' && push.message === '' && push.time > 0.06), 'motion')
  await client.good('open', { model: 'robot-arm-inverse' }) // it ends where its table does
  await client.good('run_to', { time: 3, speed: 'max' })
  const { message } = await client.push('status', (push) => push.message !== '' && push.time > 1.9)
  assert.match(message, /^robot-arm-inverse\.yaml:\d+:\d+: /, 'without the path on the server')
  assert.match((await client.good('health')).trouble, /^robot-arm-inverse\.yaml:/)
  client.close()
})

test('the token for looking on sees all and changes nothing', async () => {
  const [editor, viewer] = [await fresh(), await Client.open(studio, { token: studio.viewToken })]
  assert.equal(viewer.hello.access, 'view')
  const verbs = ['command', 'undo', 'redo', 'speed', 'step', 'reset', 'seek', 'branch', 'run_to', 'pull', 'release', 'drag',
    'apply_text', 'statics', 'assemble', 'open', 'new', 'save', 'open_text', 'show', 'close', 'recoverable', 'recover', 'forget',
    'files', 'file', 'upload', 'keep_view', 'preferences', 'import', 'import_cancel']
  for (const verb of verbs) assert.equal((await viewer.ask(verb, { text: '{ remove: elbow }', value: 1 })).code, 'access', verb)
  for (const verb of ['channels', 'types', 'text', 'health', 'modes', 'gallery', 'session']) await viewer.good(verb)
  await viewer.good('subscribe', { channels: ['t'] })
  await editor.good('step', { count: 1 })
  await viewer.nextFrameOrNow((frame) => frame.channels.length === 1 && frame.time > 0)
  assert.equal((await fetchFrom(studio, '/export/model.yaml', { token: studio.viewToken })).status, 200)
  editor.close()
  viewer.close()
})

test('strangers are refused: token, host, origin, path, protocol', async () => {
  const refused = async (options, status) => {
    await assert.rejects(Client.open(studio, options), (error) => error.status === status, JSON.stringify(options))
  }
  await refused({ token: '' }, 403)
  await refused({ token: '0'.repeat(32) }, 403)
  await refused({ token: studio.token.slice(0, 31) }, 403)
  await refused({ token: studio.token + '0' }, 403)
  await refused({ origin: 'http://evil.example' }, 403)
  await refused({ origin: `http://evil.example:${studio.port}` }, 403)
  await refused({ origin: `https://127.0.0.1:${studio.port}` }, 403)
  await refused({ origin: 'null' }, 403)
  await refused({ host: 'evil.example' }, 403)
  await refused({ host: `evil.example:${studio.port}` }, 403)
  await refused({ host: '127.0.0.1:1' }, 403)
  await refused({ path: '/other' }, 404)
  await refused({ protocol: null }, 400)
  const good = await Client.open(studio, { origin: `http://localhost:${studio.port}`, host: `localhost:${studio.port}` })
  good.close()
  for (const where of ['/export/model.zip', '/export/model.yaml', '/export/journal', '/export/run.tenon']) {
    assert.equal((await fetchFrom(studio, where, { token: null })).status, 403)
    assert.equal((await fetchFrom(studio, where, { token: 'x' })).status, 403)
  }
  assert.equal((await fetchFrom(studio, '/', { token: null, host: `evil.example:${studio.port}` })).status, 403)
  assert.equal((await fetchFrom(studio, '/', { token: null, headers: ['Origin: http://evil.example'] })).status, 403)
  const page = await fetchFrom(studio, '/', { token: null })
  assert.equal(page.status, 200)
  assert.match(page.head, /content-security-policy: /)
  assert.ok(!page.body.includes('Two rods'))
})

test('clients that look on see no folders of the machine', async () => {
  const [client, viewer] = [await fresh(), await Client.open(studio, { token: studio.viewToken })]
  assert.deepEqual([viewer.hello.folder, viewer.hello.journal], [undefined, undefined])
  assert.equal(client.hello.folder, folder)
  assert.equal((await client.ask('apply_text', { text: 'tenon: 1\nbodeis: {}\n' })).diagnostics[0].file, 'rods.yaml')
  for (const where of ['/export/journal', '/export/run.tenon']) {
    const [edited, seen] = [await fetchFrom(studio, where), await fetchFrom(studio, where, { token: studio.viewToken })]
    assert.ok(edited.body.includes(`"${folder}/rods.yaml"`), where)
    assert.ok(!seen.body.includes(folder), where)
    assert.ok(seen.body.includes('- path: "rods.yaml"'), where)
  }
  viewer.close()
  client.close()
  const odd = path.join(folder, 'a "quoted" \\ \u00fc\nname')
  mkdirSync(odd)
  writeFileSync(path.join(odd, 'rods.yaml'), PENDULUM)
  const other = await startStudio(program, [path.join(odd, 'rods.yaml'), '--paused'])
  for (const where of ['/export/journal', '/export/run.tenon']) {
    const seen = await fetchFrom(other, where, { token: other.viewToken })
    assert.ok(!seen.body.includes('quoted') && seen.body.includes('- path: "rods.yaml"'), `${where}: ${seen.body}`)
  }
  assert.equal(await other.stop(), 0)
})

test('no path leads out of the folder', async () => {
  const client = await fresh()
  for (const model of ['../rods.yaml', '/etc/passwd', 'sub/../../x', 'outside.yaml', 'sub', '', '.', './rods.yaml', '../examples/door'])
    assert.equal((await client.ask('open', { model })).code, 'file', JSON.stringify(model))
  for (const file of ['rods.yaml\0', 'rods.yaml\0.stl'])
    for (const verb of [['open', { model: file }], ['file', { file }], ['upload', { file, content: 'AAAA' }], ['save', { name: file }]])
      assert.equal((await client.ask(...verb)).code, 'argument', `${verb[0]} of a name with a zero`)
  for (const name of ['../x.yaml', '/tmp/x.yaml', 'sub/x.yaml', '.hidden.yaml', 'x', 'x.sh', '', 'a\nb.yaml', '.yaml', 'x'.repeat(300) + '.yaml'])
    assert.equal((await client.ask('save', { name })).code, 'file', JSON.stringify(name))
  const include = (file) => `tenon: 1\ndimension: 2\ninclude: [${file}]\n`
  for (const file of ['/etc/passwd', '../../../../../../etc/passwd', 'outside.yaml']) {
    const answer = await client.good('check', { text: include(file) })
    assert.match(answer.diagnostics[0].message, /no such file within/)
    assert.equal((await client.ask('apply_text', { text: include(file) })).ok, false)
  }
  const mesh = { add: { bodies: { m: { shapes: [{ mesh: { file: '/etc/passwd' }, density: 1 }] } } } }
  const answer = await client.ask('command', { command: mesh })
  assert.match(answer.message, /no such file within|unknown key/)
  await client.good('save', { name: 'outside.yaml', replace: true })
  for (const file of ['../x.stl', '/tmp/x.stl', 'away/x.stl', '.x.stl', 'sub/.x.stl', 'x.sh', 'sub//x.stl', ''])
    assert.equal((await client.ask('upload', { file, content: 'AAAA' })).code, 'file', JSON.stringify(file))
  for (const file of ['../rods.yaml', '/etc/passwd', 'outside.txt', 'rods.yaml/..', ''])
    assert.equal((await client.ask('file', { file })).code, 'file', JSON.stringify(file))
  assert.match(readFileSync('/etc/passwd', 'utf8'), /^root:/)
  for (const where of ['/../../etc/passwd', '/export/../../etc/passwd', '/export/%2e%2e/journal', '/export/', '//etc/passwd'])
    assert.ok([400, 403, 404].includes((await fetchFrom(studio, where)).status), where)
  client.close()
})

test('nonsense is answered, then cut off; the others do not notice', async () => {
  const [good, bad] = [await fresh(), await Client.open(studio)]
  const answers = () => bad.stray?.length ?? 0
  for (const text of ['', 'x', '[]', '7', '{}', '{"id":1}', '{"do":"types"}', '{"id":"a","do":"types"}', '{"id":1,"do":7}',
    '{"id":1e999,"do":"types"}', '['.repeat(5000)]) {
    const before = answers()
    bad.send(text)
    await bad.until(() => answers() > before, `an answer to ${text.slice(0, 20)}`)
    assert.equal(bad.stray.at(-1).code, 'message')
    assert.equal(bad.stray.at(-1).id, null)
  }
  // a browser ends a connection that brings anything but UTF-8
  const latin = Buffer.from('{"id":1,"do":"open","model":"gr\xfc\xdf.yaml"}', 'latin1'), before = answers()
  bad.sendRaw(1, latin)
  await bad.until(() => answers() > before, 'an answer to Latin-1')
  assert.equal(bad.stray.at(-1).message, 'this is not UTF-8')
  const cut = await bad.ask('check', { text: `tenon: 1\nbodies: { b: { a${'\u672c'.repeat(60)}: 1 } }\n` })
  assert.match(cut.diagnostics[0].message, /unknown key 'a(\u672c)+\?'/)
  bad.sendRaw(2, randomBytes(100))
  await bad.until(() => bad.stray.at(-1).message.includes('text'), 'an answer to bytes')
  bad.sendRaw(1, Buffer.alloc(5 << 20, 'x'))
  await bad.until(() => bad.stray.at(-1).message.includes('4 MiB'), 'an answer to a long message')
  const big = await bad.ask('check', { text: '# ' + 'x'.repeat(3 << 20) + '\ntenon: 1\ndimension: 2\n' })
  assert.equal(big.good, true)
  // a zero would end a text, and what follows it would be ignored; a backslash and u0000 are six characters like others
  assert.equal((await bad.ask('check', { text: 'tenon: 1\ndimension: 2\n\0nonsense' })).code, 'argument')
  assert.equal((await bad.ask('check', { text: '# \\u0000 \\\\u0000\ntenon: 1\ndimension: 2\n' })).good, true)
  for (let k = 0; k < 200; k++) bad.send('nonsense')
  await bad.lost
  await good.good('session')
  good.close()
})

test('random bytes on the wire', async () => {
  const good = await fresh()
  for (let k = 0; k < 40; k++) {
    const socket = net.connect(studio.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(k % 2 ? randomBytes(2000) : `GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(k)}${randomBytes(30).toString('latin1')}`)
    setTimeout(() => socket.destroy(), 20)
    const { socket: upgraded, status } = await openSocket(studio)
    assert.equal(status, 101)
    upgraded.on('error', () => {})
    upgraded.write(randomBytes(500))
    setTimeout(() => upgraded.destroy(), 20)
  }
  await sleep(50)
  for (let k = 0; k < 300; k++) {
    const verb = ['command', 'pull', 'seek', 'step', 'subscribe', 'value', 'speed', 'undo', 'run_to', 'save', 'open', 'check'][k % 12]
    const junk = [null, true, -1, 1e308, '', 'x', [], {}, [[[]]], { a: {} }, '\u0000', '{ remove: [', '{ set: { a: } }'][k % 13]
    await good.ask(verb, { text: junk, command: junk, body: junk, at: junk, target: junk, time: junk, count: junk, channels: junk, value: junk === 1e308 ? 0 : junk, when: junk, name: junk, model: junk })
  }
  await good.good('speed', { value: 0 })
  good.close()
})

/** How many frames and answers a client gets in a second. */
async function service(client) {
  const frames = client.frames
  const begun = performance.now()
  let answers = 0
  for (; performance.now() - begun < 1000; answers++) {
    await client.good('value', { channels: ['t'] })
    await sleep(10)
  }
  return { frames: client.frames - frames, answers }
}

test('a client that stops reading holds up nobody', async () => {
  const [good, frozen] = [await fresh(), await Client.open(studio)]
  await frozen.good('subscribe', { channels: ['t'] })
  await good.good('speed', { value: 1 })
  const usual = await service(good)
  frozen.socket.pause()
  await sleep(500) // the buffers on the way fill
  const beside = await service(good)
  const told = `${beside.frames} frames and ${beside.answers} answers a second, ${usual.frames} and ${usual.answers} before`
  assert.ok(beside.frames > usual.frames / 3 && beside.answers > usual.answers / 3, told)
  frozen.socket.resume()
  await frozen.good('session')
  await frozen.nextFrame((frame) => frame.time > 1)
  good.close()
  frozen.close()
})

test('a client that never reads is cut off when its queue is full', async () => {
  const [good, frozen] = [await Client.open(studio), await Client.open(studio)]
  await good.good('open', { model: 'chain.yaml' })
  await good.until(() => good.pushes.find((push) => push.push === 'status' && push.clients === 2), 'both')
  const { scene } = await good.push('scene', (push) => push.scene.bodies.length === 160)
  frozen.socket.pause()
  good.socket.setNoDelay(true)
  const edits = Math.ceil((1.3 * (64 << 20)) / JSON.stringify(scene).length) // every edit sends the scene to all
  const count = good.pushes.length
  const gone = () => good.pushes.slice(count).some((push) => push.push === 'status' && push.clients === 1)
  for (let k = 0; k < edits && !gone(); k++) await good.good('command', { command: { set: { 'b0.mass': 1 + 0.001 * k } } })
  const asked = performance.now()
  await good.until(gone, 'the other one to be gone')
  assert.ok(performance.now() - asked < 5000, 'long before it could have missed a ping')
  good.close()
  frozen.close()
})

test('reloading loses nothing', async () => {
  const client = await fresh()
  await client.good('command', { command: { set: { 'spring.stiffness': '44 N/m' } } })
  const { revision, hash } = await client.good('command', { command: {} })
  client.close()
  const again = await Client.open(studio)
  assert.equal(again.hello.revision, revision)
  assert.equal((await again.push('scene')).revision, revision)
  assert.equal((await again.good('command', { command: {} })).hash, hash)
  await again.good('undo', { restore: true })
  again.close()
})

test('downloads; the journal is replayed to the same state', async () => {
  const client = await fresh()
  await client.good('speed', { value: 1 })
  await sleep(200)
  client.send(JSON.stringify({ id: 950, do: 'pull', body: 'lower', at: [0.5, 0], target: [2, 1] }))
  await sleep(200)
  await client.good('release')
  await client.good('command', { command: { remove: 'elbow' } })
  await sleep(100)
  await client.good('undo', { restore: true })
  await client.good('speed', { value: 0 })
  await client.good('statics')
  const { time } = await client.good('step', { count: 5 })
  await client.nextFrameOrNow((frame) => frame.time > time + 0.0045)
  const { hash } = await client.good('command', { command: { gravity: [0, -1.6] } })
  const journal = await fetchFrom(studio, '/export/journal')
  assert.equal(journal.status, 200)
  const replayed = replay(journal.body)
  assert.equal(replayed.same, true)
  assert.equal(replayed.hash, hash)
  const saved = await fetchFrom(studio, '/export/run.tenon')
  assert.equal(replay(saved.body).hash, hash)
  const yaml = await fetchFrom(studio, '/export/model.yaml')
  assert.match(yaml.body.toString(), /-1\.6/)
  for (let k = 0; k < 4; k++) {
    const zip = await fetchFrom(studio, '/export/model.zip')
    assert.equal(zip.body.readUInt32LE(0), 0x04034b50)
    assert.ok(zip.body.includes('rods.yaml'))
  }
  client.close()
})

/** Names in the directory of a zip archive. */
function zipNames(bytes) {
  const names = []
  for (let at = 0; (at = bytes.indexOf('PK\x01\x02', at)) >= 0; at += 46)
    names.push(bytes.subarray(at + 46, at + 46 + bytes.readUInt16LE(at + 28)).toString())
  return names.sort()
}

test('a download is of the model that was shown, also when another one is opened before it is packed', async () => {
  const client = await fresh()
  await client.good('open', { model: 'lane-change' })
  await client.nextFrameOrNow((frame) => frame.time === 0)
  const long = 'tenon: 1\ndimension: 2\nparameters:\n' + Array.from({ length: 150_000 }, (_, k) => `  p${k}: 1\n`).join('')
  const checked = client.good('check', { text: long }) // the worker has something to do
  await sleep(20)
  const packed = fetchFrom(studio, '/export/model.zip')
  await sleep(50)
  await client.good('open', { model: 'sub/other.yaml' })
  await checked
  const { status, body } = await packed
  assert.equal(status, 200)
  assert.deepEqual(zipNames(body), ['car-tyre.tir', 'lane-change.yaml'])
  client.close()
})

test('started without a pause: the run pauses where the model ends, and goes on from there when asked', async () => {
  const file = path.join(folder, 'short.yaml')
  writeFileSync(file, PENDULUM.replace('until: 10 s', 'until: 0.0505 s'))
  const short = await startStudio(program, [file])
  const client = await Client.open(short)
  const { time } = await client.nextFrameOrNow((frame) => frame.time > 0.05 && !(frame.flags & 1))
  assert.equal(time, 0.0505)
  assert.equal((await client.good('session')).time, 0.0505)
  await client.good('speed', { value: 1 })
  await client.nextFrame((frame) => frame.time > 0.06)
  client.close()
  assert.equal(await short.stop(), 0)
})

test('killed and resumed: the run goes on where it was', async () => {
  const doomed = await startStudio(program, [path.join(folder, 'rods.yaml')])
  const client = await Client.open(doomed)
  await client.nextFrame((frame) => frame.time > 0.3)
  await client.good('command', { command: { set: { 'spring.stiffness': '55 N/m' } } })
  await client.nextFrame((frame) => frame.time > 0.5)
  await client.good('speed', { value: 0 })
  const { hash, time } = await client.good('command', { command: { gravity: [0, -3] } })
  assert.equal(await doomed.stop('SIGKILL'), 'SIGKILL')
  const resumed = await startStudio(program, ['--resume', doomed.journal, '--paused', '--state', doomed.state])
  assert.notEqual(resumed.journal, doomed.journal)
  const again = await Client.open(resumed)
  const there = await again.good('command', { command: {} })
  assert.equal(there.hash, hash)
  assert.equal(there.time, time)
  await again.good('undo', { restore: false })
  await again.good('step', { count: 10 })
  await again.nextFrameOrNow((frame) => frame.time > time + 0.0095)
  const end = await again.good('command', { command: { gravity: [0, -4] } })
  const replayed = replay((await fetchFrom(resumed, '/export/journal')).body)
  assert.equal(replayed.same, true)
  assert.equal(replayed.hash, end.hash)
  again.close()
  assert.equal(await resumed.stop(), 0)
})

test('a damaged journal names the entries before the damage, and is resumed with them', async () => {
  const doomed = await startStudio(program, [path.join(folder, 'rods.yaml'), '--paused'])
  const client = await Client.open(doomed)
  const { hash } = await client.good('command', { command: { gravity: [0, -3] } })
  await client.good('command', { command: { gravity: [0, -4] } })
  assert.equal(await doomed.stop('SIGKILL'), 'SIGKILL')
  const damaged = path.join(folder, 'damaged.journal')
  writeFileSync(damaged, readFileSync(doomed.journal, 'utf8').replace(/gravity(.*-4)/, 'gravitx$1'))
  const refused = startStudio(program, ['--resume', damaged])
  await assert.rejects(refused, /gravitx[^]*the entries before, 1, are good, to t = 0 s: '--resume .*damaged.journal --entries 1'/)
  await assert.rejects(refused, (error) => !/cannot listen/.test(error.message))
  const resumed = await startStudio(program, ['--resume', damaged, '--entries', '1', '--paused', '--state', doomed.state])
  const again = await Client.open(resumed)
  assert.equal((await again.good('command', { command: {} })).hash, hash)
  again.close()
  assert.equal(await resumed.stop(), 0)
})

test('two run side by side; what cannot be started says why', async () => {
  const other = await startStudio(program, ['--paused', '--folder', folder])
  const client = await Client.open(other)
  assert.equal(client.hello.name, 'new.yaml')
  await assert.rejects(Client.open(other, { token: studio.token }), (error) => error.status === 403)
  const fails = async (words, pattern) => assert.rejects(startStudio(program, words), pattern)
  await fails(['nothing.yaml'], /nothing.yaml/)
  await fails(['--port', String(other.port)], /cannot listen/)
  await fails(['--resume', 'nothing.journal'], /nothing.journal/)
  await fails(['--entries', '3'], /--resume/)
  await fails(['--folder', '/nowhere'], /no such folder/)
  await fails(['--port', '70000'], /65535/)
  client.close()
  assert.equal(await other.stop('SIGINT'), 0)
})

test('every answer and every push has been what the table of the protocol says', () => {
  assert.deepEqual([...Client.violations], [])
  const unseen = Object.keys(Client.schema.verbs).filter((verb) => !Client.seen.has(verb) && verb !== 'pull' && (verb !== 'page' || hasPages))
  assert.deepEqual(unseen, [], 'verbs without a good answer in these tests')
  for (const push of ['hello', 'scene', 'documents', 'edit', 'event', 'sweep', 'status']) assert.ok(Client.seen.has(`push ${push}`), push)
})
