// Machines from nothing by mouse: a robot arm in space, with handles, forms and sketches that become solids; a scissor lift in
// the plane. usage: node test_building.mjs PROGRAM PICTURES TEST_PAGE
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before } from 'node:test'
import { advance, ask, begin, goOn, hasName, leave, row, test, until, value, violations } from './studio.mjs'

let bench
before(async () => {
  bench = await begin(path.resolve(process.argv[2]), path.resolve(process.argv[3]), path.resolve(process.argv[4]))
})
after(() => bench?.close())

const near = (value, wanted, by, what) => assert.ok(Math.abs(value - wanted) < by, `${what}: ${value}, not ${wanted}`)

async function values(page, ...channels) {
  const answer = await ask(page, 'value', { channels })
  assert.ok(answer.ok, answer.message)
  return answer.values
}

async function startEmpty(page, kind) {
  await page.keyboard.press('o')
  await page.getByRole('button', { name: `Empty, in ${kind}` }).click()
  await page.getByText('0 bodies, 0 joints').waitFor()
}

const tool = (page) => page.getByRole('region', { name: 'Body tool' })

async function build(page, name, shape, fields) {
  await page.keyboard.press('b')
  await tool(page).getByLabel('Shape').selectOption({ label: shape })
  for (const [label, text] of Object.entries(fields)) {
    const field = tool(page).getByLabel(new RegExp(`^\\s*${label}`))
    if ((await field.evaluate((node) => node.tagName)) === 'SELECT') await field.selectOption(text)
    else await field.fill(text)
  }
  await tool(page).getByRole('button', { name: 'Add body' }).click()
  await until(page, hasName, [name, true])
}

/** Where a point of the world is on the page, once the camera holds still. */
async function spotOf(page, point) {
  const look = () => page.evaluate((p) => window.tenon.spot(p), point)
  for (let before = await look(); ; ) {
    await page.waitForTimeout(60)
    const now = await look()
    if (Math.hypot(now.x - before.x, now.y - before.y) < 0.5) return now
    before = now
  }
}

/** Drags a handle by pixels along the page, or, of an arrow, so far out. */
async function haul(page, kind, axis, to) {
  const handles = await page.evaluate(() => window.tenon.handles)
  const handle = handles.find((one) => one.kind === kind && one.axis === axis)
  await page.mouse.move(handle.x, handle.y)
  await page.mouse.down()
  const target = to(handle)
  await page.mouse.move((handle.x + target.x) / 2, (handle.y + target.y) / 2)
  await page.mouse.move(target.x, target.y)
  await page.mouse.up()
}

/** A joint at a place that is clicked, between two bodies: whichever of them is hit there, the other is chosen. */
async function join(page, type, point, bodies, axis) {
  const joint = page.getByRole('region', { name: 'Joint tool' })
  await page.keyboard.press('j')
  await joint.getByLabel('Type').selectOption(type)
  const spot = await spotOf(page, point)
  await page.mouse.move(spot.x, spot.y)
  await page.mouse.click(spot.x, spot.y)
  await until(page, () => window.tenon.places > 0)
  if (axis) await joint.getByLabel('Axis').selectOption(axis)
  const first = await joint.getByLabel('First place').first().locator('option:checked').innerText()
  await joint.getByLabel('Second place').selectOption(bodies.find((body) => first.split(/[ ,]/)[0] !== body))
  await bench.shoot(page, `join-${type}`)
  await joint.getByRole('button', { name: /^(As built|Add joint)/ }).click()
  await joint.waitFor({ state: 'detached' })
}

/** Presses at a point of the world and lets go at another; where the pointer is then. */
async function stroke(page, from, to) {
  const [a, b] = [await spotOf(page, from), await spotOf(page, to)]
  await page.mouse.move(a.x - 2, a.y)
  await page.mouse.move(a.x, a.y)
  await page.mouse.down()
  await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2)
  await page.mouse.move(b.x, b.y)
  await page.mouse.up()
}

