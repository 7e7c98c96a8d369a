// The page of 'tenon animate' in a browser, offline: it plays, shows what the engine computed, and obeys its controls.
// usage: node test_animate.mjs PROGRAM
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { chromium } = createRequire(path.join(root, 'web/package.json'))('playwright-core')
const program = path.resolve(process.argv[2])
const folder = mkdtempSync(path.join(tmpdir(), 'tenon-web-'))
const hostileName = '</script><script>window.broken = 1</script>'

/** Software draws the pictures: a quarter of the pixels, without smooth edges, is enough to see what is there. */
const SMALL = { viewport: { width: 680, height: 440 }, deviceScaleFactor: 0.5 }

let browser, context, analyst

async function newContext(options) {
  const made = await browser.newContext({ ...SMALL, ...options })
  made.setDefaultTimeout(120000)
  await made.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype
    HTMLCanvasElement.prototype.getContext = function (kind, given) {
      return getContext.call(this, kind, kind.startsWith('webgl') ? { ...given, antialias: false } : given)
    }
  })
  return made
}

function tenon(...words) {
  return execFileSync(program, words, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** An example of the gallery with other outputs and a shorter run. */
function example(name, outputs, until) {
  const text = readFileSync(path.join(root, 'examples', `${name}.yaml`), 'utf8')
    .replace(/^outputs:.*$/m, `outputs: [${outputs}]`)
    .replace(/until: [^,]*/, `until: ${until}`)
  writeFileSync(path.join(folder, `${name}.yaml`), text)
  return `${name}.yaml`
}

/** Last row of the table of a run, by channel. */
function lastRow(model) {
  const lines = tenon('run', model, '--quiet').trim().split('\n')
  const values = lines.at(-1).split(',').map(Number)
  return Object.fromEntries(lines[0].split(',').map((title, k) => [title.replace(/ \[.*/, ''), values[k]]))
}

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--disable-gpu-compositing',
    ],
  })
  context = await newContext({ reducedMotion: 'reduce', colorScheme: 'light' })
  await context.setOffline(true)
  analyst = await context.newPage()
  tenon('animate', example('four-bar', 'coupler.position, coupler.angle, coupler.tracer.position', '1 s'), '-q')
  tenon('animate', example('gyroscope', 'rotor.position, rotor.orientation', '0.4 s'), '-q', '--speed', '0.2')
  const few = ['-q', '--fps', '20', '--slider', 'r=100mm:250mm:4', '-o', 'slider.html']
  tenon('animate', 'four-bar.yaml', ...few)
  writeFileSync(
    path.join(folder, 'hostile.yaml'),
    readFileSync(path.join(folder, 'four-bar.yaml'), 'utf8').replace(/^name:.*$/m, `name: "${hostileName}"`),
  )
  tenon('animate', 'hostile.yaml', '-q')
})

after(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true })
})

/** Opens a page; what it asks of the network and its errors are kept. */
async function open(name, options = {}) {
  const own = options.context ?? context
  const page = await own.newPage()
  page.complaints = []
  page.on('console', (message) => message.type() === 'error' && page.complaints.push(message.text()))
  page.on('pageerror', (error) => page.complaints.push(error.message))
  page.requests = []
  page.on('request', (request) => page.requests.push(request.url()))
  page.address = pathToFileURL(path.join(folder, `${name}.html`)).href
  await page.goto(page.address)
  return page
}

/** Polls from outside: the page forbids the evaluation of strings, which waitForFunction needs. */
async function until(page, condition, argument) {
  const deadline = Date.now() + 120000
  while (!(await page.evaluate(condition, argument))) {
    assert.ok(Date.now() < deadline, `not in time: ${condition}`)
    await page.waitForTimeout(20)
  }
}

async function close(page) {
  assert.deepEqual(page.complaints, [])
  assert.deepEqual(page.requests, [page.address])
  await page.close()
}

