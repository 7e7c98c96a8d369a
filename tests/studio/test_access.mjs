// Who reaches 'tenon studio' and what a client can make it do: addresses, tokens, native code, hidden files, connections that
// never ask for anything, and the size of the page. usage: node test_access.mjs PROGRAM PROTOCOL_TOOL
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Client, fetchFrom, openSocket, startStudio } from './client.mjs'
import { readSchema } from './schema.mjs'

const program = path.resolve(process.argv[2])
const folder = mkdtempSync(path.join(tmpdir(), 'tenon-access-'))
const FIRST_LOAD = 350_000 // bytes, compressed, until the page is there
Client.schema = readSchema(path.resolve(process.argv[3]))

const MODEL = 'tenon: 1\nname: Ball\ndimension: 2\nbodies: { ball: { mass: 1 kg, inertia: 1 kg m^2 } }\n'
const PART = `${MODEL}ports: { hook: ball }\n`
const use = (file) => `tenon: 1\ndimension: 2\nsubsystems: { part: { use: ${file} } }\n`

before(() => {
  writeFileSync(path.join(folder, 'ball.yaml'), MODEL)
})
after(() => {
  assert.deepEqual([...Client.violations], [])
  rmSync(folder, { recursive: true })
})

async function withStudio(words, run) {
  const studio = await startStudio(program, [path.join(folder, 'ball.yaml'), '--paused', ...words])
  try {
    return await run(studio)
  } finally {
    await studio.stop()
  }
}

/** Addresses at which something listens on a port, as the system tells. */
function listening(port) {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  const rows = ['tcp', 'tcp6'].flatMap((file) =>
    existsSync(`/proc/net/${file}`) ? readFileSync(`/proc/net/${file}`, 'utf8').trim().split('\n').slice(1) : [],
  )
  const sockets = rows.map((row) => row.trim().split(/\s+/)).filter(([, local, , state]) => state === '0A' && local.endsWith(`:${wanted}`))
  return sockets.map(([, local]) => readable(local.split(':')[0])).sort()
}

/** An address of /proc/net: words in the order of the machine, which is little-endian. */
function readable(hex) {
  const bytes = hex.match(/.{8}/g).flatMap((word) => word.match(/../g).reverse())
  if (bytes.length === 4) return bytes.map((byte) => parseInt(byte, 16)).join('.')
  const groups = Array.from({ length: 8 }, (_, k) => parseInt(bytes[2 * k] + bytes[2 * k + 1], 16).toString(16))
  return groups.join(':').replace(/^(0:){7}/, '::')
}

const refuses = (port, host) =>
  new Promise((resolve) => {
    const socket = net.connect(port, host)
    socket.on('connect', () => resolve(socket.destroy() && false))
    socket.on('error', (error) => resolve(error.code === 'ECONNREFUSED'))
  })

/** A machine may be without IPv6. */
const six = existsSync('/proc/net/if_inet6') && readFileSync('/proc/net/if_inet6', 'utf8').includes('lo')

test('without --host the studio listens at the loopback addresses and nowhere else', async () => {
  await withStudio([], async (studio) => {
    assert.deepEqual(listening(studio.port), six ? ['127.0.0.1', '::1'] : ['127.0.0.1'])
    for (const [to, name] of six ? [['127.0.0.1', '127.0.0.1'], ['::1', '[::1]'], ['::1', 'localhost']] : [['127.0.0.1', 'localhost']]) {
      const client = await Client.open(studio, { to, host: `${name}:${studio.port}` })
      await client.good('session')
      client.close()
    }
    assert.ok(await refuses(studio.port, '127.0.0.2'))
  })
})

test('a pipe in the folder stops nobody: what is not a file is not opened', async () => {
  for (const name of ['pipe.yaml', 'pipe.csv', 'pipe.stl']) execFileSync('mkfifo', [path.join(folder, name)])
  const texts = [
    use('pipe.yaml'),
    `${MODEL}tables: { road: { file: pipe.csv } }\n`,
    'tenon: 1\ndimension: 3\nbodies: { ball: { shapes: [{ mesh: { file: pipe.stl }, density: 1000 kg/m^3 }] } }\n',
  ]
  await withStudio([], async (studio) => {
    const client = await Client.open(studio, { token: studio.viewToken })
    for (const text of texts) {
      const { good, diagnostics } = await client.good('check', { text })
      assert.equal(good, false)
      assert.match(diagnostics[0].message, /no such file within the folder/)
    }
    assert.deepEqual((await client.good('parts', { dimension: 2 })).parts, [])
    client.close()
  })
  for (const name of ['pipe.yaml', 'pipe.csv', 'pipe.stl']) rmSync(path.join(folder, name))
})

