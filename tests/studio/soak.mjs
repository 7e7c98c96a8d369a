// A long session of 'tenon studio': clients that edit, pull, seek, look on and come again, and a program that is killed and
// resumed. Afterwards every journal is replayed and compared to the bit; memory and open files must stay flat.
// usage: node soak.mjs PROGRAM MODEL MINUTES [CLIENTS [SEED]]
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client, startStudio } from './client.mjs'

const program = path.resolve(process.argv[2]), model = path.resolve(process.argv[3])
const minutes = Number(process.argv[4]), count = Number(process.argv[5] ?? 20), seed = Number(process.argv[6] ?? 1)
const state = mkdtempSync(path.join(tmpdir(), 'tenon-soak-'))
const LIVES = Math.max(2, Math.min(12, Math.round(minutes))) // runs of the program; each but the last ends by kill -9
const SETTLED = 0.4 // of a life: memory is compared from here on
const MEMORY = 48 << 20 // bytes that the second part of a life may add: pieces of budgets that are being filled

let number = seed
const chance = () => (number = (number * 1103515245 + 12345) % 2147483648) / 2147483648
const below = (most) => Math.floor(chance() * most)
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const tally = { asked: 0, refused: 0, acknowledged: 0, reconnected: 0, killed: 0, replayed: 0, entries: 0 }

/** What a client may do: verb and arguments, by chance. */
function something(client, bodies) {
  const body = bodies[below(bodies.length)]
  const edits = [
    { gravity: [0, -20 * chance()] },
    { add: { bodies: { [`extra${below(5)}`]: { mass: 1 + chance(), inertia: 1 } } } },
    { remove: `extra${below(5)}` },
    { disable: `extra${below(5)}` },
    { enable: `extra${below(5)}` },
    { state: { [body]: { angular_velocity: 4 * chance() - 2 } } },
  ]
  const all = [
    () => ['command', { command: edits[below(edits.length)] }],
    () => ['command', { command: edits[0] }],
    () => ['undo', { restore: chance() < 0.5 }],
    () => ['redo', { restore: chance() < 0.5 }],
    () => ['pull', { body, at: [0, 0], target: [chance(), chance()] }],
    () => ['release', {}],
    () => ['seek', { time: client.frame ? client.frame.time * chance() : 0 }],
    () => ['speed', { value: [0, 0.5, 1, 2][below(4)] }],
    () => ['step', { count: below(20) }],
    () => ['text', {}],
    () => ['channels', {}],
    () => ['subscribe', { channels: ['energy.total'], velocities: chance() < 0.5 }],
    () => ['session', {}],
  ]
  return all[below(all.length)]()
}

async function act(studio, until, bodies) {
  let client = null
  while (Date.now() < until) {
    try {
      client ??= await Client.open(studio, chance() < 0.2 ? { token: studio.viewToken } : {})
      const [verb, parts] = something(client, bodies)
      tally.asked++
      if (verb === 'pull') client.send(JSON.stringify({ do: verb, ...parts }))
      else if ((await client.ask(verb, parts)).ok) tally.acknowledged++
      else tally.refused++
      if (chance() < 0.02) {
        client.close()
        client = null
        tally.reconnected++
      }
    } catch (error) {
      if (Date.now() < until - 2000) throw error
    }
    await pause(20 + 200 * chance())
  }
  client?.close()
}

const memoryOf = (pid) => 4096 * Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
const filesOf = (pid) => readdirSync(`/proc/${pid}/fd`).length

function replay(journal) {
  const run = spawnSync(program, ['replay', journal, '--check', '--json'], { encoding: 'utf8', maxBuffer: 1 << 26 })
  assert.equal(run.status, 0, `${journal}: ${run.stderr}\n${run.stdout.slice(0, 2000)}`)
  tally.replayed++
  tally.entries += readFileSync(journal, 'utf8').split('\n').length
}

async function live(words, seconds, last) {
  const studio = await startStudio(program, ['--state', state, ...words])
  const until = Date.now() + 1000 * seconds
  const quiet = filesOf(studio.pid)
  const scout = await Client.open(studio)
  const { scene } = await scout.push('scene')
  scout.close()
  const bodies = scene.bodies.map((body) => body.name).filter((name) => name !== 'ground')
  const acting = Promise.all(Array.from({ length: count }, () => act(studio, until, bodies)))
  await pause(1000 * seconds * SETTLED)
  const settled = memoryOf(studio.pid)
  await acting
  await pause(500)
  const end = memoryOf(studio.pid), files = filesOf(studio.pid)
  console.log(`life of ${seconds} s: ${(settled / 1048576).toFixed(0)} MiB settled, ${(end / 1048576).toFixed(0)} MiB at the end, ${files} open files (${quiet} at the start)`)
  assert.ok(end - settled < MEMORY, 'memory stays flat')
  assert.ok(files <= quiet + 4, 'open files stay flat')
  const check = await Client.open(studio)
  const { journal } = check.hello
  check.close()
  await studio.stop(last ? 'SIGTERM' : 'SIGKILL')
  tally.killed += last ? 0 : 1
  return path.isAbsolute(journal) ? journal : path.join(state, journal)
}

let words = [model]
for (let k = 0; k < LIVES; k++) {
  const journal = await live(words, (60 * minutes) / LIVES, k === LIVES - 1)
  replay(journal)
  words = ['--resume', journal]
}
console.log(
  `${minutes} minutes, ${count} clients: ${tally.asked} requests (${tally.acknowledged} done, ${tally.refused} refused), ${tally.reconnected} ` +
    `reconnections, killed ${tally.killed} times; ${tally.replayed} journals with ${tally.entries} lines replayed, all states the same`,
)
rmSync(state, { recursive: true })