/** Colours of a picture: how many pixels are vivid (bodies are, background and controls are not), and a checksum. */
async function look(page) {
  const clip = { x: 0, y: 70, width: 680, height: 260 }
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const picture = (await page.screenshot({ clip })).toString('base64')
  const seen = await analyst.evaluate(async (data) => {
    const image = new Image()
    image.src = `data:image/png;base64,${data}`
    await image.decode()
    const canvas = new OffscreenCanvas(image.width, image.height)
    const pen = canvas.getContext('2d')
    pen.drawImage(image, 0, 0)
    const { data: bytes } = pen.getImageData(0, 0, image.width, image.height)
    let vivid = 0
    let sum = 0
    for (let i = 0; i < bytes.length; i += 4) {
      const [r, g, b] = bytes.subarray(i, i + 3)
      if (Math.max(r, g, b) - Math.min(r, g, b) > 90) vivid++
      sum = (31 * sum + r + 3 * g + 7 * b) % 1000000007
    }
    return { vivid, sum, light: (bytes[0] + bytes[1] + bytes[2]) / 3 }
  }, picture)
  return { ...seen, vivid: seen.vivid / SMALL.deviceScaleFactor ** 2 }
}

function assertNear(actual, expected, tolerance, what) {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual}, expected ${expected}`)
}

test('shows the mechanism and ends where the engine says, in the plane', async () => {
  const page = await open('four-bar')
  assert.equal(await page.title(), 'Four-bar linkage · Tenon')
  assert.equal(await page.locator('h1').textContent(), 'Four-bar linkage')
  const start = await look(page)
  assert.ok(start.vivid > 1000, `${start.vivid} vivid pixels`)
  await page.keyboard.press('End')
  const end = await look(page)
  assert.notEqual(end.sum, start.sum)
  await page.keyboard.press('Home')
  assert.equal((await look(page)).sum, start.sum)
  await page.keyboard.press('j')
  assert.notEqual((await look(page)).sum, start.sum)
  await page.locator('#scrub').fill(await page.locator('#scrub').getAttribute('max'))
  const { time, pose } = await page.evaluate(() => ({
    time: window.tenon.time,
    pose: window.tenon.pose('coupler'),
  }))
  const row = lastRow('four-bar.yaml')
  assert.equal(time, row.t)
  assertNear(pose.position[0], row['coupler.position.x'], 1e-6, 'x')
  assertNear(pose.position[1], row['coupler.position.y'], 1e-6, 'y')
  assertNear(2 * pose.rotation[0] * pose.rotation[3], Math.sin(row['coupler.angle']), 1e-6, 'sine of the angle')
  await close(page)
})

test('ends where the engine says, in space', async () => {
  const page = await open('gyroscope')
  await page.keyboard.press('End')
  const pose = await page.evaluate(() => window.tenon.pose('rotor'))
  const row = lastRow('gyroscope.yaml')
  'xyz'.split('').forEach((k, i) => assertNear(pose.position[i], row[`rotor.position.${k}`], 1e-6, k))
  const same = 'wxyz'.split('').reduce((sum, k, i) => sum + pose.rotation[i] * row[`rotor.orientation.${k}`], 0)
  assertNear(Math.abs(same), 1, 1e-6, 'orientation')
  assert.ok((await look(page)).vivid > 1000)
  await close(page)
})

test('plays, and controls do not jump', async () => {
  const page = await open('gyroscope')
  const places = () =>
    page.evaluate(() =>
      ['play', 'forward', 'duration', 'loop', 'speed'].map((id) => {
        const { x, y } = document.getElementById(id).getBoundingClientRect()
        return [id, x, y]
      }),
    )
  const text = () => page.locator('#time').textContent()
  const before = await places()
  assert.equal(await page.evaluate(() => window.tenon.playing), false, 'starts paused with reduced motion')
  const first = await text()
  await page.locator('#loop').click()
  await page.evaluate(() => {
    const play = document.getElementById('play')
    window.labels = [] // all that it has: on a busy machine the motion may be over before somebody looks
    new MutationObserver(() => window.labels.push(play.ariaLabel)).observe(play, { attributes: true })
  })
  await page.locator('#play').click()
  await until(page, (shown) => document.getElementById('time').textContent !== shown, first)
  await until(page, () => !window.tenon.playing)
  assert.equal(await page.evaluate(() => window.tenon.time === window.tenon.duration), true)
  assert.deepEqual(await page.evaluate(() => [...new Set(window.labels)]), ['Pause', 'Play'])
  assert.notEqual(await text(), first)
  assert.deepEqual(await places(), before)
  await close(page)
})

test('starts by itself where motion is welcome', async () => {
  const lively = await newContext({ offline: true, reducedMotion: 'no-preference', colorScheme: 'dark' })
  const page = await open('four-bar', { context: lively })
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
  await until(page, () => window.tenon.playing && window.tenon.frame > 3)
  await close(page)
  await lively.close()
})

test('keys; every control has a name and is reached by the Tab key', async () => {
  const page = await open('four-bar')
  const frame = () => page.evaluate(() => window.tenon.frame)
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await press('ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft')
  assert.equal(await frame(), 2)
  await press('End')
  assert.equal(await frame(), (await page.evaluate(() => window.tenon.frames)) - 1)
  await press('Home')
  assert.equal(await frame(), 0)
  await press(' ')
  assert.equal(await page.evaluate(() => window.tenon.playing), true)
  await press(' ')
  assert.equal(await page.evaluate(() => window.tenon.playing), false)
  for (const [key, id] of [
    ['j', 'joints'],
    ['g', 'grid'],
    ['l', 'loop'],
  ]) {
    await press(key)
    assert.equal(await page.locator(`#${id}`).getAttribute('aria-pressed'), 'false')
  }
  await press('p')
  assert.equal(await page.locator('#paths-panel').isVisible(), true)
  await press('Escape')
  assert.equal(await page.locator('#paths-panel').isVisible(), false)
  const normal = (await look(page)).sum
  await press('Shift+ArrowLeft', 'Shift+ArrowUp', '+')
  assert.notEqual((await look(page)).sum, normal)
  const speed = await page.locator('#speed').inputValue()
  await press(']')
  assert.notEqual(await page.locator('#speed').inputValue(), speed)
  await press('t')
  assert.ok((await look(page)).light < 80)
  await press('Escape')
  const ids = await page.evaluate(() =>
    [...document.querySelectorAll('button, input, select')].filter((e) => e.checkVisibility()).map((e) => e.id),
  )
  const reached = new Set()
  for (let k = 0; k <= ids.length; k++) {
    await page.keyboard.press('Tab')
    reached.add(await page.evaluate(() => document.activeElement.id))
  }
  for (const id of ids) {
    assert.ok(reached.has(id), id)
    const name = await page
      .locator(`#${id}`)
      .evaluate((e) => e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent)
    assert.ok(name, `name of ${id}`)
  }
  await close(page)
})

