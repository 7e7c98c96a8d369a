// Models as files in the studio: opening never loses anything, saving, tabs, dropping, mending, recovering; and what of the
// page belongs to a model. usage: node test_documents.mjs PROGRAM PICTURES TEST_PAGE
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before } from 'node:test'
import { ask, begin, goOn, hasName, leave, place, ready, row, test, time, until, violations } from './studio.mjs'

const program = path.resolve(process.argv[2])
const pictures = path.resolve(process.argv[3])
let bench
let folder

before(async () => {
  bench = await begin(program, pictures, path.resolve(process.argv[4]))
  folder = mkdtempSync(path.join(tmpdir(), 'tenon-models-'))
})
after(async () => {
  await bench?.close()
  rmSync(folder, { recursive: true })
})

const ARM = `tenon: 1
name: Arm
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: { shapes: [{ rod: { from: [0, 0], to: [0.5, 0], radius: 0.02 }, mass: 1 kg }] }
joints:
  pivot: { type: revolute, between: [ground, arm], at: [0, 0] }
outputs: [pivot.angle]
`

/** As if a file was dropped onto the page. */
async function drop(page, name, text) {
  const data = await page.evaluateHandle(
    ([file, content]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([content], file))
      return transfer
    },
    [name, text],
  )
  await page.dispatchEvent('.studio', 'dragover', { dataTransfer: data })
  await page.dispatchEvent('.studio', 'drop', { dataTransfer: data })
}

const dialog = (page, name) => page.getByRole('dialog', { name })
const tab = (page, name) => page.getByRole('tab', { name })

test('nothing is lost: another model opens beside, save as, close asks, what was saved is opened again', async () => {
  const { url, end } = await bench.serve(undefined, '--folder', folder)
  const page = await bench.open(url)
  await dialog(page, 'Start from a model').waitFor()
  await page.getByRole('button', { name: /^Four-bar linkage Planar/ }).click()
  await ready(page, 'coupler')
  await row(page, 'elbow').click()
  await page.keyboard.press('Delete')
  await until(page, hasName, ['elbow', false])
  await page.getByText('· not saved').waitFor()
  await page.keyboard.press('o')
  await page.getByRole('button', { name: /^Door with two hinges/ }).click()
  await ready(page, 'leaf')
  await tab(page, /Four-bar linkage.*not saved/).waitFor()
  await bench.shoot(page, 'tabs')
  assert.deepEqual(await violations(page, false, 'header', '[role=tablist]'), [])
  await tab(page, /Four-bar/).click()
  await until(page, hasName, ['coupler', true])
  await until(page, hasName, ['elbow', false]) // as it was left
  await page.keyboard.press('Control+z')
  await until(page, hasName, ['elbow', true])
  await page.getByText('· not saved').waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+Shift+z')
  await until(page, hasName, ['elbow', false])

  await page.keyboard.press('Control+s')
  await dialog(page, 'Save as').getByLabel('Name of the file').fill('cut')
  await bench.shoot(page, 'save-as')
  await page.keyboard.press('Enter')
  await page.getByText('Saved as cut.yaml').waitFor()
  assert.ok(!readFileSync(path.join(folder, 'cut.yaml'), 'utf8').includes('elbow:'))
  await row(page, 'wrist').click()
  await page.keyboard.press('Delete')
  await page.getByText('· not saved').waitFor()
  await page.keyboard.press('Control+Alt+w')
  await dialog(page, /Save the changes/)
    .getByRole('button', { name: 'Keep it open' })
    .click()
  await page.keyboard.press('Control+Alt+w')
  await dialog(page, /Save the changes/)
    .getByRole('button', { name: 'Discard the changes' })
    .click()
  await ready(page, 'leaf')
  assert.equal(await page.getByRole('tab').count(), 0)
  await page.keyboard.press('Control+o')
  await page.getByRole('button', { name: /cut.yaml recent/ }).click()
  await until(page, hasName, ['wrist', true])
  await until(page, hasName, ['elbow', false])
  await leave(page)
  await end()
})