/** Draws a solid: its base from one point to another, then, where it has one, its height up to a point above the second. */
async function drawSolid(page, name, shape, from, to, top) {
  await page.keyboard.press('b')
  await tool(page).getByLabel('Shape').selectOption({ label: shape })
  await stroke(page, from, to)
  if (top) {
    await tool(page).getByText('Move for the height').waitFor()
    const spot = await spotOf(page, top)
    await page.mouse.move(spot.x, spot.y)
    await page.mouse.click(spot.x, spot.y)
  }
  await until(page, hasName, [name, true])
}

/** A joint by one click: both bodies that are there are taken. */
async function joinHere(page, name, type, point, axis) {
  const joint = page.getByRole('region', { name: 'Joint tool' })
  await page.keyboard.press('j')
  await joint.getByLabel('Type').selectOption(type)
  const spot = await spotOf(page, point)
  await page.mouse.move(spot.x - 2, spot.y)
  await page.mouse.click(spot.x, spot.y)
  await until(page, () => window.tenon.places === 2)
  if (axis) await joint.getByLabel('Axis').selectOption(axis)
  await bench.shoot(page, `join-${name}`)
  await joint.getByRole('button', { name: 'Add joint' }).click()
  await until(page, hasName, [name, true])
}

test('a desk lamp from nothing with the mouse: solids are drawn on planes and joined with one click each; it sinks as it should', async () => {
  const { page } = await bench.visit('door')
  await startEmpty(page, 'space')
  const plane = async (across, at) => {
    await page.keyboard.press('b')
    await tool(page).getByLabel('Work plane across').selectOption(across)
    await tool(page).getByLabel('Work plane at').fill(at)
    await page.keyboard.press('Escape') // out of the field
    await page.keyboard.press('Escape')
  }
  await page.keyboard.press('b')
  const spot = await spotOf(page, [0.4, -0.4, 0])
  await page.mouse.move(spot.x, spot.y)
  await until(page, () => window.tenon.drawnSolid?.join() === '0.2,0.1,0.1') // the form's box, under the pointer
  await page.keyboard.press('Escape')

  await drawSolid(page, 'cylinder', 'Cylinder', [0.2, 0, 0], [0.4, 0, 0], [0.4, 0, 0.06])
  assert.match((await ask(page, 'text')).text, /radius: 200 mm, length: 60 mm[\s\S]*position: \[200 mm, 0 m, 30 mm\]/)
  await page.keyboard.press('g')
  await until(page, hasName, ['cylinder_ground', true])
  await plane('y', '0 m')
  await drawSolid(page, 'rod', 'Rod', [0.2, 0, 0.06], [0.2, 0, 0.56])
  await drawSolid(page, 'rod_2', 'Rod', [0.2, 0, 0.56], [0.7, 0, 0.56])
  await plane('z', '400 mm')
  await drawSolid(page, 'cone', 'Cone', [0.7, 0, 0.4], [0.8, 0, 0.4], [0.8, 0, 0.56])
  await plane('z', '0 m')
  assert.match((await ask(page, 'text')).text, /cone:\s+shapes: .*radius: 100 mm, length: 160 mm/)
  const lengths = await page.evaluate(() =>
    ['rod', 'rod_2', 'cone'].map((name) =>
      window.tenon
        .pose(name)
        .slice(0, 3)
        .map((x) => Math.round(x * 1e4) / 1e4),
    ),
  )
  assert.deepEqual(lengths, [
    [0.2, 0, 0.31],
    [0.45, 0, 0.56],
    [0.7, 0, 0.48],
  ])
  await joinHere(page, 'hinge', 'revolute', [0.2, 0, 0.06], 'y')
  await joinHere(page, 'hinge_2', 'revolute', [0.2, 0, 0.56], 'y')
  await joinHere(page, 'weld', 'fixed', [0.7, 0, 0.56])
  await page.keyboard.press('v')
  await bench.shoot(page, 'lamp')
  assert.ok((await bench.look(page)).vivid > 3000, 'the lamp is seen')
  assert.equal((await ask(page, 'health')).freedoms, 2)
  const mass = await page.evaluate(() => window.tenon.property('rod', 'mass'))
  near(mass, 7850 * Math.PI * 0.008 ** 2 * 0.5, 1e-6, 'mass of the rod')
  await advance(page, 0.2)
  assert.ok((await value(page, 'cone.position.z')) < 0.46, 'the shade sinks')
  assert.ok((await value(page, 'drift.max')) < 1e-6)
  assert.ok(Math.abs(await value(page, 'energy.error')) < 1e-3)
  await leave(page)
})

