// The studio under load: twenty clients, one of them frozen and one hostile. They are a process of their own with the
// lowest priority: what they cost would be paid elsewhere, by the machines of those who look on.
// usage: node bench/studio_load.mjs [PROGRAM]
import { fork } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, startStudio } from '../tests/studio/client.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const program = path.resolve(process.argv[2] ?? path.join(root, 'build/tenon'))
const CLIENTS = 20
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
const rows = []
const row = (what, value, unit, limit = '') => rows.push([what, value, unit, limit])

function chain(n) {
  const line = (k) => `  b${k}: { mass: 1 kg, inertia: 0.1 kg m^2, position: [${k + 0.5}, 0] }`
  const pin = (k) => `  j${k}: { type: revolute, between: [${k ? `b${k - 1}` : 'ground'}, b${k}], at: [${k}, 0] }`
  const all = (make) => Array.from({ length: n }, (_, k) => make(k)).join('\n')
  return `tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n${all(line)}\njoints:\n${all(pin)}\n` +
    'solve: { until: 1000 s, step: 1 ms, integrator: rk4 }\n'
}

/** s of processor time that the solver's thread, the busiest one, has had. */
function solverTime(studio) {
  const tasks = `/proc/${studio.pid}/task`
  const ticks = (task) => readFileSync(`${tasks}/${task}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13)
  return Math.max(...readdirSync(tasks).map((task) => ticks(task).reduce((sum, x) => sum + Number(x), 0) / 100))
}

/** Time of a step at full speed, over so many seconds of the same motion; with nobody connected meanwhile when alone. */
async function stepRate(studio, alone, seconds) {
  let client = await Client.open(studio)
  await client.good('reset') // later steps of the chain cost more than earlier ones
  await client.good('speed', { value: 'max' })
  const status = () => {
    const seen = client.pushes.length
    return client.until(() => client.pushes.slice(seen).find((push) => push.push === 'status'), 'status')
  }
  await sleep(0.5)
  const begin = await status(), before = solverTime(studio)
  if (alone) client.close()
  await sleep(seconds)
  if (alone) client = await Client.open(studio)
  const end = await status(), after = solverTime(studio), steps = end.steps - begin.steps
  await client.good('speed', { value: 0 })
  client.close()
  return { wall: (end.arrived - begin.arrived) / 1000 / steps, work: (after - before) / steps }
}

/** Eighteen that look on, with channels and reactions; one that stops reading; one that talks nonsense. */
async function beCrowd({ studio, channels }) {
  setPriority(19)
  const clients = []
  for (let k = 0; k < CLIENTS; k++) {
    const client = await Client.open(studio, { token: k % 2 ? studio.viewToken : studio.token })
    client.blind = true // browsers have processors of their own
    if (k < CLIENTS - 1) await client.good('subscribe', { channels, reactions: true, velocities: true })
    clients.push(client)
  }
  clients[0].socket.pause()
  setInterval(async () => {
    let bad = clients[CLIENTS - 1]
    if (bad.closed) bad = await Client.open(studio).catch(() => bad) // the studio may be about to end
    clients[CLIENTS - 1] = bad
    for (let k = 0; k < 20 && !bad.closed; k++) bad.send(k % 2 ? '[[[[' : '{"id":1,"do":"nothing"}')
    if (!bad.closed) bad.sendRaw(2, Buffer.alloc(100000, 7))
  }, 50)
  process.send('here')
}

async function crowd({ host, port, token, viewToken }, channels) {
  const others = fork(fileURLToPath(import.meta.url), ['--crowd'])
  others.send({ studio: { host, port, token, viewToken }, channels })
  await new Promise((resolve, reject) => {
    others.once('message', resolve)
    others.once('exit', () => reject(new Error('the other clients are gone')))
  })
  return { leave: () => others.kill() }
}

function percentiles(values) {
  values.sort((a, b) => a - b)
  return [0.5, 0.9, 0.99].map((part) => values[Math.min(values.length - 1, Math.floor(part * values.length))])
}

const inMilliseconds = (values) => values.map((x) => x.toFixed(1)).join(' / ')

async function acknowledgements(client, make, count) {
  const taken = []
  for (let k = 0; k < count; k++) {
    const asked = performance.now()
    await client.good('command', { text: make(k) })
    taken.push(performance.now() - asked)
    await sleep(0.005)
  }
  return percentiles(taken)
}

async function pullToMotion(client) {
  const frames = [], waits = []
  for (let k = 0; k < 30; k++) {
    const before = client.frame.number, asked = performance.now()
    client.send(JSON.stringify({ id: 1e6 + k, do: 'pull', body: 'coupler', at: [0.1, 0], target: [0.3, 0.3] }))
    const frame = await client.nextFrame((f) => f.pull)
    frames.push(frame.number - before)
    waits.push(performance.now() - asked)
    await client.good('release')
    await client.until(() => !client.frame.pull, 'release')
    await sleep(0.02)
  }
  return { frames: Math.max(...frames), wait: percentiles(waits) }
}

/** A joint removed and restored by undo, in turns. */
async function edits(studio, count) {
  const client = await Client.open(studio), taken = []
  await client.good('speed', { value: 0.1 })
  for (let k = 0; k < count; k++) {
    const asked = performance.now()
    await client.good(k % 2 ? 'undo' : 'command', k % 2 ? { restore: true } : { text: '{ remove: j100 }' })
    taken.push(performance.now() - asked)
    await sleep(0.05)
  }
  await client.good('speed', { value: 0 })
  client.close()
  return percentiles(taken)
}

async function heavyModel(folder) {
  const file = path.join(folder, 'chain.yaml')
  writeFileSync(file, chain(200))
  const studio = await startStudio(program, [file, '--paused'])
  const alone = await stepRate(studio, true, 3), calm = await edits(studio, 100)
  const others = await crowd(studio, ['j0.angle', 'j199.angle', 'energy.total'])
  const watched = await stepRate(studio, false, 3), crowded = await edits(studio, 100)
  others.leave()
  await studio.stop()
  row('200-body chain: step, nobody connected', (1e6 * alone.wall).toFixed(0), 'us')
  row(`200-body chain: step, ${CLIENTS} clients`, (1e6 * watched.wall).toFixed(0), 'us')
  row('ratio', (watched.wall / alone.wall).toFixed(3), '')
  row('ratio of processor time of the solver', (watched.work / alone.work).toFixed(3), '')
  for (const [who, taken] of [['one client', calm], [`${CLIENTS} clients`, crowded]])
    row(`200-body chain: remove or restore a joint, ${who}, p50 / p90 / p99`, inMilliseconds(taken), 'ms',
      '1 frame + 1 step')
}

async function lightModel() {
  const studio = await startStudio(program, [path.join(root, 'examples/four-bar.yaml')])
  for (const crowded of [false, true]) {
    const others = crowded ? await crowd(studio, ['crank.angle', 'energy.total']) : null
    const client = await Client.open(studio)
    await client.until(() => client.frame, 'a frame')
    const who = crowded ? `${CLIENTS} clients` : 'one client'
    const acks = await acknowledgements(client, (k) => `{ gravity: [0, ${k % 2 ? -9.81 : -9.8}] }`, 200)
    row(`click to acknowledgement, ${who}, p50 / p90 / p99`, inMilliseconds(acks), 'ms', '50')
    const pull = await pullToMotion(client)
    row(`pull to motion, ${who}: frames at most`, pull.frames, '', '2')
    row(`pull to motion, ${who}, p50 / p90 / p99`, inMilliseconds(pull.wait), 'ms')
    const frames = client.frames
    await sleep(2)
    row(`frames a second, ${who}`, ((client.frames - frames) / 2).toFixed(0), '')
    client.close()
    others?.leave()
  }
  await studio.stop()
}

async function main() {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenon-load-'))
  await heavyModel(folder)
  await lightModel()
  rmSync(folder, { recursive: true })
  const width = Math.max(...rows.map(([what]) => what.length))
  for (const [what, value, unit, limit] of rows)
    console.log(`${what.padEnd(width)}  ${String(value).padStart(22)} ${unit.padEnd(3)}${limit && `  (at most ${limit})`}`)
  process.exit(0)
}

if (process.argv[2] === '--crowd') process.once('message', beCrowd)
else await main()
