// What tests of the studio share: the program, a browser, and looking at pictures.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test as testOfNode } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { chromium } = createRequire(path.join(root, 'web/package.json'))('playwright-core')
const PATIENCE = 120000 // ms: a busy machine takes long
const LONGEST_TEST = 240000 // ms

/** A function from paths to the files of the page with what the tests look at; the page that is served gets its entry. */
function readTestPage(folder) {
  const lines = readFileSync(path.join(folder, 'manifest.txt'), 'utf8').trim().split('\n')
  const files = new Map()
  for (const [where, contentType, packing, file] of lines.map((line) => line.split('\t'))) {
    const bytes = readFileSync(file)
    files.set(where, {
      contentType,
      body: packing === 'gzip' ? gunzipSync(bytes) : bytes,
    })
  }
  const isEntry = (where) => /^\/assets\/main-[^/]*\.js$/.test(where)
  const [entry] = [...files.keys()].filter(isEntry)
  const instead = { contentType: 'text/javascript', body: `import '${entry}'` } // other files import the entry by its name
  return (where) => files.get(where) ?? (isEntry(where) ? instead : undefined)
}

const SIZE = { width: 1280, height: 800 }
/** Software draws the view; a quarter of the pixels is enough to see what is there. PICTURES=full draws all of them. With
 * PICTURES set, pictures of the pages are kept. */
const deviceScaleFactor = process.env.PICTURES === 'full' ? 1 : 0.5

let shared

/** A test that ends: where the page no longer answers, it fails, and the next test has a new server and a new page. */
export function test(name, ...rest) {
  const act = rest.pop()
  testOfNode(name, ...rest, async () => {
    let timer
    const late = new Promise((_, fail) => {
      timer = setTimeout(() => fail(new Error(`not done after ${LONGEST_TEST / 1000} s`)), LONGEST_TEST)
    })
    try {
      await Promise.race([act(), late])
    } catch (error) {
      ;(await shared)?.forgetCommon()
      throw error
    } finally {
      clearTimeout(timer)
    }
  })
}

/** One browser and one server for all suites of a process. Screenshots go to the folder `pictures`; `testPage` is the folder
 * of the page with what the tests look at. close() ends both when the last suite is done. */
export async function begin(program, pictures, testPage) {
  shared ??= start(program, pictures, testPage)
  const bench = await shared
  bench.users++
  return bench
}

