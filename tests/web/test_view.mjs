// The view of the studio by hand: fingers, the wheel of the joint tool, instant centres, flags of limits; and plots
// that know what was before them. usage: node test_view.mjs PROGRAM PICTURES TEST_PAGE
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before } from 'node:test'
import { advance, ask, begin, goOn, hasName, leave, place, ready, row, test, time, until, value } from './studio.mjs'

let bench
before(async () => {
  bench = await begin(path.resolve(process.argv[2]), path.resolve(process.argv[3]), path.resolve(process.argv[4]))
})
after(() => bench?.close())

const pose = (page, name) => page.evaluate((n) => window.tenon.pose(n), name)

/** Whether somebody pulls, within a while. */
async function pulls(page) {
  for (let k = 0; k < 60; k++) {
    if (await page.evaluate(() => window.tenon.pulling)) return true
    await page.waitForTimeout(50)
  }
  return false
}

/** Fingers on the page, as the browser's own input. */
async function touchscreen(page) {
  const wire = await page.context().newCDPSession(page)
  const send = (type, points) =>
    wire.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    })
  return {
    async tap(x, y) {
      await send('touchStart', [[x, y]])
      await send('touchEnd', [])
    },
    async stroke(from, to) {
      await send('touchStart', from)
      for (const part of [0.25, 0.5, 0.75, 1]) {
        await send(
          'touchMove',
          from.map(([x, y], k) => [x + part * (to[k][0] - x), y + part * (to[k][1] - y)]),
        )
        await page.waitForTimeout(30)
      }
    },
    lift: () => send('touchEnd', []),
  }
}

test('touch: one finger selects, two zoom and leave the mechanism alone', async () => {
  const { page } = await bench.visit('robot-arm-inverse')
  await ready(page, 'upper')
  const fingers = await touchscreen(page)
  const spot = await place(page, 'upper')
  await fingers.tap(spot.x, spot.y)
  await until(page, () => window.tenon.selection.length === 1)

  const [near, far] = [
    [
      [400, 500],
      [600, 500],
    ],
    [
      [300, 450],
      [700, 560],
    ],
  ]
  const before = await pose(page, 'upper')
  const distance = async () => {
    const [a, b] = [await place(page, 'upper'), await place(page, 'fore')]
    return Math.hypot(a.x - b.x, a.y - b.y)
  }
  const apart = await distance()
  await fingers.stroke(near, far)
  await fingers.lift()
  assert.ok((await distance()) > 1.2 * apart, 'two fingers zoom')
  assert.deepEqual(await pose(page, 'upper'), before)
  await leave(page)
})

test('touch: one finger drags while paused and pulls while running', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'crank')
  const fingers = await touchscreen(page)
  const crank = await place(page, 'crank')
  const start = await pose(page, 'crank')
  await fingers.stroke([[crank.x, crank.y]], [[crank.x + 40, crank.y + 20]])
  await until(page, (q) => Math.abs(window.tenon.pose('crank')[6] - q) > 0.02, start[6])
  await fingers.lift()
  assert.equal(await time(page), 0)
  await page.getByLabel('Speed').selectOption('0.01')
  const coupler = await place(page, 'coupler') // while it stands still; at this speed it hardly moves
  await page.keyboard.press('Space')
  await until(page, () => window.tenon.running)
  for (let tries = 0; tries < 8; tries++) {
    await fingers.stroke([[coupler.x, coupler.y]], [[coupler.x + 40, coupler.y - 60]])
    if (await pulls(page)) break
    await fingers.lift() // on a busy machine a finger may come to rest before it is seen to move
    await page.keyboard.press('Escape')
  }
  await goOn(page, 0.005)
  assert.ok((await value(page, 'hypot(pull.force.x, pull.force.y)')) > 0)
  await fingers.lift()
  await page.getByText(/The pull (put in|took out)/).waitFor()
  await leave(page)
})

