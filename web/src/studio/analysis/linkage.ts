// Four-bar linkages and slider-cranks in a planar mechanism: which kind they are, and how well they transmit motion.
import type { Vector3 } from 'three'
import type { ConnectionData, Poses } from '../../scene/data'
import { endMatrix, pointOn } from '../../scene/space'
import { preferences } from '../preferences.svelte'
import type { StudioScene } from '../protocol'
import { digits } from '../units'

/** Links in the order in which they are joined, beginning and ending at ground. */
export interface Linkage {
  kind: 'four-bar' | 'slider-crank'
  joints: [string, string, string, string]
  /** m. four-bar: input, coupler, output, ground; slider-crank: crank, rod, offset of the slide */
  lengths: number[]
  /** what it is called, and why */
  name: string
  reason: string
  /** rad: of the transmission angle now, and the least and largest of a full turn; none where it cannot turn fully */
  angle: number
  range?: [number, number]
  /** rad from the line of ground (of the slide): positions of the input in which it cannot drive the output any further, and of
   * the input when the output, driving, cannot turn it */
  dead: { driving: number[]; driven: number[] }
  /** m that the slider travels in a full turn of the crank */
  stroke?: number
  /** torque (four-bar) or force times crank radius (slider-crank) at the output over the torque at the input */
  advantage: number
}

const ROUND = 1e-5 // of the rod: poses have seven digits
const ROUND_OFF = 1e-9 // of sines and cosines: lengths that follow from a motion are not exact
const ONE_ANGLE = 1e-3 // rad: at change points round-off is near the square root of that of lengths
const SAME = 1e-6 // of the longest: lengths that differ less are equal

/** By the lengths of the links; the shortest decides. input, coupler, output, ground. */
export function grashof(lengths: number[]): { name: string; reason: string; turns: boolean } {
  const sorted = [...lengths].sort((a, b) => a - b)
  const [shortest, p, q, longest] = sorted
  const slack = p + q - shortest - longest
  const { size, unit } = longest < 1 && preferences.length === 'm' ? { size: 1e-3, unit: 'mm' } : preferences.shown('m')
  const text = (x: number) => digits(x / size, 4)
  const sum = `${text(shortest)} + ${text(longest)}`
  const other = `${text(p)} + ${text(q)} ${unit}`
  if (Math.abs(slack) < SAME * longest)
    return { name: 'Change-point linkage', reason: `shortest + longest = the others: ${sum} = ${other}`, turns: true }
  if (slack < 0)
    return { name: 'Triple rocker', reason: `not Grashof: shortest + longest, ${sum} > ${other}`, turns: false }
  const which = lengths.indexOf(shortest)
  const name = ['Crank-rocker', 'Double rocker', 'Crank-rocker, driven at the rocker', 'Double crank'][which]
  return { name, reason: `Grashof: shortest + longest, ${sum} < ${other}`, turns: which === 0 || which === 3 }
}

/** Between coupler and output when the distance of the input's end from the ground pivot of the output is given. */
function transmission(b: number, c: number, diagonal: number): number {
  const cosine = (b * b + c * c - diagonal * diagonal) / (2 * b * c)
  return Math.acos(Math.min(Math.max(cosine, -1), 1))
}

function angleAt(corner: Vector3, one: Vector3, other: Vector3): number {
  return one.clone().sub(corner).angleTo(other.clone().sub(corner))
}

/** Of an angle between lines: 30 and 150 degrees transmit alike. */
const sharp = (angle: number) => Math.min(angle, Math.PI - angle)

/** Angles between two sides of a triangle, on both sides of them, by its third side; none where there is no such triangle. */
function cornerAngles(one: number, other: number, opposite: number): number[] {
  const cosine = (one * one + other * other - opposite * opposite) / (2 * one * other)
  if (!(Math.abs(cosine) <= 1 + ROUND_OFF)) return []
  const angle = Math.acos(Math.max(-1, Math.min(cosine, 1)))
  return angle === 0 || angle === Math.PI ? [angle] : [angle, -angle]
}

