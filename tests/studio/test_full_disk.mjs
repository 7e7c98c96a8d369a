// 'tenon studio' when its journal cannot be written: the limit of file sizes stands in for a full disk. Edits are refused or,
// when a client has chosen so, made with a warning that stays; both end when there is room.
// usage: node test_full_disk.mjs PROGRAM PROTOCOL_TOOL
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { Client, startStudio } from './client.mjs'
import { readSchema } from './schema.mjs'

const program = path.resolve(process.argv[2])
const folder = mkdtempSync(path.join(tmpdir(), 'tenon-full-'))
const model = path.join(folder, 'pendulum.yaml')
Client.schema = readSchema(path.resolve(process.argv[3]))
writeFileSync(
  model,
  'tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies: { rod: { mass: 1 kg, inertia: 1 kg m^2, position: [1, 0] } }\n' +
    'joints: { pivot: { type: revolute, between: [ground, rod], at: [0, 0] } }\n',
)
after(() => {
  assert.deepEqual([...Client.violations], [])
  rmSync(folder, { recursive: true })
})

const limit = (studio, bytes) => execFileSync('prlimit', ['--pid', String(studio.pid), `--fsize=${bytes}:unlimited`])
const fill = (studio) => limit(studio, statSync(studio.journal).size)
const clear = (studio) => limit(studio, 'unlimited')
const pull = (g) => ({ command: { gravity: [0, g] } })

/** A status from now on that fits. */
function status(client, fits) {
  const now = performance.now()
  return client.push('status', (told) => told.arrived > now && fits(told))
}

function replays(studio, hash) {
  const replayed = JSON.parse(execFileSync(program, ['replay', studio.journal, '--json', '--check'], { encoding: 'utf8' }))
  assert.equal(replayed.same, true)
  assert.equal(replayed.hash, hash)
}

async function withFullDisk(words, run) {
  const studio = await startStudio(program, [model, '--paused', ...words])
  const client = await Client.open(studio)
  try {
    assert.equal((await client.ask('command', pull(-5))).ok, true)
    fill(studio)
    await run(studio, client)
  } finally {
    await studio.stop()
  }
}

test('edits are refused while the disk is full, and the journal goes on when there is room', async () => {
  await withFullDisk(['--sync'], async (studio, client) => {
    const before = readFileSync(studio.journal)
    for (const g of [-4, -3]) {
      const refused = await client.ask('command', pull(g))
      assert.equal(refused.ok, false)
      assert.match(JSON.stringify(refused), /nothing was changed, because the journal cannot be written/)
    }
    assert.ok((await status(client, (s) => s.journal)).journal.length > 0)
    assert.deepEqual(readFileSync(studio.journal), before)
    clear(studio)
    const made = await client.ask('command', pull(-2))
    assert.equal(made.ok, true)
    await status(client, (s) => s.journal === '')
    replays(studio, made.hash)
  })
})

test('a client may choose to go on: the edits are counted, and written later', async () => {
  await withFullDisk([], async (studio, client) => {
    assert.equal((await client.ask('command', pull(-4))).ok, false)
    assert.equal((await client.ask('journal', { go_on: true })).ok, true)
    for (const g of [-4, -3]) assert.equal((await client.ask('command', pull(g))).ok, true)
    assert.equal((await status(client, (s) => s.unwritten > 0)).unwritten, 2)
    clear(studio)
    const made = await client.ask('command', pull(-2))
    assert.equal(made.ok, true)
    assert.equal((await status(client, (s) => s.journal === '')).unwritten, 0)
    replays(studio, made.hash)
  })
})

test('motion goes on while the disk is full', async () => {
  await withFullDisk([], async (studio, client) => {
    await client.ask('speed', { value: 1 })
    await status(client, (s) => s.time > 1.2)
    assert.ok((await status(client, (s) => s.journal)).time > 0)
    clear(studio)
    await status(client, (s) => s.journal === '')
    await client.ask('speed', { value: 0 })
    const made = await client.ask('command', pull(-2))
    assert.equal(made.ok, true)
    replays(studio, made.hash)
  })
})
