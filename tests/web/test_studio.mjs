// The studio in a browser against the running program: first-hour journeys by mouse and by keyboard, what is shown and
// what the engine has. usage: node test_studio.mjs PROGRAM PICTURES TEST_PAGE
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before } from 'node:test'
import {
  advance,
  ask,
  begin,
  goOn,
  hasName,
  leave,
  names,
  place,
  pointAt,
  ready,
  row,
  test,
  time,
  until,
  value,
  violations,
} from './studio.mjs'

const program = path.resolve(process.argv[2])
const pictures = path.resolve(process.argv[3])
let bench

before(async () => {
  bench = await begin(program, pictures, path.resolve(process.argv[4]))
})
after(() => bench?.close())

test('journey 1: four-bar from the gallery, pulled, cut, undone, joined again', async () => {
  const { url, end } = await bench.serve()
  const page = await bench.open(url)
  await page.getByRole('dialog', { name: 'Start from a model' }).waitFor()
  await bench.shoot(page, 'gallery')
  const shaders = await page.evaluate(() => window.tenon.shaders)
  await page.getByRole('button', { name: /^Four-bar linkage Planar/ }).click()
  await ready(page, 'coupler')
  assert.deepEqual((await names(page)).sort(), ['coupler', 'crank', 'elbow', 'hinge', 'pivot', 'rocker', 'wrist'])
  const still = await bench.look(page)
  assert.ok(still.vivid > 2000, `${still.vivid} vivid pixels`)
  const more = (await page.evaluate(() => window.tenon.shaders)) - shaders
  assert.equal(more, 0, 'shaders were made before there was a mechanism')

  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await goOn(page, 0.2)
  assert.notEqual((await bench.look(page)).sum, still.sum)

  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await until(page, () => !window.tenon.running)
  await page.getByLabel('Speed').selectOption('0.01')
  const spot = await pointAt(page, 'coupler')
  await page.mouse.down()
  await page.keyboard.press('Space')
  await until(page, () => window.tenon.running)
  await page.mouse.move(spot.x + 30, spot.y - 60, { steps: 4 })
  for (let k = 0; k < 3; k++) await page.keyboard.press(']')
  await goOn(page, 0.1)
  await bench.shoot(page, 'pull')
  const hauling = await value(page, 'pull.energy')
  await page.mouse.up()
  assert.ok(Math.abs(hauling) > 1e-6, `energy of the pull ${hauling} J`)
  await page.getByText(/The pull (put in|took out)/).waitFor()

  await page.getByLabel('Speed').selectOption('1')
  await row(page, 'elbow').click()
  assert.deepEqual(await page.evaluate(() => window.tenon.selection), ['elbow'])
  await page.keyboard.press('Delete')
  await until(page, hasName, ['elbow', false])
  await until(page, () => window.tenon.edited !== undefined)
  const cut = await page.evaluate(() => window.tenon.edited) // frames may be some steps behind
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
  const { page } = await bench.visit('door', { colorScheme: 'dark' })
  const keys = async (...list) => {
    for (const key of list) await page.keyboard.press(key)
  }
  await keys('o')
  await page.getByRole('dialog', { name: 'Start from a model' }).waitFor()
  await page.getByRole('button', { name: /^Four-bar linkage Planar/ }).waitFor()
  await page.keyboard.type('four-bar linkage: ')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Planar four-bar')
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  for (let k = 0; k < 12 && !(await focused()).includes('Planar four-bar'); k++) await keys('Tab')
  await keys('Enter')
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
  await page.getByRole('dialog', { name: 'Help' }).waitFor()
  await bench.shoot(page, 'help')
  await keys('Escape')
  await leave(page)
})

test('journey 2: the door explains its redundancy, and one hinge is released', async () => {
  const { page } = await bench.visit('door')
  await ready(page, 'leaf')
  await page.keyboard.press('h')
  const panel = page.getByRole('region', { name: 'Health' })
  await panel.getByText('5 equations too many').waitFor()
  await panel.getByText(/Not unique/).waitFor()
  await row(page, 'upper_hinge')
    .getByTitle(/redundant with lower_hinge/)
    .waitFor()
  const before = await ask(page, 'health')
  assert.deepEqual([before.freedoms, before.gruebler], [1, -4])
  await bench.shoot(page, 'door')
  const whole = await bench.look(page)
  await panel.getByRole('button', { name: 'Release it' }).click()
  await panel.getByText('All are unique.').waitFor()
  await page.getByText('redundant', { exact: true }).first().waitFor({ state: 'hidden' })
  const released = await ask(page, 'health')
  assert.deepEqual([released.freedoms, released.gruebler], [1, 1])
  assert.notEqual((await bench.look(page)).sum, whole.sum, 'the released hinge is greyed')
  await bench.shoot(page, 'door-released')
  await leave(page)
})

