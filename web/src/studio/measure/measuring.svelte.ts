// The measuring tool: distances, angles and radii that follow the motion, and notes at places.
import { Vector2, Vector3 } from 'three'
import { notices } from '../notices.svelte'
import { session } from '../session.svelte'
import { joining } from '../tools/joining.svelte'
import { current } from '../view/current'
import type { Overlay } from '../view/overlay'
import type { Attachment } from '../view/snap'
import type { View } from '../../scene/view'
import type { Measure, MeasuredPlace, MeasureKind } from './measures'
import { PLACES, placesNow, radiusOf, textOf, valueOf } from './measures'

const ARC = 34 // pixels of the arc of an angle

class Measuring {
  active = $state(false)
  kind = $state<MeasureKind>('distance')
  note = $state('')
  list = $state.raw<Measure[]>([])
  private places = $state.raw<MeasuredPlace[]>([])

  readonly hint = $derived(
    {
      distance: this.places.length === 0 ? 'Click the first place.' : 'Click the second place.',
      angle: ['Click a place on the first leg.', 'Click the corner.', 'Click a place on the other leg.'][
        this.places.length
      ],
      radius: 'Click something round.',
      note: 'Type the note, then click its place.',
    }[this.kind],
  )

  toggle(): void {
    this.active = !this.active
    this.choose(this.kind)
    if (this.active) joining.end()
  }

  end(): void {
    if (this.active) this.toggle()
  }

  choose(kind: MeasureKind): void {
    this.kind = kind
    this.places = []
    this.show()
  }

  pick(place: Attachment): void {
    const body = place.body < 0 ? '' : session.scene!.bodies[place.body].name
    const places = [...this.places, { body, at: place.local.toArray() }]
    const radius = this.kind === 'radius' ? radiusOf(session.scene!, body) : undefined
    if (this.kind === 'radius' && radius === undefined) notices.show('info', 'This is not round')
    else if (this.kind === 'note' && this.note.trim() === '') notices.show('info', 'Type the note first')
    else this.places = places
    if (this.places.length < PLACES[this.kind]) {
      this.show()
      return
    }
    this.list = [
      ...this.list,
      { kind: this.kind, places, radius, text: this.kind === 'note' ? this.note.trim() : undefined },
    ]
    this.places = []
    this.note = ''
    this.show()
  }

  remove(measure: Measure): void {
    this.list = this.list.filter((other) => other !== measure)
    current.viewport?.invalidate()
  }

  private show(): void {
    if (!current.viewport) return
    const index = (body: string) => session.scene?.bodies.findIndex(({ name }) => name === body) ?? -1
    current.viewport.picks = this.places.map(({ body, at }) => ({
      body: body === '' ? -1 : index(body),
      local: new Vector3().fromArray(at),
      label: '',
    }))
    current.viewport.offered = undefined
    current.viewport.invalidate()
  }

  /** The measures with their present values: m, rad. */
  now(): { measure: Measure; points: Vector3[]; value: number; text: string }[] {
    const { viewport } = current
    if (!viewport?.scene) return []
    return this.list.flatMap((measure) => {
      const points = placesNow(measure, viewport.scene!, viewport.poses)
      return points ? [{ measure, points, value: valueOf(measure, points), text: textOf(measure, points) }] : []
    })
  }

  draw(overlay: Overlay, view: View): void {
    const { accent, halo } = overlay.ink
    for (const { measure, points, text } of this.now()) {
      const seen = points.map((point) => view.toCanvas(point))
      overlay.path(seen, halo, 5)
      overlay.path(seen, accent, 1.6)
      for (const at of seen) overlay.dot(at, 3.5, accent)
      if (measure.kind === 'angle') overlay.path(arc(seen), accent, 1.6)
      overlay.badge(labelAt(measure.kind, seen), text, false)
    }
  }
}

function labelAt(kind: MeasureKind, seen: Vector2[]): Vector2 {
  if (kind === 'distance') return seen[0].clone().lerp(seen[1], 0.5).add(new Vector2(0, -16))
  if (kind === 'angle') {
    const legs = [seen[0], seen[2]].map((p) => p.clone().sub(seen[1]).normalize())
    const middle = legs[0].add(legs[1])
    return seen[1].clone().addScaledVector(middle.lengthSq() > 1e-6 ? middle.normalize() : new Vector2(0, -1), ARC + 24)
  }
  return seen[0].clone().add(new Vector2(0, -22))
}

/** Between the legs of an angle, the short way. */
function arc([a, corner, b]: Vector2[]): Vector2[] {
  const from = a.clone().sub(corner).angle()
  const turn = b.clone().sub(corner).angle() - from
  const short = turn > Math.PI ? turn - 2 * Math.PI : turn < -Math.PI ? turn + 2 * Math.PI : turn
  return Array.from({ length: 25 }, (_, k) => {
    const angle = from + (short * k) / 24
    return corner.clone().add(new Vector2(ARC * Math.cos(angle), ARC * Math.sin(angle)))
  })
}

export const measuring = new Measuring()
