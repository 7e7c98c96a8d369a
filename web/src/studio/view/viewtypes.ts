// What the viewport shows and tells: layers that can be switched, hits under the pointer, and the tether of a pull or drag.
import type { Vector3 } from 'three'
import type { ArrowLayer } from './arrows'

export interface Layers extends Record<ArrowLayer, boolean> {
  joints: boolean
  grid: boolean
  paths: boolean
  /** paths coloured by speed */
  speeds: boolean
  /** the camera keeps what moves within the view */
  follow: boolean
  ghosts: boolean
  /** of planar motion */
  centres: boolean
}

/** What is under a place on the canvas. */
export interface Hit {
  name: string
  /** number of the body to take hold of; -1: none */
  body: number
  /** in the world, as drawn */
  point: Vector3
  /** in the frame of the body */
  local: Vector3
}

/** A pull or drag that is going on. */
export interface Tether {
  body: number
  local: Vector3
  target: Vector3
  label?: string
}
