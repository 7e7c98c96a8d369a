// Planar mechanisms are drawn in layers, as real ones are built: links that meet in a joint pass each other.
import { Vector3 } from 'three'
import type { SceneData, Poses } from './data'
import { pointOn } from './space'

/** For every body, those that must lie in other layers: joined to it, or to anything at the same place. */
function neighbours(data: SceneData, poses: Poses, distance: number): Set<number>[] {
  const sets = data.bodies.map(() => new Set<number>())
  const ends = data.joints.flatMap((joint) => [joint.end1, joint.end2]).filter((end) => end.body >= 0)
  const places = ends.map((end) => pointOn(poses, end.body, end.position, new Vector3()))
  const meet = (a: number, b: number) => {
    if (a === b || a < 0 || b < 0) return
    sets[a].add(b)
    sets[b].add(a)
  }
  for (const { end1, end2 } of data.joints) meet(end1.body, end2.body)
  for (let i = 0; i < ends.length; i++)
    for (let k = 0; k < i; k++) if (places[i].distanceTo(places[k]) < distance) meet(ends[i].body, ends[k].body)
  return sets
}

/** Height of each body above the plane: thick bodies at the back, as few layers as a simple search finds. Bodies that are
 * designed (have looks) lie one before the other, in the order of the model. */
export function layerHeights(
  data: SceneData,
  poses: Poses,
  thickness: number[],
  gap: number,
  designed: (body: number) => boolean = () => false,
): number[] {
  const near = neighbours(data, poses, gap)
  const layer = data.bodies.map(() => -1)
  const thick = (b: number) => (designed(b) ? 0 : thickness[b])
  const order = data.bodies.map((_, b) => b).sort((a, b) => thick(b) - thick(a) || a - b)
  let front = -1 // layer of the last body that has looks
  for (const b of order) {
    const taken = new Set([...near[b]].map((other) => layer[other]))
    let free = designed(b) ? front + 1 : 0
    while (taken.has(free)) free++
    layer[b] = free
    if (designed(b)) front = free
  }
  const depth: number[] = []
  layer.forEach((k, b) => (depth[k] = Math.max(depth[k] ?? 0, thickness[b])))
  let top = 0
  const centres = Array.from(depth, (d = 0) => {
    const centre = top + d / 2
    top += d + gap
    return centre
  })
  return layer.map((k) => centres[k])
}
