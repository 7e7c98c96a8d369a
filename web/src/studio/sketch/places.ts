// Places of a sketch: labels of lengths and angles, and points that were clicked.
import type { Vector2, Vector3 } from 'three'
import type { Angle } from './angles'
import type { Bar } from './shaping'

/** A length or an angle in the view, and where its label is on the canvas. */
export interface Dimension {
  bar: Bar
  angle?: Angle
  at: Vector2
  text: string
}

/** A place that was clicked. body: undefined where nothing was. */
export interface Spot {
  body?: string
  point: Vector3
}
