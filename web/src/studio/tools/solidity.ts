// A solid with its material, as a form has it, and its definition in the text of the model.
import type { Sizes } from './solids'
import { materials, sizesOf, solids } from './solids'

export interface Solidity {
  kind: string
  sizes: Sizes
  axis: string
  /** name of a material; '': the mass is given */
  material: string
  mass: string
}

export const newSolid = (): Solidity => ({
  kind: 'box',
  sizes: sizesOf('box'),
  axis: 'z',
  material: 'Steel',
  mass: '1 kg',
})

/** One shape of a body. */
export function shapeOf({ kind, sizes, axis, material, mass }: Solidity, planar: boolean): object {
  const density = materials.find(([name]) => name === material)?.[1]
  const weight = density === undefined ? { mass } : { density: `${density} kg/m^3` }
  return { ...solids[kind].definition(sizes, axis, planar), ...weight }
}
