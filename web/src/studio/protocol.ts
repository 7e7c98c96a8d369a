// Requests, answers and pushes of the studio, typed by the table of verbs (messages.ts, which is generated).
import type { Acknowledgement, Diagnostic, Pushes, Verbs } from './messages'

export type * from './messages'

export type Verb = keyof Verbs

/** What a request carries besides its verb. */
export type Arguments<V extends Verb> = Verbs[V]['arguments']

/** Arguments as the last parameter of a function: optional where every one of them is. */
export type Given<V extends Verb> = object extends Arguments<V> ? [more?: Arguments<V>] : [more: Arguments<V>]

export interface Refusal {
  ok: false
  code: string
  message: string
  diagnostics?: Diagnostic[]
}

export type Accepted<V extends Verb> = { ok: true; diagnostics?: Diagnostic[] } & Verbs[V]['answer']

/** The answer to a request. */
export type Answer<V extends Verb> = Accepted<V> | Refusal

/** The answer to an edit. */
export type EditAnswer = Refusal | ({ ok: true; diagnostics?: Diagnostic[]; time: number } & Acknowledgement)

/** A message that nobody asked for. */
export type Push = { [K in keyof Pushes]: { push: K } & Pushes[K] }[keyof Pushes]

export type Status = Pushes['status']

export type Kind = 'body' | 'joint' | 'force' | 'device' | 'node' | 'coupling' | 'drive' | 'event' | 'subsystem'

/** Simulated seconds a second; 0: paused. */
export type Speed = number | 'max'
