// Models that are open, and what can be done with them as files: open, save, close, recover, mend.
import { notices } from '../notices.svelte'
import type { Diagnostic, OpenDocument, Refusal, UnsavedModel } from '../protocol'
import { session } from '../session.svelte'
import { drafts, mended } from '../text/drafts'
import { ui } from '../ui.svelte'

/** A text with mistakes, to be mended. */
export interface Mending {
  name: string
  text: string
  /** a file of the served folder */
  own: boolean
  diagnostics: Diagnostic[]
}

const TABLES = /\.(csv|stl|obj)$/i
const MODELS = /\.(ya?ml|json)$/i
const UNNAMED = 'New model' // as the server names an empty one
const NOT_KEPT = 'Unsaved changes cannot be written to disk'

/** A model that was given no name has that of its file. */
export function titleOf({ title, name, file }: OpenDocument): string {
  return title === UNNAMED && file ? file.replace(/\.[^.]*$/, '') : title || name
}

class Documents {
  list = $state.raw<OpenDocument[]>([])
  /** number of the one that is shown */
  shown = $state(0)
  left = $state.raw<UnsavedModel[]>([])
  mending = $state.raw<Mending | undefined>((mended.kept() as Mending | null) ?? undefined)
  /** what is asked before something is closed */
  asking = $state.raw<{ document: OpenDocument; then: () => void }>()
  /** what is to be saved under a name */
  naming = $state.raw<{ document: OpenDocument; then?: () => void }>()
  private told = ''

  readonly now = $derived(this.list.find(({ number }) => number === this.shown))
  readonly unsaved = $derived(this.now?.unsaved ?? false)
  readonly title = $derived(this.now ? titleOf(this.now) : '')

  constructor() {
    session.onPush((push) => {
      if (push.push === 'hello') {
        this.take(push)
        if (push.access === 'edit') void this.greet(push.broken)
      } else if (push.push === 'documents') this.take(push)
      else if (push.push === 'status') this.tellDisk(push.not_kept ?? '')
    })
  }

  private take({ document, documents }: { document: number; documents: OpenDocument[] }): void {
    this.list = documents
    this.shown = document
  }

  /** What the last program left, and the file that it was started with, where that has mistakes. */
  private async greet(broken: string | undefined): Promise<void> {
    const answer = await session.ask('recoverable')
    this.left = answer.ok ? answer.models : []
    if (this.left.length > 0) this.offer()
    if (broken && !this.mending) await this.mend(broken)
  }

  /** At once where there is nothing else to look at. */
  private offer(): void {
    if (!session.scene?.bodies.length) ui.overlay = 'gallery'
    else
      notices.show(
        'info',
        `${this.left[0].title || this.left[0].name} was not saved when the studio last ended`,
        undefined,
        [{ label: 'Show what was left', run: () => (ui.overlay = 'gallery') }],
      )
  }

  private tellDisk(reason: string): void {
    if (reason && reason !== this.told)
      notices.show('error', NOT_KEPT, `${reason}. Export has them: the run, all of them`)
    this.told = reason
  }

  /** Text that is typed there is in no model yet. */
  private get hasDraft(): boolean {
    return drafts.has(this.shown)
  }

  /** A model of the gallery or of the folder; one with mistakes is opened as text. False: it was refused. */
  async open(model: string, beside = this.hasDraft): Promise<boolean> {
    const answer = await session.ask('open', { model, beside })
    if (answer.ok) return true
    if (answer.code === 'model' && (await this.mend(model, answer))) return true
    notices.failure(answer)
    return false
  }

  async create(dimension: 2 | 3, beside = this.hasDraft): Promise<boolean> {
    return (await session.act('new', { dimension, beside })).ok
  }

  private async mend(file: string, refusal?: Refusal): Promise<boolean> {
    const answer = await session.ask('file', { file })
    if (!answer.ok) return false
    this.beginMending({ name: file, text: answer.text, own: true, diagnostics: refusal?.diagnostics ?? [] })
    return true
  }

  private beginMending(mending: Mending): void {
    this.mending = mending
    mended.keep(mending)
    ui.overlay = undefined
    ui.dock = 'text'
  }

  /** What is typed stays while other panels are looked at, and over a reload. */
  keepMending(text: string): void {
    this.mending!.text = text
    mended.keep(this.mending)
  }

  endMending(): void {
    this.mending = undefined
    mended.keep(undefined)
  }