test('a dropped file is opened; one with mistakes is mended in its text', async () => {
  const { page } = await bench.visit('door')
  await drop(page, 'arm.yaml', ARM)
  await ready(page, 'arm')
  await page.getByText('· not saved').waitFor()
  await page.keyboard.press('Escape')
  await drop(page, 'bent.yaml', ARM.replace('revolute', 'revolte').replace('name: Arm', 'name: Bent arm'))
  await page.getByText(/line 8: .*revolte/).waitFor()
  await bench.shoot(page, 'mend')
  const mended = page.getByRole('button', { name: 'Open the mended model' })
  assert.ok(await mended.isDisabled())
  await page.locator('.cm-line', { hasText: 'revolte' }).click()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.type('  pivot: { type: revolute, between: [ground, arm], at: [0, 0] }')
  await page.getByText('nothing wrong any more').waitFor()
  await mended.click()
  await page.getByRole('heading', { name: 'Bent arm', level: 1 }).waitFor()
  assert.equal(await page.getByRole('tab').count(), 2) // the door was not changed
  await leave(page)
})

test('killed and started again: the unsaved model is offered, with its plots', async () => {
  const place = path.join(folder, 'own')
  mkdirSync(place)
  writeFileSync(path.join(place, 'arm.yaml'), ARM)
  const first = await bench.serve(path.join(place, 'arm'))
  const page = await bench.open(first.url)
  await ready(page, 'arm')
  await row(page, 'pivot').click()
  await page.keyboard.press('p')
  await page.getByText('pivot.angle').first().waitFor()
  await until(page, async () => (await window.tenon.ask('kept_view')).view?.plots?.length > 0)
  await row(page, 'arm').click()
  await page.keyboard.press('g')
  await until(page, hasName, ['arm_ground', true])
  await page.getByText('· not saved').waitFor()
  await page.reload()
  await ready(page, 'arm')
  await page.getByRole('region', { name: 'Plots' }).getByText('pivot.angle').first().waitFor()
  await page.waitForTimeout(300)
  first.kill()
  await page.getByText(/The connection was lost/).waitFor()
  await page.context().close()
  const second = await bench.serve(undefined, '--folder', place)
  const again = await bench.open(second.url)
  await again.getByText(/Arm was not saved when the studio last ended/).waitFor()
  await bench.shoot(again, 'recover')
  await again.getByRole('button', { name: 'Recover' }).click()
  await until(again, hasName, ['arm_ground', true])
  await again.getByRole('region', { name: 'Plots' }).getByText('pivot.angle').first().waitFor()
  await again.keyboard.press('Control+s')
  await again.getByText('Saved as arm.yaml').waitFor()
  assert.ok(existsSync(path.join(place, 'arm.yaml.studio')))
  await leave(again)
  await second.end()
})

test('paths come from the record, are cleared, and go with their model; one drag of a slider is one undo', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await page.getByLabel('Speed').selectOption('10')
  await page.keyboard.press('Space')
  await goOn(page, 1.5)
  await page.keyboard.press('Space')
  await until(page, () => !window.tenon.running)
  const gaps = () => {
    const [{ times }] = window.tenon.paths
    return Math.max(...times.slice(1).map((t, k) => t - times[k]))
  }
  await until(page, () => window.tenon.paths.length > 0)
  await page.keyboard.press('ArrowRight')
  const deadline = Date.now() + 5000
  while ((await page.evaluate(gaps)) > 0.02 && Date.now() < deadline) {
    await page.waitForTimeout(300)
    await page.keyboard.press('ArrowRight')
  }
  assert.ok((await page.evaluate(gaps)) < 0.02, 'no frame is missing')
  await page.keyboard.press('x')
  assert.ok((await page.evaluate(() => window.tenon.paths[0].times.length)) < 3)
  await ask(page, 'open', { model: 'quarter-car' })
  await ready(page, 'wheel')
  assert.ok((await page.evaluate(() => window.tenon.paths)).every(({ times }) => times.length < 3))
  const marks = await page.locator('.mark').evaluateAll((list) => list.map((mark) => mark.title))
  assert.ok(
    marks.every((words) => /^0.000 s {2}opened quarter-car$/.test(words)),
    marks.join(),
  )

  await row(page, 'strut').click()
  const slider = page.getByLabel('stiffness, slider')
  const old = await page.evaluate(() => window.tenon.property('strut', 'stiffness'))
  const { x, y, width, height } = await slider.boundingBox()
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x + 0.75 * width, y + height / 2, { steps: 12 })
  await page.mouse.up()
  await until(page, (was) => window.tenon.property('strut', 'stiffness') > 1.5 * was, old)
  await page.keyboard.press('Control+z')
  await until(page, (was) => window.tenon.property('strut', 'stiffness') === was, old)
  await leave(page)
})

