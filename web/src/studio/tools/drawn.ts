// Solids that are drawn with the pointer: a base on a plane, then a height. Which sizes and which place follow from it.
import { Euler, Matrix4, Quaternion, Vector3 } from 'three'
import type { ShapeData } from '../../scene/data'
import { metres } from '../place/typed'
import { quantity } from '../units'
import type { PlaneFrame } from '../view/workplane'
import type { Solidity } from './solidity'
import { solids } from './solids'

/** block: a rectangle and a height; disc: a circle and a height; ball: a circle; bar: a line; ring: a circle */
export type Manner = 'block' | 'disc' | 'ball' | 'bar' | 'ring'

export const MANNERS: Record<string, Manner> = {
  box: 'block',
  ellipsoid: 'block',
  cylinder: 'disc',
  tube: 'disc',
  cone: 'disc',
  sphere: 'ball',
  torus: 'ring',
  rod: 'bar',
  capsule: 'bar',
}

/** Drawn on a plane from one point to another, then so high over it (signed); heights of bases alone are NaN. */
export interface Stroke {
  plane: PlaneFrame
  from: Vector3
  to: Vector3
  height: number
}

export interface Drawn {
  solid: Solidity
  at: Vector3
  /** identity where the solid lies along axes of the world */
  turn: Quaternion
}

const DIGITS = 6
const ROUND = 1e7 // of a metre: poses of frames have no more digits
/** Without the last, meaningless digits. */
export const lengthWords = (value: number) => quantity(Math.round(value * ROUND) / ROUND + 0, 'm', DIGITS)
const text = (value: number) => lengthWords(Math.abs(value))
const SQUARE = 1 - 1e-9

/** Has a height of its own after the base. */
export const rises = (kind: string, planar: boolean) => !planar && ['block', 'disc'].includes(MANNERS[kind] ?? '')

/** The axis of the world that a direction is along. */
function axisOf(direction: Vector3): 'x' | 'y' | 'z' | undefined {
  return (['x', 'y', 'z'] as const).find((axis) => Math.abs(direction[axis]) > SQUARE)
}

/** How far a solid reaches from its middle along an axis of its own. */
function reach({ kind, sizes, axis }: Solidity, along: 'x' | 'y' | 'z'): number {
  const size = (key: string) => metres(sizes[key] ?? '') || 0
  if (kind === 'box') return size(along) / 2
  if (kind === 'ellipsoid') return size(along)
  if (MANNERS[kind] === 'ball') return size('radius')
  if (MANNERS[kind] === 'ring') return size('tube') + (along === axis ? 0 : size('radius'))
  if (!solids[kind].turns) return 0
  if (along !== axis) return size('radius')
  return size('length') / 2 + (kind === 'capsule' ? size('radius') : 0)
}

/** Where a solid is when it stands on a plane at a point: along axes of the world where the plane is across one. */
export function standing(solid: Solidity, plane: PlaneFrame, at: Vector3): { at: Vector3; turn: Quaternion } {
  const axis = axisOf(plane.n)
  const middle = at.clone().addScaledVector(plane.n, reach(solid, axis ?? 'z'))
  return { at: middle, turn: axis ? new Quaternion() : turnOf(plane) }
}

/** Sizes by axes of the plane, as sizes by those of the world where they agree. */
function turned(plane: PlaneFrame, lengths: [number, number, number]): { lengths: number[]; turn: Quaternion } {
  const { u, v, n } = plane
  const axes = [u, v, n].map(axisOf)
  if (axes.some((axis) => axis === undefined)) return { lengths, turn: turnOf(plane) }
  const along = ['x', 'y', 'z'].map((axis) => lengths[axes.indexOf(axis as 'x')])
  return { lengths: along, turn: new Quaternion() }
}

export function turnOf({ u, v, n }: PlaneFrame): Quaternion {
  return new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(u, v, n))
}

function block(solid: Solidity, { plane, from, to, height }: Stroke, planar: boolean): Drawn {
  const way = to.clone().sub(from)
  const third = planar ? 0 : height
  const at = from
    .clone()
    .add(to)
    .multiplyScalar(0.5)
    .addScaledVector(plane.n, third / 2)
  const { lengths, turn } = turned(plane, [way.dot(plane.u), way.dot(plane.v), third])
  const part = solid.kind === 'ellipsoid' ? 0.5 : 1
  const sizes = Object.fromEntries(['x', 'y', 'z'].map((axis, k) => [axis, text(part * lengths[k])]))
  return { solid: { ...solid, sizes: planar ? { ...sizes, z: solid.sizes.z } : sizes }, at, turn }
}

/** Along the normal, or along a direction on the plane. */
function along(solid: Solidity, direction: Vector3): { solid: Solidity; turn: Quaternion } {
  const axis = axisOf(direction)
  const bothWays = solid.kind !== 'cone' // a cone has its tip on one side
  if (axis && (bothWays || direction[axis] > 0)) return { solid: { ...solid, axis }, turn: new Quaternion() }
  return { solid: { ...solid, axis: 'z' }, turn: new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), direction) }
}

