// Plots, text, sketching, analyses and files of the studio in a browser: what is shown is what the engine has, and what
// is taken away is good. usage: node test_workbench.mjs PROGRAM PICTURES TEST_PAGE
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
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
let folder

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tenon-files-'))
  bench = await begin(program, pictures, path.resolve(process.argv[4]))
})
after(async () => {
  await bench?.close()
  rmSync(folder, { recursive: true })
})

const curve = (page, channel) => page.evaluate((name) => window.tenon.curve(name), channel)
const panel = (page, name) => page.getByRole('region', { name, exact: true })
const tenon = (...words) => execFileSync(program, words, { encoding: 'utf8', timeout: PATIENCE })

async function pause(page) {
  await page.getByRole('button', { name: 'Pause' }).click()
  await until(page, () => !window.tenon.running)
}

/** What a click hands out, as a file. */
const PATIENCE = 120000 // ms: a film is put together after its end, which takes long on a busy machine

async function taken(page, act) {
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: PATIENCE }), act()])
  const file = path.join(folder, download.suggestedFilename())
  await download.saveAs(file)
  return { file, bytes: readFileSync(file) }
}

/** How many pictures a GIF has, block by block to its end. */
function picturesOf(bytes) {
  let at = 13 + 3 * 256 // head and palette
  let count = 0
  const skipBlocks = () => {
    while (bytes[at] !== 0) at += 1 + bytes[at]
    at++
  }
  while (bytes[at] !== 0x3b) {
    assert.ok(bytes[at] === 0x21 || bytes[at] === 0x2c, `byte ${bytes[at]} at ${at} begins no block`)
    if (bytes[at] === 0x2c) count++
    at += bytes[at] === 0x2c ? 11 : 2
    skipBlocks()
  }
  assert.equal(at, bytes.length - 1)
  return count
}

const plotOf = (page, channel) =>
  page.getByRole('region', {
    name: new RegExp(`^Plot of .*${channel.replaceAll('.', '\\.')}`),
  })
const savePlot = (page, channel, type) =>
  taken(page, () => plotOf(page, channel).getByLabel('Save the plot').selectOption(type))

/** Rows of numbers under a head. */
function readCsv(text) {
  const [head, ...lines] = text.trim().split('\n')
  return {
    head: head.split(','),
    rows: lines.map((line) => line.split(',').map(Number)),
  }
}

const isPng = (bytes) => bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))

test('a plot has the values of the engine, follows the run, scrubs, and keeps old runs', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await row(page, 'pivot').click()
  await page.keyboard.press('p')
  await plotOf(page, 'pivot.angle').waitFor()
  await page.getByRole('button', { name: 'pivot.angle.rate'.slice(6), exact: true }).dragTo(plotOf(page, 'pivot.angle'))
  await plotOf(page, 'pivot.angle.rate').waitFor()
  await page.getByRole('button', { name: 'Energy' }).click()
  await page.getByRole('button', { name: 'Phase' }).click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const began = [await time(page), Date.now()]
  await goOn(page, 1)
  await bench.shoot(page, 'plots')
  await pause(page)
  const seconds = (Date.now() - began[1]) / 1000

  const shown = await curve(page, 'pivot.angle')
  const rates = await curve(page, 'pivot.angle.rate')
  const samples = shown.t.filter((t) => t > began[0]).length
  console.log(`# ${(samples / seconds).toFixed(0)} samples a second`)
  assert.ok(samples > 20, `${samples} samples in ${seconds} s`)
  for (const part of [0.2, 0.5, 0.9]) {
    const k = Math.floor(part * shown.t.length)
    assert.ok((await ask(page, 'seek', { time: shown.t[k] })).ok)
    assert.ok(Math.abs((await value(page, 't')) - shown.t[k]) < 1e-12)
    assert.ok(Math.abs((await value(page, 'pivot.angle')) - shown.y[k]) < 1e-9)
    assert.ok(Math.abs((await value(page, 'pivot.angle.rate')) - rates.y[k]) < 1e-7)
  }
  const energies = await curve(page, 'energy.total')
  const known = energies.y.filter(Number.isFinite)
  assert.ok(Math.max(...known) - Math.min(...known) < 1e-3 * Math.abs(known[0]))

  const chart = await plotOf(page, 'pivot.angle').first().locator('.u-over').boundingBox()
  const now = await time(page)
  await page.mouse.move(chart.x + 0.3 * chart.width, chart.y + chart.height / 2)
  await page.mouse.down()
  await page.mouse.move(chart.x + 0.25 * chart.width, chart.y + chart.height / 2, { steps: 3 })
  await page.mouse.up()
  await until(page, (t) => window.tenon.time < t, now - 0.1)
  const last = shown.t.at(-1)
  const goal = 0.25 * (last - shown.t[0]) + shown.t[0]
  assert.ok(Math.abs((await time(page)) - goal) < 0.1 * last, `${await time(page)} for ${goal}`)
  assert.equal((await curve(page, 'pivot.angle')).t.at(-1), last)

  await page.keyboard.press('Space')
  await goOn(page, 0.3)
  await pause(page)
  const after = await curve(page, 'pivot.angle')
  assert.equal(after.old, 1)
  assert.ok(after.t.at(-1) < last)
  await leave(page)
})

