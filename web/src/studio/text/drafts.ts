// Text that is typed and not applied yet, because it has mistakes: it stays with its document while other panels and documents
// are looked at, and over reloads.

/** A text, and a mark of the model's text that it was made from. */
export interface Draft {
  text: string
  base: string
}

const LONGEST = 2 ** 19 // characters; longer ones do not outlive the page
const MENDED = 'tenon.mending'

/** Tells texts apart. */
export function markOf(text: string): string {
  let hash = 0x811c9dc5
  for (let k = 0; k < text.length; k++) hash = Math.imul(hash ^ text.charCodeAt(k), 0x01000193)
  return `${text.length}-${(hash >>> 0).toString(16)}`
}

/** By the path of the subsystem; that of the model itself is empty. */
export type DraftsOfModel = Record<string, Draft>

class Drafts {
  private readonly byDocument = new Map<number, DraftsOfModel>()

  of(document: number, subsystem = ''): Draft | undefined {
    return this.byDocument.get(document)?.[subsystem]
  }

  /** Something is typed in a text of a document that is in no model. */
  has(document: number): boolean {
    return this.byDocument.has(document)
  }

  put(document: number, draft: Draft | undefined, subsystem = ''): void {
    const all = { ...this.byDocument.get(document) }
    if (draft) all[subsystem] = draft
    else delete all[subsystem]
    if (Object.keys(all).length > 0) this.byDocument.set(document, all)
    else this.byDocument.delete(document)
  }

  forget(document: number): void {
    this.byDocument.delete(document)
  }

  /** What was kept with the view of a document; what this page knows is newer. */
  recall(document: number, kept: DraftsOfModel | undefined): void {
    if (kept && !this.has(document)) this.byDocument.set(document, kept)
  }

  toKeep(document: number): DraftsOfModel | undefined {
    const all = this.byDocument.get(document)
    return all && JSON.stringify(all).length <= LONGEST ? all : undefined
  }
}

export const drafts = new Drafts()

/** A text with mistakes that is being mended: it belongs to no document, but to this tab of the browser. */
export const mended = {
  keep: (mending: object | undefined): void => {
    try {
      if (mending) sessionStorage.setItem(MENDED, JSON.stringify(mending))
      else sessionStorage.removeItem(MENDED)
    } catch {
      // too long for the browser: it lasts as long as the page
    }
  },
  kept: (): unknown => JSON.parse(sessionStorage.getItem(MENDED) ?? 'null'),
}