test('a face is a work plane: a solid stands on a tilted one, a sketch on it is extruded along its normal', async () => {
  const { page } = await bench.visit('door')
  await startEmpty(page, 'space')
  await build(page, 'box', 'Box', {
    'Along x': '600 mm',
    'Along y': '600 mm',
    'Along z': '100 mm',
    'Turned about x': '30 deg',
  })
  const [s, c] = [Math.sin(Math.PI / 6), Math.cos(Math.PI / 6)]
  const z0 = (await page.evaluate(() => window.tenon.pose('box')))[2]
  const onTop = (x, y) => [x, y * c - 0.05 * s, z0 + y * s + 0.05 * c]
  await page.keyboard.press('b')
  await tool(page).getByLabel('Shape').selectOption({ label: 'Extruded sketch' })
  await tool(page).getByLabel('Work plane across').selectOption('face')
  await tool(page).getByText('Click a flat face').waitFor()
  const click = async (x, y) => {
    const spot = await spotOf(page, onTop(x, y))
    await page.mouse.move(spot.x, spot.y)
    await page.mouse.click(spot.x, spot.y)
  }
  await click(0.05, 0.05)
  await tool(page).getByText('Click a flat face').waitFor({ state: 'detached' })
  await tool(page)
    .getByLabel(/^\s*Height/)
    .fill('50 mm')
  for (const [x, y] of [
    [-0.2, -0.2],
    [0.2, -0.2],
    [0.2, 0.2],
  ])
    await click(x, y)
  await tool(page).getByText('3 so far').waitFor()
  assert.deepEqual(await violations(page, false, '.tool', '.triad'), [])
  await tool(page).getByRole('button', { name: 'Add body' }).click()
  await until(page, hasName, ['plate', true])
  const [, y, z] = await page.evaluate(() => window.tenon.anchor('plate'))
  near(
    await page.evaluate(() => window.tenon.property('plate', 'mass')),
    7850 * 0.08 * 0.05,
    1e-4,
    'mass of the triangle',
  )
  const height = -s * y + c * (z - z0) // of its centre of mass over the middle of the box, along the normal
  near(height, 0.05 + 0.025, 1e-4, 'it stands on the face')
  await leave(page)
})