  /** The mended text becomes a model; the refusal where it is not right yet. */
  async mended(text: string): Promise<Refusal | undefined> {
    const { name, own } = this.mending!
    const answer = await session.ask('open_text', { text, name, mended: own })
    if (!answer.ok) return answer
    this.endMending()
    notices.show('good', `${name} is mended`, 'It is not saved yet')
    return undefined
  }

  show(number: number): void {
    if (number !== this.shown) void session.act('show', { document: number })
  }

  /** To the next or last tab. */
  turn(by: 1 | -1): void {
    const at = this.list.findIndex(({ number }) => number === this.shown)
    if (this.list.length > 1) this.show(this.list[(at + by + this.list.length) % this.list.length].number)
  }

  close(number = this.shown): void {
    const document = this.list.find((d) => d.number === number)
    if (!document) return
    if (document.unsaved || drafts.has(number)) this.asking = { document, then: () => void this.drop(number, false) }
    else void this.drop(number, false)
  }

  async drop(document: number, discard: boolean): Promise<void> {
    if ((await session.act('close', { document, discard })).ok) drafts.forget(document)
  }

  /** As the file that it has; a name is asked for where there is none. */
  async save(document = this.now, then?: () => void): Promise<void> {
    if (!document) return
    if (document.file === undefined) this.naming = { document, then }
    else await this.write(document, undefined, false, then)
  }

  saveAs(): void {
    if (this.now) this.naming = { document: this.now }
  }

  /** The refusal, where it was; overwriting is asked for in a notice. */
  async write(
    document: OpenDocument,
    name: string | undefined,
    replace: boolean,
    then?: () => void,
  ): Promise<Refusal | undefined> {
    const answer = await session.ask('save', { document: document.number, name, replace })
    if (answer.ok) {
      const typed = drafts.has(document.number) ? 'What is typed in the text and not applied is not in it' : undefined
      notices.show(typed ? 'info' : 'good', `Saved as ${answer.name}`, typed)
      then?.()
      return undefined
    }
    if (answer.code === 'changed')
      notices.show('error', answer.message, undefined, [
        { label: 'Overwrite it', run: () => void this.write(document, name, true, then) },
        { label: 'Save under another name', run: () => (this.naming = { document, then }) },
      ])
    else if (name === undefined) notices.failure(answer)
    return answer
  }

  async recover(id: string): Promise<void> {
    const answer = await session.act('recover', { model: id })
    if (answer.ok) this.left = this.left.filter((model) => model.id !== id)
    if (answer.ok) ui.overlay = undefined
  }

  async forget(id: string): Promise<void> {
    const answer = await session.act('forget', { model: id })
    if (answer.ok) this.left = this.left.filter((model) => model.id !== id)
  }

  /** Files that were dropped or chosen: models are opened, what they need is put into the folder first. */
  async takeFiles(files: File[]): Promise<void> {
    const models = files.filter(({ name }) => MODELS.test(name))
    for (const file of files.filter(({ name }) => TABLES.test(name))) await this.upload(file)
    const strange = files.filter(({ name }) => !MODELS.test(name) && !TABLES.test(name))
    if (strange.length > 0)
      notices.show('info', `${strange.map(({ name }) => name).join(', ')} cannot be opened`, 'Models are YAML or JSON')
    for (const file of models) await this.openText(file.name, await file.text(), models.length > 1 || this.hasDraft)
  }

  private async upload(file: File, replace = false): Promise<void> {
    const bytes = new Uint8Array(await file.arrayBuffer())
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte)
    const answer = await session.ask('upload', { file: file.name, content: btoa(text), replace })
    if (answer.ok) notices.show('good', `${file.name} is in the folder now`)
    else if (answer.code === 'exists')
      notices.show('info', answer.message, undefined, [
        { label: 'Replace it', run: () => void this.upload(file, true) },
        { label: 'Keep it', run: () => undefined },
      ])
    else notices.failure(answer)
  }

  private async openText(name: string, text: string, beside: boolean): Promise<void> {
    const answer = await session.ask('open_text', { text, name, beside })
    if (answer.ok) ui.overlay = undefined
    else if (answer.code === 'model') {
      this.beginMending({ name, text, own: false, diagnostics: answer.diagnostics ?? [] })
    } else notices.failure(answer)
  }
}

export const documents = new Documents()
