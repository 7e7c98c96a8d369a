// 'tenon studio' for other machines: TLS with a certificate, and behind a reverse proxy, with the configuration of the manual.
// usage: node test_secure.mjs PROGRAM PROTOCOL_TOOL MANUAL
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { Client, connectTo, fetchFrom, openSocket, startStudio } from './client.mjs'
import { readSchema } from './schema.mjs'

const program = path.resolve(process.argv[2])
const manual = path.resolve(process.argv[4])
const folder = mkdtempSync(path.join(tmpdir(), 'tenon-secure-'))
const at = (name) => path.join(folder, name)
Client.schema = readSchema(path.resolve(process.argv[3]))

function makeCertificate(name) {
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', `/CN=${name}`,
      '-addext', 'subjectAltName=DNS:localhost', '-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)],
    { stdio: 'ignore' },
  )
}

before(() => {
  writeFileSync(at('ball.yaml'), 'tenon: 1\nname: Ball\ndimension: 2\nbodies: { ball: { mass: 1 kg, inertia: 1 kg m^2 } }\n')
  makeCertificate('studio')
  makeCertificate('other')
})
after(() => {
  assert.deepEqual([...Client.violations], [])
  rmSync(folder, { recursive: true })
})

async function withStudio(words, run) {
  const studio = await startStudio(program, [at('ball.yaml'), '--paused', ...words])
  try {
    return await run(studio)
  } finally {
    await studio.stop()
  }
}

const authority = () => readFileSync(at('studio.pem'))
const statusOf = async (studio, options) => {
  const { socket, status } = await openSocket(studio, options)
  socket.destroy()
  return status
}