test('--host listens at exactly that address', async () => {
  const expected = [['127.0.0.2', ['127.0.0.2']], ['0.0.0.0', ['0.0.0.0']], ['localhost', six ? ['127.0.0.1', '::1'] : ['127.0.0.1']]]
  if (six) expected.push(['::1', ['::1']])
  for (const [host, addresses] of expected)
    await withStudio(['--host', host], async (studio) => {
      assert.deepEqual(listening(studio.port), addresses, host)
      const to = host === '0.0.0.0' ? '127.0.0.1' : addresses[0]
      const client = await Client.open(studio, { to, host: new URL(studio.url).host })
      client.close()
      if (host === '127.0.0.2') assert.ok(await refuses(studio.port, '127.0.0.1'))
    })
  await assert.rejects(withStudio(['--host', 'no.such.host.invalid'], () => {}), /cannot listen on no\.such\.host\.invalid/)
  await assert.rejects(withStudio(['--host', '192.0.2.1'], () => {}), /cannot listen on 192\.0\.2\.1/)
  if (!six) return
  const taken = net.createServer().listen(0, '::1')
  await new Promise((resolve) => taken.on('listening', resolve))
  await assert.rejects(withStudio(['--port', String(taken.address().port)], () => {}), /cannot listen/)
  taken.close()
})

// Two network namespaces, joined by a pair of virtual interfaces: the studio runs in the first, the other one knocks.
const NEIGHBOUR = `set -eu
ip link set lo up
ip link add here type veth peer name there
unshare -n sleep 60 & other=$!
trap 'kill $other' EXIT
while [ "$(readlink /proc/$other/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done
ip link set there netns $other
ip addr add 10.99.0.1/24 dev here
ip link set here up
nsenter -t $other -n sh -c 'ip link set lo up; ip addr add 10.99.0.2/24 dev there; ip link set there up'
"$@" --port 4711 &
server=$!
trap 'kill $other $server' EXIT
for k in $(seq 100); do grep -q :1267 /proc/net/tcp && break; sleep 0.05; done
nsenter -t $other -n node -e '
  const socket = require("node:net").connect({ port: 4711, host: "10.99.0.1", timeout: 3000 })
  const end = (text) => { console.log("neighbour", text); process.exit() }
  socket.on("connect", () => end("connected"))
  socket.on("error", (error) => end(error.code))
  socket.on("timeout", () => end("timeout"))'
`
const namespaces = spawnSync('unshare', ['-rn', 'sh', '-c', 'ip link add here type veth peer name there && unshare -n true && command -v nsenter']).status === 0

test('another machine is refused, unless --host is its network', { skip: !namespaces && 'no network namespaces here' }, () => {
  const from = (...words) => {
    const server = [program, 'studio', path.join(folder, 'ball.yaml'), '--no-browser', '--paused', '--state', folder, ...words]
    const out = execFileSync('unshare', ['-rn', 'bash', '-c', NEIGHBOUR, 'bash', ...server], { encoding: 'utf8', timeout: 30000 })
    return /neighbour (\w+)/.exec(out)?.[1]
  }
  assert.equal(from(), 'ECONNREFUSED')
  assert.equal(from('--host', '127.0.0.1'), 'ECONNREFUSED')
  assert.equal(from('--host', '10.99.0.1'), 'connected')
})

test('tokens are taken from headers, never from addresses', async () => {
  await withStudio([], async (studio) => {
    assert.ok(!new URL(studio.url).search.includes('token') && studio.token.length === 32)
    const refused = async (options) => {
      const { socket, status } = await openSocket(studio, options)
      socket.destroy()
      assert.equal(status, 403, JSON.stringify(options))
    }
    await refused({ path: `/session?token=${studio.token}`, headers: [] })
    await refused({ headers: [`Authorization: Basic ${studio.token}`] })
    await refused({ headers: [], protocol: `tenon.1, token.${studio.token.slice(1)}` })
    assert.equal((await fetchFrom(studio, `/export/model.yaml?token=${studio.token}`, { token: null })).status, 403)
    const page = await Client.open(studio, { headers: [], protocol: `tenon.1, token.${studio.viewToken}` })
    assert.equal(page.hello.access, 'view')
    page.close()
    assert.equal((await fetchFrom(studio, '/export/model.yaml')).status, 200)
  })
})

