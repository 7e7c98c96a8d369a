// Machines of other formats, dropped onto the studio: from a STEP file to a running model, decisions, folders, mistakes.
// usage: node test_import.mjs PROGRAM PICTURES TEST_PAGE
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before } from 'node:test'
import { ask, begin, goOn, hasName, ready, rest, test, time, until, value, violations } from './studio.mjs'

const program = path.resolve(process.argv[2])
const pictures = path.resolve(process.argv[3])
const maker = path.join(path.dirname(program), 'tests/make_step_files')
let bench
let folder
let machines
let server
let page

before(async () => {
  bench = await begin(program, pictures, path.resolve(process.argv[4]))
  folder = mkdtempSync(path.join(tmpdir(), 'tenon-models-'))
  machines = mkdtempSync(path.join(tmpdir(), 'tenon-machines-'))
  if (existsSync(maker)) execFileSync(maker, [machines], { stdio: 'ignore' })
  server = await bench.serve(undefined, '--folder', folder)
  page = await bench.open(server.url)
  await until(page, () => window.tenon?.revision > 0)
})
after(async () => {
  await page?.context().close()
  await server?.end()
  await bench?.close()
  rmSync(folder, { recursive: true })
  rmSync(machines, { recursive: true })
})

const ROBOT = `<robot name="pair">
  <link name="base"/>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="meshes/block.stl"/></geometry></visual></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>`
const BLOCK = `solid b
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 0.2 0 0
vertex 0 0.1 0
endloop
endfacet
endsolid b
`

/** As if files were dropped onto the page; their contents are bytes as base64. */
async function drop(page, files) {
  const data = await page.evaluateHandle(
    (list) => {
      const transfer = new DataTransfer()
      for (const { name, content, type } of list) {
        const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0))
        const file = new File([bytes], name.replace(/^.*\//, ''), { type })
        Object.defineProperty(file, 'webkitRelativePath', { value: name })
        transfer.items.add(file)
      }
      return transfer
    },
    files.map(({ name, content }) => ({
      name,
      content: Buffer.from(content).toString('base64'),
    })),
  )
  await page.dispatchEvent('.studio', 'dragover', { dataTransfer: data })
  await page.dispatchEvent('.studio', 'drop', { dataTransfer: data })
}

const wizard = (page) => page.getByRole('region', { name: 'Import' })
const idle = (page) => page.locator('.wizard .busy').waitFor({ state: 'hidden' })
const joint = (page, name) => wizard(page).locator(`[data-key="${name}"] .what`)

test(
  'from the STEP file of a slider-crank to a running model in at most 8 clicks',
  { skip: !existsSync(maker) },
  async () => {
    let clicks = 0
    const click = async (what) => {
      clicks++
      await what.click()
      await idle(page)
    }
    await drop(page, [
      {
        name: 'slider-crank.step',
        content: readFileSync(path.join(machines, 'slider-crank.step')),
      },
    ])
    await ready(page, 'crank')
    await idle(page)
    await wizard(page).getByText('1 freedom').waitFor()
    await bench.shoot(page, 'import-joints')
    assert.deepEqual(await violations(page, false, 'aside.right'), [])
    await click(joint(page, 'crank_rod')) // its faces are shown
    await bench.shoot(page, 'import-faces')
    await click(wizard(page).getByRole('tab', { name: 'Parts' }))
    clicks += 2 // opening a list, choosing from it
    await wizard(page).getByLabel('Material of all parts').selectOption('steel')
    await idle(page)
    await bench.shoot(page, 'import-parts')
    const { bodies } = await ask(page, 'health')
    const { mass } = bodies.find(({ name }) => name === 'crank')
    assert.ok(Math.abs(mass - 7850 * 9.754016870865735e-5) < 1e-9)
    clicks += 2
    await wizard(page).getByLabel('Joint to drive').selectOption('housing_crank.angle')
    await click(wizard(page).getByRole('button', { name: 'Drive it' }))
    await wizard(page).getByText('0 freedoms').waitFor()
    await click(wizard(page).getByRole('button', { name: 'Run' }))
    await goOn(page, 0.5)
    await bench.shoot(page, 'import-runs')
    assert.ok(clicks <= 8, `${clicks} clicks`)
    assert.ok(Math.abs((await value(page, 'housing_crank.angle.rate')) - 2 * Math.PI) < 1e-6)
    assert.match(readFileSync(path.join(folder, 'slider-crank/import.yaml'), 'utf8'), /about: "drive"/)
    await rest(page)
  },
)