async function start(program, pictures, testPage) {
  const state = mkdtempSync(path.join(tmpdir(), 'tenon-studio-'))
  const servers = []
  const lookUp = readTestPage(testPage)
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--disable-gpu-compositing', // software draws the view only: to put pages together by it takes four times as long
    ],
  })
  const analyst = await browser.newPage()
  mkdirSync(pictures, { recursive: true })

  /** Starts the studio, with a model of the examples (or elsewhere, by absolute path) or none; the addresses. */
  async function serve(model, ...options) {
    const operands = model ? [path.resolve(root, 'examples', `${model}.yaml`)] : []
    const words = ['studio', ...operands, '--json', '--no-browser', '--paused', '--state', state, ...options]
    const server = spawn(program, words, {
      cwd: state,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    servers.push(server)
    let text = ''
    for await (const line of createInterface({ input: server.stdout })) {
      text += line
      if (line.startsWith('}')) break
    }
    return {
      ...JSON.parse(text),
      end: () => end(server),
      kill: () => server.kill('SIGKILL'),
    }
  }

  function watch(page, url) {
    page.complaints = []
    page.on('console', (message) => message.type() === 'error' && page.complaints.push(message.text()))
    page.on('pageerror', (error) => page.complaints.push(error.stack ?? error.message))
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL(url).origin) && !/^(data|blob):/.test(request.url()))
        page.complaints.push(`asked for ${request.url()}`)
    })
  }

  /** A page of its own. shipped: as users have it, without what the tests look at. */
  async function open(url, { shipped = false, ...options } = {}) {
    const context = await browser.newContext({
      viewport: SIZE,
      colorScheme: 'light',
      deviceScaleFactor,
      ...options,
    })
    if (!shipped)
      await context.route('**/assets/*', (route) => {
        const file = lookUp(new URL(route.request().url()).pathname)
        return file ? route.fulfill({ status: 200, ...file }) : route.continue()
      })
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    watch(page, url)
    await page.goto(url)
    return page
  }

  /** The page that most tests share, and the server behind it. */
  let common
  async function openCommon() {
    const server = await serve()
    const page = await open(server.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    page.isCommon = true
    await until(page, () => window.tenon?.revision > 0)
    return { server, page }
  }

  /** The next test opens another one. */
  function forgetCommon() {
    common?.then(({ server, page }) => {
      server.kill()
      return page.context().close()
    }).catch(() => undefined) // it may never have been opened
    common = undefined
  }

  /** A model of the gallery on the common page, paused at its start, as if the page had just been loaded. */
  async function visit(model, { colorScheme = 'light' } = {}) {
    const { server, page } = await (common ??= openCommon())
    page.complaints.length = 0
    await page.emulateMedia({ colorScheme })
    await page.mouse.up() // a test that failed may have left it down
    await page.mouse.move(2, 2)
    const good = async (verb, more) => {
      const answer = await ask(page, verb, more)
      assert.ok(answer.ok, answer.message)
      await until(page, (revision) => window.tenon.revision >= revision, answer.revision)
    }
    await page.evaluate(() => window.tenon.reset())
    await good('open', { model })
    const { document, documents } = await ask(page, 'session')
    for (const { number } of documents)
      if (number !== document) await good('close', { document: number, discard: true })
    await until(page, (number) => window.tenon.document === number, document)
    await page.evaluate(() => window.tenon.reset())
    await until(page, () => window.tenon.time === 0 && !window.tenon.running)
    return { page, ...server }
  }

  async function close() {
    if (--bench.users > 0) return
    await browser.close()
    await Promise.all(servers.map(end))
    rmSync(state, { recursive: true })
  }
  /** A picture of the page for people; tests alone need none. */
  const shoot = async (page, name) => {
    if (process.env.PICTURES) await watched(page, () => page.screenshot({ path: path.join(pictures, `${name}.png`) }))
  }
  const bench = {
    users: 0,
    serve,
    open,
    visit,
    forgetCommon,
    close,
    shoot,
    look: (page) => look(analyst, page),
  }
  return bench
}

function end(server) {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve()
  return new Promise((done) => {
    server.on('exit', done)
    server.kill('SIGINT')
  })
}

/** What the accessibility rules find on a page, one line each. colours: those about contrast only, which are all that
 * another theme can break. within: selectors of the parts that are looked at; all of the page without them. */