test('journey 3: through a singular position, with a warning, and energy is kept', async () => {
  const { page } = await bench.visit('n-four-bar')
  await ready(page, 'bar1')
  await page.keyboard.press('h')
  await page.getByText('far from singular positions').waitFor()
  const start = await value(page, 'energy.total')
  let near = 1
  for (let k = 0; near > 0.15; k++) {
    assert.ok(k < 200, `singular value ${near} at ${await time(page)} s`)
    await advance(page, near > 0.4 ? 0.05 : 0.01)
    near = (await ask(page, 'health')).smallest_kept
  }
  await page
    .getByText(/(close to|at) a singular position/)
    .first()
    .waitFor()
  await bench.shoot(page, 'singular')
  await page.keyboard.press('Space')
  await goOn(page, 1)
  const change = Math.abs((await value(page, 'energy.total')) - start)
  assert.ok(change < 1e-5 * Math.abs(start), `energy changed by ${change} J`)
  await leave(page)
})

test('the joint tool: places by the lists, snapped together, redundancy told', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  const removed = await ask(page, 'command', { command: { remove: 'elbow' } })
  assert.ok(removed.ok)
  await until(page, hasName, ['elbow', false])
  await page.keyboard.press('Space')
  await goOn(page, 0.2)
  await page.keyboard.press('Space')
  await until(page, () => !window.tenon.running)
  await page.keyboard.press('j')
  const tool = page.getByRole('region', { name: 'Joint tool' })
  await tool.getByLabel('Type').selectOption('revolute')
  await tool.getByLabel('First place').selectOption('crank.tip')
  await tool.getByLabel('Second place').selectOption('coupler')
  await tool.getByText(/apart/).waitFor()
  await bench.shoot(page, 'joint-tool')
  await tool.getByRole('button', { name: /^Snap now/ }).click()
  await until(page, hasName, ['hinge_2', true])
  assert.ok((await value(page, 'hinge_2.drift')) < 1e-9)
  await page.getByText(/moved by/).waitFor()
  await leave(page)
})

test('the joint tool draws places together, then joins them', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await ask(page, 'command', { command: { remove: 'elbow' } })
  await advance(page, 0.02)
  await page.keyboard.press('j')
  const tool = page.getByRole('region', { name: 'Joint tool' })
  await tool.getByLabel('First place').selectOption('crank.tip')
  await tool.getByLabel('Second place').selectOption('coupler')
  await tool.getByRole('button', { name: /^Draw together/ }).click()
  await until(page, hasName, ['hinge_2', true])
  const begun = await page.evaluate(() => window.tenon.edited)
  await page.keyboard.press('m')
  await page.getByRole('region', { name: 'Messages' }).getByText('hinge_2.closed').waitFor()
  const [closed] = await page.evaluate(() => window.tenon.happened('hinge_2.closed'))
  assert.ok(Math.abs(closed - begun - 1) < 0.02, `begun at ${begun} s, closed at ${closed} s`)
  assert.ok((await value(page, 'hinge_2.drift')) < 1e-6)
  await leave(page)
})

test('places are picked in the view, as built', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await page.keyboard.press('j')
  const tool = page.getByRole('region', { name: 'Joint tool' })
  await tool.getByLabel('Type').selectOption('fixed')
  const on = await place(page, 'rocker')
  await page.mouse.move(on.x, on.y)
  await page.mouse.click(on.x, on.y)
  await tool.getByLabel('Second place').selectOption('ground')
  await tool.getByRole('button', { name: /^As built/ }).click()
  await until(page, hasName, ['weld', true])
  const { freedoms } = await ask(page, 'health')
  assert.equal(freedoms, 0)
  await leave(page)
})

test('dragging while paused moves along the joints, and what holds glows', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'crank')
  const spot = await pointAt(page, 'crank')
  const before = await page.evaluate(() => window.tenon.pose('crank'))
  await page.mouse.down()
  await page.mouse.move(spot.x + 40, spot.y + 20, { steps: 5 })
  await until(page, (q) => Math.abs(window.tenon.pose('crank')[6] - q) > 0.02, before[6])
  await page.mouse.up()
  assert.equal(await time(page), 0)
  for (const joint of ['pivot', 'elbow', 'wrist', 'hinge'])
    assert.ok((await value(page, `${joint}.drift`)) < 1e-8, joint)
  await leave(page)
})

test('a parameter takes units, and mistakes are told at the field', async () => {
  const { page } = await bench.visit('quarter-car')
  const spring = 'strut'
  await row(page, spring).click()
  const field = page.getByLabel('stiffness', { exact: true })
  await field.fill('2 kN/m')
  await field.press('Enter')
  await until(page, (name) => window.tenon.property(name, 'stiffness') === 2000, spring)
  await field.fill('3 kg')
  await field.press('Enter')
  await page
    .getByRole('alert')
    .filter({ hasText: /N\/m|unit|dimension/ })
    .waitFor()
  assert.equal(await page.evaluate((name) => window.tenon.property(name, 'stiffness'), spring), 2000)
  await leave(page)
})

