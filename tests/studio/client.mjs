// A client of the studio with nothing but sockets, so that tests can also send what no decent client would.
import { randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tls from 'node:tls'

/** Of an address that the program prints: behind the #, where browsers keep it to themselves. */
export const tokenOf = (url) => new URLSearchParams(new URL(url).hash.slice(1)).get('token')

/** A running 'tenon studio': its addresses, and how it is ended. */
export async function startStudio(program, words = [], { cwd } = {}) {
  const state = mkdtempSync(path.join(tmpdir(), 'tenon-studio-'))
  const all = ['studio', '--no-browser', '--json', ...(words.includes('--state') ? [] : ['--state', state]), ...words]
  const child = spawn(program, all, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = '', trouble = ''
  child.stderr.on('data', (bytes) => (trouble += bytes))
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)))
  const told = await new Promise((resolve, reject) => {
    child.stdout.on('data', (bytes) => {
      out += bytes
      if (out.trimEnd().endsWith('}')) resolve(JSON.parse(out))
    })
    ended.then((code) => reject(new Error(`studio ended with ${code}: ${trouble}`)))
  })
  const url = new URL(told.url)
  return {
    ...told,
    host: url.host,
    port: Number(url.port),
    token: tokenOf(told.url),
    viewToken: tokenOf(told.view),
    pid: child.pid,
    state,
    trouble: () => trouble,
    ended,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** A connection to a studio: plain, or with TLS when it has an authority whose certificates are trusted. */
export const connectTo = (studio, to = '127.0.0.1') =>
  studio.authority
    ? tls.connect({ port: studio.port, host: to, ca: studio.authority, servername: 'localhost' })
    : net.connect(studio.port, to)

function frameBytes(opcode, payload, { final = true } = {}) {
  const size = payload.length
  const head = size < 126 ? Buffer.alloc(2) : size < 65536 ? Buffer.alloc(4) : Buffer.alloc(10)
  head[0] = (final ? 0x80 : 0) | opcode
  head[1] = 0x80 | (size < 126 ? size : size < 65536 ? 126 : 127)
  if (head.length === 4) head.writeUInt16BE(size, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2)
  const mask = randomBytes(4)
  const masked = Buffer.from(payload)
  for (let k = 0; k < size; k++) masked[k] ^= mask[k & 3]
  return Buffer.concat([head, mask, masked])
}

/** A frame of the protocol as an object (docs/protocol.md, "Frames"). */
export function decodeFrame(bytes) {
  const u32 = (at) => bytes.readUInt32LE(at)
  const flags = u32(12), bodies = u32(32), joints = u32(36), channels = u32(40), forces = u32(48)
  let at = 56
  const floats = (rows, columns) =>
    Array.from({ length: rows }, () => Array.from({ length: columns }, () => bytes.readFloatLE((at += 4) - 4)))
  const doubles = (count) => Array.from({ length: count }, () => bytes.readDoubleLE((at += 8) - 8))
  const frame = {
    magic: u32(0), revision: u32(4), number: u32(8), flags, subscription: u32(44),
    time: bytes.readDoubleLE(16), speed: bytes.readDoubleLE(24),
    poses: Array.from({ length: bodies }, () => doubles(7)),
    velocities: flags & 16 ? floats(bodies, 6) : null,
    accelerations: flags & 32 ? floats(bodies, 6) : null,
    reactions: flags & 8 ? floats(joints, 6) : null,
    forces: flags & 64 ? floats(forces, 6) : null,
    pull: flags & 4 ? floats(1, 6)[0] : null,
  }
  at = Math.ceil(at / 8) * 8
  frame.channels = Array.from({ length: channels }, () => bytes.readDoubleLE((at += 8) - 8))
  if (at !== bytes.length) throw new Error(`a frame of ${bytes.length} bytes has ${at} bytes of content`)
  return frame
}

/** Opens a socket; the answer of the server is its status line when it refuses. */
export function openSocket(
  studio,
  { token = studio.token, host = studio.host, origin, path: where = '/session', protocol = 'tenon.1', headers = [`Authorization: Bearer ${token}`], to = '127.0.0.1' } = {},
) {
  const socket = connectTo(studio, to)
  socket.setNoDelay(true)
  const lines = [
    `GET ${where} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket',
    'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ...(protocol ? [`Sec-WebSocket-Protocol: ${protocol}`] : []), ...(origin ? [`Origin: ${origin}`] : []), ...headers,
  ]
  socket.write(lines.join('\r\n') + '\r\n\r\n')
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0)
    const read = (bytes) => {
      head = Buffer.concat([head, bytes])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      socket.off('data', read)
      const status = Number(head.subarray(9, 12))
      resolve({ socket, status, rest: head.subarray(end + 4) })
    }
    socket.on('data', read)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('closed before an answer')))
  })
}

export class Client {
  /** of schema.mjs: every message is compared with it, and what is wrong is collected */
  static schema
  static violations = new Set()
  static seen = new Set()

  static compare(kind, wrong) {
    Client.seen.add(kind)
    if (wrong) Client.violations.add(wrong)
  }

  static async open(studio, options) {
    const { socket, status, rest } = await openSocket(studio, options)
    if (status !== 101) {
      socket.destroy()
      throw Object.assign(new Error(`refused with status ${status}`), { status })
    }
    const client = new Client(socket)
    client.read(rest)
    client.hello = await client.push('hello')
    return client
  }

  constructor(socket) {
    this.socket = socket
    this.buffer = Buffer.alloc(0)
    this.waiting = new Map()
    this.pushes = []
    this.watchers = new Set()
    this.frames = 0
    this.lost = new Promise((resolve) => socket.on('close', resolve))
    this.closed = false
    this.next = 1
    socket.on('data', (bytes) => this.read(bytes))
    socket.on('error', () => {})
    socket.on('close', () => {
      this.closed = true
      for (const { reject } of this.waiting.values()) reject(new Error('the connection was closed'))
      this.notify()
    })
  }

  read(bytes) {
    this.buffer = Buffer.concat([this.buffer, bytes])
    for (;;) {
      if (this.buffer.length < 2) return
      let size = this.buffer[1] & 127, at = 2
      if (size === 126) {
        if (this.buffer.length < 4) return
        size = this.buffer.readUInt16BE(2)
        at = 4
      } else if (size === 127) {
        if (this.buffer.length < 10) return
        size = Number(this.buffer.readBigUInt64BE(2))
        at = 10
      }
      if (this.buffer.length < at + size) return
      const opcode = this.buffer[0] & 15, final = this.buffer[0] & 128
      const payload = this.buffer.subarray(at, at + size)
      this.buffer = this.buffer.subarray(at + size)
      this.pieces = opcode === 0 ? [...this.pieces, payload] : opcode < 8 ? [payload] : this.pieces
      this.kind = opcode === 1 || opcode === 2 ? opcode : this.kind
      if (opcode === 9) this.socket.write(frameBytes(10, payload))
      if (final && opcode < 3) this.take(Buffer.concat(this.pieces))
    }
  }

  take(bytes) {
    if (this.kind === 2) {
      if (!this.blind) this.frame = decodeFrame(bytes)
      this.frames++
      this.notify()
      return
    }
    const message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (message.push) {
      if (Client.schema) Client.compare(`push ${message.push}`, Client.schema.push(message))
      message.arrived = performance.now()
      this.pushes.push(message)
      if (this.pushes.length > 5000) this.pushes.splice(0, 2500)
    } else if (this.waiting.has(message.id)) {
      const { resolve, verb } = this.waiting.get(message.id)
      if (Client.schema?.verbs[verb]) Client.compare(message.ok ? verb : `no ${verb}`, Client.schema.answer(verb, message))
      this.waiting.delete(message.id)
      resolve(message)
    } else {
      this.stray = [...(this.stray ?? []), message]
    }
    this.notify()
  }

  notify() {
    for (const watcher of [...this.watchers]) watcher()
  }

  /** Resolves when condition() is truthy, looking after everything that arrives. */
  until(condition, what = 'something', milliseconds = 20000) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.watchers.delete(look)
        reject(new Error(`waited in vain for ${what}`))
      }, milliseconds)
      const look = () => {
        const value = condition()
        if (!value && !this.closed) return
        clearTimeout(timer)
        this.watchers.delete(look)
        if (value) resolve(value)
        else reject(new Error(`closed while waiting for ${what}`))
      }
      this.watchers.add(look)
      look()
    })
  }

  /** The first push of a kind that test accepts, from now on or already there. */
  push(kind, test = () => true) {
    return this.until(() => this.pushes.find((message) => message.push === kind && test(message)), `push '${kind}'`)
  }

  /** Waits for a frame made after this call that test accepts. */
  nextFrame(test = () => true) {
    const before = this.frames
    return this.until(() => this.frames > before && test(this.frame) && this.frame, 'a frame')
  }

  /** The present frame if test accepts it, or one that comes. */
  nextFrameOrNow(test) {
    return this.until(() => this.frame && test(this.frame) && this.frame, 'a frame')
  }

  send(text) {
    this.socket.write(frameBytes(1, Buffer.from(text)))
  }

  sendRaw(opcode, payload, options) {
    this.socket.write(frameBytes(opcode, payload, options))
  }

  ask(verb, parts = {}) {
    const id = this.next++
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(new Error('the connection was closed'))
      this.waiting.set(id, { resolve, reject, verb })
      this.send(JSON.stringify({ id, do: verb, ...parts }))
    })
  }

  /** Asks, and insists on a good answer. */
  async good(verb, parts) {
    const answer = await this.ask(verb, parts)
    if (!answer.ok) throw new Error(`${verb}: ${answer.code}: ${answer.message}`)
    return answer
  }

  close() {
    this.socket.destroy()
  }
}

/** A download as { status, body }. */
export async function fetchFrom(studio, where, { token = studio.token, host = studio.host, headers = [] } = {}) {
  const socket = connectTo(studio)
  const access = token === null ? [] : [`Authorization: Bearer ${token}`]
  socket.write([`GET ${where} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...access, ...headers].join('\r\n') + '\r\n\r\n')
  const pieces = []
  for await (const piece of socket) pieces.push(piece)
  const all = Buffer.concat(pieces), end = all.indexOf('\r\n\r\n')
  return { status: Number(all.subarray(9, 12)), head: all.subarray(0, end).toString(), body: all.subarray(end + 4) }
}