test('files of a plot: SVG, PNG, CSV and HDF5, and a spectrum with the right frequency', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await ask(page, 'apply_text', {
    text: [
      'tenon: 1',
      'name: Shaker',
      'dimension: 2',
      'bodies: { block: { shapes: [ { box: { size: [0.1, 0.1, 0.1] }, mass: 1 kg } ] } }',
      'joints: { slide: { type: translational, between: [ground, block] } }',
      'drives: { shake: { joint: slide, position: "0.2 m * sin(2 * pi * 3 Hz * t)" } }',
      '',
    ].join('\n'),
  })
  await ready(page, 'block')
  await advance(page, 4)
  await row(page, 'slide').click()
  await page.keyboard.press('p')
  await until(page, () => window.tenon.curve('slide.position').t.at(-1) > 3.99)

  const { head, rows } = readCsv((await savePlot(page, 'slide.position', 'csv')).bytes.toString())
  assert.deepEqual(head, ['t [s]', 'slide.position [m]'])
  assert.ok(rows.length > 40)
  for (const [t, x] of rows) assert.ok(Math.abs(x - 0.2 * Math.sin(6 * Math.PI * t)) < 1e-6, `${x} at ${t} s`)
  const svg = (await savePlot(page, 'slide.position', 'svg')).bytes.toString()
  assert.match(svg, /^<svg [\s\S]*<path class="curve"[\s\S]*slide\.position \[m\][\s\S]*<\/svg>\n$/)
  assert.doesNotMatch(svg, /NaN|Infinity/)
  assert.ok(isPng((await savePlot(page, 'slide.position', 'png')).bytes))

  const [csv, h5] = [await savePlot(page, 'slide.position', 'csv'), await savePlot(page, 'slide.position', 'h5')]
  assert.match(tenon('diff', csv.file, h5.file, '--tolerance', '0', '--relative', '0'), /slide\.position/)
  await page.getByRole('button', { name: 'Export' }).click()
  const outputs = await taken(page, () => page.getByRole('button', { name: /^Outputs/ }).click())
  assert.equal(outputs.bytes.subarray(1, 4).toString(), 'HDF')

  await plotOf(page, 'slide.position').getByLabel('Kind of plot').selectOption('spectrum')
  const spectrum = readCsv((await savePlot(page, 'slide.position', 'csv')).bytes.toString())
  assert.deepEqual(spectrum.head, ['f [Hz]', 'slide.position [m]'])
  const [peak] = [...spectrum.rows].sort((a, b) => b[1] - a[1])
  const step = spectrum.rows[1][0]
  assert.ok(Math.abs(peak[0] - 3) <= step, `peak at ${peak[0]} Hz, step ${step} Hz`)
  assert.ok(peak[1] > 0.15 && peak[1] < 0.21, `amplitude ${peak[1]} m`)
  await leave(page)
})