test('tablets: upright and lying, everything is within the screen and obeys fingers', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  const fingers = await touchscreen(page)
  const tapOn = async (what) => {
    const { x, y, width, height } = await what.boundingBox()
    await fingers.tap(x + width / 2, y + height / 2)
  }
  const outside = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('header *, footer button, .notice, canvas.picture, [role=treeitem], aside')]
        .filter((e) => e.checkVisibility())
        .filter((e) => {
          const { left, right, top } = e.getBoundingClientRect()
          return left < -1 || right > innerWidth + 1 || top < -1
        })
        .map((e) => e.outerHTML.slice(0, 100)),
    )
  const size = page.viewportSize()
  for (const [width, height] of [
    [768, 1024],
    [900, 600],
    [600, 900],
  ]) {
    await page.setViewportSize({ width, height })
    await until(page, () => window.tenon.drawn)
    await page.keyboard.press('g') // asks for a body to be selected: a notice
    await page.locator('.notice').first().waitFor()
    assert.deepEqual(await outside(), [], `${width} x ${height}`)
    const picture = await page.locator('canvas.picture').boundingBox()
    assert.ok(picture.width > 0.4 * width && picture.height > 0.4 * height, JSON.stringify(picture))
    await bench.shoot(page, `tablet-${width}`)
    await page.keyboard.press('k')
    const card = page.getByRole('region', { name: 'Sketch' })
    const end = await card.evaluate((e) => e.getBoundingClientRect().bottom)
    assert.ok(end <= picture.y + picture.height, 'the card of the sketch ends within the view, and scrolls')
    await page.keyboard.press('k')
    await card.waitFor({ state: 'detached' })
    await tapOn(row(page, 'rocker'))
    await until(page, () => window.tenon.selection.join() === 'rocker')
    const spot = await place(page, 'crank')
    await fingers.tap(spot.x, spot.y)
    await until(page, () => window.tenon.selection.join() !== 'rocker')
    const before = await time(page)
    await tapOn(page.getByRole('button', { name: 'Run', exact: true }))
    await until(page, (t) => window.tenon.time > t, before)
    await tapOn(page.getByRole('button', { name: 'Pause', exact: true }))
    await until(page, () => !window.tenon.running)
  }
  await page.setViewportSize(size)
  await leave(page)
})

test('instant centres: of a crank its pin, of the coupler where the lines meet, of a pair their joint', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await advance(page, 0.04)
  await page.keyboard.press('9')
  await until(page, () => window.tenon.centres.length === 3)
  await row(page, 'crank').click()
  await row(page, 'coupler').click({ modifiers: ['Control'] })
  await until(page, () => window.tenon.centres.length === 4)
  const places = {}
  for (const name of ['pivot', 'hinge', 'elbow', 'wrist']) {
    const [x, y] = await page.evaluate((n) => window.tenon.anchor(n), name)
    places[name] = { x, y }
  }
  const centre = (list, label) => list.find((c) => c.label === label)
  const list = await page.evaluate(() => window.tenon.centres)
  const close = (a, b, what) => assert.ok(Math.hypot(a.x - b.x, a.y - b.y) < 1e-3, `${what}: ${JSON.stringify([a, b])}`)
  close(centre(list, 'crank'), places.pivot, 'crank')
  close(centre(list, 'rocker'), places.hinge, 'rocker')
  close(centre(list, 'crank, coupler'), places.elbow, 'pair')
  close(centre(list, 'coupler'), crossing(places.pivot, places.elbow, places.hinge, places.wrist), 'coupler')
  await bench.shoot(page, 'centres')
  await leave(page)
})

/** Where the lines ab and cd meet. */
function crossing(a, b, c, d) {
  const [ux, uy, vx, vy] = [b.x - a.x, b.y - a.y, d.x - c.x, d.y - c.y]
  const part = ((c.x - a.x) * vy - (c.y - a.y) * vx) / (ux * vy - uy * vx)
  return { x: a.x + part * ux, y: a.y + part * uy }
}