test('a robot arm from nothing: handles move and turn, forms change solids, a sketch becomes one; it goes where it should', async () => {
  const { page } = await bench.visit('door')
  await startEmpty(page, 'space')
  await build(page, 'cylinder', 'Cylinder', {
    Radius: '100 mm',
    Length: '100 mm',
    'Position z': '50 mm',
  })
  await page.keyboard.press('g')
  await until(page, hasName, ['cylinder_ground', true])
  await build(page, 'box', 'Box', {
    'Along x': '60 mm',
    'Along y': '60 mm',
    'Along z': '400 mm',
  })
  await page.keyboard.press('v')

  await page.keyboard.press('w')
  const place = page.getByRole('region', { name: 'Place' })
  await place.getByRole('heading', { name: 'box' }).waitFor()
  await until(page, () => window.tenon.handles.length === 6)
  await bench.shoot(page, 'gizmo')
  await haul(page, 'move', 2, ({ x, y }) => ({ x, y: y - 60 }))
  await until(page, () => window.tenon.pose('box')[2] > 0.05)
  const [x, y, z] = await values(page, 'box.position.x', 'box.position.y', 'box.position.z')
  near(x, 0, 1e-9, 'x')
  near(y, 0, 1e-9, 'y')
  assert.ok(z > 0.05 && z < 2, `z ${z}`)
  await place.getByLabel('Place along z').fill('300 mm')
  await place.getByLabel('Place along z').press('Enter')
  await until(page, () => Math.abs(window.tenon.pose('box')[2] - 0.3) < 1e-6)
  assert.match((await ask(page, 'text')).text, /position: \[0, 0, 0\.3\]/)

  await page.keyboard.press('Escape') // out of the field
  await page.keyboard.press('Escape')
  await build(page, 'rod', 'Rod', {
    Radius: '20 mm',
    Length: '300 mm',
    Along: 'z',
    'Position z': '500 mm',
  })
  await page.keyboard.press('v')
  await page.keyboard.press('w')
  await until(page, () => window.tenon.handles.length === 6)
  await place.getByLabel('Turn about y').fill('90')
  await place.getByLabel('Turn about y').press('Enter')
  await until(page, () => Math.abs(window.tenon.pose('rod')[3] - Math.SQRT1_2) < 1e-6)
  await place.getByLabel('Place along x').fill('150 mm')
  await place.getByLabel('Place along x').press('Enter')
  await until(page, () => Math.abs(window.tenon.pose('rod')[0] - 0.15) < 1e-6)
  await page.keyboard.press('Escape') // out of the field, where Ctrl+Z is about letters
  await page.keyboard.press('Control+z')
  await until(page, () => Math.abs(window.tenon.pose('rod')[0]) < 1e-6)
  await page.keyboard.press('Control+Shift+z')
  await until(page, () => Math.abs(window.tenon.pose('rod')[0] - 0.15) < 1e-6)
  await page.keyboard.press('Escape')

  await row(page, 'rod').click()
  const solid = page.getByRole('region', { name: 'Solid' })
  await solid.getByLabel('Radius').fill('15 mm')
  await solid.getByLabel('Material').selectOption('Aluminium')
  await solid.getByRole('button', { name: 'Change the solid' }).click()
  const mass = 2700 * Math.PI * 0.015 ** 2 * 0.3
  await until(page, (m) => Math.abs(window.tenon.property('rod', 'mass') - m) < 1e-9, mass)
  near((await page.evaluate(() => window.tenon.pose('rod')))[0], 0.15, 1e-6, 'it stays where it is')
  await solid.getByLabel('Colour').selectOption('teal')
  await until(page, () => window.tenon.ask('text').then(({ text }) => /colour: teal/.test(text)))

  await page.keyboard.press('v')
  for (let k = 0; k < 4; k++) await page.keyboard.press('-') // beside the card of the tool
  await join(page, 'revolute', [0, 0, 0.05], ['cylinder', 'box'], 'z')
  await join(page, 'revolute', [0, 0, 0.5], ['box', 'rod'], 'y')
  assert.equal((await ask(page, 'health')).freedoms, 2)
  for (const joint of ['hinge', 'hinge_2']) {
    await row(page, joint).click()
    await page.keyboard.press('r')
    await until(page, hasName, [`${joint}_drive`, true])
  }
  await bench.shoot(page, 'robot')
  await page.keyboard.press('Space')
  await goOn(page, 0.13)
  await page.keyboard.press('Space')
  await until(page, () => !window.tenon.running)
  const [a, b, px, py, pz] = await values(
    page,
    'hinge.angle',
    'hinge_2.angle',
    'rod.position.x',
    'rod.position.y',
    'rod.position.z',
  )
  assert.ok(a > 0.7 && b > 0.7, `turned by ${a} and ${b}`)
  near(px, 0.15 * Math.cos(a) * Math.cos(b), 1e-6, 'x of the forearm')
  near(py, 0.15 * Math.sin(a) * Math.cos(b), 1e-6, 'y of the forearm')
  near(Math.abs(pz - 0.5), 0.15 * Math.abs(Math.sin(b)), 1e-6, 'z of the forearm')
  await leave(page)
})

