// The editor of the model's text: CodeMirror with YAML, and problems underlined where they are.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language'
import type { Diagnostic as Mark } from '@codemirror/lint'
import { setDiagnostics } from '@codemirror/lint'
import { Annotation, Compartment, EditorState } from '@codemirror/state'
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Diagnostic } from '../protocol'

export interface Wishes {
  changed: () => void
  apply: () => void
  readOnly: boolean
}

/** The change comes from the session, not from the keyboard. */
const fromSession = Annotation.define<boolean>()

const colours = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: 'var(--accent)' },
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.number, tags.bool], color: 'var(--good)' },
  { tag: tags.string, color: 'var(--ink)' },
  { tag: [tags.punctuation, tags.separator], color: 'var(--soft)' },
])

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '0.92rem', backgroundColor: 'transparent', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: "ui-monospace, 'Liberation Mono', monospace", lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--chosen)',
  },
})

export class TextEditor {
  private readonly view: EditorView
  private readonly writing = new Compartment()

  constructor(holder: HTMLElement, wishes: Wishes) {
    const applyKey = {
      key: 'Mod-Enter',
      run: () => {
        wishes.apply()
        return true
      },
    }
    const changes = EditorView.updateListener.of((update) => {
      const own = update.transactions.some((t) => t.docChanged && !t.annotation(fromSession))
      if (own) wishes.changed()
    })
    this.view = new EditorView({
      parent: holder,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          indentUnit.of('  '),
          yaml(),
          syntaxHighlighting(colours),
          look,
          keymap.of([applyKey, indentWithTab, ...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({ 'aria-label': 'Text of the model', spellcheck: 'false', tabindex: '0' }),
          this.writing.of(EditorState.readOnly.of(wishes.readOnly)),
          changes,
        ],
      }),
    })
  }

  get text(): string {
    return this.view.state.doc.toString()
  }

  /** Whether something can be typed. */
  allow(writing: boolean): void {
    this.view.dispatch({ effects: this.writing.reconfigure(EditorState.readOnly.of(!writing)) })
  }

  get focused(): boolean {
    return this.view.hasFocus
  }

  dispose(): void {
    this.view.destroy()
  }

  /** Puts another text in, changing only what differs, so that the cursor stays where it is. */
  show(text: string): void {
    const before = this.text
    if (before === text) return
    let from = 0
    while (from < before.length && from < text.length && before[from] === text[from]) from++
    let [to, end] = [before.length, text.length]
    while (to > from && end > from && before[to - 1] === text[end - 1]) {
      to--
      end--
    }
    this.view.dispatch({ changes: { from, to, insert: text.slice(from, end) }, annotations: fromSession.of(true) })
  }

  underline(problems: Diagnostic[]): void {
    this.view.dispatch(
      setDiagnostics(
        this.view.state,
        problems.map((problem) => this.markOf(problem)),
      ),
    )
  }

  /** Brings the definition of a component to the middle. */
  reveal(name: string): void {
    const place = this.text.search(new RegExp(`^ +${name.replace(/\W/g, '\\$&')} *:`, 'm'))
    if (place < 0) return
    this.view.dispatch({
      selection: { anchor: this.view.state.doc.lineAt(place).from },
      effects: EditorView.scrollIntoView(place, { y: 'center' }),
    })
  }

  goTo(problem: Diagnostic): void {
    const { from } = this.markOf(problem)
    this.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
    this.view.focus()
  }

  /** From its place to the end of the word, or over the line where it has no place in it. */
  private markOf({ line = 1, column, severity, message }: Diagnostic): Mark {
    const { doc } = this.view.state
    const row = doc.line(Math.min(Math.max(line, 1), doc.lines))
    const from = Math.min(row.from + Math.max((column ?? 1) - 1, 0), row.to)
    const word = column === undefined ? null : /^[\w.-]+/.exec(doc.sliceString(from, row.to))
    const meant = /did you mean '([^']+)'/.exec(message)?.[1]
    const change = {
      name: `Change to ${meant}`,
      apply: (view: EditorView, start: number, end: number) =>
        view.dispatch({ changes: { from: start, to: end, insert: meant } }),
    }
    return {
      from,
      to: word ? from + word[0].length : row.to,
      severity: severity === 'warning' ? 'warning' : severity === 'note' ? 'info' : 'error',
      message,
      ...(meant && word && !this.view.state.readOnly ? { actions: [change] } : {}),
    }
  }
}
