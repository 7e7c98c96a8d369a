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

class Drafts {
  private readonly byDocument = new Map<number, Draft>()

  of(document: number): Draft | undefined {
    return this.byDocument.get(document)
  }

  put(document: number, draft: Draft | undefined): void {
    if (draft) this.byDocument.set(document, draft)
    else this.byDocument.delete(document)
  }

  /** What is to be kept with the view of a document. */
  toKeep(document: number): Draft | undefined {
    const draft = this.of(document)
    return draft && draft.text.length <= LONGEST ? draft : undefined
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
