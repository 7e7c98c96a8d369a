// The panels at the bottom, in the order of their tabs. A new one is a component and a line here.
import type { Component } from 'svelte'
import type { IconName } from '../parts/Icon.svelte'
import AnalysisPanel from '../analysis/AnalysisPanel.svelte'
import PlotPanel from '../plot/PlotPanel.svelte'
import Texts from '../text/Texts.svelte'
import Health from './Health.svelte'
import Messages from './Messages.svelte'

export const docked: { id: string; title: string; icon: IconName; component: Component }[] = [
  { id: 'plots', title: 'Plots', icon: 'plot', component: PlotPanel },
  { id: 'text', title: 'Text', icon: 'text', component: Texts },
  { id: 'analysis', title: 'Analysis', icon: 'analysis', component: AnalysisPanel },
  { id: 'health', title: 'Health', icon: 'pulse', component: Health },
  { id: 'messages', title: 'Messages', icon: 'list', component: Messages },
]