test('keys act on what is selected: lock, drive, suppress, ground, delete with a preview', async () => {
  const { page } = await bench.visit('four-bar')
  await row(page, 'pivot').click()
  await page.keyboard.press('l')
  await until(page, hasName, ['pivot_lock', true])
  assert.equal((await ask(page, 'health')).freedoms, 0)
  await page.keyboard.press('l')
  await until(page, hasName, ['pivot_lock', false])
  await page.keyboard.press('r')
  await until(page, hasName, ['pivot_drive', true])
  await page.keyboard.press('Delete')
  await until(page, hasName, ['pivot_drive', false])
  await row(page, 'wrist').click()
  await page.keyboard.press('u')
  await row(page, 'wrist').getByText('off').waitFor()
  assert.equal((await ask(page, 'health')).freedoms, 3)
  await page.keyboard.press('Control+z')
  await row(page, 'wrist').getByText('revolute').waitFor()
  await row(page, 'rocker').click()
  await page.keyboard.press('Delete')
  await page.getByText('Goes with it: wrist, hinge').waitFor()
  await page.keyboard.press('Delete')
  await until(page, hasName, ['wrist', false])
  await page.keyboard.press('Control+z')
  await until(page, hasName, ['wrist', true])
  await leave(page)
})

test('those who look on, by a link that is copied, see the run and cannot change it', async () => {
  const { page } = await bench.visit('four-bar')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: /^Link to look on/ }).click()
  await page.getByText('Link for looking on copied').waitFor()
  await page.keyboard.press('Escape')
  const guest = await bench.open(await page.evaluate(() => navigator.clipboard.readText()))
  await ready(guest, 'coupler')
  await guest.getByText('looking on').first().waitFor()
  assert.equal(await guest.getByRole('button', { name: 'Run', exact: true }).isDisabled(), true)
  await guest.keyboard.press('Space')
  await guest.getByText('Looking on: this link does not allow changes').waitFor()
  await ready(page, 'coupler')
  await page.keyboard.press('Space')
  await until(guest, () => window.tenon.running && window.tenon.time > 0.1)
  await leave(page)
  await leave(guest)
})

test('a lost connection comes back, and nothing asked meanwhile is lost', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await page.evaluate(() => window.tenon.disconnect())
  const removed = await ask(page, 'command', { command: { remove: 'elbow' } })
  assert.ok(removed.ok, removed.message)
  await until(page, hasName, ['elbow', false])
  await page.keyboard.press('Space')
  await goOn(page, 0.1)
  await leave(page)
})

test('no violations of the accessibility rules, light and dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page } = await bench.visit('four-bar', { colorScheme })
    await ready(page, 'coupler')
    const check = async (what, ...within) =>
      assert.deepEqual(await violations(page, colorScheme === 'dark', ...within), [], `${what}, ${colorScheme}`)
    await check('start')
    await row(page, 'elbow').click()
    await page.keyboard.press('h')
    await page.getByText('far from singular positions').waitFor()
    await check('properties and health', 'aside.right', 'footer')
    await page.keyboard.press('j')
    await check('joint tool', 'main')
    await page.keyboard.press('m')
    await page.getByRole('region', { name: 'Messages' }).waitFor()
    await check('messages', 'footer')
    for (const [key, name] of [
      ['?', 'Help'],
      ['Control+k', 'Command palette'],
      ['o', 'Start from a model'],
    ]) {
      await page.keyboard.press(key)
      await page.getByRole('dialog', { name }).waitFor()
      await check(name, 'dialog')
      await page.keyboard.press('Escape')
    }
    await bench.shoot(page, `studio-${colorScheme}`)
    await leave(page)
  }
})

test('the page as it is shipped: no hook for tests; editor, plots and exporter are loaded when they are used', async () => {
  const { url, end } = await bench.serve('four-bar')
  const page = await bench.open(url, { shipped: true })
  await row(page, 'coupler').waitFor()
  assert.equal(await page.evaluate(() => typeof window.tenon), 'undefined')
  assert.equal(new URL(page.url()).hash, '', 'the token is no longer in the address')
  const scripts = () =>
    page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname))
  const first = await scripts()
  assert.ok(!first.some((name) => /Texts|PlotPanel|Export|\.webp/.test(name)), first.join())
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await page.getByRole('textbox', { name: 'Text of the model' }).waitFor()
  await page.getByRole('button', { name: 'Plots', exact: true }).click()
  await page.getByRole('button', { name: 'Energy', exact: true }).click()
  await page.locator('.u-over').waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('dialog', { name: 'Export' }).waitFor()
  assert.ok((await scripts()).some((name) => name.includes('Texts')))
  await page.keyboard.press('Escape')
  await page.keyboard.press('o')
  await page.locator('img[src*="four-bar"]').first().waitFor()
  await bench.shoot(page, 'shipped')
  await page.reload()
  await row(page, 'coupler').waitFor() // the token is kept for this tab
  await leave(page)
  await end()
})
