// Copying in the studio: bodies with their joints, beside what is there, moving as the originals do; taken back at once.
// usage: node test_copying.mjs PROGRAM PICTURES TEST_PAGE
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { ask, begin, goOn, leave, names, ready, row, until } from './studio.mjs'

let bench
before(async () => {
  bench = await begin(path.resolve(process.argv[2]), path.resolve(process.argv[3]), path.resolve(process.argv[4]))
})
after(() => bench.close())

const pose = (page, name) => page.evaluate((body) => window.tenon.pose(body), name)

test('a pendulum is copied twice, moves as the first one, and goes with one undo each', async () => {
  const { page } = await bench.visit('double-pendulum')
  const [upper, lower] = (await names(page)).slice(0, 2)
  const joints = (await names(page)).slice(2, 4)
  await ready(page, upper)
  const before = (await names(page)).length
  await row(page, upper).click()
  await row(page, lower).click({ modifiers: ['Control'] })
  for (const joint of joints) await row(page, joint).click({ modifiers: ['Control'] })
  await page.keyboard.press('Control+c')
  await page.keyboard.press('Control+v')
  await until(page, (name) => window.tenon.names.includes(name), `${joints[0]}_2`)
  assert.deepEqual(await page.evaluate(() => window.tenon.selection), [`${upper}_2`, `${lower}_2`])
  await page.keyboard.press('Control+v')
  await until(page, (name) => window.tenon.names.includes(name), `${joints[0]}_3`)
  assert.equal((await names(page)).length, before + 2 * (2 + joints.length))
  const shift = (await pose(page, `${lower}_3`))[0] - (await pose(page, lower))[0]
  assert.ok(shift > 0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Space')
  await goOn(page, 0.4)
  await page.keyboard.press('Space')
  await until(page, () => !window.tenon.running)
  const channels = [`${lower}.position.x`, `${lower}.position.y`, `${lower}_3.position.x`, `${lower}_3.position.y`]
  const { values } = await ask(page, 'value', { channels })
  assert.ok(Math.abs(values[2] - values[0] - shift) < 1e-5 && Math.abs(values[3] - values[1]) < 1e-5, `${values}`)
  const { text } = await ask(page, 'text')
  assert.match(text, new RegExp(`${upper}_2:`))
  await bench.shoot(page, 'copies')
  await page.keyboard.press('Control+z')
  await until(page, (name) => !window.tenon.names.includes(name), `${lower}_3`)
  await page.keyboard.press('Control+z')
  await until(page, (count) => window.tenon.names.length === count, before)
  await leave(page)
})
