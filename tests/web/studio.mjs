// What tests of the studio share: the program, a browser, and looking at pictures.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { chromium } = createRequire(path.join(root, 'web/package.json'))('playwright-core')
const PATIENCE = 60000 // ms

/** A browser and the program under test; close() ends both. Screenshots go to the folder `pictures`. */
export async function begin(program, pictures) {
  const state = mkdtempSync(path.join(tmpdir(), 'tenon-studio-'))
  const servers = []
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  })
  const analyst = await browser.newPage()
  mkdirSync(pictures, { recursive: true })

  /** Starts the studio, with a model of the examples (or elsewhere, by absolute path) or none; the addresses. */
  async function serve(model, ...options) {
    const operands = model ? [path.resolve(root, 'examples', `${model}.yaml`)] : []
    const words = ['studio', ...operands, '--json', '--no-browser', '--paused', '--state', state, ...options]
    const server = spawn(program, words, { cwd: state, stdio: ['ignore', 'pipe', 'inherit'] })
    servers.push(server)
    let text = ''
    for await (const line of createInterface({ input: server.stdout })) {
      text += line
      if (line.startsWith('}')) break
    }
    return { ...JSON.parse(text), end: () => end(server) }
  }

  async function open(url, options = {}) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme: 'light',
      ...options,
    })
    const page = await context.newPage()
    page.complaints = []
    page.on('console', (message) => message.type() === 'error' && page.complaints.push(message.text()))
    page.on('pageerror', (error) => page.complaints.push(error.message))
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL(url).origin) && !/^(data|blob):/.test(request.url()))
        page.complaints.push(`asked for ${request.url()}`)
    })
    await page.goto(url)
    return page
  }

  async function close() {
    await browser.close()
    await Promise.all(servers.map(end))
    rmSync(state, { recursive: true })
  }
  const shoot = (page, name) => page.screenshot({ path: path.join(pictures, `${name}.png`) })
  return { serve, open, close, shoot, look: (page) => look(analyst, page) }
}

function end(server) {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve()
  return new Promise((done) => {
    server.on('exit', done)
    server.kill('SIGINT')
  })
}

/** Polls from outside: the page forbids the evaluation of strings, which waitForFunction needs. */
export async function until(page, condition, argument) {
  const deadline = Date.now() + PATIENCE
  while (!(await page.evaluate(condition, argument))) {
    assert.ok(Date.now() < deadline, `not in time: ${condition}`)
    await page.waitForTimeout(20)
  }
}

export const names = (page) => page.evaluate(() => window.tenon.names)
export const time = (page) => page.evaluate(() => window.tenon.time)
export const hasName = ([name, wanted]) => window.tenon.names.includes(name) === wanted
/** Of the tree, by the path of a component. */
export const row = (page, name) => page.locator(`[role=treeitem][data-name="${name}"]`)

export async function ready(page, body) {
  await until(page, hasName, [body, true])
  await until(page, (name) => window.tenon.place(name) !== undefined, body)
}

/** Lets the run go on for so many simulated seconds. */
export async function goOn(page, seconds) {
  const goal = (await time(page)) + seconds
  await until(page, (t) => window.tenon.time > t, goal)
}

export async function leave(page) {
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

/** Colours in the view: how many pixels are vivid (bodies are, background and controls are not), and a checksum. */
async function look(analyst, page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const clip = await page.locator('canvas.picture').boundingBox()
  const picture = (await page.screenshot({ clip })).toString('base64')
  return analyst.evaluate(async (data) => {
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
}
