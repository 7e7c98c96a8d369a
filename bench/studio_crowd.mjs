// The studio's page with thousands of bodies: seconds to the first picture, seconds of a processor that the page and the drawing
// took until then, elements of the page, seconds a frame, in one browser for each program, as ratios to the first. The picture is
// drawn by software; on a busy machine only seconds of a processor mean something.
// usage: node bench/studio_crowd.mjs PROGRAM [PROGRAM ...] [--bodies N]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const { chromium } = createRequire(path.join(root, 'web/package.json'))('playwright-core')
const words = process.argv.slice(2)
const option = words.indexOf('--bodies')
const count = option < 0 ? 2000 : Number(words[option + 1])
const programs = (option < 0 ? words : words.slice(0, option)).map((word) => path.resolve(word))
const folder = mkdtempSync(path.join(tmpdir(), 'tenon-crowd-'))

/** Pendulums side by side, in space. */
function pendulums(n) {
  const all = (make) => Array.from({ length: n }, (_, k) => make(k, k % 50, Math.floor(k / 50))).join('\n')
  const body = (k, x, y) =>
    `  b${k}: { shapes: [{ box: { size: [0.1, 0.1, 0.6] }, mass: 1 kg }], position: [${x}, ${y}, 1.7] }`
  const joint = (k, x, y) => `  j${k}: { type: revolute, between: [ground, b${k}], at: [${x}, ${y}, 2], axis: y }`
  return `tenon: 1\nname: Crowd\ngravity: [0, 0, -9.81]\nbodies:\n${all(body)}\njoints:\n${all(joint)}\n`
}

async function serve(program) {
  const server = spawn(program, ['studio', path.join(folder, 'crowd.yaml'), '--json', '--no-browser', '--paused', '--state', folder])
  let text = ''
  for await (const line of createInterface({ input: server.stdout })) {
    text += line
    if (line.startsWith('}')) break
  }
  return { server, url: JSON.parse(text).url }
}

/** s of a processor so far: of pages, and of drawing. */
async function spent(wire) {
  const { processInfo } = await wire.send('SystemInfo.getProcessInfo')
  const sum = (kind) => processInfo.filter(({ type }) => type === kind).reduce((total, { cpuTime }) => total + cpuTime, 0)
  return { page: sum('renderer'), drawing: sum('GPU') }
}

/** Until the page has listed the bodies and drawn them. */
async function measure(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 0.5 })
  const wire = await browser.newBrowserCDPSession()
  const idle = await spent(wire)
  const began = performance.now()
  await page.goto(url)
  await page.locator('[role=treeitem][data-name="b0"]').waitFor({ timeout: 600000 })
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))
  await page.evaluate(drawn)
  const first = (performance.now() - began) / 1000
  const busy = await spent(wire)
  const elements = await page.evaluate(() => document.querySelectorAll('*').length)
  const before = performance.now()
  for (let k = 0; k < 3; k++) {
    await page.keyboard.press('Shift+ArrowLeft') // the camera turns: everything is drawn anew
    await page.evaluate(drawn)
  }
  const frame = (performance.now() - before) / 3000
  await page.close()
  return { first, page: busy.page - idle.page, drawing: busy.drawing - idle.drawing, elements, frame }
}

writeFileSync(path.join(folder, 'crowd.yaml'), pendulums(count))
const args = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args })
const results = []
for (const program of programs) {
  const { server, url } = await serve(program)
  results.push(await measure(browser, url))
  server.kill('SIGINT')
}
await browser.close()
rmSync(folder, { recursive: true, force: true })
const [reference] = results
results.forEach((result, k) => {
  const told = Object.entries(result).map(([what, value]) => {
    return `${what} ${value.toPrecision(3)} (${(value / reference[what]).toPrecision(2)})`
  })
  console.log(`${programs[k]}: ${told.join(', ')}`)
})
