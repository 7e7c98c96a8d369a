// Definitions as they stand in the text of a model: maps, lists and scalars, with their expressions and units as written. Of
// YAML it reads what the normal form of models has: blocks by indentation, flow collections, quoted scalars, comments.

/** A scalar is the text of it. */
export type Value = string | Value[] | { [key: string]: Value }

interface Line {
  indent: number
  words: string
}

/** Without a comment; '#' counts where a blank or nothing stands before it, outside of quotes. */
function uncommented(line: string): string {
  let quote = ''
  for (let k = 0; k < line.length; k++) {
    const sign = line[k]
    if (quote) quote = sign === quote ? '' : quote
    else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '#' && (k === 0 || /\s/.test(line[k - 1]))) return line.slice(0, k)
  }
  return line
}

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .map((line) => uncommented(line).trimEnd())
    .filter((line) => line.trim() !== '' && line.trim() !== '---')
    .map((line) => ({ indent: line.search(/\S/), words: line.trim() }))
}

const OPEN = '[{'
const CLOSED = ']}'

/** How many flow collections a line leaves open. */
function depthOf(words: string): number {
  let depth = 0
  let quote = ''
  for (const sign of words) {
    if (quote) quote = sign === quote ? '' : quote
    else if (sign === '"' || sign === "'") quote = sign
    else if (OPEN.includes(sign)) depth++
    else if (CLOSED.includes(sign)) depth--
  }
  return depth
}

/** Flow collections that go over several lines become one line. */
function joined(lines: Line[]): Line[] {
  const out: Line[] = []
  let depth = 0
  for (const line of lines) {
    if (depth > 0) out[out.length - 1].words += ` ${line.words}`
    else out.push({ ...line })
    depth += depthOf(line.words)
  }
  return out
}

const unquoted = (words: string) => /^(["'])(.*)\1$/s.exec(words)?.[2] ?? words

/** A flow collection or scalar. */
class Flow {
  private at = 0
  constructor(private readonly words: string) {}

  value(): Value {
    this.skip()
    const sign = this.words[this.at]
    if (sign === '[') return this.list()
    if (sign === '{') return this.map()
    return unquoted(this.scalar(',]}'))
  }

  private skip(): void {
    while (/\s/.test(this.words[this.at] ?? '')) this.at++
  }

  private scalar(ends: string): string {
    const from = this.at
    let quote = ''
    let depth = 0
    for (; this.at < this.words.length; this.at++) {
      const sign = this.words[this.at]
      if (quote) quote = sign === quote ? '' : quote
      else if ((sign === '"' || sign === "'") && this.words.slice(from, this.at).trim() === '') quote = sign
      else if (depth === 0 && ends.includes(sign)) break
      else if (sign === '(') depth++
      else if (sign === ')') depth--
    }
    return this.words.slice(from, this.at).trim()
  }

  private list(): Value[] {
    const out: Value[] = []
    for (this.at++, this.skip(); this.at < this.words.length && this.words[this.at] !== ']'; this.skip()) {
      out.push(this.value())
      this.skip()
      if (this.words[this.at] === ',') this.at++
    }
    this.at++
    return out
  }

  private map(): Record<string, Value> {
    const out: Record<string, Value> = {}
    for (this.at++, this.skip(); this.at < this.words.length && this.words[this.at] !== '}'; this.skip()) {
      const key = unquoted(this.scalar(':,}'))
      if (this.words[this.at] === ':') this.at++
      out[key] = this.value()
      this.skip()
      if (this.words[this.at] === ',') this.at++
    }
    this.at++
    return out
  }
}

const KEY = /^("[^"]*"|'[^']*'|[^\s[{"'][^:]*?)\s*:(?:\s+(.*))?$/s

/** The block that begins at a line, with all lines that are indented as much. */
function block(lines: Line[], from: number): { value: Value; end: number } {
  const { indent, words } = lines[from]
  if (words.startsWith('- ') || words === '-') return listBlock(lines, from, indent)
  if (KEY.test(words)) return mapBlock(lines, from, indent)
  return { value: new Flow(words).value(), end: from + 1 }
}

function listBlock(lines: Line[], from: number, indent: number): { value: Value; end: number } {
  const out: Value[] = []
  let at = from
  while (at < lines.length && lines[at].indent === indent && /^-(\s|$)/.test(lines[at].words)) {
    const rest = lines[at].words.slice(1)
    const words = rest.trim()
    if (words === '') {
      const inner = block(lines, at + 1)
      out.push(inner.value)
      at = inner.end
      continue
    }
    const inner = [...lines]
    inner[at] = { indent: indent + 1 + rest.search(/\S/), words }
    const made = block(inner, at)
    out.push(made.value)
    at = made.end
  }
  return { value: out, end: at }
}

function mapBlock(lines: Line[], from: number, indent: number): { value: Value; end: number } {
  const out: Record<string, Value> = {}
  let at = from
  while (at < lines.length && lines[at].indent === indent) {
    const parts = KEY.exec(lines[at].words)
    if (!parts) break
    const key = unquoted(parts[1])
    const next = lines[at + 1]
    const deeper = next && (next.indent > indent || (next.indent === indent && /^-(\s|$)/.test(next.words)))
    if (parts[2] === undefined && deeper) {
      const inner = block(lines, at + 1)
      out[key] = inner.value
      at = inner.end
    } else {
      out[key] = new Flow(parts[2] ?? '').value()
      at++
    }
  }
  return { value: out, end: at }
}

/** The whole text as one value. */
export function readText(text: string): Value {
  const lines = joined(linesOf(text))
  return lines.length === 0 ? {} : block(lines, 0).value
}

export const isMap = (value: Value | undefined): value is Record<string, Value> =>
  typeof value === 'object' && !Array.isArray(value)

/** What the text says of a component; undefined where it does not stand in this text, or in a way that is not read here. */
export function definitionOf(text: string, section: string, name: string): Record<string, Value> | undefined {
  const all = readText(text)
  const there = isMap(all) ? all[section] : undefined
  const found = isMap(there) ? there[name] : undefined
  const strange = (value: Value): boolean =>
    typeof value === 'string' ? /^[&*!|>]/.test(value) : Object.values(value).some(strange)
  return isMap(found) && !strange(found) ? structuredClone(found) : undefined
}
