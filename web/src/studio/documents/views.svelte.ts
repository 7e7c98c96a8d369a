// What the page shows with a model (plots, paths, layers, panel) is kept with the document: it comes back after a reload,
// goes away with the model, and is saved beside it.
import { Vector3 } from 'three'
import type { Plot } from '../plot/figure'
import type { Measure } from '../measure/measures'
import { measuring } from '../measure/measuring.svelte'
import { plots } from '../plot/plots.svelte'
import { session } from '../session.svelte'
import * as timing from '../timing'
import type { DraftsOfModel } from '../text/drafts'
import { drafts } from '../text/drafts'
import { ui } from '../ui.svelte'
import { current } from '../view/current'
import { documents } from './documents.svelte'

interface KeptPath {
  label: string
  body: string
  at: number[]
}

interface KeptView {
  plots?: Plot[]
  paths?: KeptPath[]
  show?: Partial<typeof ui.show>
  dock?: string
  arrowScale?: number
  camera?: number[]
  measures?: Measure[]
  drafts?: DraftsOfModel
}

const PAUSE = 400 // ms after a change until it is told

class Views {
  /** document whose view is on the page */
  private entered = 0
  private kept?: KeptView
  /** as it was last told or taken */
  private told = ''
  private waiting?: ReturnType<typeof setTimeout>
  /** what is kept is on the page: before that, what the page shows is nobody's wish */
  private applied = false
  /** once it is known what is kept with the document */
  known: Promise<void> = Promise.resolve()

  /** Another document is shown: nothing of the one before stays. */
  enter(document: number): void {
    if (document !== this.entered) this.known = this.take(document)
  }

  private async take(document: number): Promise<void> {
    this.entered = document
    this.applied = false
    this.kept = undefined
    clearTimeout(this.waiting)
    timing.stopLoop()
    session.leave()
    plots.restore([])
    measuring.list = []
    const answer = await session.ask('kept_view', { document })
    if (this.entered !== document) return
    this.kept = answer.ok && answer.view ? (answer.view as KeptView) : {}
    drafts.recall(document, this.kept.drafts)
    this.apply()
  }

  /** Once the scene of the document is drawn; paths belong to bodies. */
  apply(): void {
    const { kept } = this
    const { viewport } = current
    if (!kept || viewport?.document !== this.entered || !viewport.mechanism) return
    this.kept = undefined
    Object.assign(ui.show, kept.show ?? {})
    ui.arrowScale = kept.arrowScale ?? 1
    if (kept.plots) plots.restore(kept.plots)
    if ('dock' in kept) ui.dock = kept.dock
    else if (ui.dock === 'plots') ui.dock = undefined
    if (kept.paths) {
      viewport.tracers.clear()
      for (const { label, body, at } of kept.paths) {
        const index = session.scene!.bodies.findIndex(({ name }) => name === body)
        if (index >= 0) viewport.tracers.add(label, index, new Vector3().fromArray(at))
      }
    }
    if (kept.measures) measuring.list = kept.measures
    if (kept.camera) viewport.view?.setCamera(kept.camera)
    this.told = JSON.stringify(this.present())
    this.applied = true
  }

  /** To be called when something of it may have changed. */
  changed(): void {
    if (session.readOnly || !this.applied || this.entered === 0 || this.entered !== documents.shown) return
    const view = this.present()
    const text = JSON.stringify(view)
    if (text === this.told) return
    clearTimeout(this.waiting)
    const document = this.entered
    this.waiting = setTimeout(() => {
      this.told = text
      void session.ask('keep_view', { document, view })
    }, PAUSE)
  }

  private present(): KeptView {
    const { viewport } = current
    const name = (body: number) => session.scene?.bodies[body]?.name ?? ''
    return {
      plots: plots.list,
      paths: viewport?.tracers.list.map(({ label, body, local }) => ({ label, body: name(body), at: local.toArray() })),
      show: { ...ui.show },
      dock: ui.dock,
      arrowScale: ui.arrowScale,
      camera: viewport?.view?.getCamera(),
      measures: measuring.list,
      drafts: drafts.toKeep(this.entered),
    }
  }
}

export const views = new Views()
