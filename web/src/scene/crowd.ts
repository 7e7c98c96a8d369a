// Equal parts of many bodies, drawn together: one call of the graphics card for all instances of a geometry and paint. The
// parts themselves stay, unseen, for picking; one that is marked is drawn by itself, in its own material.
import type { BufferGeometry, Material, Object3D } from 'three'
import { Group, InstancedMesh, Matrix4, Mesh } from 'three'
import type { Poses } from './data'
import { bodyMatrix } from './space'

const WORTHWHILE = 8 // instances

interface Member {
  part: Mesh
  /** -1: ground */
  body: number
  /** in the frame of the body */
  local: Matrix4
}

const GONE = new Matrix4().makeScale(0, 0, 0)

class Batch {
  readonly object: InstancedMesh
  private readonly apart = new Set<number>()
  private readonly matrix = new Matrix4()

  constructor(
    geometry: BufferGeometry,
    material: Material,
    private readonly members: Member[],
    readonly ofJoints: boolean,
  ) {
    this.object = new InstancedMesh(geometry, material, members.length)
    this.object.castShadow = true
    this.object.receiveShadow = true
    this.object.frustumCulled = false
    this.object.raycast = () => {}
    members.forEach(({ part }, k) => {
      part.visible = false
      part.userData.instance = { batch: this, index: k }
    })
  }

  setPoses(world: (body: number) => Matrix4): void {
    this.members.forEach(({ body, local }, k) => {
      const matrix = this.apart.has(k) ? GONE : body < 0 ? local : this.matrix.multiplyMatrices(world(body), local)
      this.object.setMatrixAt(k, matrix)
    })
    this.object.instanceMatrix.needsUpdate = true
  }

  /** A part is drawn by itself, or with the others again. */
  setApart(index: number, apart: boolean): void {
    if (apart) this.apart.add(index)
    else this.apart.delete(index)
  }
}

export class Crowd {
  readonly object = new Group()
  private readonly batches: Batch[] = []

  /** bodies: groups that the parts of each body are in; root: what else there is stands on ground. */
  constructor(root: Object3D, bodies: Group[], jointParts: Object3D[]) {
    const lists = new Map<string, Member[]>()
    const joints = new Set(jointParts)
    bodies.forEach((group, body) => this.collect(group, body, lists, joints))
    const known = new Set<Object3D>(bodies)
    for (const child of root.children) if (!known.has(child)) this.collect(child, -1, lists, joints)
    for (const [key, members] of lists) {
      if (members.length < WORTHWHILE) continue
      const { geometry, material } = members[0].part
      const batch = new Batch(geometry, material as Material, members, key.endsWith('joint'))
      this.batches.push(batch)
      this.object.add(batch.object)
    }
  }

  private collect(from: Object3D, body: number, lists: Map<string, Member[]>, joints: Set<Object3D>): void {
    const visit = (object: Object3D, above: Matrix4, ofJoint: boolean) => {
      object.updateMatrix()
      const local = object === from && body >= 0 ? new Matrix4() : new Matrix4().multiplyMatrices(above, object.matrix)
      const inJoint = ofJoint || joints.has(object)
      if (object instanceof Mesh && object.userData.paint !== undefined && !object.userData.shell) {
        const key = `${object.geometry.uuid} ${(object.material as Material).uuid} ${inJoint ? 'joint' : 'body'}`
        const list = lists.get(key)
        if (list) list.push({ part: object, body, local })
        else lists.set(key, [{ part: object, body, local }])
      }
      for (const child of object.children) visit(child, local, inJoint)
    }
    visit(from, new Matrix4(), false)
  }

  setPoses(poses: Poses): void {
    const known = new Map<number, Matrix4>()
    const world = (body: number) => {
      let matrix = known.get(body)
      if (!matrix) known.set(body, (matrix = bodyMatrix(poses, body)))
      return matrix
    }
    for (const batch of this.batches) batch.setPoses(world)
  }

  showJoints(shown: boolean): void {
    for (const batch of this.batches) if (batch.ofJoints) batch.object.visible = shown
  }

  dispose(): void {
    for (const { object } of this.batches) object.dispose()
  }
}

/** A part that is marked is drawn by itself. */
export function setApart(part: Mesh, apart: boolean): void {
  const instance = part.userData.instance as { batch: Batch; index: number } | undefined
  if (!instance) return
  part.visible = apart
  instance.batch.setApart(instance.index, apart)
}
