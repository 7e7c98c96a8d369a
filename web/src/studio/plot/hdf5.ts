// Tables as HDF5 files, which the server makes.
import { bytesOf } from '../../scene/data'
import { hand } from '../files'
import { session } from '../session.svelte'
import type { Column } from './files'

const SLICE = 1 << 15 // bytes at a time

/** Numbers in little-endian order as base64. */
function textOf(values: Float64Array): string {
  const view = new DataView(new ArrayBuffer(8 * values.length))
  values.forEach((value, k) => view.setFloat64(8 * k, value, true))
  const bytes = new Uint8Array(view.buffer)
  let text = ''
  for (let at = 0; at < bytes.length; at += SLICE) text += String.fromCharCode(...bytes.subarray(at, at + SLICE))
  return btoa(text)
}

export async function saveHdf5(name: string, columns: Column[]): Promise<void> {
  const { scene } = session
  const answer = await session.act('hdf5', {
    model: scene?.name ?? '',
    dimension: scene?.dimension ?? 3,
    rows: columns[0].values.length,
    columns: columns.map((column) => ({ ...column, values: textOf(column.values) })),
  })
  if (answer.ok) hand(name, new Blob([bytesOf(answer.file)], { type: 'application/x-hdf5' }))
}
