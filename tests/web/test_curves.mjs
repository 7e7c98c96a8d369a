// What plots keep and compute, without a browser: bounded tables that keep peaks, and spectra against closed forms.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const web = new URL('../../web/', import.meta.url)
const { buildSync } = createRequire(new URL('package.json', web))('esbuild')

async function load(name) {
  const entry = fileURLToPath(new URL(`src/studio/plot/${name}.ts`, web))
  const { outputFiles } = buildSync({ entryPoints: [entry], bundle: true, write: false, format: 'esm' })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`)
}
const { Table, MOST_ROWS } = await load('table')
const { spectrum, transform } = await load('spectrum')
const { Recorder } = await load('recorder')

function filled(rows, value) {
  const table = new Table()
  table.setColumns(['a', 'b'])
  for (let k = 0; k < rows; k++) table.append(0.001 * k, (name) => value(name, k))
  return table
}

test('a million samples take bounded room, and the peaks stay', () => {
  const peaks = new Map([
    [12345, 90],
    [500001, -70],
    [999990, 30],
  ])
  const table = filled(1e6, (name, k) => (name === 'a' ? (peaks.get(k) ?? Math.sin(0.01 * k)) : -k))
  assert.ok(table.count <= MOST_ROWS)
  assert.ok(table.times().every((t, k, all) => k === 0 || t > all[k - 1]))
  assert.ok(Math.abs(table.last - 999.999) < 1e-9)
  const kept = new Set(table.column('a'))
  for (const peak of peaks.values()) assert.ok(kept.has(peak), `${peak}`)
  assert.equal(Math.min(...table.column('b')), -999999)
  assert.equal(Math.max(...table.column('b')) + 0, 0)
})

test('a curve for a screen has the extremes of every part, at their own times', () => {
  const table = filled(20000, (name, k) => (k === 4321 ? 9 : k === 15000 ? -8 : Math.cos(k)))
  const { x, y } = table.reduced('a', 0, 20, 300)
  assert.equal(x.length, 600)
  assert.ok(x.every((t, k) => k === 0 || t >= x[k - 1]))
  assert.ok(Math.abs(x[y.indexOf(9)] - 4.321) < 1e-9)
  assert.ok(Math.abs(x[y.indexOf(-8)] - 15) < 1e-9)
  const near = new Set(table.reduced('a', 3, 3.01, 300).y)
  for (let k = 3000; k <= 3010; k++) assert.ok(near.has(Math.cos(k)))
  assert.ok(near.size <= 13)
})

test('values between samples, unknown pasts, and columns that come later', () => {
  const table = filled(10, (_, k) => k * k)
  assert.ok(Math.abs(table.at('a', 0.0025) - 6.5) < 1e-9)
  assert.ok(Number.isNaN(table.at('a', 1)))
  table.setColumns(['a', 'c'])
  table.append(0.01, () => 5)
  assert.ok(Number.isNaN(table.at('c', 0.002)))
  assert.equal(table.at('c', 0.01), 5)
  assert.equal(table.knownFrom(['c']), 0.01)
})

test('going on from the past leaves the old future as a run of its own', () => {
  const recorder = new Recorder()
  recorder.setChannels(['a'])
  const frame = (time, running, revision = 1) => recorder.record({ time, running, revision }, () => time)
  for (let k = 0; k <= 100; k++) frame(0.01 * k, true)
  frame(0.3, false)
  assert.equal(recorder.old.length, 0)
  assert.equal(recorder.now.last, 1)
  frame(0.31, true)
  assert.equal(recorder.old.length, 1)
  assert.equal(recorder.old[0].last, 1)
  assert.equal(recorder.now.last, 0.31)
  frame(0, false, 2)
  assert.equal(recorder.old.length, 2)
  assert.equal(recorder.now.last, 0)
})

test('the fast transform is the transform', () => {
  const n = 64
  const re = Float64Array.from({ length: n }, (_, k) => Math.sin(k * k))
  const im = Float64Array.from({ length: n }, (_, k) => Math.cos(3 * k + 1))
  const [a, b] = [re.slice(), im.slice()]
  transform(a, b)
  for (let f = 0; f < n; f++) {
    let [r, i] = [0, 0]
    for (let k = 0; k < n; k++) {
      const p = (-2 * Math.PI * f * k) / n
      r += re[k] * Math.cos(p) - im[k] * Math.sin(p)
      i += re[k] * Math.sin(p) + im[k] * Math.cos(p)
    }
    assert.ok(Math.hypot(a[f] - r, b[f] - i) < 1e-11)
  }
})

test('a spectrum has frequency and amplitude of a sine, from uneven samples too', () => {
  const x = Float64Array.from({ length: 2048 }, (_, k) => k / 128 + (k % 3) * 1e-3)
  const y = x.map((t) => 7 + 0.4 * Math.sin(2 * Math.PI * 5 * t))
  const found = spectrum({ x, y })
  const top = found.y.indexOf(Math.max(...found.y))
  assert.ok(Math.abs(found.x[top] - 5) <= found.x[1], `${found.x[top]} Hz`)
  assert.ok(Math.abs(found.y[top] - 0.4) < 0.02, `${found.y[top]}`)
  assert.ok(found.y[0] < 0.01)
})

test('what was told late is woven in: exact where it is known, skipped where it is not', () => {
  const table = new Table()
  table.setColumns(['a'])
  for (const t of [1, 2, 3]) table.append(t, () => 10 * t)
  table.setColumns(['a', 'b'])
  table.append(4, (name) => (name === 'a' ? 40 : 400))
  table.weave(['a', 'b'], [[0, 0, 0], [1.5, 15, 150], [3, 30, 300]])
  assert.deepEqual([...table.times()], [0, 1, 1.5, 2, 3, 4])
  assert.deepEqual([...table.column('a')], [0, 10, 15, 20, 30, 40])
  assert.deepEqual([...table.column('b')], [0, NaN, 150, NaN, 300, 400])
  const { x, y } = table.reduced('b', 0, 4, 100)
  assert.deepEqual([[...x], [...y]], [[0, 1.5, 3, 4], [0, 150, 300, 400]])
  assert.equal(table.at('b', 1), 100)
  assert.equal(table.at('b', 1.5), 150)
  assert.equal(table.at('b', 3.5), 350)
  assert.equal(table.knownFrom(['b']), 0)
})