test('a sketch on a work plane is extruded; a spring goes to a free point of ground', async () => {
  const { page } = await bench.visit('door')
  await startEmpty(page, 'space')
  await page.keyboard.press('b')
  await tool(page).getByLabel('Shape').selectOption({ label: 'Extruded sketch' })
  await tool(page).getByLabel('Work plane across').selectOption('z')
  await tool(page)
    .getByLabel(/^\s*Height/)
    .fill('100 mm')
  const corners = [
    [0, 0],
    [2, 0],
    [2, 1],
    [1, 1],
    [1, 2],
    [0, 2],
  ]
  for (const [a, b] of corners) {
    const spot = await spotOf(page, [a * 0.2, b * 0.2, 0])
    await page.mouse.move(spot.x, spot.y)
    await page.mouse.click(spot.x, spot.y)
  }
  await tool(page).getByText('6 so far').waitFor()
  await bench.shoot(page, 'extrude')
  await tool(page).getByRole('button', { name: 'Add body' }).click()
  await until(page, hasName, ['plate', true])
  const mass = await page.evaluate(() => window.tenon.property('plate', 'mass'))
  near(mass, 7850 * 3 * 0.2 ** 2 * 0.1, 1e-6, 'mass of the L')

  await page.keyboard.press('s')
  const spring = page.getByRole('region', { name: 'Spring tool' })
  await spring.getByLabel('Work plane across').selectOption('z')
  const free = await spotOf(page, [0.6, -0.4, 0])
  await page.mouse.move(free.x, free.y)
  await page.mouse.click(free.x, free.y)
  await until(page, () => window.tenon.places === 1)
  await spring.getByLabel(/^\s*To/).selectOption('plate')
  await spring.getByRole('button', { name: 'Add spring' }).click()
  await until(page, hasName, ['spring', true])
  assert.match((await ask(page, 'text')).text, /between: \[ground, plate\][\s\S]*\[0\.6, -0\.4, 0\]/)
  await leave(page)
})

async function clickAt(page, x, y) {
  const spot = await spotOf(page, [x, y, 0])
  await page.mouse.move(spot.x - 2, spot.y)
  await page.mouse.move(spot.x, spot.y)
  await page.mouse.down()
  await page.mouse.up()
}

async function sketchWith(page, name) {
  const card = page.getByRole('region', { name: 'Sketch' })
  if (!(await card.isVisible())) await page.keyboard.press('k')
  await card.getByRole('radio', { name, exact: true }).click()
}

test('a scissor lift from nothing: links that cross are hinged, one slides along the platform; it rises as it should', async () => {
  const { page } = await bench.visit('door')
  await startEmpty(page, 'the plane')
  await sketchWith(page, 'Link')
  const added = (name) => until(page, hasName, [name, true])
  await clickAt(page, 0, 0)
  await clickAt(page, 0.4, 0.3)
  await added('link_1')
  await page.keyboard.press('Escape')
  await clickAt(page, 0.4, 0)
  await clickAt(page, 0, 0.3)
  await added('link_2')
  await clickAt(page, 0.6, 0.3)
  await added('link_3')
  await page.keyboard.press('Escape')
  await sketchWith(page, 'Hinge shapes')
  await clickAt(page, 0.2, 0.15)
  await added('pin_4')
  await sketchWith(page, 'Slide along a link')
  await clickAt(page, 0.4, 0.3)
  await added('slot_1')
  await row(page, 'pin_2').click()
  await page.keyboard.press('Delete')
  await until(page, hasName, ['pin_2', false])
  await sketchWith(page, 'Slider in slot')
  await clickAt(page, 0.4, 0)
  await clickAt(page, 0.6, 0)
  await added('slider_1')
  assert.equal((await ask(page, 'health')).freedoms, 1)

  await sketchWith(page, 'Shape')
  const [label] = (await page.evaluate(() => window.tenon.dimensions)).filter(
    ({ name, kind }) => name === 'link_3' && kind === 'length',
  )
  assert.equal(label.text, '600 mm')
  await bench.shoot(page, 'dimensions')
  await page.mouse.click(label.x, label.y)
  await page.getByLabel('Length of link_3 in the view').fill('700 mm')
  await page.keyboard.press('Enter')
  await until(page, () => window.tenon.dimensions.some(({ text }) => text === '700 mm'))
  await page.keyboard.press('Escape')

  await row(page, 'slide_1').click()
  await page.keyboard.press('r')
  await added('slide_1_drive')
  await ask(page, 'run_to', { time: 0.5 }) // no further: the lift is flat soon afterwards
  await until(page, () => window.tenon.time > 0.499 && !window.tenon.running)
  await page.keyboard.press('v')
  await bench.shoot(page, 'scissor')
  const [x, y, angle] = await values(page, 'slider_1.position.x', 'link_3.position.y', 'link_3.angle')
  assert.ok(Math.abs(x - 0.4) > 0.04, `the slider is at ${x} m`)
  near(y, Math.sqrt(0.5 ** 2 - x ** 2), 1e-6, 'height of the platform')
  near(angle, 0, 1e-6, 'angle of the platform')
  await leave(page)
})

