// The tour of the studio in a browser: a linkage from nothing to a film, by what the tour says alone; and units as people
// choose them. usage: node test_tour.mjs PROGRAM PICTURES TEST_PAGE
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before } from 'node:test'
import { ask, begin, goOn, hasName, leave, names, place, ready, row, test, until, value, violations } from './studio.mjs'

let bench
let folder
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tenon-tour-'))
  bench = await begin(path.resolve(process.argv[2]), path.resolve(process.argv[3]), path.resolve(process.argv[4]))
})
after(async () => {
  await bench.close()
  rmSync(folder, { recursive: true })
})

test('the tour: a crank-rocker is drawn, dimensioned, driven, cut and mended, saved and filmed', async () => {
  const { url, end } = await bench.serve(undefined, '--folder', folder)
  const page = await bench.open(url)
  const space = () => page.keyboard.press('Space')
  await page.getByText(/New here\? The tour/).waitFor()
  await page.getByRole('button', { name: 'Tour', exact: true }).click()
  const card = page.getByRole('region', { name: 'Tour' })
  await card.getByText('Draw four bars').waitFor() // the plane is empty already
  await card.getByRole('button', { name: 'Sketch' }).click()
  const sketch = page.getByRole('region', { name: 'Sketch' })
  await sketch.waitFor()
  await page.waitForTimeout(300) // the card has its place, and the picture its size
  const canvas = await page.locator('canvas.picture').boundingBox()
  const [x, y] = [canvas.x + canvas.width / 2, canvas.y + canvas.height / 2]
  const click = async (dx, dy) => {
    await page.mouse.move(x + dx, y + dy, { steps: 2 })
    await page.mouse.down()
    await page.mouse.up()
  }
  await click(-120, 0)
  await click(-120, -120)
  await until(page, hasName, ['link_1', true])
  await click(60, -130)
  await until(page, hasName, ['link_2', true])
  await click(60, 0)
  await until(page, hasName, ['link_3', true])
  await page.keyboard.press('Escape')
  await sketch.getByRole('radio', { name: 'Pin to ground' }).click()
  await click(60, 0)

  await card.getByText('Give it lengths').waitFor()
  assert.equal(await page.locator('.notice').count(), 1) // the last edit: the drawing stays in sight
  assert.ok(await page.evaluate(() => window.tenon.onWall), 'the shadow falls on a wall right behind what was drawn')
  await bench.shoot(page, 'tour')
  assert.deepEqual(await violations(page, false, 'aside.right', 'main'), [])
  await card.getByRole('button', { name: 'Shape' }).click()
  const first = sketch.getByRole('textbox').first()
  const whole = Number.parseFloat(await first.inputValue())
  await first.fill((await first.inputValue()).replace(/[\d.]+/, String(whole / 3)))
  await first.press('Enter')
  await card.getByText('Drive the crank').waitFor()
  const labels = await page.evaluate(() => window.tenon.dimensions)
  for (const [k, a] of labels.entries())
    for (const b of labels.slice(k + 1))
      assert.ok(Math.abs(a.x - b.x) > 45 || Math.abs(a.y - b.y) > 20, `${a.text} and ${b.text} are apart`)
  await card.getByRole('button', { name: 'Back' }).click() // what is done already stays until it is left
  await card.getByText('Give it lengths').waitFor()
  await page.waitForTimeout(500)
  await card.getByRole('button', { name: 'Next' }).click()
  await card.getByText('Drive the crank').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await sketch.waitFor({ state: 'detached' })
  const picture = await page.locator('canvas.picture').boundingBox()
  for (const pin of ['pin_1', 'pin_4']) {
    const spot = await place(page, pin)
    assert.ok(spot.x > picture.x + 40 && spot.x < picture.x + picture.width - 40, `${pin} with its support is seen`)
    assert.ok(spot.y < picture.y + picture.height - 40, `${pin} with its support is seen`)
  }
  await row(page, 'pin_1').click()
  await page.keyboard.press('r')
  const motion = page.getByLabel('motion', { exact: true })
  await motion.waitFor()
  assert.deepEqual([await motion.inputValue(), await motion.locator('xpath=following-sibling::*').innerText()], ['360', '°/s'])
  await page.getByText('drive-rate', { exact: true }).last().waitFor() // no line: it is in no file yet
  assert.equal(await page.getByText('drive-rate, line').count(), 0)
  await card.getByText('Run it').waitFor()
  await motion.fill('90 rpm')
  await motion.press('Enter')
  await until(page, () => document.activeElement === document.body) // keys are those of the page again
  await space()
  await card.getByText('See where it goes').waitFor()
  await row(page, 'link_2').click()
  await page.keyboard.press('t')
  await card.getByText('Change it while it runs').waitFor()
  const rate = await value(page, 'pin_1.angle.rate')
  assert.ok(Math.abs(rate - 3 * Math.PI) < 1e-6, `${rate} rad/s`)
  await row(page, 'pin_3').click()
  await page.keyboard.press('Delete')
  await until(page, hasName, ['pin_3', false])
  await goOn(page, 0.05)
  await page.keyboard.press('Control+Alt+z')
  await until(page, hasName, ['pin_3', true])

  await card.getByText('Keep it').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('dialog', { name: 'Save as' }).waitFor()
  await until(page, () => document.activeElement?.id === 'save-name' && document.activeElement.selectionEnd > 0)
  await page.keyboard.type('rocker') // in place of the name that is offered
  await page.keyboard.press('Enter')
  await page.getByText('Saved as rocker.yaml').waitFor()
  assert.match(readFileSync(path.join(folder, 'rocker.yaml'), 'utf8'), /pin_1_drive/)

  await card.getByText('Close it, open it again').waitFor()
  await page.keyboard.press('Control+Alt+w')
  await until(page, () => !window.tenon.names.includes('link_1'))
  await page.keyboard.press('Control+o')
  await page.getByRole('region', { name: 'Models of the folder' }).getByRole('button', { name: /rocker.yaml/ }).click()
  await until(page, hasName, ['pin_1_drive', true])

  await card.getByText('Film it').waitFor()
  await page.evaluate(() => window.tenon.look(true))
  await card.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: /^Film/ }).click()
  await page.getByText('Filming: the motion is paused').waitFor()
  await space()
  await until(page, () => window.tenon.filmed > 1000 && window.tenon.running)
  await page.getByRole('button', { name: 'Stop filming' }).click()
  await card.getByText('That is the tour').waitFor()
  await card.getByRole('button', { name: 'Done' }).click()
  await card.waitFor({ state: 'detached' })
  await leave(page)
  await end()
})

