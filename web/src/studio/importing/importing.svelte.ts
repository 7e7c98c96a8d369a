// An import under way: files go to the server, it makes a model folder, and what is decided makes it anew.
import { swing } from '../analysis/swing.svelte'
import { documents } from '../documents/documents.svelte'
import { notices } from '../notices.svelte'
import type { FreeMotion, ImportDecision, ImportJoint, ImportReport, Refusal } from '../protocol'
import { session } from '../session.svelte'
import * as timing from '../timing'
import { ui } from '../ui.svelte'
import { current } from '../view/current'
import type { Dropped } from './collect'
import { candidates, isNeeded, upload } from './collect'
import { facesOf } from './faces'

const MOST_BYTES = 300e6 // as the server has it
const MOST_FOLDERS = 20 // names that are tried

/** A name that folders may have. */
const stem = (path: string) =>
  path
    .replace(/^.*\//, '')
    .replace(/\.[^.]*$/, '')
    .replace(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '') || 'machine'

class Importing {
  /** the wizard is shown */
  open = $state(false)
  /** what is going on; undefined: nothing */
  busy = $state<string>()
  report = $state.raw<ImportReport>()
  refusal = $state.raw<Refusal>()
  /** files of which one is the machine; a person chooses */
  choices = $state.raw<Dropped[]>([])
  motions = $state.raw<FreeMotion[]>([])
  /** key of the joint whose faces are shown */
  shown = $state<string>()
  private files: string[] = []
  private folder = ''
  private dropped: Dropped[] = []
  private queue: ImportDecision[] = []
  private working = false

  /** Files that were dropped or chosen; one of them is the machine. */
  async begin(files: Dropped[]): Promise<void> {
    this.reset()
    this.open = true
    ui.overlay = undefined
    this.dropped = files.filter(({ path }) => isNeeded(path))
    const possible = candidates(this.dropped)
    if (possible.length > 1) this.choices = possible
    else if (possible.length === 1) await this.choose(possible[0])
  }

  async choose(main: Dropped): Promise<void> {
    this.choices = []
    const total = this.dropped.reduce((sum, { file }) => sum + file.size, 0)
    const large = this.dropped.find(({ file }) => file.size > MOST_BYTES)
    if (large) {
      notices.show('error', `${large.path} is larger than 300 MB`)
      this.close()
      return
    }
    const into = `import/${stem(main.path)}`
    let sent = 0
    for (const { path, file } of [main, ...this.dropped.filter((other) => other !== main)]) {
      this.busy = `Sending ${path}`
      const answer = await upload(`${into}/${path}`, file, (bytes) => {
        sent += bytes
        this.busy = `Sending ${path}: ${Math.round((100 * sent) / Math.max(total, 1))} %`
      })
      if (!answer.ok) {
        this.refuse(answer)
        return
      }
    }
    this.files = [main, ...this.dropped.filter((other) => other !== main)].map(({ path }) => `${into}/${path}`)
    this.folder = stem(main.path)
    await this.make([])
  }

  /** Decisions are made one after the other; what comes meanwhile is done at once afterwards. */
  async decide(...decisions: ImportDecision[]): Promise<void> {
    this.queue.push(...decisions)
    if (this.working) return
    while (this.queue.length > 0) await this.make(this.queue.splice(0))
  }

  cancel(): void {
    void session.ask('import_cancel')
  }

  close(): void {
    if (this.busy) this.cancel()
    this.reset()
    this.open = false
  }

  run(): void {
    swing.stop()
    this.show(undefined)
    timing.run()
  }

  /** The faces that a joint was inferred from, or its place. */
  show(joint: ImportJoint | undefined): void {
    this.shown = joint?.key
    current.viewport?.highlight(joint && facesOf(joint, current.viewport.mechanism?.size ?? 1))
    session.select(joint && session.item(joint.name) ? [joint.name] : [])
  }

  private reset(): void {
    swing.stop()
    this.show(undefined)
    this.report = this.refusal = undefined
    this.choices = this.motions = this.dropped = this.queue = []
    this.busy = undefined
  }

  private refuse(refusal: Refusal): void {
    this.busy = undefined
    if (this.report) notices.failure(refusal)
    else this.refusal = refusal
  }

  /** A folder of that name which is something else is left alone. */
  private async ask(decisions: ImportDecision[]) {
    const name = this.folder
    for (let number = 2; ; number++) {
      const answer = await session.ask('import', { files: this.files, folder: this.folder, decisions })
      const taken =
        !answer.ok && (answer.diagnostics ?? []).some(({ message }) => /not made by an import/.test(message))
      if (!taken || number > MOST_FOLDERS) return answer
      this.folder = `${name}-${number}`
    }
  }

  private async make(decisions: ImportDecision[]): Promise<void> {
    this.working = true
    this.busy = this.report ? 'Making the model anew' : 'Reading the file'
    const answer = await this.ask(decisions)
    this.working = false
    if (!answer.ok) {
      this.refuse(answer)
      return
    }
    this.report = answer
    this.busy = 'Opening the model'
    const opened = answer.assembled && (await documents.open(answer.model))
    this.busy = undefined
    this.motions = []
    this.show(answer.joints.find(({ key }) => key === this.shown))
    if (opened && (answer.freedoms ?? 0) > 0) await this.findMotions()
  }

  private async findMotions(): Promise<void> {
    const answer = await session.ask('mobility')
    if (answer.ok) this.motions = answer.motions
  }
}

export const importing = new Importing()