export async function violations(page, colours = false, ...within) {
  if (!(await page.evaluate(() => Boolean(window.axe)))) {
    const file = createRequire(path.join(root, 'web/package.json')).resolve('axe-core/axe.min.js')
    const wire = await page.context().newCDPSession(page)
    await wire.send('Runtime.evaluate', { expression: readFileSync(file, 'utf8') }) // past the policy of the page
    await wire.detach()
  }
  await page.evaluate(async () => {
    const ended = document.getAnimations().map((change) => change.finished.catch(() => undefined))
    const longest = new Promise((done) => setTimeout(done, 500)) // colours change over a moment; some change for ever
    await Promise.race([Promise.all(ended), longest])
  })
  const found = await page.evaluate(
    ([rules, parts]) =>
      window.axe.run(parts.length > 0 ? { include: parts.map((part) => [part]) } : document, {
        resultTypes: ['violations'],
        ...(rules ? { runOnly: rules } : {}),
      }),
    [colours ? ['color-contrast'] : undefined, within],
  )
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`)
}

/** Waits within the page, which takes less of the machine than asking it again and again. The page forbids the evaluation of
 * strings, which waitForFunction needs, except for the tests' own calls, before they first wait. */
export async function until(page, condition, argument) {
  const came = await page.evaluate(
    ([text, given, patience]) => {
      const holds = (0, eval)(`(${text})`)
      const deadline = Date.now() + patience
      return new Promise((done, failed) => {
        const look = async () => {
          if (await holds(given)) done(true)
          else if (Date.now() > deadline) done(false)
          else setTimeout(() => look().catch(failed), 20)
        }
        look().catch(failed)
      })
    },
    [String(condition), argument, PATIENCE],
  )
  assert.ok(came, `not in time: ${condition}`)
}

/** Does something while the view is drawn; the page as it is shipped always draws. */
export async function watched(page, act) {
  await page.evaluate(() => window.tenon?.look(true))
  await drawn(page)
  const result = await act()
  await page.evaluate(() => window.tenon?.look(false))
  return result
}

/** The picture shows what there is, or, while it moves, what there was a moment ago. */
async function drawn(page) {
  await page.evaluate(async () => {
    const turn = () => new Promise((done) => requestAnimationFrame(done))
    const before = window.tenon?.pictures
    const due = () => window.tenon && !window.tenon.drawn && window.tenon.pictures === before
    for (let k = 0; k < 2 || due(); k++) await turn()
  })
}

export const names = (page) => page.evaluate(() => window.tenon.names)
export const time = (page) => page.evaluate(() => window.tenon.time)
/** A component is there, or not, and the view is up to date. */
export const hasName = ([name, wanted]) => window.tenon.names.includes(name) === wanted && window.tenon.settled
/** Of the tree, by the path of a component. */
export const row = (page, name) => page.locator(`[role=treeitem][data-name="${name}"]`)

export async function ready(page, body) {
  await until(page, hasName, [body, true])
  await until(page, (name) => window.tenon.place(name) !== undefined, body)
}

/** Where a component is on the page, in pixels, once the camera and the panels hold still. */
export async function place(page, name) {
  const look = () => page.evaluate((n) => window.tenon.place(n), name)
  const deadline = Date.now() + PATIENCE
  for (let before = await look(); ; ) {
    await page.waitForTimeout(100)
    const now = await look()
    if (now && before && Math.hypot(now.x - before.x, now.y - before.y) < 0.5) return now
    assert.ok(Date.now() < deadline, `${name} does not hold still`)
    before = now
  }
}

/** Moves the mouse onto a body until the page says that it is there; where that is. */
export async function pointAt(page, body) {
  const deadline = Date.now() + PATIENCE
  for (;;) {
    const spot = await place(page, body)
    await page.mouse.move(spot.x - 1, spot.y)
    await page.mouse.move(spot.x, spot.y)
    await page.waitForTimeout(50)
    if ((await page.evaluate(() => window.tenon.hovered)) === body) return spot
    assert.ok(Date.now() < deadline, `the mouse is not on ${body}`)
  }
}

/** Takes the run on by so many simulated seconds as fast as it goes; it stands still there. The answer to 'step' comes before
 * the steps are taken: what is read afterwards would be of any of them. */
export async function advance(page, seconds) {
  const goal = (await time(page)) + seconds
  const answer = await ask(page, 'run_to', { time: goal, speed: 'max' })
  assert.ok(answer.ok, answer.message)
  await until(page, (t) => window.tenon.time > t && !window.tenon.running, goal - 1e-9)
}

/** Lets the run go on for so many simulated seconds. */
export async function goOn(page, seconds) {
  const goal = (await time(page)) + seconds
  await until(page, (t) => window.tenon.time > t, goal)
}

/** Done for now with a page that others will use: a motion that nobody looks at would take its time all the same. */
export async function rest(page) {
  assert.deepEqual(page.complaints, [])
  await ask(page, 'speed', { value: 0 })
}

/** Done with a page. */
export async function leave(page) {
  if (page.isCommon) return rest(page)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
}

/** A question to the engine, past the page. */
export const ask = (page, verb, more) => page.evaluate(([v, m]) => window.tenon.ask(v, m), [verb, more])

export async function value(page, channel) {
  const answer = await ask(page, 'value', { channels: [channel] })
  assert.ok(answer.ok, answer.message)
  return answer.values[0]
}

/** Colours in the view: how many pixels of the page are vivid (bodies are, background and controls are not), and a checksum. */
async function look(analyst, page) {
  const clip = await page.locator('canvas.picture').boundingBox()
  const picture = (await watched(page, () => page.screenshot({ clip }))).toString('base64')
  return analyst
    .evaluate(async (data) => {
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
      return { vivid, sum }
    }, picture)
    .then(({ vivid, sum }) => ({ vivid: vivid / deviceScaleFactor ** 2, sum }))
}