test('shapes by hand fall and rest on a floor; welded where they overlap, they stay together', async () => {
  const { page } = await bench.visit('door')
  await startEmpty(page, 'the plane')
  await sketchWith(page, 'Floor')
  await clickAt(page, 0, -0.4)
  await page.getByText('Added a floor').waitFor()
  await sketchWith(page, 'Freehand shape')
  const corners = [
    [-0.1, 0],
    [0.12, -0.02],
    [0.2, 0.15],
    [0, 0.26],
    [-0.15, 0.12],
    [-0.1, 0],
  ]
  const spots = []
  for (const [x, y] of corners) spots.push(await spotOf(page, [x, y, 0]))
  await page.mouse.move(spots[0].x, spots[0].y)
  await page.mouse.down()
  for (const { x, y } of spots.slice(1)) await page.mouse.move(x, y, { steps: 6 })
  await page.mouse.up()
  await until(page, hasName, ['shape_1', true])
  for (const [x, y] of [
    [0, 0.1],
    [0.4, 0.1],
    [0.4, 0.3],
    [0, 0.1],
  ])
    await clickAt(page, x, y)
  await until(page, hasName, ['shape_2', true])
  await page.getByText('shape_2 overlaps shape_1').waitFor()
  assert.match((await ask(page, 'text')).text, /touch_ground_shape_2/)
  await sketchWith(page, 'Weld shapes')
  await clickAt(page, 0.1, 0.12)
  await until(page, hasName, ['weld_1', true])
  await bench.shoot(page, 'shapes')
  const apart = async () => {
    const [ax, ay, bx, by] = await values(
      page,
      'shape_1.position.x',
      'shape_1.position.y',
      'shape_2.position.x',
      'shape_2.position.y',
    )
    return { distance: Math.hypot(ax - bx, ay - by), low: Math.min(ay, by) }
  }
  const { distance } = await apart()
  await page.keyboard.press('Escape')
  await advance(page, 2.5)
  const now = await apart()
  near(now.distance, distance, 1e-6, 'distance of the welded shapes')
  assert.ok(now.low > -0.4 && now.low < -0.1, `the lower one is at ${now.low} m`)
  assert.ok((await value(page, 'energy.kinetic')) < 0.01, 'they rest')
  await leave(page)
})

