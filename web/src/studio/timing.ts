// Time: running, stepping, going back, and looping over a part of the past.
import { notices } from './notices.svelte'
import type { Speed } from './protocol'
import { plots } from './plot/plots.svelte'
import { session } from './session.svelte'
import { ui } from './ui.svelte'
import { timeText } from './units'

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
const LOOP_RATE = 30 // seeks a second
const SHORT = 0.8 // s: a run that is over sooner is shown slowly, and again and again
const LEAST = 4 // s that it then takes
const NEAR = 1e-9 // s

/** the model that a speed was suggested for, and where its run ends, s */
let known = 0
let end: number | undefined
/** the run goes on to its end */
let toEnd = false

/** The speed that suits a model which has just been opened. */
export function suggest(document: number, until: number | undefined): void {
  end = until
  if (document === known || (known === 0 && !session.frame)) return
  const reloaded = known === 0 && (session.running || session.time > 0)
  known = document
  toEnd = reloaded && until !== undefined && session.time < until + NEAR
  if (reloaded && session.running) return
  session.speed =
    until !== undefined && until < SHORT ? (SPEEDS.filter((speed) => until / speed >= LEAST).at(-1) ?? SPEEDS[0]) : 1
}

/** To the end that the model gives; once there, further on. */
export function run(): void {
  stopLoop()
  toEnd = ui.stopAtEnd && end !== undefined && session.time < end - NEAR
  if (toEnd) void session.act('run_to', { time: end, speed: session.speed })
  else void session.act('speed', { value: session.speed })
}

/** Tells when the run has come to its end. */
export function watchEnd(running: boolean, time: number): void {
  if (!toEnd || running || end === undefined || time < end - NEAR) return
  toEnd = false
  if (time > end + NEAR) return // somebody let it go on
  if (end < SHORT) startLoop([0, end])
  notices.show(
    'info',
    end < SHORT ? 'The run is over: it is shown again and again' : `The run is over at ${timeText(end)}`,
    'Space goes on from here',
    [
      { label: 'Again from the start', run: () => void again() },
      { label: 'Loop over it', run: () => startLoop([0, end!]) },
    ],
    true,
  )
}

async function again(): Promise<void> {
  stopLoop()
  const answer = await session.act('seek', { time: 0 })
  if (answer.ok) run()
}

export function pause(): void {
  toEnd = false
  stopLoop()
  void session.act('speed', { value: 0 })
}

export function toggleRun(): void {
  if (ui.loop) pause()
  else if (session.running) pause()
  else run()
}

export function step(count: number): void {
  stopLoop()
  void session.act('step', { count })
}

export function reset(): void {
  stopLoop()
  void session.act('reset')
}

export function setSpeed(value: Speed): void {
  session.speed = value
  if (session.running && toEnd) void session.act('run_to', { time: end, speed: value })
  else if (session.running) void session.act('speed', { value })
}

export function changeSpeed(by: 1 | -1): void {
  const now = session.speed === 'max' ? SPEEDS.length : SPEEDS.findIndex((s) => s >= (session.speed as number) - 1e-12)
  const next = Math.min(Math.max(now + by, 0), SPEEDS.length)
  setSpeed(next === SPEEDS.length ? 'max' : SPEEDS[next])
}

/** Seeks follow the hand: one on its way, and the latest after it. */
let wanted: number | undefined
let seeking = false
export async function seek(time: number): Promise<void> {
  wanted = time
  if (seeking) return
  seeking = true
  while (wanted !== undefined) {
    const now: number = wanted
    wanted = undefined
    const answer = await session.act('seek', { time: now })
    if (!answer.ok) break
  }
  seeking = false
}

export async function branch(): Promise<void> {
  const answer = await session.act('branch')
  if (!answer.ok) return
  plots.recorder.fork(session.time)
  notices.show('good', `Branch ${answer.branch} starts here`, 'Curves so far stay for comparison')
}

/** A number of seconds, or an expression that is waited for to cross zero. */
export async function runTo(text: string): Promise<string | undefined> {
  const seconds = /^\s*([\d.eE+-]+)\s*(s|ms)?\s*$/.exec(text)
  const time = seconds ? Number(seconds[1]) * (seconds[2] === 'ms' ? 1e-3 : 1) : NaN
  const answer = await session.ask('run_to', Number.isFinite(time) ? { time } : { when: text })
  return answer.ok ? undefined : answer.message
}

let looping: ReturnType<typeof setInterval> | undefined

/** Plays a range of the past again and again at the chosen speed. */
export function startLoop(range: [number, number]): void {
  stopLoop()
  ui.loop = range
  const [from, to] = range
  const pace = session.speed === 'max' ? 1 : session.speed
  let began = performance.now()
  looping = setInterval(() => {
    const time = from + ((performance.now() - began) / 1000) * pace
    if (time >= to) began = performance.now()
    void seek(Math.min(time, to))
  }, 1000 / LOOP_RATE)
}

export function stopLoop(): void {
  clearInterval(looping)
  looping = undefined
  ui.loop = undefined
}