test('units as people choose them: panel, field and plot agree, and the engine keeps its own', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'crank')
  const choose = async (what, unit) => {
    await page.keyboard.press('?')
    await page.getByRole('tab', { name: 'Units' }).click()
    await page.getByRole('dialog').getByLabel(what).selectOption(unit)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await choose('Turning', 'rpm')
  await choose('Lengths', 'mm')
  await row(page, 'pivot').click()
  await page.keyboard.press('r')
  await until(page, hasName, ['pivot_drive', true])
  await row(page, 'pivot').click()
  await page.getByRole('button', { name: 'angle.rate', exact: true }).click()
  const plot = page.getByRole('region', { name: 'Plot of pivot.angle.rate' })
  await plot.getByText('60 rpm').waitFor()
  const live = page.getByRole('region', { name: 'Live values' }).locator('[data-channel="pivot.angle.rate"]')
  assert.match(await live.innerText(), /60\.00\s*rpm/)
  assert.ok(Math.abs((await value(page, 'pivot.angle.rate')) - 2 * Math.PI) < 1e-9)

  await row(page, 'crank').click()
  const at = await value(page, 'crank.position.x')
  const shown = page.getByRole('region', { name: 'Live values' }).locator('[data-channel="crank.position.x"]')
  const [number, unit] = await shown.locator('dd span').allInnerTexts()
  assert.equal(unit, 'mm')
  assert.ok(Math.abs(Number(number) - 1000 * at) < 0.1, `${number} mm for ${at} m`)
  await choose('Turning', 'deg/s')
  await choose('Lengths', 'm')
  await leave(page)
})

test('a bare number is in the unit that stands beside it', async () => {
  const { page } = await bench.visit('door-stop')
  const joint = (await names(page)).find((name) => name.includes('hinge'))
  await row(page, joint).click()
  const high = page.getByLabel('limits.angle.high', { exact: true })
  await high.fill('80')
  await high.press('Enter')
  const limit = (80 * Math.PI) / 180
  await until(page, ([name, to]) => Math.abs(window.tenon.property(name, 'limits.angle.high') - to) < 1e-12, [
    joint,
    limit,
  ])
  const { text } = await ask(page, 'text')
  assert.match(text, /80 deg/)
  await leave(page)
})

test('a parameter in rpm is shown and kept in rpm, by keys and by its slider', async () => {
  const { page } = await bench.visit('driven-slider-crank')
  await page.evaluate(() => localStorage.removeItem('tenon.units')) // as on a computer where nobody has chosen
  await page.reload()
  await until(page, () => window.tenon?.revision > 0 && window.tenon.settled)
  const speed = page.getByLabel('speed', { exact: true })
  const unit = speed.locator('xpath=following-sibling::*')
  assert.deepEqual([await speed.inputValue(), await unit.innerText()], ['300', 'rpm'])
  await speed.fill('240')
  await speed.press('Enter')
  await until(page, async () => (await window.tenon.ask('text')).text.includes('speed: 240 rpm'))
  await page.getByLabel('speed, slider').press('ArrowRight')
  await until(page, async () => /speed: 24[1-9][.\d]* rpm/.test((await window.tenon.ask('text')).text))
  assert.equal(await unit.innerText(), 'rpm')
  await leave(page)
})