test(
  'proposals are reviewed with keys; a sub-assembly is made flexible; free motions are shown',
  { skip: !existsSync(maker) },
  async () => {
    await drop(page, [
      {
        name: 'nested-crank.step',
        content: readFileSync(path.join(machines, 'nested-crank.step')),
      },
    ])
    await wizard(page).getByText('0 freedoms').waitFor()
    await wizard(page).getByRole('tab', { name: 'Parts' }).click()
    await wizard(page).getByRole('button', { name: 'running gear is rigid' }).click()
    await wizard(page).getByText('1 freedom').waitFor()
    await idle(page)
    await until(page, () => window.tenon.place('running_gear.piston') !== undefined)
    const before = await page.evaluate(() => window.tenon.place('running_gear.piston'))
    await wizard(page)
      .getByRole('button', { name: /housing_crank.angle|crank/ })
      .first()
      .click()
    await until(
      page,
      ({ x, y }) => {
        const now = window.tenon.place('running_gear.piston')
        return Math.hypot(now.x - x, now.y - y) > 2
      },
      before,
    )
    await bench.shoot(page, 'import-motion')
    await wizard(page)
      .getByRole('tab', { name: /Joints/ })
      .click()
    await joint(page, 'rod_piston').click()
    await page.keyboard.press('r')
    await wizard(page).getByText('3 freedoms').waitFor()
    await idle(page)
    await page.keyboard.press('4')
    await wizard(page).getByText('1 freedom').waitFor()
    await idle(page)
    assert.equal(await wizard(page).getByLabel('Type of rod_piston').inputValue(), 'spherical')
    await bench.shoot(page, 'import-keys')
    await wizard(page).getByRole('button', { name: 'Done' }).click()
    await wizard(page).waitFor({ state: 'hidden' })
    await rest(page)
  },
)

test('a folder comes with its meshes; several machines are asked about; mistakes are told', async () => {
  const files = [
    { name: 'pair/pair.urdf', content: ROBOT },
    { name: 'pair/meshes/block.stl', content: BLOCK },
  ]
  await drop(page, files)
  await ready(page, 'arm')
  await idle(page)
  assert.ok(existsSync(path.join(folder, 'pair/meshes/block.stl')))
  await wizard(page).getByRole('button', { name: 'Run' }).click()
  await goOn(page, 0.2)
  await drop(page, [...files, { name: 'pair/other.urdf', content: ROBOT.replace('pair', 'other') }])
  await wizard(page).getByText('Which of the files is the machine?').waitFor()
  await wizard(page).getByRole('button', { name: 'pair/other.urdf' }).click()
  await wizard(page).getByRole('heading', { name: 'other' }).waitFor()
  await idle(page)
  await drop(page, [
    {
      name: 'bad.urdf',
      content: ROBOT.replace('child link="arm"', 'child link="leg"'),
    },
  ])
  await wizard(page)
    .getByRole('alert')
    .getByText(/bad.urdf:5: .*leg/)
    .waitFor()
  await bench.shoot(page, 'import-wrong')
  assert.ok(!existsSync(path.join(folder, 'bad')))
  assert.ok(await page.evaluate(hasName, ['arm', true])) // what was open stays
  assert.equal((await ask(page, 'import', { files: ['../x.urdf'], folder: 'x' })).code, 'file')
  assert.equal(
    (
      await ask(page, 'import', {
        files: ['import/pair/pair/pair.urdf'],
        folder: '../x',
      })
    ).code,
    'argument',
  )
  assert.ok((await time(page)) >= 0)
  await rest(page)
})
