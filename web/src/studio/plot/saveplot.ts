// A plot as a file: what it shows, in full.
import type { Column } from './files'
import { columnsOf, columnsOfSpectrum } from './files'
import type { Figure, Plot } from './figure'
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
  await saveFigure(plot.curves[0], figure, columnsOfPlot(plot, figure), type)
}