test('text both ways: comments stay, mistakes are underlined, right text is applied, nobody is overwritten', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await page.keyboard.press('e')
  const text = page.getByRole('textbox', { name: 'Text of the model' })
  const shows = (words) => until(page, (w) => document.querySelector('.cm-content')?.innerText.includes(w), words)
  const replace = async (what, by) => {
    await text.evaluate((_, w) => getSelection().removeAllRanges(), what)
    const line = page.locator('.cm-line', { hasText: what })
    await line.first().click()
    await page.keyboard.press('Home')
    await page.keyboard.press('Shift+End')
    await page.keyboard.insertText(by)
  }
  await shows('# Planar four-bar linkage')
  await page.getByRole('separator', { name: 'Height of the panel' }).focus()
  for (let k = 0; k < 9; k++) await page.keyboard.press('ArrowUp')

  assert.ok((await ask(page, 'command', { command: { gravity: [0, -1.62] } })).ok)
  await shows('gravity: [0, -1.62]')
  await shows('# Planar four-bar linkage')

  await replace('gravity: [0, -1.62]', 'gravty: [0, -3.7]')
  await page.locator('.cm-lintRange-error').waitFor()
  await panel(page, 'Text')
    .getByText(/did you mean 'gravity'/)
    .waitFor()
  await bench.shoot(page, 'text')
  await page.locator('.cm-lintRange-error').first().hover()
  await page
    .locator('.cm-tooltip')
    .getByText(/did you mean 'gravity'/)
    .waitFor()
  assert.match((await ask(page, 'text')).text, /-1\.62/)

  let revision = await page.evaluate(() => window.tenon.revision)
  await page.locator('.cm-tooltip').getByRole('button', { name: 'Change to gravity' }).click()
  await until(page, (r) => window.tenon.revision > r, revision)
  assert.match((await ask(page, 'text')).text, /gravity: \[0, -3\.7\]/)
  revision = await page.evaluate(() => window.tenon.revision)
  await replace('gravity: [0, -3.7]', 'gravity: [0, -3.71]')
  await until(page, (r) => window.tenon.revision > r, revision)
  assert.match((await ask(page, 'text')).text, /^# Planar four-bar linkage[\s\S]*gravity: \[0, -3\.71\]/)
  assert.equal(await page.locator('.cm-lintRange-error').count(), 0)

  await replace('gravity: [0, -3.71]', 'gravty: [0, -5]')
  await page.locator('.cm-lintRange-error').waitFor()
  assert.ok((await ask(page, 'command', { command: { disable: 'hinge' } })).ok)
  await panel(page, 'Text')
    .getByText(/changed elsewhere/)
    .waitFor()
  await shows('gravty: [0, -5]')
  await page.getByRole('button', { name: 'Health', exact: true }).click() // what is typed stays meanwhile
  await page.getByRole('region', { name: 'Health' }).getByText('Freedoms').waitFor()
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await shows('gravty: [0, -5]')
  await page.getByRole('button', { name: 'Reload' }).click()
  await shows('gravity: [0, -3.71]')
  assert.ok(!(await page.evaluate(() => document.querySelector('.cm-content').innerText)).includes('gravty'))

  await replace('gravity: [0, -3.71]', 'gravity: [0, -8.87]')
  await page.keyboard.press('Control+Enter')
  await panel(page, 'Text')
    .getByText(/applied at/)
    .waitFor()
  assert.match((await ask(page, 'text')).text, /-8\.87/)
  await leave(page)
})

