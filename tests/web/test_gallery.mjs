// Every model of the gallery in a browser, after 0, 1 and 5 s, or at its end: all bodies are within the frame, and not too small to be seen.
// usage: node test_gallery.mjs PROGRAM PICTURES TEST_PAGE [MODEL...]; SHOOT=1 keeps a picture of each
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ask, begin, until } from './studio.mjs'

const TIMES = [0, 1, 5] // s
const LEAST = 0.01 // of the view: smaller, nobody sees what it is
const examples = fileURLToPath(new URL('../../examples/', import.meta.url))
const wanted = process.argv.slice(5)
const models = readdirSync(examples)
  .map((file) => file.replace(/\.yaml$/, ''))
  .filter((name, k, all) => all.indexOf(name) === k)
  .filter(
    (name) => existsSync(path.join(examples, `${name}.yaml`)) || existsSync(path.join(examples, name, `${name}.yaml`)),
  )
  .filter((name) => wanted.length === 0 || wanted.includes(name))

let bench
before(async () => {
  bench = await begin(path.resolve(process.argv[2]), path.resolve(process.argv[3]), path.resolve(process.argv[4]))
})
after(() => bench.close())

/** Runs as fast as possible to a time, or to where it stops before. */
async function runTo(page, time) {
  if (time === 0) return
  await ask(page, 'run_to', { time, speed: 'max' })
  await until(page, (t) => window.tenon.time >= t - 1e-9 || !window.tenon.running, time)
}

for (const model of models)
  test(`${model} stays within the frame`, async () => {
    const { page } = await bench.visit(model)
    const end = (await page.evaluate(() => window.tenon.end)) ?? Infinity
    for (const time of TIMES.filter((t, k) => k === 0 || TIMES[k - 1] < end).map((t) => Math.min(t, end))) {
      await runTo(page, time)
      await until(page, () => window.tenon.farthest < 1.001 && window.tenon.drawn)
      if (process.env.SHOOT) await bench.shoot(page, `gallery-${model}-${time}`)
      const extent = await page.evaluate(() => window.tenon.extent)
      assert.ok(extent > LEAST, `after ${time} s all bodies together reach over ${extent} of the view`)
    }
    assert.deepEqual(page.complaints, [])
  })