/** Each angle once, between -180 and 180 degrees. */
function distinct(angles: number[]): number[] {
  const within = angles.map((angle) => {
    const turned = Math.atan2(Math.sin(angle), Math.cos(angle))
    return turned < ONE_ANGLE - Math.PI ? turned + 2 * Math.PI : turned // half a turn has one name
  })
  const same = (a: number, b: number) => Math.abs(Math.sin((a - b) / 2)) < ONE_ANGLE / 2
  return within.filter((angle, k) => !within.slice(0, k).some((before) => same(before, angle)))
}

/** Coupler and output in line: the input can go no further. Input and coupler in line: the output cannot turn it. */
export function deadPoints([a, b, c, d]: number[]): Linkage['dead'] {
  const driving = [b + c, Math.abs(b - c)].flatMap((diagonal) => cornerAngles(a, d, diagonal))
  const driven = [
    ...cornerAngles(a + b, d, c),
    ...cornerAngles(Math.abs(b - a), d, c).map((angle) => (b >= a ? angle + Math.PI : angle)),
  ]
  return { driving: distinct(driving), driven: distinct(driven) }
}

/** Of a slider-crank, from the direction of its slide: rod across the slide, and crank and rod in line. offset: of the slide from the
 * crank's pivot, to the left. */
export function deadPointsOfSlider(crank: number, rod: number, offset: number): Linkage['dead'] {
  const across = [offset + rod, offset - rod].flatMap((height) => {
    const sine = height / crank
    if (!(Math.abs(sine) <= 1 + ROUND_OFF)) return []
    const angle = Math.asin(Math.max(-1, Math.min(sine, 1)))
    return [angle, Math.PI - angle]
  })
  const out = Math.asin(Math.max(-1, Math.min(1, offset / (rod + crank))))
  const folded = Math.abs(rod - crank)
  const lean = folded > 0 && Math.abs(offset) <= folded ? [Math.asin(offset / folded)] : []
  const back = lean.map((angle) => (rod > crank ? Math.PI + angle : angle)) // the rod lies over the crank
  return { driving: distinct(across), driven: distinct([out, ...back]) }
}

function describeFourBar(joints: ConnectionData[], at: Vector3[]): Linkage {
  const [a, b, c, d] = [0, 1, 2, 3].map((k) => at[k].distanceTo(at[(k + 1) % 4]))
  const { name, reason, turns } = grashof([a, b, c, d])
  const angle = angleAt(at[2], at[1], at[3])
  const range = [Math.abs(d - a), d + a].map((diagonal) => transmission(b, c, diagonal))
  const driving = angleAt(at[1], at[0], at[2])
  return {
    kind: 'four-bar',
    joints: joints.map((joint) => joint.name) as Linkage['joints'],
    lengths: [a, b, c, d],
    name,
    reason,
    angle,
    range: turns ? [Math.min(...range), Math.max(...range)] : undefined,
    dead: deadPoints([a, b, c, d]),
    advantage: (c * Math.sin(angle)) / (a * Math.sin(driving)),
  }
}

function describeSliderCrank(joints: ConnectionData[], at: Vector3[], along: Vector3): Linkage {
  const crank = at[0].distanceTo(at[1])
  const rod = at[1].distanceTo(at[2])
  const way = at[2].clone().sub(at[0])
  const beside = way.clone().addScaledVector(along, -way.dot(along)).length()
  const offset = beside > ROUND * rod ? beside : 0
  const turns = rod >= crank + offset
  const reach = (length: number) => Math.sqrt(Math.max(length * length - offset * offset, 0))
  const lean = sharp(angleAt(at[2], at[1], at[2].clone().add(along)))
  const least = Math.acos(Math.min((crank + offset) / rod, 1))
  const driving = angleAt(at[1], at[0], at[2])
  return {
    kind: 'slider-crank',
    joints: joints.map((joint) => joint.name) as Linkage['joints'],
    lengths: [crank, rod, offset],
    name: offset > SAME * rod ? 'Offset slider-crank' : 'Slider-crank',
    reason: turns ? 'the crank turns fully: rod ≥ crank + offset' : 'the crank only swings: rod < crank + offset',
    angle: Math.PI / 2 - lean,
    range: turns ? [least, Math.PI / 2] : undefined,
    stroke: turns ? reach(rod + crank) - reach(rod - crank) : undefined,
    dead: deadPointsOfSlider(crank, rod, offset),
    advantage: Math.cos(lean) / Math.sin(driving),
  }
}