test('journey 4: a slider-crank is drawn with ten clicks; path, velocity and acceleration, CSV', async () => {
  const { page } = await bench.visit('door')
  await page.keyboard.press('o')
  await page.getByRole('button', { name: 'Empty, in the plane' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('0 bodies, 0 joints').waitFor()
  const began = Date.now()
  const card = page.getByRole('region', { name: 'Sketch' })
  await page.keyboard.press('k')
  await card.waitFor()
  await page.waitForTimeout(300) // the card has its place, and the picture its size
  const canvas = await page.locator('canvas.picture').boundingBox()
  const [x, y] = [canvas.x + canvas.width / 2, canvas.y + canvas.height / 2]
  const click = async (dx, dy) => {
    await page.mouse.move(x + dx, y + dy, { steps: 2 })
    await page.mouse.down()
    await page.mouse.up()
  }
  await click(-130, 0)
  await click(-70, -60)
  await until(page, hasName, ['link_1', true])
  await click(110, 0)
  await until(page, hasName, ['link_2', true])
  await page.keyboard.press('Escape')
  await card.getByRole('radio', { name: 'Slider in slot' }).click()
  await click(110, 0)
  await click(200, 0)
  await until(page, hasName, ['slider_1', true])
  await card.getByRole('radio', { name: 'Motor' }).click()
  await click(-130, 0)
  await until(page, hasName, ['pin_1_drive', true])
  await card.getByRole('radio', { name: 'Path' }).click()
  await click(20, -30)
  const seconds = (Date.now() - began) / 1000
  console.log(`# drawn in ${seconds.toFixed(1)} s`)
  await page.keyboard.press('Escape')
  assert.deepEqual((await names(page)).sort(), [
    'link_1',
    'link_2',
    'pin_1',
    'pin_1_drive',
    'pin_2',
    'pin_3',
    'slide_1',
    'slider_1',
  ])
  assert.equal((await ask(page, 'health')).freedoms, 0)

  await row(page, 'slide_1').click()
  await page.getByRole('button', { name: 'position.rate', exact: true }).click()
  await page.getByRole('button', { name: 'position.acceleration', exact: true }).click()
  await plotOf(page, 'slide_1.position.rate').waitFor()
  await row(page, 'link_1').click()
  await page.getByRole('button', { name: 'angle', exact: true }).click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await goOn(page, 1.2)
  await pause(page)
  await bench.shoot(page, 'sketch')
  const shape = (name) => page.evaluate((n) => window.tenon.pose(n), name)
  const [crank, rod] = [await shape('link_1'), await shape('link_2')]
  const r = Math.hypot(rod[0] - crank[0], rod[1] - crank[1])
  const block = await shape('slider_1')
  const L = Math.hypot(block[0] - rod[0], block[1] - rod[1])

  const angles = await curve(page, 'link_1.angle')
  const { head, rows } = readCsv((await savePlot(page, 'slide_1.position.rate', 'csv')).bytes.toString())
  assert.deepEqual(head, ['t [s]', 'slide_1.position.rate [m/s]'])
  const omega = 2 * Math.PI
  for (const [t, v] of rows) {
    const a = angles.y[angles.t.indexOf(t)]
    if (!Number.isFinite(a) || !Number.isFinite(v)) continue
    const expected = -omega * r * Math.sin(a) * (1 + (r * Math.cos(a)) / Math.sqrt(L * L - (r * Math.sin(a)) ** 2))
    assert.ok(Math.abs(v - expected) < 1e-4 * omega * r, `${v} instead of ${expected} m/s at ${t} s`)
  }
  assert.ok(rows.length > 15)
  await savePlot(page, 'slide_1.position.acceleration', 'csv')
  await leave(page)
})

test('journey 6: the journal of the studio, replayed by the program, gives the same state', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await goOn(page, 0.2)
  await pause(page)
  await page.getByLabel('Speed').selectOption('0.2')
  const spot = await pointAt(page, 'coupler')
  await page.mouse.down()
  await page.keyboard.press('Space')
  await until(page, () => window.tenon.running)
  await page.mouse.move(spot.x + 20, spot.y - 40, { steps: 4 })
  await goOn(page, 0.1)
  await page.mouse.up()
  await page.getByLabel('Speed').selectOption('1')
  await row(page, 'elbow').click()
  await page.keyboard.press('Delete')
  await until(page, hasName, ['elbow', false])
  await goOn(page, 0.2)
  await page.keyboard.press('Control+z')
  await until(page, hasName, ['elbow', true])
  await goOn(page, 0.1)
  await pause(page)
  const { hash } = await ask(page, 'command', { command: { enable: 'elbow' } })
  assert.match(hash, /^[0-9a-f]{16}$/)
  await page.getByRole('button', { name: 'Export' }).click()
  const { file, bytes } = await taken(page, () => page.getByRole('button', { name: /^Journal/ }).click())
  assert.match(bytes.toString(), /- \{ pull: [\s\S]*- \{ do: \{"remove":"elbow"\}/)
  const answer = JSON.parse(tenon('replay', file, '--check', '--json'))
  assert.equal(answer.ok, true)
  assert.equal(answer.hash, hash)
  await leave(page)
})

test('files: picture, film, zip, text and run are good', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await page.evaluate(() => window.tenon.look(true))
  const export_ = async (name) => {
    await page.getByRole('button', { name: 'Export' }).click()
    return page.getByRole('button', { name })
  }
  const picture = await export_(/^Picture/)
  const { bytes } = await taken(page, () => picture.click())
  assert.ok(isPng(bytes) && bytes.length > 10000, `${bytes.length} bytes`)

  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await (await export_(/^Film/)).click()
  await until(page, () => window.tenon.filmed > 5000)
  const film = await taken(page, () => page.getByRole('button', { name: 'Stop filming' }).click())
  assert.equal(film.bytes.readUInt32BE(0), 0x1a45dfa3)
  assert.ok(film.bytes.includes('webm') && film.bytes.length > 5000, `${film.bytes.length} bytes`)
  await pause(page)

  await row(page, 'pivot').click()
  await page.keyboard.press('p')
  await plotOf(page, 'pivot.angle').waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByLabel('Pictures and films with the plots over the view').waitFor()
  const over = await taken(page, () => page.getByRole('button', { name: /^Picture/ }).click())
  assert.ok(isPng(over.bytes) && !over.bytes.equals(bytes))
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await (await export_(/^GIF film/)).click()
  await page.getByRole('button', { name: /^Stop filming \(([2-9]|\d\d)/ }).waitFor({ timeout: PATIENCE })
  const gif = await taken(page, () => page.getByRole('button', { name: 'Stop filming' }).click())
  assert.equal(gif.bytes.subarray(0, 6).toString(), 'GIF89a')
  assert.ok(picturesOf(gif.bytes) >= 2, 'pictures of the GIF')
  if (await page.evaluate(() => MediaRecorder.isTypeSupported('video/mp4'))) {
    await (await export_(/^MP4 film/)).click()
    await goOn(page, 0.5) // of this kind all bytes may come at the end
    const mp4 = await taken(page, () => page.getByRole('button', { name: 'Stop filming' }).click())
    assert.equal(mp4.bytes.subarray(4, 8).toString(), 'ftyp')
  }
  await page.evaluate(() => window.tenon.look(false))
  await goOn(page, 0.1)
  await pause(page)

  const model = await export_(/^Model text/)
  const yaml = await taken(page, () => model.click())
  tenon('check', yaml.file)
  const zip = await export_(/^Model, zipped/)
  const packed = await taken(page, () => zip.click())
  assert.equal(packed.bytes.readUInt32BE(0), 0x504b0304)
  assert.ok(packed.bytes.includes('four-bar.yaml'))
  const kept = await export_(/^Run model/)
  const saved = await taken(page, () => kept.click())
  const now = await time(page)
  assert.match(tenon('run', saved.file, '--until', String(now + 0.01), '--json'), /"ok":\s*true/)
  await leave(page)
})

test('a page with sliders is made in the export; it has the motions of the values that were typed', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: /^Page with sliders/ }).click()
  const form = page.getByRole('dialog', { name: 'Page with sliders' })
  await form.getByLabel('r from').fill('0.3')
  await form.getByLabel('r to').fill('0.1')
  await form.getByText('r: from is less than to.').waitFor()
  assert.deepEqual(await violations(page, false, 'dialog'), [])
  await form.getByLabel('r from').fill('0.1')
  await form.getByLabel('r to').fill('0.25')
  await form.getByLabel('r values').fill('3')
  await form.getByLabel('Length of the run').fill('0.2')
  await bench.shoot(page, 'page')
  const made = await taken(page, () => form.getByRole('button', { name: 'Make the page' }).click())
  const text = made.bytes.toString()
  assert.deepEqual(JSON.parse(text.match(/id="sliders">(.*?)<\/script>/)[1]), [
    { name: 'r', unit: 'm', values: [0.1, 0.175, 0.25], start: 1 },
  ])
  assert.equal(text.match(/ id="motion(-\d)?">/g).length, 3)
  await page.getByRole('button', { name: 'Copy the line' }).click()
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^<iframe src="four-bar-linkage.html" title="Four-bar linkage"/)
  assert.equal(await time(page), 0)
  await leave(page)
})

