// What is changed about the browser before the page starts: sockets are remembered, so that a test can drop one as a bad
// network does, bytes of films are counted, so that a test need not guess when there are some, and pictures are drawn without smooth edges, which software drawing takes long for. To be imported first.
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
