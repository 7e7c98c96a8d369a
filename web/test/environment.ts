// What is changed about the browser before the page starts: sockets are remembered, so that a test can drop one as a bad
// network does; bytes of films are counted, so that a test need not guess when there are some; pictures are drawn without
// smooth edges, and only while a test looks at them, since software drawing takes long. To be imported first.
export const sockets: WebSocket[] = []

window.WebSocket = class extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols)
    sockets.push(this)
  }
}

export const film = { bytes: 0 }

window.MediaRecorder = class extends MediaRecorder {
  constructor(stream: MediaStream, options?: MediaRecorderOptions) {
    super(stream, options)
    film.bytes = 0
    this.addEventListener('dataavailable', ({ data }) => (film.bytes += data.size))
  }
}

const { getContext } = HTMLCanvasElement.prototype
Object.assign(HTMLCanvasElement.prototype, {
  getContext(this: HTMLCanvasElement, kind: string, options?: object) {
    return getContext.call(this, kind, kind.startsWith('webgl') ? { ...options, antialias: false } : options)
  },
})

/** Whether somebody looks at the pictures of the view. */
export const eye = { open: false }

const { clear, drawArrays, drawArraysInstanced, drawElements, drawElementsInstanced } = WebGL2RenderingContext.prototype
const calls = { clear, drawArrays, drawArraysInstanced, drawElements, drawElementsInstanced }
for (const [name, call] of Object.entries(calls) as [string, (...given: number[]) => void][])
  Object.assign(WebGL2RenderingContext.prototype, {
    [name](this: WebGL2RenderingContext, ...given: number[]) {
      if (eye.open) call.apply(this, given)
    },
  })
