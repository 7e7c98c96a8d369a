// Copying in the studio: bodies with their joints, beside what is there, moving as the originals do; taken back at once.
// usage: node test_copying.mjs PROGRAM PICTURES TEST_PAGE
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before } from 'node:test'
import { ask, begin, goOn, leave, names, ready, row, test, until, violations } from './studio.mjs'

let bench
before(async () => {
  bench = await begin(path.resolve(process.argv[2]), path.resolve(process.argv[3]), path.resolve(process.argv[4]))
})
after(() => bench.close())

/** Of a body that may have just been made: its first frame comes after its name. */
async function pose(page, name) {
  await until(page, (body) => window.tenon.pose(body)?.length > 0, name)
  return page.evaluate((body) => window.tenon.pose(body), name)
}

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

const fill = async (card, fields) => {
  for (const [label, text] of Object.entries(fields)) await card.getByLabel(label, { exact: true }).fill(text)
}

async function choose(page, ...list) {
  await row(page, list[0]).click()
  for (const name of list.slice(1)) await row(page, name).click({ modifiers: ['Control'] })
  await page.keyboard.press('Control+Shift+d')
  const card = page.getByRole('region', { name: 'Pattern' })
  await card.waitFor()
  return card
}

test('copies in a row, around a point and in a mirror: shown before, exact, moving alike, one undo each', async () => {
  const { page } = await bench.visit('double-pendulum')
  const [upper, lower] = (await names(page)).slice(0, 2)
  const joints = (await names(page)).slice(2, 4)
  await ready(page, upper)
  const all = [upper, lower, ...joints]
  const plain = await bench.look(page)
  let card = await choose(page, ...all)
  await card.getByRole('radio', { name: 'Mirror' }).click()
  await fill(card, { 'Mirror at x': '-1' })
  assert.notEqual((await bench.look(page)).sum, plain.sum, 'outlines of the copies')
  assert.deepEqual(await violations(page, false, 'main'), [])
  await bench.shoot(page, 'pattern')
  await card.getByRole('button', { name: 'Make copies' }).click()
  await until(page, (name) => window.tenon.names.includes(name), `${joints[1]}_2`)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Space')
  await goOn(page, 0.3)
  await page.keyboard.press('Space')
  await until(page, () => !window.tenon.running)
  const places = (name) => ['x', 'y'].map((axis) => `${name}.position.${axis}`)
  const channels = [...places(lower), ...places(`${lower}_2`)]
  const { values } = await ask(page, 'value', { channels })
  assert.ok(Math.abs(values[0] + values[2] + 2) < 1e-5, `x ${values[0]} and ${values[2]} about -1`)
  assert.ok(Math.abs(values[1] - values[3]) < 1e-5, `y ${values[1]} and ${values[3]}`)
  await page.keyboard.press('Control+Alt+z')
  await until(page, (name) => !window.tenon.names.includes(name), `${lower}_2`)
  await ask(page, 'reset')
  await until(page, () => window.tenon.time === 0)

  card = await choose(page, ...all)
  await card.getByRole('radio', { name: 'Circle' }).click()
  await fill(card, { 'In all': '4', 'Centre x': '-1', 'Centre y': '0' })
  await card.getByRole('button', { name: 'Make copies' }).click()
  await until(page, (name) => window.tenon.names.includes(name), `${lower}_4`)
  const at = await pose(page, lower)
  const turned = await pose(page, `${lower}_2`) // by a quarter
  assert.ok(Math.hypot(turned[0] + 1 + at[1], turned[1] - (at[0] + 1)) < 1e-5, `${turned} of ${at}`)
  await page.keyboard.press('Control+z')
  await until(page, (name) => !window.tenon.names.includes(name), `${lower}_2`)

  card = await choose(page, ...all)
  await card.getByRole('radio', { name: 'Row' }).click()
  await fill(card, { 'In all': '1' })
  await card.getByText('from 2 to 200 in all').waitFor()
  assert.equal(await card.getByRole('button', { name: 'Make copies' }).isDisabled(), true)
  await fill(card, { 'In all': '3', 'Step along x': '700 mm', 'Step along y': '100 mm' })
  await card.getByRole('button', { name: 'Make copies' }).click()
  await until(page, (name) => window.tenon.names.includes(name), `${lower}_3`)
  const last = await pose(page, `${lower}_3`)
  assert.ok(Math.hypot(last[0] - at[0] - 1.4, last[1] - at[1] - 0.2) < 1e-5, `${last} of ${at}`)
  await leave(page)
})

test('the help answers questions and does what it tells', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Help' })
  await help.getByText('Draw a linkage').waitFor()
  await bench.shoot(page, 'help')
  const [wide, room] = await help.locator('.scroll').evaluate((list) => [list.scrollWidth, list.clientWidth])
  assert.ok(wide <= room, `answers are ${wide} pixels wide, and there is room for ${room}`)
  await help.getByLabel('Search the help').fill('redundant reactions')
  await help.getByText('What does "redundant" mean?').waitFor()
  assert.equal(await help.locator('article').count(), 1)
  await help.getByRole('button', { name: /^Health/ }).click()
  await page.getByText('far from singular positions').waitFor()
  await page.keyboard.press('?')
  await help.getByRole('tab', { name: 'Keys and mouse' }).click()
  await help.getByText('zoom to the pointer').waitFor()
  assert.deepEqual(await violations(page, false, 'dialog'), [])
  await page.keyboard.press('Escape')
  await leave(page)
})