test('a short run is shown slowly to its end, then again and again; space and escape work from anywhere', async () => {
  const { page } = await bench.visit('andrews')
  assert.ok((await page.evaluate(() => window.tenon.speed)) < 0.02)
  await page.evaluate(() => window.tenon.stopAtEnd())
  await page.getByLabel('Speed').selectOption('0.1')
  await page.getByRole('button', { name: 'Export' }).focus()
  await page.keyboard.press('Space')
  await until(page, () => window.tenon.looping)
  assert.ok((await time(page)) <= 0.05 + 1e-9)
  await page.keyboard.press('Space')
  await until(page, () => !window.tenon.looping)
  await page.keyboard.press('e')
  await page.locator('.cm-line').first().click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowLeft') // a key of the page again
  assert.equal(await page.evaluate(() => document.activeElement?.closest('.cm-editor')), null)
  await leave(page)
})

test('what moves stays within the view: models of the gallery that go far', async () => {
  for (const model of ['bouncing-ball', 'rolling-disc', 'throw', 'falling-parts']) {
    const { page } = await bench.visit(model)
    await page.keyboard.press('Space')
    for (const goal of [0.6, 1.2]) {
      await until(page, (t) => window.tenon.time >= t || !window.tenon.running, goal)
      await until(page, () => window.tenon.farthest < 1.05) // the camera follows, as fast as pictures are drawn
    }
    await leave(page)
  }
  const { page } = await bench.visit('lane-change')
  await ask(page, 'run_to', { time: 5, speed: 'max' }) // between two pictures the car passes the eye
  await until(page, () => window.tenon.time >= 5 - 1e-9)
  await until(page, () => window.tenon.farthest < 1.05)
  await leave(page)
})

test('a linkage says what it is; components are found by what they are called; nothing but the view for an audience', async () => {
  const { page } = await bench.visit('driven-slider-crank')
  await page.getByRole('region', { name: 'Slider-crank' }).getByText('transmission angle').waitFor()
  await bench.shoot(page, 'linkage')
  await page.getByLabel('Filter components').fill('hinge')
  const found = await page
    .getByRole('treeitem')
    .evaluateAll((rows) => rows.map((item) => item.dataset.name).filter(Boolean))
  const { scene } = { scene: await ask(page, 'health') }
  const pins = scene.joints.filter(({ type }) => type === 'revolute').map(({ name }) => name)
  assert.ok(pins.length > 0)
  assert.deepEqual(found.sort(), pins.sort())
  await page.getByLabel('Filter components').fill('')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+F5')
  await page.getByRole('banner').waitFor({ state: 'hidden' })
  assert.deepEqual(await violations(page), [])
  await bench.shoot(page, 'presentation')
  await page.keyboard.press('Escape')
  await page.getByRole('banner').waitFor()
  await leave(page)
})

const BARS = `tenon: 1
name: Bars
dimension: 2
gravity: [0, -9.81]
parameters: { reach: 0.2 m }
bodies:
  crank: { shapes: [{ rod: { from: [0, 0], to: [reach, 0], radius: 8 mm }, mass: 0.4 kg }], position: [0, 0], angle: 90 deg }
  coupler: { shapes: [{ rod: { from: [0, 0], to: [0.5, 0], radius: 8 mm }, mass: 1 kg }], position: [0, reach] }
  rocker: { shapes: [{ rod: { from: [0, 0], to: [0.2, 0], radius: 8 mm }, mass: 0.4 kg }], position: [0.5, 0], angle: 90 deg }
joints:
  a: { type: revolute, between: [ground, crank], at: [0, 0] }
  b: { type: revolute, between: [crank, coupler], at: [0, reach] }
  c: { type: revolute, between: [coupler, rocker], at: [0.5, 0.2] }
  d: { type: revolute, between: [ground, rocker], at: [0.5, 0] }
`