test('paths: outputs from the start, ticked and picked points', async () => {
  const page = await open('four-bar')
  const ticked = () => page.locator('#paths-list label:has(input:checked)').allTextContents()
  assert.deepEqual(await ticked(), ['coupler', 'coupler.tracer'])
  await page.keyboard.press('p')
  await page.getByLabel('rocker.tip').check()
  assert.deepEqual(await ticked(), ['coupler', 'coupler.tracer', 'rocker.tip'])
  await page.locator('#paths-clear').click()
  assert.deepEqual(await ticked(), [])
  await page.keyboard.press('Escape')
  const spot = await bodySpot(page)
  await page.mouse.click(spot.x, spot.y)
  assert.match((await ticked()).join(), /^\w+, picked point 1$/)
  await page.mouse.click(spot.x, spot.y)
  assert.deepEqual(await ticked(), [])
  await close(page)
})

/** A place on the canvas where the pointer finds the rocker, away from its ends. */
async function bodySpot(page) {
  const spots = await page.evaluate(() => {
    const canvas = document.getElementById('canvas')
    const hover = document.getElementById('hover')
    const found = []
    for (let x = 150; x < innerWidth - 150; x += 12)
      for (let y = 80; y < innerHeight - 120; y += 12) {
        canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y }))
        if (!hover.hidden && hover.textContent === 'rocker') found.push({ x, y })
      }
    return found
  })
  assert.ok(spots.length > 3, `the rocker is seen in ${spots.length} places`)
  return spots[Math.floor(spots.length / 2)]
}

