// Parts of many bodies, drawn together: one call of the graphics card for all instances of a geometry and paint that move, and
// one for all that stands on ground in one paint. The parts themselves stay, unseen, for picking; one that is marked is drawn by
// itself, in its own material.
import type { Material, Object3D } from 'three'
import { BufferAttribute, BufferGeometry, Group, InstancedMesh, Matrix4, Mesh } from 'three'
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

/** What draws several parts. */
interface Batch {
  readonly object: Mesh
  readonly ofJoints: boolean
  setPoses(world: (body: number) => Matrix4): void
  /** A part is drawn by itself, or with the others again. */
  setApart(index: number, apart: boolean): void
}

/** Takes the parts out of sight. Joints are small and many: they cast no shadows. */
function enlist(batch: Batch, members: Member[]): void {
  batch.object.castShadow = !batch.ofJoints
  batch.object.receiveShadow = true
  batch.object.frustumCulled = false
  batch.object.raycast = () => {}
  members.forEach(({ part }, k) => {
    part.visible = false
    part.userData.instance = { batch, index: k }
  })
}

class MovingBatch implements Batch {
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
    enlist(this, members)
  }

  setPoses(world: (body: number) => Matrix4): void {
    this.members.forEach(({ body, local }, k) => {
      const matrix = this.apart.has(k) ? GONE : body < 0 ? local : this.matrix.multiplyMatrices(world(body), local)
      this.object.setMatrixAt(k, matrix)
    })
    this.object.instanceMatrix.needsUpdate = true
  }

  setApart(index: number, apart: boolean): void {
    if (apart) this.apart.add(index)
    else this.apart.delete(index)
  }
}

/** Parts that never move, as one geometry. */
class StandingBatch implements Batch {
  readonly object: Mesh
  private readonly all: Float32Array
  private readonly starts: number[] = []
  private readonly positions: BufferAttribute

  constructor(
    material: Material,
    members: Member[],
    readonly ofJoints: boolean,
  ) {
    const verticesOf = ({ part }: Member) => part.geometry.attributes.position.count
    const cornersOf = ({ part }: Member) => (part.geometry.index ?? part.geometry.attributes.position).count
    const sum = (count: (member: Member) => number) => members.reduce((all, member) => all + count(member), 0)
    this.all = new Float32Array(3 * sum(verticesOf))
    const normals = new Float32Array(this.all.length)
    const index = new Uint32Array(sum(cornersOf))
    let first = 0
    let corner = 0
    for (const { part, local } of members) {
      const { position, normal } = part.geometry.attributes
      this.starts.push(3 * first)
      moveInto(this.all, 3 * first, position.array, local, true)
      moveInto(normals, 3 * first, normal.array, local, false)
      const corners = part.geometry.index
      for (let k = 0; k < (corners ?? position).count; k++) index[corner++] = first + (corners ? corners.getX(k) : k)
      first += position.count
    }
    this.starts.push(3 * first)
    this.positions = new BufferAttribute(this.all.slice(), 3)
    const geometry = new BufferGeometry()
    geometry.setAttribute('position', this.positions)
    geometry.setAttribute('normal', new BufferAttribute(normals, 3))
    geometry.setIndex(new BufferAttribute(index, 1))
    this.object = new Mesh(geometry, material)
    enlist(this, members)
  }

  setPoses(): void {}

  /** Triangles without area are not drawn. */
  setApart(index: number, apart: boolean): void {
    const [from, to] = [this.starts[index], this.starts[index + 1]]
    if (apart) this.positions.array.fill(0, from, to)
    else this.positions.array.set(this.all.subarray(from, to), from)
    this.positions.needsUpdate = true
  }
}

/** Points, or directions of length one, of a part where it stands. Plain numbers: there are hundreds of thousands of them. */
function moveInto(out: Float32Array, start: number, from: ArrayLike<number>, { elements: e }: Matrix4, shift: boolean) {
  const w = shift ? 1 : 0
  for (let k = 0; k < from.length; k += 3) {
    const [x, y, z] = [from[k], from[k + 1], from[k + 2]]
    const a = e[0] * x + e[4] * y + e[8] * z + w * e[12]
    const b = e[1] * x + e[5] * y + e[9] * z + w * e[13]
    const c = e[2] * x + e[6] * y + e[10] * z + w * e[14]
    const size = shift ? 1 : Math.sqrt(a * a + b * b + c * c) || 1
    out[start + k] = a / size
    out[start + k + 1] = b / size
    out[start + k + 2] = c / size
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
      const { geometry } = members[0].part
      const material = members[0].part.material as Material
      const ofJoints = key.endsWith('joint')
      const batch = key.startsWith('standing')
        ? new StandingBatch(material, members, ofJoints)
        : new MovingBatch(geometry, material, members, ofJoints)
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
        const kind = body < 0 ? 'standing' : object.geometry.uuid
        const key = `${kind} ${(object.material as Material).uuid} ${inJoint ? 'joint' : 'body'}`
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
    for (const { object } of this.batches) if (object instanceof InstancedMesh) object.dispose()
  }
}

/** A part that is marked is drawn by itself. */
export function setApart(part: Mesh, apart: boolean): void {
  const instance = part.userData.instance as { batch: Batch; index: number } | undefined
  if (!instance) return
  part.visible = apart
  instance.batch.setApart(instance.index, apart)
}
