// Short messages that come and go (toasts). A notice with choices stays until one is taken, it is dismissed, or there is
// a newer edit, to which its choices would not belong.
import type { Refusal } from './protocol'

export interface Choice {
  label: string
  run: () => void
}

export interface Notice {
  id: number
  kind: 'info' | 'good' | 'error'
  text: string
  detail?: string
  choices: Choice[]
}

const SHORT = 4000 // ms
const LONG = 12000
const MOST = 4

/** What stood against it, the main thing first. */
export function problemsOf({ message, diagnostics = [] }: Refusal): string[] {
  return [...new Set([message, ...diagnostics.map((diagnostic) => diagnostic.message)])]
}

class Notices {
  list = $state.raw<Notice[]>([])
  private next = 1

  /** brief: it goes although it has choices, which can be had elsewhere, too. */
  show(kind: Notice['kind'], text: string, detail?: string, choices: Choice[] = [], brief = false): number {
    const id = this.next++
    if (choices.length > 0 && !brief) this.outdate()
    const routine = kind === 'good' && choices.length === 0 // the next one takes its place, so that they never cover the view
    const goes = (notice: Notice) => routine && notice.kind === 'good' && notice.choices.length === 0
    const others = this.list.filter((notice) => notice.text !== text && !goes(notice))
    this.list = [...others.slice(1 - MOST), { id, kind, text, detail, choices }]
    if (choices.length === 0 || brief) setTimeout(() => this.dismiss(id), kind === 'error' ? LONG : SHORT)
    return id
  }

  /** choices: ways to what is to blame */
  failure(refusal: Refusal, choices: Choice[] = []): void {
    const [first, ...more] = problemsOf(refusal)
    this.show('error', first, more.join('\n') || undefined, choices, true)
  }

  /** There was an edit: choices so far belong to another. */
  outdate(): void {
    this.list = this.list.filter((notice) => notice.choices.length === 0)
  }

  dismiss(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id)
  }
}

export const notices = new Notices()
