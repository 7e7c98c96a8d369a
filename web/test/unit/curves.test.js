// What plots keep and compute, and what is found on meshes, without a browser: bounded tables that keep peaks, spectra and
// features against closed forms.
import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Recorder } from '../../src/studio/plot/recorder'
import { spectrum, transform } from '../../src/studio/plot/spectrum'
import { MOST_ROWS, Table } from '../../src/studio/plot/table'
import { featuresOf } from '../../src/studio/view/features'

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
  table.weave(
    ['a', 'b'],
    [
      [0, 0, 0],
      [1.5, 15, 150],
      [3, 30, 300],
    ],
  )
  assert.deepEqual([...table.times()], [0, 1, 1.5, 2, 3, 4])
  assert.deepEqual([...table.column('a')], [0, 10, 15, 20, 30, 40])
  assert.deepEqual([...table.column('b')], [0, NaN, 150, NaN, 300, 400])
  const { x, y } = table.reduced('b', 0, 4, 100)
  assert.deepEqual(
    [[...x], [...y]],
    [
      [0, 1.5, 3, 4],
      [0, 150, 300, 400],
    ],
  )
  assert.equal(table.at('b', 1), 100)
  assert.equal(table.at('b', 1.5), 150)
  assert.equal(table.at('b', 3.5), 350)
  assert.equal(table.knownFrom(['b']), 0)
})

/** A tube with a tilted axis, as triangles that share no corners. */
function tube(n, outer, inner, height, centre, tilt) {
  const vertices = []
  const place = (r, k, z) => {
    const [x, y] = [r * Math.cos((2 * Math.PI * k) / n), r * Math.sin((2 * Math.PI * k) / n)]
    const [c, s] = [Math.cos(tilt), Math.sin(tilt)]
    return [centre[0] + x, centre[1] + c * y - s * z, centre[2] + s * y + c * z]
  }
  const quad = (a, b, c, d) => vertices.push(...a, ...b, ...c, ...a, ...c, ...d)
  const [low, high] = [-height / 2, height / 2]
  for (let k = 0; k < n; k++) {
    quad(place(outer, k, low), place(outer, k + 1, low), place(outer, k + 1, high), place(outer, k, high))
    quad(place(inner, k + 1, low), place(inner, k, low), place(inner, k, high), place(inner, k + 1, high))
    quad(place(inner, k, high), place(outer, k, high), place(outer, k + 1, high), place(inner, k + 1, high))
    quad(place(outer, k, low), place(inner, k, low), place(inner, k + 1, low), place(outer, k + 1, low))
  }
  return [Float32Array.from(vertices), Uint32Array.from({ length: vertices.length / 3 }, (_, k) => k)]
}

test('a mesh has its holes, shafts and faces, each at its centre and with its axis', () => {
  const [centre, tilt] = [[0.3, -0.2, 0.5], 0.6]
  const axis = [0, -Math.sin(tilt), Math.cos(tilt)]
  const found = featuresOf(...tube(32, 0.05, 0.02, 0.08, centre, tilt))
  assert.deepEqual(found.map(({ label }) => label).sort(), ['cylinder axis', 'face', 'face', 'hole axis'])
  for (const { label, at, axis: own } of found) {
    const along = own.toArray().reduce((sum, x, k) => sum + x * axis[k], 0)
    assert.ok(Math.abs(Math.abs(along) - 1) < 1e-5, `${label} along ${own.toArray()}`)
    const off = label === 'face' ? 0.04 * Math.sign(along) : 0
    at.toArray().forEach((x, k) =>
      assert.ok(Math.abs(x - centre[k] - off * axis[k]) < 1e-5, `${label} at ${at.toArray()}`),
    )
  }
})
