// 'tenon studio' while its files fail: the n-th write, sync, opening or renaming of a file fails, once or from then on, is
// short or interrupted. Every edit that was acknowledged is in the journal after the program is killed, and the session has
// the state of its journal.
// usage: node test_broken.mjs PROGRAM PROTOCOL_TOOL TRACER; BROKEN_SESSIONS=40: that many sessions in place of four.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { Client, startStudio } from './client.mjs'
import { readSchema } from './schema.mjs'

const [program, tool, tracer] = process.argv.slice(2, 5).map((name) => path.resolve(name))
const sessions = Number(process.env.BROKEN_SESSIONS ?? 4)
const folder = mkdtempSync(path.join(tmpdir(), 'tenon-broken-'))
const model = path.join(folder, 'pendulum.yaml')
Client.schema = readSchema(tool)
writeFileSync(
  model,
  'tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies: { rod: { mass: 1 kg, inertia: 1 kg m^2, position: [1, 0] } }\n' +
    'joints: { pivot: { type: revolute, between: [ground, rod], at: [0, 0] } }\n',
)
after(() => rmSync(folder, { recursive: true }))

const faults = [['write', 'ENOSPC'], ['write', 'EIO'], ['write', 'short'], ['write', 'EINTR'], ['sync', 'EIO'], ['open', 'EMFILE'],
  ['rename', 'EACCES'], ['cut', 'EIO']]

// a small generator, so that each run of the test has the same faults; BROKEN_SEED chooses others
let seed = Number(process.env.BROKEN_SEED ?? 12345)
const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n

/** The program under the tracer, as a program of its own. */
function broken(kind, number, error) {
  const file = path.join(folder, 'broken.sh')
  writeFileSync(file, `#!/bin/sh\nexec '${tracer}' ${kind} ${number} ${error} pendulum.yaml '${program}' "$@"\n`)
  chmodSync(file, 0o755)
  return file
}

async function session(kind, number, error) {
  const studio = await startStudio(broken(kind, number, error), [model, '--paused', '--sync'])
  const client = await Client.open(studio)
  let accepted = 0
  for (let k = 0; k < 12; k++) {
    const answer = await client.ask('command', { command: { gravity: [0, -k - 1] } })
    if (answer.ok) accepted++
    else assert.ok(answer.error ?? answer.diagnostics ?? answer.message, 'a refusal says why')
  }
  await studio.stop('SIGKILL')                       // the tracer takes the program with it
  const replay = spawnSync(program, ['replay', studio.journal, '--json', '--check'], { encoding: 'utf8' })
  const told = replay.stdout ? JSON.parse(replay.stdout) : {}
  assert.equal(told.same, true, `${kind} ${number} ${error}: ${replay.stderr}`)
  return { accepted, studio }
}

test('acknowledged edits outlive failing files', async (t) => {
  let tried = 0, refused = 0
  for (let k = 0; k < sessions; k++) {
    const [kind, error] = faults[k % faults.length]
    const number = `${1 + random(24)}${random(2) ? '+' : ''}`
    let result
    try {
      result = await session(kind, number, error)
    } catch (cause) {
      if (!/studio ended with/.test(cause.message)) throw new Error(`${kind} ${number} ${error}`, { cause })
      assert.match(cause.message, /error|cannot/)     // it did not start, and says why
      continue
    }
    tried++
    refused += 12 - result.accepted
    const lines = readFileSync(result.studio.journal, 'utf8').split('\n')
    const edits = lines.filter((line) => line.includes('gravity')).length - 1        // one is the model's
    assert.ok(edits >= result.accepted, `${kind} ${number} ${error}: ${edits} edits in the journal, ${result.accepted} acknowledged`)
    rmSync(result.studio.state, { recursive: true, force: true })
  }
  t.diagnostic(`${tried} sessions, ${refused} edits refused`)
})