function disc(given: Solidity, { plane, from, to, height }: Stroke, planar: boolean): Drawn {
  const radius = from.distanceTo(to)
  const { solid, turn } = along(given, plane.n.clone().multiplyScalar(Math.sign(height) || 1))
  const thickness = metres(given.sizes.inner ?? '') / metres(given.sizes.radius ?? '')
  const sizes = {
    ...given.sizes,
    radius: text(radius),
    ...(planar ? {} : { length: text(height) }),
    ...(given.kind === 'tube' ? { inner: text(radius * (thickness > 0 && thickness < 1 ? thickness : 0.8)) } : {}),
  }
  return {
    solid: { ...solid, sizes },
    at: planar ? from.clone() : from.clone().addScaledVector(plane.n, height / 2),
    turn,
  }
}

function ball(solid: Solidity, { plane, from, to }: Stroke, planar: boolean): Drawn {
  const radius = from.distanceTo(to)
  const at = planar ? from.clone() : from.clone().addScaledVector(plane.n, radius)
  return { solid: { ...solid, sizes: { ...solid.sizes, radius: text(radius) } }, at, turn: new Quaternion() }
}

function ring(given: Solidity, { plane, from, to }: Stroke): Drawn {
  const radius = from.distanceTo(to)
  const ratio = metres(given.sizes.tube) / metres(given.sizes.radius)
  const tube = radius * (ratio > 0 && ratio < 1 ? ratio : 0.2)
  const { solid, turn } = along(given, plane.n)
  const sizes = { radius: text(radius), tube: text(tube) }
  return { solid: { ...solid, sizes }, at: from.clone().addScaledVector(plane.n, tube), turn }
}

/** Its middle line is drawn; the radius is that of the form. */
function bar(given: Solidity, { from, to }: Stroke): Drawn {
  const way = to.clone().sub(from)
  const { solid, turn } = along(given, way.clone().normalize())
  const sizes = { ...given.sizes, length: text(way.length()) }
  return { solid: { ...solid, sizes }, at: from.clone().add(to).multiplyScalar(0.5), turn }
}

const BY_MANNER = { block, disc, ball, ring, bar }

/** The solid that a stroke makes; undefined: too small to be one, or of a kind that is not drawn. */
export function drawnSolid(solid: Solidity, stroke: Stroke, planar: boolean): Drawn | undefined {
  const manner = MANNERS[solid.kind]
  if (!manner) return undefined
  const way = stroke.to.clone().sub(stroke.from)
  const { u, v } = stroke.plane
  const base = manner === 'block' ? Math.min(Math.abs(way.dot(u)), Math.abs(way.dot(v))) : way.length()
  const least = rises(solid.kind, planar) ? Math.min(base, Math.abs(stroke.height)) : base
  return least > 1e-9 ? BY_MANNER[manner](solid, stroke, planar) : undefined
}

/** As the text has turns: about x, then the new y, then the new z. */
export function eulerWords(turn: Quaternion): string[] {
  const { x, y, z } = new Euler().setFromQuaternion(turn, 'XYZ')
  return [x, y, z].map((angle) => `${Number(((angle * 180) / Math.PI).toFixed(6)) + 0} deg`)
}

export function eulerTurn(angles: number[]): Quaternion {
  const [x, y, z] = angles
  return new Quaternion().setFromEuler(new Euler(x, y, z, 'XYZ'))
}

/** The height of a solid by its form, for a base alone. */
export function givenHeight({ kind, sizes }: Solidity): number {
  const said = metres(sizes[kind === 'box' || kind === 'ellipsoid' ? 'z' : 'length'] ?? '')
  return (kind === 'ellipsoid' ? 2 : 1) * (said > 0 ? said : 0.1)
}

const AXIS_TURNS: Record<string, Quaternion> = {
  x: new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(1, 0, 0)),
  y: new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(0, 1, 0)),
  z: new Quaternion(),
}

/** As the picture draws it; undefined: its sizes are no lengths, or it is no solid of sizes alone. */
export function shapeData({ kind, sizes, axis }: Solidity): ShapeData | undefined {
  if (!MANNERS[kind]) return undefined
  const size = solids[kind].sizes.map(([key]) => metres(sizes[key] ?? ''))
  if (size.some((value) => !(value > 0))) return undefined
  const { x, y, z, w } = solids[kind].turns ? AXIS_TURNS[axis] : AXIS_TURNS.z
  return { kind: kind as ShapeData['kind'], size, position: [0, 0, 0], rotation: [w, x, y, z] }
}

/** What a solid measures, in one line: 200 × 100 × 50 mm. */
export function measuresOf({ kind, sizes }: Solidity): string {
  const round = (key: string) => sizes[key] && `${key === 'radius' ? 'r ' : ''}${sizes[key]}`
  return solids[kind].sizes
    .map(([key]) => round(key))
    .filter(Boolean)
    .join(' × ')
}