test('a hostile name is only a name, and fits a phone', async () => {
  const page = await open('hostile')
  assert.equal(await page.locator('h1').textContent(), hostileName)
  assert.equal(await page.evaluate(() => window.broken), undefined)
  await page.setViewportSize({ width: 360, height: 640 })
  const outside = await page.evaluate(() =>
    [...document.querySelectorAll('button, input, select, output, h1')]
      .filter((e) => e.checkVisibility())
      .filter((e) => {
        const r = e.getBoundingClientRect()
        return r.left < 0 || r.right > innerWidth || r.bottom > innerHeight
      })
      .map((e) => e.id),
  )
  assert.deepEqual(outside, [])
  const inside = await page.evaluate(
    () =>
      document.getElementById('speed').getBoundingClientRect().right <=
      document.querySelector('footer').getBoundingClientRect().right,
  )
  assert.ok(inside, 'controls stay within their card')
  await close(page)
})

test('a page beside a running session follows it', async () => {
  const frame = new Float32Array([1.25, ...Array.from({ length: 3 }, () => [0.1, 0.2, 0, 1, 0, 0, 0]).flat()])
  const html = readFileSync(path.join(folder, 'four-bar.html'))
  let revision = 1
  const server = createServer((request, response) => {
    response.setHeader('Revision', String(revision))
    response.end(request.url === '/poses' ? Buffer.from(frame.buffer) : html)
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  const online = await newContext({ reducedMotion: 'reduce' })
  const page = await online.newPage()
  let loads = 0
  page.on('load', () => loads++)
  await page.goto(`http://127.0.0.1:${server.address().port}/?live`)
  await until(page, () => document.getElementById('time').textContent.startsWith('1.25'))
  const shown = await page.evaluate(() => window.tenon.pose('coupler').position)
  assert.ok(Math.abs(shown[0] - 0.1) < 1e-6 && Math.abs(shown[1] - 0.2) < 1e-6)
  assert.ok(await page.locator('#play').isHidden(), 'a live page has nothing to play')
  revision++
  while (loads < 2) await page.waitForEvent('load')
  server.closeAllConnections()
  server.close()
  await page.getByText('The session does not answer any more').waitFor()
  await online.close()
})

test('a slider shows the motion with another value, by mouse and keyboard; time and controls go on', async () => {
  const page = await open('slider')
  const slider = page.getByRole('slider', { name: 'r' })
  assert.equal(await slider.getAttribute('aria-valuetext'), '200 mm') // as the model has it
  const before = await look(page)
  await page.keyboard.press('ArrowRight')
  const time = await page.evaluate(() => window.tenon.time)
  assert.ok(time > 0)
  await slider.focus()
  await slider.press('Home')
  assert.equal(await slider.getAttribute('aria-valuetext'), '100 mm')
  assert.notEqual((await look(page)).sum, before.sum)
  assert.equal(await page.evaluate(() => window.tenon.time), time)
  await page.locator('#scrub').focus()
  await page.keyboard.press('End')
  const ends = await page.evaluate(() => window.tenon.pose('coupler').position)
  tenon('run', 'four-bar.yaml', '-q', '-p', 'r=100mm', '-o', 'short.csv')
  const [head, ...rows] = readFileSync(path.join(folder, 'short.csv'), 'utf8').trim().split('\n')
  const last = rows.at(-1).split(',').map(Number)
  for (const [k, axis] of ['x', 'y'].entries()) {
    const at = head.split(',').findIndex((name) => name.startsWith(`coupler.position.${axis}`))
    assertNear(ends[k], last[at], 1e-6, axis)
  }
  await close(page)
})
