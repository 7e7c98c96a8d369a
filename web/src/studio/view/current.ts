// The viewport that is on the page, for everybody who looks at the mechanism or moves the camera.
import type { Atlas } from './atlas'
import type { Viewport } from './viewport'

class CurrentView {
  /** undefined until the view is on the page */
  viewport?: Viewport
  /** curves of points of what the pointer is on */
  atlas?: Atlas
}

export const current = new CurrentView()
