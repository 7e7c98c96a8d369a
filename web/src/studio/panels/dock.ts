// The panels at the bottom, in the order of their tabs. A new one is a component and a line here. Each is loaded when it
// is first opened: editor and plots are a large part of the page, and many visits need neither.
import type { Component } from 'svelte'
import type { IconName } from '../parts/Icon.svelte'

export interface DockPanel {
  id: string
  title: string
  icon: IconName
  load: () => Promise<{ default: Component }>
}

export const docked: DockPanel[] = [
  { id: 'plots', title: 'Plots', icon: 'plot', load: () => import('../plot/PlotPanel.svelte') },
  {
    id: 'schematic',
    title: 'Schematic',
    icon: 'schematic',
    load: () => import('../schematic/SchematicPanel.svelte'),
  },
  { id: 'text', title: 'Text', icon: 'text', load: () => import('../text/Texts.svelte') },
  { id: 'analysis', title: 'Analysis', icon: 'analysis', load: () => import('../analysis/AnalysisPanel.svelte') },
  { id: 'health', title: 'Health', icon: 'pulse', load: () => import('./Health.svelte') },
  { id: 'messages', title: 'Messages', icon: 'list', load: () => import('./Messages.svelte') },
]
