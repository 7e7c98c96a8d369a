// What buttons, keys and pointer do to the player.
import type { ThemeName } from '../scene/theme'
import { byId, closePanels, opener, press, toggle } from './dom'
import type { Player } from './player'
import type { Transport } from './transport'

const CLICK = 4 // pixels a pointer may move in a click
const ORBIT_STEP = Math.PI / 24
const ZOOM_STEP = 1.2

type Actions = Record<string, () => void>

/** Connects the buttons; the answer is what keys do. */
function connectButtons(player: Player, transport: Transport, setTheme: (theme: ThemeName) => void): Actions {
  const { view, clock } = player
  byId('paths-clear').addEventListener('click', () => player.paths.clear())
  return {
    j: toggle('joints', (on) => {
      player.showJoints(on)
      view.invalidate()
    }),
    g: toggle('grid', (on) => {
      view.showGrid(on)
      byId('scale').hidden = !on
    }),
    l: toggle('loop', (on) => (clock.loop = on)),
    p: opener('paths'),
    '?': opener('help'),
    t: press('theme', () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark')),
    f: press('fit', () => view.fit()),
    n: press('normal', () => view.normal()),
    ' ': press('play', () => transport.setPlaying(!clock.playing)),
    ArrowLeft: press('back', () => transport.step(-1)),
    ArrowRight: press('forward', () => transport.step(1)),
    Home: () => transport.seek(0),
    End: () => transport.seek(player.motion.last),
    '[': () => transport.changeSpeed(-1),
    ']': () => transport.changeSpeed(1),
    '+': () => view.zoom(ZOOM_STEP),
    '-': () => view.zoom(1 / ZOOM_STEP),
    'Shift+ArrowLeft': () => view.orbit(-ORBIT_STEP, 0),
    'Shift+ArrowRight': () => view.orbit(ORBIT_STEP, 0),
    'Shift+ArrowUp': () => view.orbit(0, ORBIT_STEP),
    'Shift+ArrowDown': () => view.orbit(0, -ORBIT_STEP),
    Escape: closePanels,
  }
}

/** Keys that the focused control needs itself. */
function ownKeys(focus: Element | null): string[] {
  if (focus?.closest('#parameters')) return ['ArrowLeft', 'ArrowRight', 'Home', 'End']
  if (focus instanceof HTMLButtonElement) return [' ', 'Enter']
  if (focus instanceof HTMLSelectElement) return [' ', 'ArrowLeft', 'ArrowRight', 'Home', 'End']
  return focus instanceof HTMLInputElement && focus.type === 'checkbox' ? [' '] : []
}

function keyName(event: KeyboardEvent): string {
  if (event.shiftKey && event.key.startsWith('Arrow')) return `Shift+${event.key}`
  return event.key.length === 1 ? event.key.toLowerCase() : event.key
}

function connectKeys(actions: Actions): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || ownKeys(document.activeElement).includes(event.key)) return
    const action = actions[keyName(event)]
    if (!action) return
    action()
    event.preventDefault()
  })
}

/** Clicks pick points, and a resting pointer tells whose body it is on; dragging belongs to the view. */
function connectPointer(player: Player): void {
  const { canvas } = player
  const hover = byId('hover')
  let down: { x: number; y: number } | undefined
  canvas.addEventListener('pointerdown', (event) => {
    closePanels()
    hover.hidden = true
    down = event.button === 0 ? { x: event.clientX, y: event.clientY } : undefined
  })
  canvas.addEventListener('pointerup', (event) => {
    if (down && Math.hypot(event.clientX - down.x, event.clientY - down.y) < CLICK)
      player.click(event.offsetX, event.offsetY)
    down = undefined
  })
  canvas.addEventListener('pointermove', (event) => {
    if (event.buttons !== 0 || event.pointerType === 'touch') return
    const body = player.bodyAt(event.offsetX, event.offsetY)
    canvas.classList.toggle('over-body', body >= 0)
    hover.hidden = body < 0
    if (body < 0) return
    hover.textContent = player.data.bodies[body].name
    hover.style.transform = `translate(${event.clientX + 14}px, ${event.clientY + 14}px)`
  })
  canvas.addEventListener('pointerleave', () => (hover.hidden = true))
  canvas.addEventListener('contextmenu', (event) => event.preventDefault())
}

export function connect(player: Player, transport: Transport, setTheme: (theme: ThemeName) => void): void {
  connectKeys(connectButtons(player, transport, setTheme))
  connectPointer(player)
}