test('with a certificate the session and the page come by TLS only', async () => {
  await withStudio(['--certificate', at('studio.pem'), '--key', at('studio.key')], async (plain) => {
    assert.match(plain.url, /^https:\/\/127\.0\.0\.1:\d+\/#token=/)
    const studio = { ...plain, authority: authority() }
    const client = await Client.open(studio, { origin: `https://${studio.host}` })
    await client.good('session')
    await client.good('command', { command: { gravity: [0, -3] } })
    const page = await fetchFrom(studio, '/', { token: null })
    assert.equal(page.status, 200)
    assert.match(page.head, new RegExp(`connect-src 'self' wss://${studio.host.replaceAll('.', '\\.')};`))
    assert.equal(await statusOf(studio, { origin: `http://${studio.host}` }), 403)
    assert.equal(await statusOf(studio, { host: `evil.example:${studio.port}` }), 403)
    assert.equal(await statusOf(studio, { token: 'wrong' }), 403)
    await assert.rejects(statusOf(plain), 'a request without TLS gets no answer')
    await client.good('session')
    client.close()
  })
})

test('what is sent to a certificate by many clients, and by one that is slow, arrives', async () => {
  await withStudio(['--certificate', at('studio.pem'), '--key', at('studio.key')], async (plain) => {
    const studio = { ...plain, authority: authority() }
    const silent = Array.from({ length: 20 }, () => connectTo({ ...studio, authority: undefined }).on('error', () => {}))
    const clients = await Promise.all(Array.from({ length: 12 }, () => Client.open(studio)))
    const texts = await Promise.all(clients.map((client) => client.good('text')))
    for (const answer of texts) assert.match(JSON.stringify(answer), /Ball/)
    for (const client of clients) client.close()
    for (const socket of silent) socket.destroy()
  })
})

test('a key that does not belong to the certificate, and files that are none, are refused with their names', () => {
  const refused = (certificate, key) =>
    spawnSync(program, ['studio', at('ball.yaml'), '--no-browser', '--state', folder, '--certificate', certificate, '--key', key], {
      encoding: 'utf8', timeout: 20000,
    })
  const other = refused(at('studio.pem'), at('other.key'))
  assert.notEqual(other.status, 0)
  assert.match(other.stderr, /certificate '.*studio\.pem' and key '.*other\.key' cannot be used/)
  assert.match(refused(at('ball.yaml'), at('studio.key')).stderr, /cannot be used/)
  assert.match(refused(at('nothing.pem'), at('studio.key')).stderr, /nothing\.pem/)
  const half = spawnSync(program, ['studio', '--certificate', at('studio.pem')], { encoding: 'utf8', timeout: 20000 })
  assert.match(half.stderr, /--certificate and --key go together/)
})

test('an address that other machines reach without TLS is told', async () => {
  await withStudio(['--host', '0.0.0.0'], async (studio) => assert.match(studio.trouble(), /nothing is encrypted/))
  await withStudio(['--host', '127.0.0.1'], async (studio) => assert.doesNotMatch(studio.trouble(), /encrypted/))
})

test('behind a proxy the studio goes by the name that the proxy has', async () => {
  await withStudio(['--shown-at', 'https://studio.example'], async (told) => {
    assert.match(told.url, /^https:\/\/studio\.example\/#token=/)
    const port = Number(/:([0-9]+)/.exec(readPort(told.pid))[1])
    const studio = { ...told, port }
    assert.equal(await statusOf(studio, { origin: 'https://studio.example' }), 101)
    assert.equal(await statusOf(studio, { origin: 'http://studio.example' }), 403)
    assert.equal(await statusOf(studio, { origin: 'https://evil.example' }), 403)
    assert.equal(await statusOf(studio, { host: 'evil.example' }), 403)
    assert.match((await fetchFrom(studio, '/', { token: null })).head, /connect-src 'self' wss:\/\/studio\.example;/)
  })
  const path = spawnSync(program, ['studio', '--state', folder, '--shown-at', 'https://a.example/b'], { encoding: 'utf8', timeout: 20000 })
  assert.match(path.stderr, /without a path/)
})

/** ":PORT" at which a process listens, as the system tells. */
function readPort(pid) {
  const sockets = new Set(
    execFileSync('ls', ['-l', `/proc/${pid}/fd`], { encoding: 'utf8' }).match(/socket:\[(\d+)\]/g).map((text) => text.slice(8, -1)),
  )
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1).map((row) => row.trim().split(/\s+/))
  const [, local] = rows.find((row) => row[3] === '0A' && sockets.has(row[9]))
  return `:${parseInt(local.split(':')[1], 16)}`
}

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** The configuration of the manual, with names, ports and files of this test. */
function proxyConfiguration(outer, inner) {
  const block = /```nginx\n([\s\S]*?)```/.exec(readFileSync(manual, 'utf8'))[1]
  const own = block
    .replace('listen 443 ssl', `listen 127.0.0.1:${outer} ssl`)
    .replace('studio.example.org', 'localhost')
    .replace('/etc/ssl/studio/fullchain.pem', at('studio.pem'))
    .replace('/etc/ssl/studio/privkey.pem', at('studio.key'))
    .replace('127.0.0.1:8080', `127.0.0.1:${inner}`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${at('temporary')};`)
  return `daemon off; pid ${at('nginx.pid')}; error_log ${at('error.log')};\nevents {}\nhttp { access_log ${at('access.log')}; ${temporary.join(' ')}\n${own}\n}\n`
}

const nginx = [process.env.TENON_NGINX, '/usr/sbin/nginx', '/usr/bin/nginx'].find((name) => name && existsSync(name))

test('nginx with the configuration of the manual passes the studio on', { skip: nginx ? false : 'nginx is not installed' }, async () => {
  const outer = await freePort(), inner = await freePort()
  mkdirSync(at('temporary'), { recursive: true })
  writeFileSync(at('nginx.conf'), proxyConfiguration(outer, inner))
  await withStudio(['--port', String(inner), '--shown-at', `https://localhost:${outer}`], async (told) => {
    const proxy = spawn(nginx, ['-e', at('error.log'), '-c', at('nginx.conf'), '-p', folder], { stdio: 'inherit' })
    try {
      const studio = { ...told, port: outer, host: `localhost:${outer}`, authority: authority() }
      let client
      for (let k = 0; !client; k++)
        client = await Client.open(studio, { origin: `https://localhost:${outer}` }).catch(async (error) => {
          if (k > 50) throw error
          await new Promise((resolve) => setTimeout(resolve, 100))
        })
      await client.good('command', { command: { gravity: [0, -3] } })
      assert.equal((await fetchFrom(studio, '/', { token: null })).status, 200)
      assert.equal(await statusOf(studio, { token: 'wrong' }), 403)
      client.close()
      assert.ok(!readFileSync(at('access.log'), 'utf8').includes(told.token), 'the log of the proxy has no token')
    } finally {
      proxy.kill()
    }
  })
})
