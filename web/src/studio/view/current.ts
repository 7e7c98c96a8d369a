// The viewport that is on the page, for everybody who looks at the mechanism or moves the camera.
import type { Viewport } from './viewport'

class CurrentView {
  /** undefined until the view is on the page */
  viewport?: Viewport
}

export const current = new CurrentView()
