// Messages compared with the table of the protocol (protocol_tool json): types of all fields, nothing missing, nothing that
// the table does not know.
import { execFileSync } from 'node:child_process'

const SCENE = ['BodyData', 'ConnectionData', 'SceneData'] // types of web/src/scene/data.ts, which the table extends

/** A type of TypeScript, as far as the table uses them, as a function (value, path) => what is wrong, or undefined. */
function compile(text, records) {
  const tokens = text.match(/'[^']*'|\w+|\[\]|[|()<>,]/g)
  let at = 0
  const take = (token) => tokens[at] === token && ++at
  function union() {
    const choices = [postfix()]
    while (take('|')) choices.push(postfix())
    if (choices.length === 1) return choices[0]
    return (value, path) => {
      const wrong = choices.map((choice) => choice(value, path))
      return wrong.includes(undefined) ? undefined : wrong.at(-1)
    }
  }
  function postfix() {
    let type = primary()
    while (take('[]')) {
      const item = type
      type = (value, path) =>
        Array.isArray(value) ? first(value.map((v, k) => item(v, `${path}[${k}]`))) : `${path} is no list`
    }
    return type
  }
  function primary() {
    const token = tokens[at++]
    if (token === '(') {
      const inner = union()
      at++ // )
      return inner
    }
    if (token === 'Record') {
      at += 3 // < string ,
      const inner = union()
      at++ // >
      return (value, path) =>
        value instanceof Object
          ? first(Object.entries(value).map(([key, v]) => inner(v, `${path}.${key}`)))
          : `${path} is no object`
    }
    if (token.startsWith("'")) return (value, path) => (value === token.slice(1, -1) ? undefined : `${path} is not ${token}`)
    if (token === 'null') return (value, path) => (value === null ? undefined : `${path} is not null`)
    if (token === 'unknown') return () => undefined
    if (token in records) return (value, path) => checkRecord(records[token], value, path, records)
    return (value, path) =>
      typeof value === token && value !== null ? undefined : `${path} is ${JSON.stringify(value)?.slice(0, 60)}, no ${token}`
  }
  return union()
}

const first = (list) => list.find((wrong) => wrong !== undefined)

/** Fields of a record and of those that it extends. */
function fieldsOf(record, records) {
  const bases = record.base ? record.base.split(' & ') : []
  const fields = new Map()
  let open = false
  for (const base of bases) {
    if (SCENE.includes(base)) open = true
    else for (const [name, field] of fieldsOf(records[base], records).fields) fields.set(name, field)
  }
  for (const field of record.fields) {
    if (field.name === '*') open = true
    else fields.set(field.name, field)
  }
  return { fields, open }
}

function checkRecord(record, value, path, records, more = []) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${path} is no object`
  const { fields, open } = fieldsOf(record, records)
  for (const [name, field] of fields) {
    if (value[name] === undefined && !field.optional) return `${path}.${name} is missing`
    if (value[name] === undefined) continue
    field.check ??= compile(field.type, records)
    const wrong = field.check(value[name], `${path}.${name}`)
    if (wrong) return wrong
  }
  const strange = Object.keys(value).find((key) => !fields.has(key) && !more.includes(key))
  return strange === undefined || open ? undefined : `${path}.${strange} is not in the table`
}

const answer = (name, type, optional) => ({ name, type, optional })

/** What is wrong with an answer to a verb, or with a push; undefined: nothing. */
export function readSchema(tool) {
  const { records, verbs, pushes } = JSON.parse(execFileSync(tool, ['json'], { encoding: 'utf8', maxBuffer: 1 << 26 }))
  const common = [answer('ok', 'boolean'), answer('id', 'number'), answer('diagnostics', 'Diagnostic[]', true)]
  const refusal = { base: '', fields: [...common, answer('code', 'string'), answer('message', 'string')] }
  return {
    verbs,
    answer(verb, message) {
      if (!message.ok) return checkRecord(refusal, message, `refusal of ${verb}`, records)
      const time = verbs[verb].session ? [answer('time', 'number')] : []
      const { base, fields } = verbs[verb].answer
      return checkRecord({ base, fields: [...common, ...time, ...fields] }, message, verb, records)
    },
    push(message) {
      const { arrived, ...sent } = message
      if (!(sent.push in pushes)) return `there is no push '${sent.push}'`
      return checkRecord(pushes[sent.push], sent, sent.push, records, ['push'])
    },
  }
}