test('natural motions: frequencies of the engine, shown on the mechanism', async () => {
  const { page } = await bench.visit('double-pendulum')
  await ready(page, 'upper')
  await page.getByRole('button', { name: 'Analysis' }).click()
  await page.getByRole('button', { name: 'Find equilibrium' }).click()
  await panel(page, 'Analysis').getByText('Equilibrium: stable').waitFor()
  await page.getByRole('button', { name: 'Linearise here' }).click()
  const { modes } = await ask(page, 'modes', { bodies: 1 })
  await panel(page, 'Analysis')
    .getByText(`${Number(modes[0].frequency.toPrecision(4))} Hz`)
    .waitFor()
  const still = await bench.look(page)
  await page.getByRole('button', { name: 'Show', exact: true }).first().click()
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  while ((await bench.look(page)).sum === still.sum); // until it has moved
  await bench.shoot(page, 'modes')
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.mouse.move(5, 5)
  await until(page, () => document.querySelector('[aria-pressed=true].plain') === null)
  await leave(page)
})

test('no violations of the accessibility rules in the panels, light and dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page } = await bench.visit('four-bar', { colorScheme })
    await ready(page, 'coupler')
    const check = async (what, ...within) =>
      assert.deepEqual(await violations(page, colorScheme === 'dark', ...within), [], `${what}, ${colorScheme}`)
    await row(page, 'pivot').click()
    await page.keyboard.press('p')
    await plotOf(page, 'pivot.angle').waitFor()
    await check('plots', 'footer')
    await page.getByRole('button', { name: 'Text', exact: true }).click()
    await page.getByRole('textbox', { name: 'Text of the model' }).waitFor()
    await check('text', 'footer')
    await page.getByRole('button', { name: 'Analysis' }).click()
    await page.getByRole('button', { name: 'Linearise here' }).click()
    await page.getByText(/Small motions about/).waitFor()
    await page.getByRole('button', { name: 'Sketch' }).click()
    await page.getByRole('region', { name: 'Sketch' }).waitFor()
    await check('analysis and sketch', 'footer', 'main')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('dialog', { name: 'Export' }).waitFor()
    await check('export', 'dialog')
    await leave(page)
  }
})

