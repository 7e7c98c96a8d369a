// Measures between places on bodies, and notes at them: what they say now.
import type { Vector3 } from 'three'
import type { Poses } from '../../scene/data'
import { pointOn } from '../../scene/space'
import type { StudioScene } from '../protocol'
import { preferences } from '../preferences.svelte'
import { digits, quantity } from '../units'

export type MeasureKind = 'distance' | 'angle' | 'radius' | 'note'

/** A place on a body by its name; '': ground. */
export interface MeasuredPlace {
  body: string
  at: number[]
}

export interface Measure {
  kind: MeasureKind
  places: MeasuredPlace[]
  /** of a note */
  text?: string
  /** m, of a radius */
  radius?: number
}

/** How many places it takes. */
export const PLACES: Record<MeasureKind, number> = { distance: 2, angle: 3, radius: 1, note: 1 }

const ROUND = new Set(['cylinder', 'sphere', 'rod', 'capsule', 'cone', 'torus'])

/** Where the places are in the world now; undefined: a body is gone. */
export function placesNow({ places }: Measure, scene: StudioScene, poses: Poses): Vector3[] | undefined {
  const out = places.map(({ body, at }) => {
    const index = body === '' ? -1 : scene.bodies.findIndex(({ name }) => name === body)
    return body !== '' && index < 0 ? undefined : pointOn(poses, index, at)
  })
  return out.every((point) => point !== undefined) ? out : undefined
}

/** Radius of the round shape of a body; undefined: it has none. */
export function radiusOf(scene: StudioScene, body: string): number | undefined {
  const shape = scene.bodies.find(({ name }) => name === body)?.shapes.find(({ kind }) => ROUND.has(kind))
  return shape?.size[0]
}

/** m or rad; NaN: of a note. */
export function valueOf({ kind, radius }: Measure, points: Vector3[]): number {
  if (kind === 'distance') return points[0].distanceTo(points[1])
  if (kind === 'angle') return points[0].clone().sub(points[1]).angleTo(points[2].clone().sub(points[1]))
  return kind === 'radius' ? (radius ?? NaN) : NaN
}

export function textOf(measure: Measure, points: Vector3[]): string {
  const value = valueOf(measure, points)
  if (measure.kind === 'note') return measure.text ?? ''
  if (measure.kind === 'angle') return angleText(value)
  const { size, unit } = preferences.shown('m')
  const length = unit === 'm' ? quantity(value, 'm', 5) : `${digits(value / size, 5)} ${unit}`
  return measure.kind === 'radius' ? `R ${length}` : length
}

function angleText(value: number): string {
  const { size, unit } = preferences.shown('rad')
  return unit === 'rad' ? `${digits(value, 5)} rad` : `${digits(value / size, 5)}°`
}
