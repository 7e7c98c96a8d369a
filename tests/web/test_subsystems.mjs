// Subsystems in the studio: boxes in the tree, what one is and how it is solved, another file in its place, all while
// the model runs. usage: node test_subsystems.mjs PROGRAM PICTURES TEST_PAGE
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before } from 'node:test'
import { ask, begin, goOn, leave, names, place, ready, row, test, until, value } from './studio.mjs'

let bench
before(async () => {
  bench = await begin(path.resolve(process.argv[2]), path.resolve(process.argv[3]), path.resolve(process.argv[4]))
})
after(() => bench?.close())

const subsystem = (page, name) => page.evaluate((n) => window.tenon.subsystem(n), name)
const region = (page, name) => page.getByRole('region', { name, exact: true })

async function run(page) {
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await goOn(page, 0.1)
}

/** Swaps by the form of the selected subsystem; what it says became of the states. */
async function swap(page, file) {
  const form = region(page, 'Swap')
  await until(page, () => document.querySelectorAll('[aria-label="Swap"] option').length > 1)
  await form.getByLabel('swap for').selectOption(file)
  await form.getByRole('button', { name: 'Swap' }).click()
  return form.getByRole('status').innerText()
}

test('journey 5, steam machine: open a subsystem, change its solver while it runs, swap a part of it', async () => {
  const { page } = await bench.visit('steam-machine')
  await ready(page, 'left.power.piston')
  assert.equal(await row(page, 'left.power.piston').count(), 0) // boxes begin folded
  await row(page, 'left').locator('.fold').click()
  await row(page, 'left.power').waitFor()
  assert.equal(await row(page, 'left').getAttribute('aria-expanded'), 'true')
  assert.match(await row(page, 'left').innerText(), /unit\.yaml[\s\S]*direct, 5 ms/)
  await run(page)

  await row(page, 'left').dblclick()
  await page.getByRole('navigation', { name: 'Opened subsystem' }).getByText('left').waitFor()
  assert.equal(await row(page, 'right').count(), 0)
  await region(page, 'Text').getByText('Cylinder unit').waitFor()
  assert.match(await region(page, 'File and ports').innerText(), /big_end\s*left\.power\.rod\.big_end/)

  const solving = region(page, 'Solving')
  await solving.getByText('By settings of its own').waitFor()
  await solving.getByLabel('integrator').selectOption('midpoint')
  await until(page, () => window.tenon.subsystem('left').solve?.integrator === 'midpoint')
  await solving.getByLabel('step', { exact: true }).fill('4 ms')
  await solving.getByLabel('step', { exact: true }).press('Enter')
  await until(page, () => window.tenon.subsystem('left').solve?.step === 0.004)
  assert.equal((await subsystem(page, 'left')).solve.solver, 'direct')
  const { text } = await ask(page, 'text')
  assert.match(text, / left:.*use: unit\.yaml.*solve: \{ integrator: midpoint, step: 4 ms \}/s)
  await goOn(page, 0.1)
  assert.ok((await value(page, 'drift.max')) < 1e-6)

  await row(page, 'left.power').click()
  const told = await swap(page, 'piston-group-tail.yaml')
  assert.match(told, /parts go on/)
  assert.match(told, /New: tail, screw/)
  assert.ok((await names(page)).includes('left.power.tail'))
  assert.match((await subsystem(page, 'left.power')).file, /piston-group-tail\.yaml$/)
  assert.match((await ask(page, 'text')).text, /changes:[^]* left\.power: \{ use: piston-group-tail\.yaml/)
  await goOn(page, 0.05)
  const { values } = await ask(page, 'value', {
    channels: ['left.power.piston.position.z', 'bearing.angle'],
  })
  const pin = 0.05 * Math.cos(values[1]) + Math.sqrt(0.2 ** 2 - (0.05 * Math.sin(values[1])) ** 2)
  assert.ok(Math.abs(values[0] - pin - 0.06) < 1e-9, 'the piston is where the crank has it')
  await bench.shoot(page, 'subsystem')
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await until(page, () => !window.tenon.running)
  const ghost = await bench.look(page) // the camera stays: what is around it, brass and all, has its colours again
  await page.getByRole('button', { name: 'Out of it' }).click()
  await row(page, 'right').waitFor()
  let all = ghost
  for (let k = 0; k < 40 && all.vivid < 1.3 * ghost.vivid; k++) all = await bench.look(page)
  assert.ok(all.vivid > 1.3 * ghost.vivid, `${ghost.vivid} vivid pixels inside, ${all.vivid} outside`)
  await leave(page)
})

test('journey 5, car: a corner is opened, solved by itself, swapped for a firmer one, and taken back', async () => {
  const { page } = await bench.visit('car')
  await ready(page, 'chassis')
  await run(page)
  const plain = await bench.look(page) // rubber, steel and glass are not vivid, what is selected is
  await row(page, 'front_right').click()
  let marked = plain
  for (let k = 0; k < 40 && marked.vivid < plain.vivid + 500; k++) marked = await bench.look(page)
  assert.ok(marked.vivid > plain.vivid + 500, `${marked.vivid} vivid pixels instead of ${plain.vivid}`)
  const solving = region(page, 'Solving')
  await solving.getByLabel('scheme').selectOption('baumgarte')
  await until(page, () => window.tenon.subsystem('front_right').solve?.scheme === 'baumgarte')
  await solving.getByLabel('step', { exact: true }).fill('3 kg')
  await solving.getByLabel('step', { exact: true }).press('Enter')
  await page.getByRole('alert').first().waitFor()
  assert.equal((await subsystem(page, 'front_right')).solve.step, 0.00125)

  const damping = region(page, 'Parameters').getByLabel('damping', {
    exact: true,
  })
  await damping.fill('2500 N s/m')
  await damping.press('Enter')
  await until(page, () => window.tenon.subsystem('front_right').parameters.some((p) => p.given === '2500 N s/m'))

  await page.getByRole('button', { name: 'Pause', exact: true }).click() // the height is compared with that before
  await until(page, () => !window.tenon.running)
  const height = await value(page, 'chassis.position.z')
  const told = await swap(page, 'suspension-firm.yaml')
  assert.match(told, /New: buffer/)
  const now = await subsystem(page, 'front_right')
  assert.deepEqual(Object.fromEntries(now.parameters.filter((p) => p.given).map((p) => [p.name, p.value])), {
    side: -1,
    damping: 2500,
  })
  assert.ok(Math.abs((await value(page, 'chassis.position.z')) - height) < 1e-6, 'what both have goes on as it was')
  await run(page)
  await goOn(page, 0.1)
  assert.ok((await value(page, 'drift.max')) < 1e-6)
  await page.keyboard.press('h')
  const line = region(page, 'Health').getByText('projection, rk4, direct, 1.25 ms')
  await line.first().waitFor()
  await page.keyboard.press('Control+Alt+z')
  await until(page, () => !window.tenon.names.includes('front_right.buffer'))

  const status = region(page, 'Text').getByRole('status')
  await row(page, 'rear_left').dblclick()
  await status.getByText(/to read: save the model into your folder/).waitFor() // it is of the gallery
  for (const [verb, given] of [
    ['save', { name: 'my-car.yaml' }],
    ['open', { model: 'my-car.yaml' }], // with its parts
  ]) {
    const answer = await ask(page, verb, given)
    assert.ok(answer.ok, answer.message)
  }
  await ready(page, 'rear_left.hub.wheel')
  await row(page, 'rear_left').dblclick()
  await status.getByText('rear_left', { exact: true }).waitFor()
  await page.locator('.cm-line', { hasText: 'lean: side' }).locator('visible=true').click()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.insertText('lean: side * atan2(81 mm, 500 mm)')
  await page.keyboard.press('Control+Enter')
  await until(page, () => window.tenon.subsystem('rear_left').file.endsWith('suspension_2.yaml'))
  await status.getByText('rear_left', { exact: true }).waitFor()
  assert.match((await ask(page, 'text', { subsystem: 'rear_left' })).text, /atan2\(81 mm/)
  assert.doesNotMatch((await ask(page, 'text', { subsystem: 'rear_right' })).text, /81 mm/)

  // a part of a part, and a number in there: the model says what is different
  await page.getByRole('button', { name: 'Out of it' }).click()
  await row(page, 'rear_right').locator('.fold').click()
  await row(page, 'rear_right.hub').dblclick()
  await status.getByText('rear_right.hub', { exact: true }).waitFor()
  await page.locator('.cm-line', { hasText: 'name: Hub' }).locator('visible=true').click()
  await page.keyboard.press('End')
  await page.keyboard.insertText('\nlet: { twice: 2 * wheel.position.z }')
  await page.keyboard.press('Control+Enter')
  await until(page, () => window.tenon.subsystem('rear_right.hub').file.endsWith('hub_2.yaml'))
  const set = { 'rear_left.spring.stiffness': '20 kN/m' }
  const good = async (verb, given) => {
    const answer = await ask(page, verb, given)
    assert.ok(answer.ok, answer.message)
    return answer
  }
  await good('command', { command: { set } })
  await good('save', {})
  await good('open', { model: 'my-car.yaml' })
  await until(page, () => window.tenon.subsystem('rear_right.hub')?.file.endsWith('hub_2.yaml'))
  await until(page, () => window.tenon.property('rear_left.spring', 'stiffness') === 20000)
  assert.match((await good('text')).text, /changes:[^]*rear_left\.spring\.stiffness: 20 kN\/m/)
  await leave(page)
})

test('journey 5, steam machine: a compiled black box in place of a unit, and back', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenon-boxes-'))
  cpSync(new URL('../../examples/steam-machine', import.meta.url), folder, {
    recursive: true,
  })
  execFileSync(path.resolve(process.argv[2]), ['compile', path.join(folder, 'unit.yaml')], { stdio: 'ignore' })
  const { url, end } = await bench.serve(path.join(folder, 'steam-machine'), '--plugins')
  const page = await bench.open(url)
  await ready(page, 'left.power.piston')
  await run(page)
  await row(page, 'left').click()
  const told = await swap(page, 'unit.so')
  assert.match(told, /big_end/)
  assert.match((await subsystem(page, 'left')).file, /unit\.so$/)
  const inside = (await names(page)).filter((name) => name.startsWith('left.'))
  assert.deepEqual(inside.sort(), ['left.big_end', 'left.strap'])
  await goOn(page, 0.1)
  const { values } = await ask(page, 'value', {
    channels: ['left.big_end.position.z', 'bearing.angle', 'drift.max'],
  })
  assert.ok(Math.abs(values[0] - 0.05 * Math.cos(values[1])) < 1e-9, 'the rod is where the crank has it')
  assert.ok(values[2] < 1e-9)
  await page.keyboard.press('Space')
  await until(page, () => !window.tenon.running)
  await bench.shoot(page, 'black-box')
  await page.keyboard.press('Escape')
  await until(page, () => window.tenon.selection.length === 0)
  const spot = await place(page, 'left')
  await page.mouse.click(spot.x, spot.y)
  await until(page, () => window.tenon.selection.join() === 'left')
  await page.keyboard.press('Control+Alt+z')
  await until(page, () => window.tenon.names.includes('left.power.piston'))
  await leave(page)
  await end()
  rmSync(folder, { recursive: true })
})