test('a sweep: curves and numbers of the engine, a table of them, and the session stays as it is', async () => {
  const { page } = await bench.visit('quarter-car')
  await ready(page, 'wheel')
  const parameter = panel(page, 'Parameters').getByLabel('suspension', { exact: true }).first()
  assert.equal(await parameter.inputValue(), '20000')
  await page.getByRole('button', { name: 'Analysis' }).click()
  await page.getByRole('button', { name: 'Sweep', exact: true }).click()
  const form = page.getByRole('form', { name: 'Sweep' })
  const fill = async (fields) => {
    for (const [label, text] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(text)
  }
  await fill({
    sweep: 'suspension',
    'from, to': '10000',
    to: '40000',
    'runs, until': '4',
    until: '1',
    'look at': 'body.position.y',
  })
  await form.getByRole('button', { name: 'Run the sweep' }).click()
  const result = page.getByRole('group', { name: 'Runs of the sweep' })
  await result.getByText('4 of 4 runs').waitFor()
  await form.getByRole('button', { name: 'Run the sweep' }).waitFor()
  await bench.shoot(page, 'sweep')
  await page.getByLabel('What of the runs').selectOption('final')
  const saved = await taken(page, () => page.getByLabel('Save the sweep').selectOption('csv'))
  const { head, rows } = readCsv(saved.bytes.toString())
  assert.deepEqual([head[0], rows.map(([k]) => k)], ['suspension [kg/s^2]', [10000, 20000, 30000, 40000]])
  assert.equal(await time(page), 0)
  await ask(page, 'run_to', { time: 1 })
  await until(page, () => window.tenon.time >= 1 && !window.tenon.running)
  assert.ok(Math.abs((await value(page, 'body.position.y')) - rows[1][1]) < 1e-6, `${rows[1]}`)
  await fill({ 'runs, until': '200', until: '10000' })
  await form.getByRole('button', { name: 'Run the sweep' }).click()
  await form.getByRole('button', { name: 'Cancel' }).click()
  await form.getByRole('button', { name: 'Run the sweep' }).waitFor()
  await leave(page)
})

test('deleting a body shows first what goes with it: joints, drives, and curves of plots; one undo restores all', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await row(page, 'coupler').click()
  await page.keyboard.press('p')
  await plotOf(page, 'coupler.position.x').waitFor()
  await page.keyboard.press('Delete')
  await page.getByText(/Plots lose coupler\.position\.x, coupler\.position\.y/).waitFor()
  assert.equal(await page.locator('li.doomed').count(), 2)
  await page.getByRole('button', { name: 'Delete', exact: true }).last().click()
  await until(page, hasName, ['coupler', false])
  await until(page, () => document.querySelectorAll('li.gone').length === 2)
  await page.keyboard.press('Control+z')
  await until(page, hasName, ['elbow', true])
  await until(page, () => document.querySelectorAll('li.gone').length === 0)
  await leave(page)
})