test('links are shaped: an end is dragged and the masses follow; a length is typed, and a parameter stays one', async () => {
  const { page } = await bench.visit('door')
  await drop(page, 'bars.yaml', BARS)
  await ready(page, 'coupler')
  await page.keyboard.press('k')
  const card = page.getByRole('region', { name: 'Sketch' })
  await card.getByRole('radio', { name: 'Shape', exact: true }).click()
  const taken = await card.boundingBox()
  for (const pin of ['a', 'b', 'c', 'd'])
    assert.ok((await place(page, pin)).x > taken.x + taken.width, `${pin} is beside the card`)
  const from = await place(page, 'c')
  const other = await place(page, 'd')
  const perMetre = (other.y - from.y) / 0.2
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x - 0.05 * perMetre, from.y - 0.1 * perMetre, {
    steps: 5,
  })
  await bench.shoot(page, 'shape')
  await page.mouse.up()
  await until(page, () => Math.abs(window.tenon.property('rocker', 'mass') - 0.4) > 0.05)
  await until(page, () => window.tenon.anchor('c')[1] > 0.25) // the poses follow in a frame of their own
  const anchor = (name) => page.evaluate((joint) => window.tenon.anchor(joint), name)
  const [x, y] = await anchor('c')
  const close = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-6, `${what}: ${a}, not ${b}`)
  close(
    await page.evaluate(() => window.tenon.property('rocker', 'mass')),
    2 * Math.hypot(x - 0.5, y),
    'mass by length',
  )
  close(await page.evaluate(() => window.tenon.property('coupler', 'mass')), 2 * Math.hypot(x, y - 0.2), 'of both')
  assert.equal((await ask(page, 'health')).freedoms, 1)
  await page.keyboard.press('Control+z')
  await until(page, () => Math.abs(window.tenon.property('rocker', 'mass') - 0.4) < 1e-9)

  await card.getByLabel('Length of rocker').fill('250 mm')
  await page.keyboard.press('Enter')
  await until(page, () => Math.abs(window.tenon.property('rocker', 'mass') - 0.5) < 1e-9)
  await until(page, () => window.tenon.anchor('c')[1] > 0.21)
  const [b, c] = [await anchor('b'), await anchor('c')]
  close(Math.hypot(c[0] - 0.5, c[1]), 0.25, 'the new length')
  close(Math.hypot(b[0], b[1]), 0.2, 'the crank is as long as before')
  close(Math.hypot(c[0] - b[0], c[1] - b[1]), 0.5, 'the coupler, too')
  await card.getByLabel('Length of crank').fill('0.22 m')
  await page.keyboard.press('Enter')
  await until(page, async () => (await window.tenon.ask('text')).text.includes('reach: 0.22 m'))
  assert.match((await ask(page, 'text')).text, /to: \[reach, 0\]/)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    (async () => {
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('button', { name: /^Line drawing/ }).click()
    })(),
  ])
  const svg = readFileSync(await saved.path(), 'utf8')
  assert.match(svg, /250 mm/)
  assert.equal(svg.match(/<circle/g).length, 4)
  await leave(page)
})

/** Pendulums side by side, in space. */
function pendulums(count) {
  const all = (make) => Array.from({ length: count }, (_, k) => make(k, k % 20, Math.floor(k / 20))).join('\n')
  const body = (k, x, y) =>
    `  b${k}: { shapes: [{ box: { size: [0.2, 0.2, 0.6] }, mass: 1 kg }], position: [${x}, ${y}, 1.7] }`
  const joint = (k, x, y) => `  j${k}: { type: revolute, between: [ground, b${k}], at: [${x}, ${y}, 2], axis: y }`
  return `tenon: 1\nname: Crowd\ngravity: [1, 0, -9.81]\nbodies:\n${all(body)}\njoints:\n${all(joint)}\n`
}

test('hundreds of bodies: drawn together, listed as far as seen, picked and marked one by one', async () => {
  const { page } = await bench.visit('door')
  await drop(page, 'crowd.yaml', pendulums(300))
  await ready(page, 'b299')
  await until(page, () => window.tenon.draws > 0)
  assert.ok(
    (await page.evaluate(() => window.tenon.draws)) < 120,
    `${await page.evaluate(() => window.tenon.draws)} draws`,
  )
  assert.ok((await page.getByRole('treeitem').count()) < 120)
  assert.ok((await page.evaluate(() => window.tenon.triangles)) < 300 * 150)
  const still = await bench.look(page)
  assert.ok(still.vivid > 2000, `${still.vivid} vivid pixels`)
  const spot = await place(page, 'b10')
  await page.mouse.click(spot.x, spot.y)
  const [chosen] = await page.evaluate(() => window.tenon.selection)
  assert.match(chosen, /^[bj]\d+$/)
  await row(page, chosen).waitFor() // the list comes to it
  assert.notEqual((await bench.look(page)).sum, still.sum, 'it is set off')
  await bench.shoot(page, 'crowd')
  await page.getByRole('button', { name: 'Plots', exact: true }).click()
  const field = page.getByLabel('Channel to plot')
  await until(page, () => document.querySelectorAll('#all-channels option').length === 200) // the first of thousands
  await field.fill('b299.position.')
  await until(page, () => document.querySelectorAll('#all-channels option').length === 3)
  await page.getByRole('button', { name: 'Plots', exact: true }).click()
  await leave(page)
})