test('native code is loaded by nobody, unless the server was started with --plugins and the client may edit', async () => {
  const marker = path.join(folder, 'marker')
  writeFileSync(
    path.join(folder, 'code.c'),
    `#include <stdio.h>\n__attribute__((constructor)) static void run(void) { FILE *f = fopen("${marker}", "w"); if (f) fclose(f); }\n`,
  )
  execFileSync('cc', ['-shared', '-fPIC', '-o', path.join(folder, 'code.so'), path.join(folder, 'code.c')])
  const everything = async (client) => {
    await client.ask('parts', { dimension: 2 })
    await client.ask('check', { text: use('code.so') })
    await client.ask('apply_text', { text: use('code.so') })
    await client.ask('command', { command: { add: { subsystems: { part: { use: 'code.so' } } } } })
    writeFileSync(path.join(folder, 'uses.yaml'), use('code.so'))
    await client.ask('open', { model: 'uses.yaml' })
  }
  await withStudio([], async (studio) => {
    for (const token of [studio.token, studio.viewToken]) {
      const client = await Client.open(studio, { token })
      await everything(client)
      if (token === studio.token)
        assert.match((await client.good('check', { text: use('code.so') })).diagnostics[0].message, /libraries are refused/)
      client.close()
      assert.ok(!existsSync(marker), 'code has run')
    }
  })
  await withStudio(['--plugins'], async (studio) => {
    const viewer = await Client.open(studio, { token: studio.viewToken })
    await everything(viewer)
    assert.ok(!existsSync(marker), 'code has run for one who looks on')
    const editor = await Client.open(studio)
    await editor.ask('parts', { dimension: 2 })
    assert.ok(existsSync(marker))
    viewer.close()
    editor.close()
  })
  const refused = spawnSync(program, ['studio', path.join(folder, 'uses.yaml'), '--no-browser', '--state', folder], { encoding: 'utf8', timeout: 10000 })
  assert.notEqual(refused.status, 0)
  assert.match(refused.stderr, /--plugins/)
})

test('hidden files of the folder cannot be read', async () => {
  mkdirSync(path.join(folder, '.private'))
  writeFileSync(path.join(folder, '.secret.yaml'), PART)
  writeFileSync(path.join(folder, '.private', 'part.yaml'), PART)
  writeFileSync(path.join(folder, '.shape.stl'), 'solid x\nendsolid x\n')
  writeFileSync(path.join(folder, 'part.yaml'), PART)
  symlinkSync('.secret.yaml', path.join(folder, 'link.yaml'))
  await withStudio([], async (studio) => {
    const client = await Client.open(studio)
    for (const model of ['.secret.yaml', 'link.yaml', '.private/part.yaml'])
      assert.equal((await client.ask('open', { model })).code, 'file', model)
    for (const file of ['.secret.yaml', 'link.yaml', '.private/part.yaml']) {
      for (const text of [use(file), `tenon: 1\ndimension: 2\ninclude: [${file}]\n`]) {
        const { good, diagnostics } = await client.good('check', { text })
        assert.equal(good, false)
        assert.match(diagnostics[0].message, /no such file/, text)
      }
      assert.equal((await client.ask('command', { command: { add: { subsystems: { part: { use: file } } } } })).ok, false)
    }
    const mesh = { add: { bodies: { m: { shapes: [{ mesh: { file: '.shape.stl' }, density: 1 }] } } } }
    assert.equal((await client.ask('command', { command: mesh })).ok, false)
    const { parts } = await client.good('parts', { dimension: 2 })
    assert.deepEqual(parts.map(({ file }) => file), ['part.yaml'])
    client.close()
  })
})

