// The view as a picture and as a film, on request with the plots over it.
import { documents } from '../documents/documents.svelte'
import { fileName, hand } from '../files'
import { notices } from '../notices.svelte'
import { paintFigure } from '../plot/painting'
import { plots } from '../plot/plots.svelte'
import { session } from '../session.svelte'
import { ui } from '../ui.svelte'
import { current } from '../view/current'
import { Gif } from './gif'

export type FilmKind = 'webm' | 'mp4' | 'gif'

const RATE = 30 // frames a second
const BITS = 8e6 // a second
const TYPES: Record<'webm' | 'mp4', string[]> = {
  webm: ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'],
  mp4: ['video/mp4;codecs=avc1.42E01F', 'video/mp4;codecs=avc1', 'video/mp4;codecs=vp9', 'video/mp4'],
}
const GIF_DELAY = 8 // hundredths of a second
const GIF_WIDTH = 640 // pixels at most
const GIF_FRAMES = 300 // at most
const PLOT_WIDTH = 0.36 // of the picture
const PLOT_HEIGHT = 0.3
const MOST_PLOTS = 4
const FONT = 0.022 // of the height

const nameOf = (ending: string) => `${fileName(documents.title)}.${ending}`
const typeOf = (kind: 'webm' | 'mp4') => TYPES[kind].find((type) => MediaRecorder.isTypeSupported(type))

/** What this browser can make. */
export const canFilm = (kind: FilmKind): boolean => kind === 'gif' || typeOf(kind) !== undefined

/** One above the other, from the lower left. */
function paintPlots(pen: CanvasRenderingContext2D, width: number, height: number): void {
  const style = getComputedStyle(document.documentElement)
  const [panel, ink, soft, line] = ['--panel', '--ink', '--soft', '--line'].map((name) => style.getPropertyValue(name))
  const inks = { panel, ink, soft, line, dark: ui.theme === 'dark' }
  const gap = 0.015 * height
  const [w, h] = [PLOT_WIDTH * width, PLOT_HEIGHT * height]
  plots.list.slice(0, MOST_PLOTS).forEach((plot, k) => {
    const [column, row] = [Math.floor(k / 3), k % 3]
    const room = { x: gap + column * (w + gap), y: height - (row + 1) * (h + gap), width: w, height: h }
    paintFigure(pen, plots.figure(plot, w), room, inks, FONT * height)
  })
}

/** A canvas like that of the view, and how to bring it up to date. */
function copyOfView(withPlots: boolean): { canvas: HTMLCanvasElement; paint: () => void } | undefined {
  const { viewport } = current
  if (!viewport?.view) return undefined
  const canvas = document.createElement('canvas')
  const { width, height } = viewport.size
  Object.assign(canvas, { width: width - (width % 2), height: height - (height % 2) }) // films want even numbers
  const pen = canvas.getContext('2d', { willReadFrequently: false })!
  const background = getComputedStyle(document.documentElement).getPropertyValue('--back-1')
  const paint = () => {
    pen.fillStyle = background
    pen.fillRect(0, 0, canvas.width, canvas.height)
    viewport.paint(pen)
    if (withPlots) paintPlots(pen, canvas.width, canvas.height)
  }
  return { canvas, paint }
}

export function savePicture(withPlots = false): void {
  const copy = copyOfView(withPlots)
  copy?.paint()
  copy?.canvas.toBlob((blob) => blob && hand(nameOf('png'), blob), 'image/png')
}

/** Until the page says stop: at every turn of the browser. */
function whileFilming(stop: () => void, turn: (now: number) => void): void {
  const end = () => {
    ui.endFilm = undefined
    stop()
  }
  ui.endFilm = end
  let due = 0
  const follow = (now: number) => {
    if (ui.endFilm !== end) return
    if (now >= due) {
      const began = performance.now()
      turn(now)
      const took = performance.now() - began
      due = now + Math.max(1000 / RATE - 2, 2 * took) // half of the time is for the page
    }
    requestAnimationFrame(follow)
  }
  requestAnimationFrame(follow)
}

function record(kind: 'webm' | 'mp4', canvas: HTMLCanvasElement, paint: () => void): void {
  const mimeType = typeOf(kind)
  const recorder = new MediaRecorder(canvas.captureStream(RATE), { mimeType, videoBitsPerSecond: BITS })
  const parts: Blob[] = []
  recorder.ondataavailable = ({ data }) => parts.push(data)
  recorder.onstop = () => hand(nameOf(kind), new Blob(parts, { type: `video/${kind}` }))
  recorder.start(1000)
  whileFilming(() => recorder.stop(), paint)
}

/** GIF has no movie compression: smaller pictures, fewer of them, and an end. */
function recordGif(canvas: HTMLCanvasElement, paint: () => void): void {
  const part = Math.min(1, GIF_WIDTH / canvas.width)
  const small = document.createElement('canvas')
  Object.assign(small, { width: Math.round(part * canvas.width), height: Math.round(part * canvas.height) })
  const pen = small.getContext('2d', { willReadFrequently: true })!
  const gif = new Gif(small.width, small.height, GIF_DELAY)
  let last = -Infinity
  const take = (now: number) => {
    if (now - last < 10 * GIF_DELAY) return
    last = now
    paint()
    pen.drawImage(canvas, 0, 0, small.width, small.height)
    gif.add(pen.getImageData(0, 0, small.width, small.height).data)
    ui.filmed = gif.frames
    if (gif.frames < GIF_FRAMES) return
    notices.show('info', `The film ends here: a GIF of ${GIF_FRAMES} pictures is large enough`)
    ui.endFilm?.()
  }
  whileFilming(() => hand(nameOf('gif'), gif.end()), take)
}

/** Films the view until the page says stop. */
export function startFilm(kind: FilmKind, withPlots: boolean): void {
  const copy = copyOfView(withPlots)
  if (!copy || !canFilm(kind) || ui.endFilm) {
    notices.show('error', 'This browser cannot film the view')
    return
  }
  copy.paint()
  ui.filmed = 0
  if (kind === 'gif') recordGif(copy.canvas, copy.paint)
  else record(kind, copy.canvas, copy.paint)
  if (!session.running) notices.show('info', 'Filming: the motion is paused', 'Space runs it')
}
