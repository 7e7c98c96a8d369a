// Shaders are made when something is first drawn with them, which takes a graphics card long, and software longer. A picture
// that nobody sees is drawn with all of them before there is a mechanism: while it is on its way.
import {
  BoxGeometry,
  DirectionalLight,
  HemisphereLight,
  InstancedMesh,
  LineSegments,
  Mesh,
  PerspectiveCamera,
  Scene,
  Vector3,
  type WebGLRenderer,
} from 'three'
import { Backdrop } from './backdrop'
import type { Materials } from './theme'

/** As many lights of each kind as the view has: shaders depend on their number. */
export function warmUp(renderer: WebGLRenderer, materials: Materials): void {
  const scene = new Scene()
  const sun = new DirectionalLight()
  sun.castShadow = true
  const box = new BoxGeometry()
  const material = materials.solid('steel')
  const parts = [new Mesh(box, material), new InstancedMesh(box, material, 1), new LineSegments(box, materials.edge)]
  for (const part of parts) part.castShadow = part.receiveShadow = !(part instanceof LineSegments)
  const backdrop = new Backdrop(new Vector3(), new Vector3(0, 0, 1), 1, 1)
  scene.add(sun, new DirectionalLight(), new HemisphereLight(), backdrop.object, ...parts)
  scene.traverse((object) => (object.frustumCulled = false))
  const camera = new PerspectiveCamera()
  camera.position.z = -100 // it looks away from all of that
  for (let k = 0; k < 2; k++) renderer.render(scene, camera) // shaders of shadows depend on the lights of the picture before
  box.dispose()
  sun.dispose() // materials stay: shaders go with the last that uses them
}
