// Draws the pictures of the gallery from the player's pages: node pictures.mjs PROGRAM [NAME...]. Writes src/studio/pictures/NAME.webp
// for every model in examples/, with a transparent background so that they suit light and dark.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const SIZE = { width: 400, height: 250 }
const QUALITY = 0.82
// Models that go far away: of the whole of their way nothing would be seen but a dot. Paths that are long hide what leaves them.
const UNTIL = {
  'double-pendulum': 2.5,
  'drive-train': 0.2,
  'lane-change': 0.05,
  quadcopter: 0.6,
  sleigh: 0.9,
  'tippe-top': 0.25,
  'rolling-disc': 0.5,
} // s
// Controls take no room.
const BARE = `
  header, footer, #scale { visibility: hidden; height: 0; padding: 0; border: 0; overflow: hidden }
  footer { top: 100%; bottom: auto }
  body { background: none }`
const program = path.resolve(process.argv[2])
const examples = fileURLToPath(new URL('../examples/', import.meta.url))
const target = fileURLToPath(new URL('src/studio/pictures/', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'tenon-pictures-'))
mkdirSync(target, { recursive: true })

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--use-gl=angle',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--disable-gpu-compositing',
  ],
})
const context = await browser.newContext({
  viewport: { width: SIZE.width, height: 2 * SIZE.height },
  deviceScaleFactor: 2,
  reducedMotion: 'reduce',
  colorScheme: 'light',
})
const converter = await context.newPage()

/** PNG to WebP, in the browser. */
const convert = (png) =>
  converter.evaluate(
    async ([data, quality]) => {
      const image = new Image()
      image.src = `data:image/png;base64,${data}`
      await image.decode()
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: image.width, height: image.height })
      canvas.getContext('2d').drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', quality).split(',')[1]
    },
    [png.toString('base64'), QUALITY],
  )

/** "four-bar.yaml", or a folder "car" with a "car.yaml" in it. */
const models = readdirSync(examples).flatMap((name) => {
  if (name.endsWith('.yaml')) return [{ name: path.basename(name, '.yaml'), file: name }]
  return existsSync(path.join(examples, name, `${name}.yaml`)) ? [{ name, file: `${name}/${name}.yaml` }] : []
})
const wanted = process.argv.slice(3)

for (const { name, file } of models.filter((model) => !wanted.length || wanted.includes(model.name))) {
  const animation = path.join(folder, `${name}.html`)
  const end = name in UNTIL ? ['--until', String(UNTIL[name])] : []
  execFileSync(program, ['animate', path.join(examples, file), '-q', '--fps', '240', '-o', animation, ...end])
  const page = await context.newPage()
  await page.goto(pathToFileURL(animation).href)
  await page.addStyleTag({ content: BARE })
  await page.setViewportSize(SIZE) // measures anew
  await page.keyboard.press('g')
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await page.keyboard.press('n')
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const png = await page.screenshot({ omitBackground: true })
  writeFileSync(path.join(target, `${name}.webp`), Buffer.from(await convert(png), 'base64'))
  await page.close()
}
await browser.close()
rmSync(folder, { recursive: true })