test('a link is split and given a third point; ends that are put together are pinned', async () => {
  const { page } = await bench.visit('door')
  await startEmpty(page, 'the plane')
  await sketchWith(page, 'Link')
  await clickAt(page, -0.2, 0)
  await clickAt(page, 0.4, 0)
  await until(page, hasName, ['link_1', true])
  await page.keyboard.press('Escape')
  await sketchWith(page, 'Shape')
  const [angle] = (await page.evaluate(() => window.tenon.dimensions)).filter(({ kind }) => kind === 'angle')
  assert.equal(angle.text, '0°')
  await page.mouse.click(angle.x, angle.y)
  await page.getByLabel('Angle of link_1 in the view').fill('120')
  await page.keyboard.press('Enter')
  await page.getByText('link_1 is at 120°').waitFor()
  near(await value(page, 'pin_1.angle'), (2 * Math.PI) / 3, 1e-6, 'the typed angle')
  await page.keyboard.press('Control+z')
  await until(page, () => window.tenon.dimensions.some(({ text }) => text === '0°'))
  await sketchWith(page, 'Split a link')
  await clickAt(page, 0.1, 0)
  await until(page, hasName, ['link_2', true])
  assert.equal((await ask(page, 'health')).freedoms, 2)
  const masses = await page.evaluate(() => ['link_1', 'link_2'].map((name) => window.tenon.property(name, 'mass')))
  near(masses[0], 0.3, 1e-6, 'mass of the first half')
  near(masses[1], 0.3, 1e-6, 'mass of the second half')

  await sketchWith(page, 'Third point')
  await clickAt(page, 0.3, 0)
  await clickAt(page, 0.3, 0.2)
  await page
    .getByText(/Replaced link_2/)
    .first()
    .waitFor()
  await until(page, () => window.tenon.paths.some(({ label }) => label === 'link_2.point_1'))
  await sketchWith(page, 'Link')
  await clickAt(page, 0.3, 0.2)
  await clickAt(page, 0.6, 0.2)
  await until(page, hasName, ['link_3', true])
  await page.keyboard.press('Escape')
  assert.match((await ask(page, 'text')).text, /between: \[link_2, link_3\]/)

  await clickAt(page, 0.8, -0.2)
  await clickAt(page, 0.8, 0.1)
  await until(page, hasName, ['link_4', true])
  await page.keyboard.press('Escape')
  await sketchWith(page, 'Shape')
  const [from, to] = [await spotOf(page, [0.8, 0.1, 0]), await spotOf(page, [0.6, 0.2, 0])]
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2)
  await page.mouse.move(to.x, to.y)
  await page.mouse.up()
  await until(page, () => window.tenon.names.filter((name) => name.startsWith('pin_')).length === 5)
  assert.match((await ask(page, 'text')).text, /between: \[link_3, link_4\]/)
  assert.equal((await ask(page, 'health')).freedoms, 2)
  await leave(page)
})

test('a slider-crank with the keyboard alone: places are typed', async () => {
  const { page } = await bench.visit('door')
  const keys = async (...list) => {
    for (const key of list) await page.keyboard.press(key)
  }
  /** Tab until a control has the focus. */
  const tabTo = async (name) => {
    const focused = () =>
      page.evaluate(() => document.activeElement?.ariaLabel || document.activeElement?.textContent?.trim())
    for (let k = 0; (await focused()) !== name; k++) {
      assert.ok(k < 80, `no ${name} by tabs`)
      await keys('Tab')
    }
  }
  await keys('o')
  await tabTo('Empty, in the plane')
  await keys('Enter')
  await page.getByText('0 bodies, 0 joints').waitFor()
  await keys('k')
  await page.getByRole('region', { name: 'Sketch' }).waitFor()
  const type = async (text, name) => {
    await tabTo('Place by x, y')
    await page.keyboard.type(text)
    await keys('Enter')
    if (name) await until(page, hasName, [name, true])
  }
  const tool = async (name) => {
    await tabTo(name)
    await keys('Enter')
  }
  await tool('Link')
  await type('0, 0')
  await type('0, 100 mm', 'link_1')
  await type('0.3, 0', 'link_2')
  await tool('Slider in slot')
  await type('0.3, 0')
  await type('0.5, 0', 'slider_1')
  await tool('Motor')
  await type('0, 0', 'pin_1_drive')
  await keys('Escape', 'Escape', 'Escape')
  await keys('Space')
  await goOn(page, 0.4)
  await keys('Space')
  await until(page, () => !window.tenon.running)
  const [angle, x] = await values(page, 'pin_1.angle', 'slider_1.position.x')
  const rod = Math.hypot(0.3, 0.1)
  const [ax, ay] = [0.1 * Math.cos(Math.PI / 2 + angle), 0.1 * Math.sin(Math.PI / 2 + angle)]
  near(x, ax + Math.sqrt(rod ** 2 - ay ** 2), 1e-6, 'the slider')
  assert.ok(Math.abs(angle) > 2, `the crank has turned by ${angle}`)

  await keys('k')
  await tool('Shape')
  await keys('Space')
  await until(page, () => window.tenon.running)
  await tabTo('Length of link_2')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('350 mm')
  await keys('Enter')
  await page.getByText('link_2 is 350 mm long').waitFor()
  assert.ok(await page.evaluate(() => window.tenon.running), 'it goes on')
  await goOn(page, 0.2)
  await keys('Escape')
  await keys('Space')
  await until(page, () => !window.tenon.running)
  const [turned, slid] = await values(page, 'pin_1.angle', 'slider_1.position.x')
  const [cx, cy] = [0.1 * Math.cos(Math.PI / 2 + turned), 0.1 * Math.sin(Math.PI / 2 + turned)]
  near(slid, cx + Math.sqrt(0.35 ** 2 - cy ** 2), 1e-5, 'the slider on its longer rod')
  await leave(page)
})

