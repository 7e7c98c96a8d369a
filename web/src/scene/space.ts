// Small geometry on the data of a scene.
import { Matrix4, Quaternion, Vector3 } from 'three'
import type { End, Place, Poses } from './data'
import { POSE_SIZE } from './data'

const ONE = new Vector3(1, 1, 1)

export function matrixOf(place: Place, target = new Matrix4()): Matrix4 {
  const [w, x, y, z] = place.rotation
  return target.compose(new Vector3().fromArray(place.position), new Quaternion(x, y, z, w).normalize(), ONE)
}

/** Position and orientation of a body (-1: ground, which is where the world is). */
export function readPose(poses: Poses, body: number, position: Vector3, rotation: Quaternion): void {
  if (body < 0) {
    position.set(0, 0, 0)
    rotation.identity()
    return
  }
  const at = body * POSE_SIZE
  position.set(poses[at], poses[at + 1], poses[at + 2])
  rotation.set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]).normalize()
}

const bodyPosition = new Vector3()
const bodyRotation = new Quaternion()

export function bodyMatrix(poses: Poses, body: number, target = new Matrix4()): Matrix4 {
  readPose(poses, body, bodyPosition, bodyRotation)
  return target.compose(bodyPosition, bodyRotation, ONE)
}

/** A point fixed on a body, in the world. */
export function pointOn(poses: Poses, body: number, local: ArrayLike<number>, target = new Vector3()): Vector3 {
  readPose(poses, body, bodyPosition, bodyRotation)
  return target.set(local[0], local[1], local[2]).applyQuaternion(bodyRotation).add(bodyPosition)
}

/** The frame of an end, in the world. */
export function endMatrix(poses: Poses, end: End, target = new Matrix4()): Matrix4 {
  return bodyMatrix(poses, end.body, target).multiply(matrixOf(end))
}

/** Against gravity; without gravity z in space, and always y in the plane. */
export function upOf(planar: boolean, gravity: number[]): Vector3 {
  const down = new Vector3().fromArray(gravity)
  if (planar) return new Vector3(0, 1, 0)
  return down.lengthSq() > 0 ? down.normalize().negate() : new Vector3(0, 0, 1)
}

/** 1, 2 or 5 times a power of ten, next to the value. */
export function roundNumber(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value))
  const rest = value / decade
  return (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10) * decade
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
