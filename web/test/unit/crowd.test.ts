// Many bodies are drawn by few calls: parts that move as instances, parts that stand as one geometry, each where it belongs.
import { Box3, BoxGeometry, Group, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, Vector3 } from 'three'
import { expect, test } from 'vitest'
import { Crowd, setApart } from '../../src/scene/crowd'

const COUNT = 20
const box = new BoxGeometry(1, 1, 1)
const other = new BoxGeometry(0.5, 0.5, 0.5).toNonIndexed()
const material = new MeshBasicMaterial()

function part(geometry = box as BoxGeometry): Mesh {
  const mesh = new Mesh(geometry, material)
  mesh.userData.paint = 0
  return mesh
}

/** Bodies in a row along x, with a post of two parts under each. */
function row(): { crowd: Crowd; bodies: Group[]; posts: Mesh[]; poses: Float32Array } {
  const root = new Group()
  const poses = new Float32Array(7 * COUNT)
  const posts: Mesh[] = []
  const bodies = Array.from({ length: COUNT }, (_, k) => {
    poses.set([3 * k, 0, 5, 1, 0, 0, 0], 7 * k)
    const post = part(k % 2 ? (other as BoxGeometry) : box)
    post.position.set(3 * k, 0, 0)
    posts.push(post)
    const group = new Group().add(part())
    root.add(group, post)
    return group
  })
  const crowd = new Crowd(root, bodies, [])
  crowd.setPoses(poses)
  return { crowd, bodies, posts, poses }
}

test('one call for all that moves, one for all that stands', () => {
  const { crowd, posts, bodies } = row()
  const [one, two] = crowd.object.children as Mesh[]
  expect(crowd.object.children.length).toBe(2)
  expect([one, two].filter((mesh) => mesh instanceof InstancedMesh).length).toBe(1)
  expect(posts.every((post) => !post.visible)).toBe(true)
  expect(bodies.every(({ children }) => !children[0].visible)).toBe(true)
})

test('parts are where their bodies and posts are', () => {
  const { crowd } = row()
  const moving = crowd.object.children.find((mesh) => mesh instanceof InstancedMesh) as InstancedMesh
  const standing = crowd.object.children.find((mesh) => !(mesh instanceof InstancedMesh)) as Mesh
  const matrix = new Matrix4()
  moving.getMatrixAt(7, matrix)
  expect(new Vector3().setFromMatrixPosition(matrix).toArray()).toEqual([21, 0, 5])
  const { min, max } = new Box3().setFromBufferAttribute(standing.geometry.attributes.position as never)
  expect([min.x, max.x]).toEqual([-0.5, 3 * (COUNT - 1) + 0.25])
})

test('a part that is set apart leaves the rest, and comes back', () => {
  const { crowd, posts } = row()
  const standing = crowd.object.children.find((mesh) => !(mesh instanceof InstancedMesh)) as Mesh
  const reach = () => new Box3().setFromBufferAttribute(standing.geometry.attributes.position as never).max.x
  const before = reach()
  setApart(posts[COUNT - 1], true)
  expect(posts[COUNT - 1].visible).toBe(true)
  expect(reach()).toBeLessThan(before - 2)
  setApart(posts[COUNT - 1], false)
  expect(posts[COUNT - 1].visible).toBe(false)
  expect(reach()).toBe(before)
})
