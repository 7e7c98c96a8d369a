// The page: finds its data, builds the player and lets it run.
import type { SceneData } from '../scene/data'
import { POSE_SIZE } from '../scene/data'
import type { ThemeName } from '../scene/theme'
import { connect } from './controls'
import { byId } from './dom'
import { follow } from './live'
import { Motion } from './motion'
import { Player } from './player'
import { connectSliders } from './sliders'
import { Transport } from './transport'
import { countText, lengthText } from './units'
import './style.css'

interface PageData extends SceneData {
  /** simulated seconds a second of playing, and frames a second */
  speed: number
  fps: number
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const still = matchMedia('(prefers-reduced-motion: reduce)')
const preferred = (): ThemeName => (dark.matches ? 'dark' : 'light')

function describe(data: PageData): void {
  const name = data.name || 'Mechanism'
  const joints = data.joints.length + data.couplings.length
  document.title = `${name} · Tenon`
  byId('name').textContent = name
  byId('about').textContent =
    `${countText(data.bodies.length, 'body', 'bodies')}, ${countText(joints, 'joint', 'joints')}`
  byId('canvas').setAttribute('aria-label', `${name}, moving`)
  byId('help-drag').textContent = data.dimension === 2 ? 'pan' : 'orbit'
}

/** Keeps the picture in the size of the window, between header and footer. */
function followSize(player: Player): void {
  const header = document.querySelector('header')!
  const footer = document.querySelector('footer')!
  let fitted = false
  const resize = () => {
    const { clientWidth: width, clientHeight: height } = player.canvas
    const covered = innerHeight - footer.offsetTop
    player.view.resize(width, height, header.offsetHeight, covered)
    byId('scale').style.bottom = `${covered + 10}px`
    if (!fitted) player.view.fit()
    fitted = width > 0
  }
  new ResizeObserver(resize).observe(player.canvas)
  resize()
}

/** What is shown now, for tests and the curious: window.tenon. */
function expose(player: Player): void {
  const names = player.data.bodies.map((body) => body.name)
  const shown = {
    get time() {
      return player.clock.time
    },
    get duration() {
      return player.motion.duration
    },
    get frame() {
      return player.frame
    },
    get frames() {
      return player.motion.frames.length
    },
    get playing() {
      return player.clock.playing
    },
    bodies: Object.freeze(names),
    pose(name: string): { position: number[]; rotation: number[] } | undefined {
      const at = names.indexOf(name) * POSE_SIZE
      const numbers = Array.from(player.poses.subarray(at, at + POSE_SIZE))
      return at < 0 ? undefined : { position: numbers.slice(0, 3), rotation: numbers.slice(3) }
    },
  }
  Object.defineProperty(window, 'tenon', { value: Object.freeze(shown) })
}

function run(player: Player, transport: Transport): void {
  const draw = (now: number) => {
    if (player.clock.tick(now)) {
      player.show()
      transport.show()
    }
    player.view.render()
    requestAnimationFrame(draw)
  }
  requestAnimationFrame(draw)
}

/** Scene and motion of a run; undefined where the page has none. */
function readRun(run: number): { data: PageData; motion: Motion } | undefined {
  const ending = run === 0 ? '' : `-${run}`
  const [scene, motion] = ['scene', 'motion'].map((id) => document.getElementById(id + ending)?.textContent)
  if (!scene || !motion) return undefined
  const data = JSON.parse(scene) as PageData
  return { data, motion: new Motion(motion, data.bodies.length) }
}

/** Sliders change the run that is shown. */
function connectRuns(player: Player, transport: Transport): void {
  const show = (run: number) => {
    const other = readRun(run)
    byId('failure').hidden = other !== undefined
    byId('failure').textContent = 'There is no motion for these values.'
    if (!other) return
    player.swap(other.data, other.motion)
    transport.measure()
    transport.show()
  }
  const first = connectSliders(show)
  if (first > 0) show(first)
}

function start(): void {
  const { data, motion } = readRun(0)!
  describe(data)
  document.documentElement.dataset.theme = preferred()
  const player = new Player(data, motion, byId('canvas'), byId('paths-list'), preferred(), data.speed)
  const transport = new Transport(player, data.speed / data.fps)
  const setTheme = (theme: ThemeName) => {
    document.documentElement.dataset.theme = theme
    player.repaint(theme)
  }
  dark.addEventListener('change', () => setTheme(preferred()))
  byId('scale').textContent = lengthText(player.view.cell)
  connect(player, transport, setTheme)
  connectRuns(player, transport)
  followSize(player)
  expose(player)
  const live = location.search === '?live'
  transport.setPlaying(!live && !still.matches && motion.last > 0)
  if (live) void follow(player, transport)
  run(player, transport)
}

try {
  start()
} catch (error) {
  const failure = byId('failure')
  failure.textContent = `The motion cannot be shown: ${error instanceof Error ? error.message : error}`
  failure.hidden = false
}