test('the joint tool: the wheel chooses the type, and a ghost shows it', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await page.keyboard.press('j')
  const tool = page.getByRole('region', { name: 'Joint tool' })
  const { x, width } = await tool.boundingBox()
  assert.ok((await place(page, 'pivot')).x > x + width, 'nothing to join is behind the card')
  const spot = await place(page, 'rocker')
  await page.mouse.move(spot.x, spot.y)
  const type = () => tool.getByLabel('Type').inputValue()
  const first = await type()
  await page.mouse.wheel(0, 100)
  assert.equal(await type(), first) // no place yet: the wheel zooms
  await tool.getByLabel('First place').selectOption('crank.tip')
  const ghost = () => page.evaluate(() => window.tenon.ghost)
  await until(page, () => window.tenon.ghost === 'hinge')
  const bare = await bench.look(page)
  await page.mouse.wheel(0, 100)
  assert.notEqual(await type(), first)
  assert.notEqual(await ghost(), 'hinge')
  assert.notEqual((await bench.look(page)).sum, bare.sum)
  await page.mouse.wheel(0, -100)
  assert.equal(await type(), first)
  await page.keyboard.press('Escape')
  await until(page, () => window.tenon.ghost === undefined)
  await leave(page)
})

test('a plot that is begun late has the past', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  await ask(page, 'run_to', { time: 1 })
  await until(page, () => window.tenon.time >= 1 && !window.tenon.running)
  await row(page, 'pivot').click()
  await page.keyboard.press('p')
  await until(page, () => window.tenon.curve('pivot.angle').t.length > 30)
  const { t, y } = await page.evaluate(() => window.tenon.curve('pivot.angle'))
  assert.equal(t[0], 0)
  const k = Math.floor(t.length / 2)
  assert.ok((await ask(page, 'seek', { time: t[k] })).ok)
  assert.equal(await value(page, 'pivot.angle'), y[k])
  await leave(page)
})

test('time: run to an instant, run to a condition, loop over a range', async () => {
  const { page } = await bench.visit('four-bar')
  await ready(page, 'coupler')
  const runTo = async (goal) => {
    await page.getByRole('button', { name: 'Run to a time or condition' }).click()
    await page.getByLabel('Run to', { exact: true }).fill(goal)
    await page.getByRole('button', { name: 'Run', exact: true }).last().click()
  }
  await runTo('0.25 s')
  await until(page, () => window.tenon.time > 0.2499 && !window.tenon.running)
  assert.ok(Math.abs((await time(page)) - 0.25) < 1e-12)
  const angle = await value(page, 'pivot.angle')
  const rate = await value(page, 'pivot.angle.rate')
  const goal = angle + 0.2 * Math.sign(rate)
  await runTo(`pivot.angle - ${goal}`)
  await until(page, () => window.tenon.time > 0.25 && !window.tenon.running)
  assert.ok(Math.abs((await value(page, 'pivot.angle')) - goal) < 0.05)
  const last = await time(page)
  await page.getByRole('button', { name: /^Loop over/ }).click()
  const seen = new Set()
  await until(page, (t) => window.tenon.time < t / 2, last)
  for (let k = 0; k < 10; k++) {
    seen.add(await time(page))
    await page.waitForTimeout(60)
  }
  assert.ok(seen.size > 3 && Math.max(...seen) <= last, `${[...seen]}`)
  await page.getByRole('button', { name: 'End the loop' }).click()
  await leave(page)
})

test('limits have flags that are dragged', async () => {
  const { page } = await bench.visit('door-stop')
  await ready(page, 'leaf')
  await row(page, 'hinge').click()
  await until(page, () => window.tenon.flags.length > 0)
  await bench.shoot(page, 'limits')
  const pin = await place(page, 'hinge')
  const flag = await page.evaluate(() => window.tenon.flags.find(({ side }) => side === 'high'))
  const [dx, dy] = [flag.x - pin.x, flag.y - pin.y]
  const turn = 0.35 // clockwise on the page: the angle falls by as much
  await page.mouse.move(flag.x, flag.y)
  await page.mouse.down()
  const [c, s] = [Math.cos(turn), Math.sin(turn)]
  await page.mouse.move(pin.x + dx * c - dy * s, pin.y + dx * s + dy * c, {
    steps: 4,
  })
  await page.mouse.up()
  await until(page, (high) => window.tenon.flags.find(({ side }) => side === 'high').value < high - 0.2, flag.value)
  const { text } = await ask(page, 'text')
  assert.doesNotMatch(text, new RegExp(`limits: .*${Math.round((flag.value * 180) / Math.PI)} deg`))
  await page.keyboard.press('Control+z')
  await until(page, (high) => window.tenon.flags.find(({ side }) => side === 'high').value === high, flag.value)
  await leave(page)
})

