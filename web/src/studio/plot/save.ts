// Saves a figure as a file: picture, table or drawing.
import { documents } from '../documents/documents.svelte'
import { fileName, hand } from '../files'
import type { Figure } from './figure'
import type { Column } from './files'
import { csvOf, pngOf, svgOf } from './files'
import { saveHdf5 } from './hdf5'

export const FIGURE_FILES = { svg: 'SVG', png: 'PNG', csv: 'CSV', h5: 'HDF5' } as const
export type FigureFile = keyof typeof FIGURE_FILES

/** columns: what the figure shows, in full. */
export async function saveFigure(title: string, figure: Figure, columns: Column[], type: FigureFile): Promise<void> {
  const name = `${fileName(`${documents.title} ${title}`)}.${type}`
  if (type === 'svg') hand(name, svgOf(figure), 'image/svg+xml')
  else if (type === 'png') hand(name, await pngOf(figure))
  else if (type === 'csv') hand(name, csvOf(columns), 'text/csv')
  else await saveHdf5(name, columns)
}
