// A plot as a file: what it shows, in full. Pictures have the units of the page, tables those of the engine.
import type { Column } from './files'
import { columnsOf, columnsOfSpectrum } from './files'
import type { Figure, Plot } from './figure'
import { preferences } from '../preferences.svelte'
import { plots } from './plots.svelte'
import type { FigureFile } from './save'
import { saveFigure } from './save'

const FILE_POINTS = 2000

function columnsOfPlot(plot: Plot, figure: Figure): Column[] {
  if (plot.kind === 'spectrum') return columnsOfSpectrum(figure)
  const channels = plot.kind === 'against' && plot.x ? [plot.x, ...plot.curves] : plot.curves
  return columnsOf(plots.recorder.now, [...new Set(channels)], plots.unitOf)
}

export async function savePlot(plot: Plot, type: FigureFile): Promise<void> {
  const figure = plots.figure(plot, FILE_POINTS)
  await saveFigure(plot.curves[0], preferences.figure(figure), columnsOfPlot(plot, figure), type)
}