test('arrows of accelerations and applied forces are what the engine has', async () => {
  const { page } = await bench.visit('gas-spring-door')
  await ready(page, 'hatch')
  await page.keyboard.press('2')
  await page.keyboard.press('4')
  await advance(page, 0.03)
  await until(page, () => window.tenon.arrows('accelerations').length === 1)
  await until(page, () => window.tenon.arrows('forces').length === 4)
  await bench.shoot(page, 'arrows')
  const [angle, omega, alpha, tension] = (
    await ask(page, 'value', {
      channels: ['hinge.angle', 'hinge.angle.rate', 'hinge.angle.acceleration', 'oil.tension'],
    })
  ).values
  const [x, y] = [0.45 * Math.cos(angle), 0.45 * Math.sin(angle)]
  const [{ vector }] = await page.evaluate(() => window.tenon.arrows('accelerations'))
  const expected = [-alpha * y - omega * omega * x, alpha * x - omega * omega * y]
  for (const k of [0, 1]) assert.ok(Math.abs(vector[k] - expected[k]) < 1e-4 * Math.abs(alpha), `${vector} ${expected}`)
  const oil = (await page.evaluate(() => window.tenon.arrows('forces'))).find(({ name }) => name === 'oil')
  assert.ok(Math.abs(Math.hypot(...oil.vector) - Math.abs(tension)) < 1e-4 * Math.abs(tension), `${oil.vector}`)
  await leave(page)
})

test('arrows where shapes touch are the forces of the contact', async () => {
  const { page } = await bench.visit('incline')
  await ready(page, 'block')
  await page.keyboard.press('0')
  await advance(page, 0.02)
  await until(page, () => window.tenon.arrows('touches').length === 2)
  await bench.shoot(page, 'touches')
  const channels = ['slope.force.x', 'slope.force.y', 'slope.normal']
  const [x, y, normal] = (await ask(page, 'value', { channels })).values
  const arrows = await page.evaluate(() => window.tenon.arrows('touches'))
  const sum = [0, 1].map((k) => arrows.reduce((all, { vector }) => all + vector[k], 0))
  assert.ok(normal > 1 && Math.hypot(sum[0] - x, sum[1] - y) < 1e-4 * normal, `${sum} ${x} ${y}`)
  for (const { at, vector } of arrows) {
    assert.ok(vector[1] > 0, 'nothing pulls')
    const depth = -Math.sin(Math.PI / 9) * at[0] + Math.cos(Math.PI / 9) * at[1]
    assert.ok(Math.abs(depth) < 1e-6 * Math.max(1, Math.hypot(...at)), `${at} is on the slope`)
  }
  await page.keyboard.press('0')
  await until(page, () => window.tenon.arrows('touches').length === 0)
  await leave(page)
})

test('what stopped the motion is named with its line, and shown; a right click in the tree plots', async () => {
  const { page } = await bench.visit('double-pendulum')
  await ready(page, 'lower')
  await row(page, 'lower').click({ button: 'right' })
  await page.getByRole('menuitem', { name: /^Plot/ }).click()
  await page.getByRole('region', { name: /^Plot of lower\.position\.x/ }).waitFor()
  const force = {
    type: 'force',
    on: 'lower',
    value: ['1 N / (0.05 - t / 1 s)^0.5', 0],
  }
  assert.ok(
    (
      await ask(page, 'command', {
        command: { add: { forces: { gust: force } } },
      })
    ).ok,
  )
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: /^Show gust/ }).click()
  await until(page, () => window.tenon.selection.join() === 'gust')
  await page.getByRole('button', { name: 'Undo the last edit' }).click()
  await until(page, hasName, ['gust', false])
  await leave(page)
})
