// The view as a picture and as a film.
import { fileName, hand } from '../files'
import { notices } from '../notices.svelte'
import { session } from '../session.svelte'
import { ui } from '../ui.svelte'
import { current } from '../view/current'

const RATE = 30 // frames a second
const BITS = 8e6 // a second
const TYPES = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm']

const nameOf = (ending: string) => `${fileName(session.scene?.name ?? '')}.${ending}`

/** A canvas like that of the view, and how to bring it up to date. */
function copyOfView(): { canvas: HTMLCanvasElement; paint: () => void } | undefined {
  const { viewport } = current
  if (!viewport?.view) return undefined
  const canvas = document.createElement('canvas')
  Object.assign(canvas, viewport.size)
  const pen = canvas.getContext('2d')!
  const background = getComputedStyle(document.documentElement).getPropertyValue('--back-1')
  const paint = () => {
    pen.fillStyle = background
    pen.fillRect(0, 0, canvas.width, canvas.height)
    viewport.paint(pen)
  }
  return { canvas, paint }
}

export function savePicture(): void {
  const copy = copyOfView()
  copy?.paint()
  copy?.canvas.toBlob((blob) => blob && hand(nameOf('png'), blob), 'image/png')
}

/** Films the view until the page says stop. */
export function startFilm(): void {
  const copy = copyOfView()
  const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type))
  if (!copy || !mimeType || ui.endFilm) {
    notices.show('error', 'This browser cannot film the view')
    return
  }
  copy.paint()
  const recorder = new MediaRecorder(copy.canvas.captureStream(RATE), { mimeType, videoBitsPerSecond: BITS })
  const parts: Blob[] = []
  recorder.ondataavailable = ({ data }) => parts.push(data)
  recorder.onstop = () => hand(nameOf('webm'), new Blob(parts, { type: 'video/webm' }))
  recorder.start(1000)
  const end = () => {
    ui.endFilm = undefined
    recorder.stop()
  }
  ui.endFilm = end
  const follow = () => {
    if (ui.endFilm !== end) return
    copy.paint()
    requestAnimationFrame(follow)
  }
  requestAnimationFrame(follow)
}
