// The drawing of devices in the studio: boxes, nodes and lines, values under the pointer, scopes, switches by a click, ports
// that are connected by drawing. usage: node test_schematic.mjs PROGRAM PICTURES TEST_PAGE
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before } from 'node:test'
import { advance, ask, begin, leave, test, until, value, violations } from './studio.mjs'

let bench
before(async () => {
  bench = await begin(path.resolve(process.argv[2]), path.resolve(process.argv[3]), path.resolve(process.argv[4]))
})
after(() => bench?.close())

const CHARGING = `tenon: 1
name: Charging
dimension: 2
devices:
  source: { type: voltage-source, at: { p: plus, n: ground }, value: 10 V }
  key: { type: switch, at: { p: plus, n: wire }, closed: 0 }
  R: { type: resistor, at: { p: wire, n: top }, resistance: 100 ohm }
  C: { type: capacitor, at: { p: top, n: ground }, capacitance: 1 mF }
  load: { type: resistor, at: { p: wire, n: ground }, resistance: 1 kohm }
solve: { until: 5 s, tolerance: 1e-8 }
`

async function middle(locator) {
  const { x, y, width, height } = await locator.boundingBox()
  return [x + width / 2, y + height / 2]
}

test('schematic: a switch closes by a click and the capacitor charges; values, scopes, and a port drawn to another node', async () => {
  const { page } = await bench.visit('four-bar')
  assert.ok((await ask(page, 'apply_text', { text: CHARGING })).ok)
  await page.getByRole('button', { name: 'Schematic' }).click()
  const sheet = page.getByRole('group', { name: 'Schematic' })
  const box = (name) => sheet.getByRole('button', { name: new RegExp(`^${name},`) })
  const node = (name) => sheet.locator(`circle[data-node="${name}"]`)
  await box('C').waitFor()
  assert.equal(await sheet.locator('.device').count(), 5)
  assert.equal(await sheet.locator('.node').count(), 3)
  assert.equal(await sheet.locator('.line').count(), 7) // ports that are not at ground
  await sheet.getByRole('button', { name: 'key, switch, open' }).waitFor()
  await page.mouse.click(...(await middle(box('key').locator('rect'))))
  await sheet.getByRole('button', { name: 'key, switch, closed' }).waitFor()

  await page.mouse.dblclick(...(await middle(node('top'))))
  const scopes = page.getByRole('region', { name: 'Scopes' })
  await scopes.getByRole('button', { name: 'top.voltage', exact: true }).waitFor()
  await advance(page, 0.1)
  const charged = 10 * (1 - Math.exp(-1)) // V
  assert.ok(Math.abs((await value(page, 'top.voltage')) - charged) < 1e-3, `${await value(page, 'top.voltage')} V`)
  await scopes.getByText(/^6\.32/).waitFor()
  await page.mouse.move(...(await middle(node('top'))))
  await page.locator('.values').getByText(/6\.32/).waitFor()
  await bench.shoot(page, 'schematic')
  assert.deepEqual(await violations(page, false, 'footer'), [])

  const port = sheet.locator('circle[data-device="load"][data-port="p"]')
  await page.mouse.move(...(await middle(port)))
  await page.mouse.down()
  await page.mouse.move(...(await middle(node('top'))), { steps: 4 })
  await page.mouse.up()
  await until(page, async () => /load:.*p: top/.test((await window.tenon.ask('text')).text))
  await page.keyboard.press('Control+z')
  await until(page, async () => /load:.*p: wire/.test((await window.tenon.ask('text')).text))

  await box('R').focus()
  const before = await middle(box('R').locator('rect'))
  await page.keyboard.press('Shift+ArrowDown')
  await until(page, () => !document.querySelector('.tools button:last-child').disabled)
  assert.notDeepEqual(await middle(box('R').locator('rect')), before)
  await page.getByRole('button', { name: 'Arrange' }).click()
  await box('key').focus()
  await page.keyboard.press('Enter')
  await sheet.getByRole('button', { name: 'key, switch, open' }).waitFor()
  await leave(page)
})