/** Number of the link that each body belongs to: bodies that are fixed to each other are one, those fixed to ground are ground. */
function linksOf(scene: StudioScene): (body: number) => number {
  const links = scene.bodies.map((_, body) => body)
  const linkOf = (body: number) => (body < 0 ? -1 : links[body])
  for (const { type, enabled, end1, end2 } of scene.joints) {
    if (type !== 'fixed' || enabled === false) continue
    const [low, high] = [linkOf(end1.body), linkOf(end2.body)].sort((a, b) => a - b)
    links.forEach((link, body) => link === high && (links[body] = low))
  }
  return linkOf
}

function chains(scene: StudioScene): ConnectionData[][] {
  const linkOf = linksOf(scene)
  /** the other link of a joint; undefined where the joint is not on it */
  const across = ({ end1, end2 }: ConnectionData, link: number): number | undefined => {
    if (linkOf(end1.body) === link) return linkOf(end2.body)
    return linkOf(end2.body) === link ? linkOf(end1.body) : undefined
  }
  const joints = scene.joints.filter(({ enabled }) => enabled !== false)
  const pins = joints.filter(({ type }) => type === 'revolute')
  const slides = joints.filter(({ type }) => type === 'translational')
  const next = (list: ConnectionData[], link: number, before: ConnectionData[]) =>
    list.filter((joint) => across(joint, link) !== undefined && !before.includes(joint))
  const found: ConnectionData[][] = []
  for (const first of next(pins, -1, [])) {
    const a = across(first, -1)!
    if (a < 0) continue
    for (const second of next(pins, a, [first])) {
      const b = across(second, a)!
      if (b < 0 || b === a) continue
      for (const third of next(pins, b, [first, second])) {
        const c = across(third, b)!
        if (c < 0 || c === a || c === b) continue
        for (const last of next([...pins, ...slides], c, [first, second, third]))
          if (across(last, c) === -1) found.push([first, second, third, last])
      }
    }
  }
  return found
}

/** Each once: of the two ways around, the one whose first link has a motor or is shorter. */
export function linkages(scene: StudioScene, poses: Poses): Linkage[] {
  if (scene.dimension !== 2) return []
  const driven = new Set(
    scene.couplings.flatMap(({ type, couples = [] }) =>
      type.startsWith('drive') ? couples.map(({ joint }) => joint) : [],
    ),
  )
  const place = ({ end1 }: ConnectionData) => pointOn(poses, end1.body, end1.position).setZ(0)
  const all = chains(scene).map((joints) => {
    const at = joints.map(place)
    if (joints[3].type === 'revolute') return describeFourBar(joints, at)
    const frame = endMatrix(poses, joints[3].end1)
    return describeSliderCrank(joints, at, at[0].clone().setFromMatrixColumn(frame, 0).setZ(0).normalize())
  })
  const rank = ({ joints, lengths }: Linkage) => (driven.has(joints[0]) ? 0 : 1e6) + lengths[0]
  const kept = new Map<string, Linkage>()
  for (const linkage of all) {
    const key = [...linkage.joints].sort().join()
    const other = kept.get(key)
    if (!other || rank(linkage) < rank(other)) kept.set(key, linkage)
  }
  return [...kept.values()]
}