test('those who look on keep nobody out, and who edits is answered before them', async () => {
  await withStudio([], async (studio) => {
    const viewers = []
    for (let status; status !== 503 && viewers.length < 70; ) {
      const client = await Client.open(studio, { token: studio.viewToken }).catch((error) => (status = error.status) && null)
      if (client) viewers.push(client)
    }
    const editor = await Client.open(studio)
    await editor.good('speed', { value: 1 })
    let answered = 0
    const flood = viewers.slice(0, 8).flatMap((client) =>
      Array.from({ length: 200 }, () => client.ask('mobility').then(() => answered++, () => {})),
    )
    const before = await new Promise((resolve) => setTimeout(resolve, 20)).then(() => answered)
    await editor.good('command', { command: { gravity: [0, -1] } })
    assert.ok(answered - before < 800, `${answered - before} answers to those who look on came first`)
    const { time } = await editor.good('session')
    await editor.nextFrame((frame) => frame.time > time)
    for (const client of viewers) client.close()
    await Promise.all(flood)
    editor.close()
  })
})

/** So many connections that have sent this much of a request. */
function halfOpen(studio, count, text) {
  return Promise.all(
    Array.from({ length: count }, () => {
      const socket = net.connect(studio.port, '127.0.0.1')
      socket.on('error', () => {})
      return new Promise((resolve) => socket.on('connect', () => resolve(socket.write(text) && socket)))
    }),
  )
}

test('300 connections that never finish their request delay nobody, and end by themselves', async () => {
  await withStudio([], async (studio) => {
    const client = await Client.open(studio)
    const sockets = []
    const enter = async () => {
      const asked = performance.now()
      const newcomer = await Client.open(studio)
      await newcomer.good('session')
      assert.equal((await fetchFrom(studio, '/', { token: null })).status, 200)
      newcomer.close()
      return performance.now() - asked
    }
    const alone = await enter()
    for (const text of ['\r\n', `GET / HTTP/1.1\r\nHost: ${studio.host}\r\n`]) {
      sockets.push(...(await halfOpen(studio, 300, text)))
      const beside = await enter()
      console.log(`# a new client: ${alone.toFixed(0)} ms alone, ${beside.toFixed(0)} ms beside 300 half-open connections`)
      assert.ok(beside < Math.max(2000, 20 * alone), `${beside} ms, ${alone} ms alone`)
    }
    await client.good('session')
    const open = () => sockets.filter((socket) => !socket.destroyed && socket.readyState === 'open').length
    for (const socket of sockets) socket.resume()
    const deadline = Date.now() + 30000
    while (open() > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal(open(), 0, 'a request that is not complete after some seconds is given up')
    client.close()
  })
})

test('the page is stored compressed, is served either way, and loads little at first', async () => {
  await withStudio([], async (studio) => {
    const get = async (where, encoding) =>
      fetchFrom(studio, where, { token: null, headers: encoding ? [`Accept-Encoding: ${encoding}`] : [] })
    const plain = await get('/')
    if (plain.body.includes('built without its pages')) return
    assert.doesNotMatch(plain.head, /content-encoding/i)
    for (const encoding of ['gzip', 'br, gzip;q=0.5', 'deflate, GZIP']) {
      const packed = await get('/', encoding)
      assert.match(packed.head, /content-encoding: gzip/i, encoding)
      assert.deepEqual(gunzipSync(packed.body), plain.body)
    }
    for (const encoding of ['identity', 'gzip;q=0', 'br', 'notgzip'])
      assert.doesNotMatch((await get('/', encoding)).head, /content-encoding/i, encoding)
    const needed = [...plain.body.toString().matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, where]) => where)
    assert.ok(needed.some((where) => where.endsWith('.js')) && needed.some((where) => where.endsWith('.css')))
    let bytes = (await get('/', 'gzip')).body.length
    for (const where of needed) {
      const part = await get(where, 'gzip')
      assert.equal(part.status, 200, where)
      assert.match(part.head, /content-encoding: gzip/i)
      assert.match(part.head, /immutable/)
      assert.deepEqual(gunzipSync(part.body), (await get(where)).body)
      bytes += part.body.length
    }
    console.log(`# first load: ${bytes} bytes`)
    assert.ok(bytes <= FIRST_LOAD, `${bytes} bytes`)
    const script = gunzipSync((await get(needed.find((where) => where.endsWith('.js')), 'gzip')).body).toString()
    assert.ok(!script.includes('cm-content') && !script.includes('u-over'), 'editor and plots are not in the first load')
    assert.doesNotMatch(script, /defineProperty\(window,\s*["'`]tenon/, 'no hook for tests is shipped')
    assert.equal((await get('/assets/nothing.js')).status, 404)
  })
})