test('measures follow the motion and are kept; polygons, curves of many points and dead points', async () => {
  const { page } = await bench.visit('four-bar')
  await until(page, hasName, ['crank', true])
  const pick = async (name) => {
    const at = await page.evaluate((n) => window.tenon.anchor(n), name)
    const spot = await spotOf(page, at)
    await page.mouse.move(spot.x - 2, spot.y)
    await page.mouse.move(spot.x, spot.y)
    await page.mouse.down()
    await page.mouse.up()
  }
  await page.keyboard.press('i')
  const card = page.getByRole('region', { name: 'Measure' })
  await card.waitFor()
  await pick('elbow')
  await pick('hinge')
  await until(page, () => window.tenon.measures.length === 1)
  await card.getByRole('radio', { name: 'Angle' }).click()
  for (const name of ['pivot', 'elbow', 'wrist']) await pick(name)
  await until(page, () => window.tenon.measures.length === 2)
  await card.getByRole('radio', { name: 'Note' }).click()
  await card.getByLabel('Text of the note').fill('fixed here')
  await pick('pivot')
  await until(page, () => window.tenon.measures.some(({ text }) => text === 'fixed here'))
  await page.keyboard.press('Escape')
  const before = await page.evaluate(() => window.tenon.measures)
  await advance(page, 0.7)
  await until(page, (d) => Math.abs(window.tenon.measures[0].value - d) > 1e-3, before[0].value)
  const [anchors, measures] = await page.evaluate(() => [
    Object.fromEntries(['elbow', 'hinge', 'pivot', 'wrist'].map((name) => [name, window.tenon.anchor(name)])),
    window.tenon.measures,
  ])
  const between = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1])
  near(measures[0].value, between(anchors.elbow, anchors.hinge), 1e-6, 'distance')
  const [p, e, w] = [anchors.pivot, anchors.elbow, anchors.wrist]
  const cosine = ((p[0] - e[0]) * (w[0] - e[0]) + (p[1] - e[1]) * (w[1] - e[1])) / between(p, e) / between(w, e)
  near(measures[1].value, Math.acos(cosine), 1e-5, 'angle')

  await page.keyboard.press('y')
  await page.keyboard.press('a')
  await pick('coupler')
  await until(page, () => window.tenon.atlas.length === 15 && window.tenon.atlas[0] > 20)
  await bench.shoot(page, 'measures')
  await page.keyboard.press('Escape')
  await page.getByText('dead points, driven here').waitFor()
  await leave(page)
})
