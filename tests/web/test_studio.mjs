// The studio in a browser against the running program: first-hour journeys by mouse and by keyboard, what is shown and
// what the engine has. usage: node test_studio.mjs PROGRAM PICTURES
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { ask, begin, leave, until, value } from './studio.mjs'

const program = path.resolve(process.argv[2])
const pictures = path.resolve(process.argv[3])
let bench

before(async () => {
  bench = await begin(program, pictures)
})
after(() => bench?.close())

const names = (page) => page.evaluate(() => window.tenon.names)
const time = (page) => page.evaluate(() => window.tenon.time)
const hasName = ([name, wanted]) => window.tenon.names.includes(name) === wanted
const row = (page, name) => page.getByRole('treeitem', { name: new RegExp(`^${name}\\b`) })

async function ready(page, body) {
  await until(page, hasName, [body, true])
  await until(page, (name) => window.tenon.place(name) !== undefined, body)
}

/** Lets the run go on for so many simulated seconds. */
async function goOn(page, seconds) {
  const goal = (await time(page)) + seconds
  await until(page, (t) => window.tenon.time > t, goal)
}

test('journey 1: four-bar from the gallery, pulled, cut, undone, joined again', async () => {
  const { url, end } = await bench.serve()
  const page = await bench.open(url)
  await page.getByRole('dialog', { name: 'Start from a model' }).waitFor()
  await bench.shoot(page, 'gallery')
  await page.getByRole('button', { name: /^Four-bar linkage Planar/ }).click()
  await ready(page, 'coupler')
  assert.deepEqual((await names(page)).sort(), ['coupler', 'crank', 'elbow', 'hinge', 'pivot', 'rocker', 'wrist'])
  const still = await bench.look(page)
  assert.ok(still.vivid > 2000, `${still.vivid} vivid pixels`)

  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await goOn(page, 0.2)
  assert.notEqual((await bench.look(page)).sum, still.sum)

  await page.getByLabel('Speed').selectOption('0.01')
  const spot = await page.evaluate(() => window.tenon.place('coupler'))
  await page.mouse.move(spot.x, spot.y)
  await page.mouse.down()
  await page.mouse.move(spot.x + 30, spot.y - 60, { steps: 4 })
  for (let k = 0; k < 3; k++) await page.keyboard.press(']')
  await goOn(page, 0.1)
  await bench.shoot(page, 'pull')
  const hauling = await value(page, 'pull.energy')
  await page.mouse.up()
  assert.ok(Math.abs(hauling) > 1e-6, `energy of the pull ${hauling} J`)
  await page.getByText(/The pull put in/).waitFor()

  await page.getByLabel('Speed').selectOption('1')
  await row(page, 'elbow').click()
  assert.deepEqual(await page.evaluate(() => window.tenon.selection), ['elbow'])
  await page.keyboard.press('Delete')
  await until(page, hasName, ['elbow', false])
  const cut = await time(page)
  const before = await page.evaluate(() => window.tenon.pose('crank'))
  await goOn(page, 0.3)
  await bench.shoot(page, 'cut')
  assert.notDeepEqual(await page.evaluate(() => window.tenon.pose('crank')), before)

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Back to the moment before' }).click()
  await until(page, hasName, ['elbow', true])
  await until(page, (t) => window.tenon.time <= t, cut)
  assert.ok((await value(page, 'elbow.drift')) < 1e-6)

  await page.keyboard.press('Space')
  await goOn(page, 0.05)
  await row(page, 'elbow').click()
  await page.keyboard.press('Delete')
  await until(page, hasName, ['elbow', false])
  await goOn(page, 0.1)
  const later = await time(page)
  await page.getByRole('button', { name: 'Re-join now' }).click()
  await until(page, hasName, ['elbow', true])
  assert.ok((await time(page)) >= later)
  await until(page, (t) => window.tenon.time > t, later + 0.1)
  assert.ok((await value(page, 'elbow.drift')) < 1e-4)
  await leave(page)
  await end()
})

test('journey 1 with the keyboard alone', async () => {
  const { url, end } = await bench.serve()
  const page = await bench.open(url, { colorScheme: 'dark' })
  const keys = async (...list) => {
    for (const key of list) await page.keyboard.press(key)
  }
  await page.getByRole('dialog', { name: 'Start from a model' }).waitFor()
  await page.getByRole('button', { name: /^Four-bar linkage Planar/ }).waitFor()
  await page.keyboard.type('four-bar linkage: ')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Planar four-bar')
  await keys('Tab', 'Tab', 'Tab', 'Enter')
  await ready(page, 'coupler')
  await keys('Space')
  await goOn(page, 0.1)
  await keys('Control+k')
  await page.keyboard.type('elbow')
  await keys('Enter')
  assert.deepEqual(await page.evaluate(() => window.tenon.selection), ['elbow'])
  await keys('Delete')
  await until(page, hasName, ['elbow', false])
  await goOn(page, 0.1)
  await keys('Space', 'Control+z')
  await until(page, hasName, ['elbow', true])
  await keys('ArrowRight')
  const there = await time(page)
  await until(page, (t) => window.tenon.time !== t || true, there)
  await keys('?')
  await page.getByRole('dialog', { name: 'Keys and mouse' }).waitFor()
  await bench.shoot(page, 'help')
  await keys('Escape')
  await leave(page)
  await end()
})

test('journey 2: the door explains its redundancy, and one hinge is released', async () => {
  const { url, end } = await bench.serve('door')
  const page = await bench.open(url)
  await ready(page, 'leaf')
  await page.keyboard.press('h')
  const panel = page.getByRole('region', { name: 'Health' })
  await panel.getByText('5 equations too many').waitFor()
  await panel.getByText(/Not unique/).waitFor()
  const before = await ask(page, 'health')
  assert.deepEqual([before.freedoms, before.gruebler], [1, -4])
  await bench.shoot(page, 'door')
  const whole = await bench.look(page)
  await panel.getByRole('button', { name: 'Release it' }).click()
  await panel.getByText('All are unique.').waitFor()
  const released = await ask(page, 'health')
  assert.deepEqual([released.freedoms, released.gruebler], [1, 1])
  assert.notEqual((await bench.look(page)).sum, whole.sum, 'the released hinge is greyed')
  await bench.shoot(page, 'door-released')
  await leave(page)
  await end()
})

test('journey 3: through a singular position, with a warning, and energy is kept', async () => {
  const { url, end } = await bench.serve('n-four-bar')
  const page = await bench.open(url)
  await ready(page, 'bar1')
  await page.keyboard.press('h')
  await page.getByText('far from singular positions').waitFor()
  const start = await value(page, 'energy.total')
  await page.getByLabel('Speed').selectOption('0.2')
  await page.keyboard.press('Space')
  await page.getByText(/(close to|at) a singular position/).first().waitFor()
  await bench.shoot(page, 'singular')
  await goOn(page, 1)
  const change = Math.abs((await value(page, 'energy.total')) - start)
  assert.ok(change < 1e-5 * Math.abs(start), `energy changed by ${change} J`)
  await leave(page)
  await end()
})
