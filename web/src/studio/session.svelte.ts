// The state of the session as this client knows it, and the one way to change it. Components read the fields and call
// ask() or command(); what comes back is also told to the reader of the page when it failed.
import { withNumbers } from './digits'
import type { ConnectionData } from '../scene/data'
import type { LinkState } from './connection'
import { Connection } from './connection'
import type { Frame } from './frame'
import type {
  Answer,
  Channel,
  Component,
  Descriptor,
  EditAnswer,
  Given,
  Hello,
  Kind,
  Push,
  Pushes,
  SceneForce,
  Speed,
  Status,
  StudioScene,
  Subsystem,
  Verb,
} from './protocol'
import type { Unclear } from './health'
import { unclearReactions } from './health'
import type { Choice } from './notices.svelte'
import { notices } from './notices.svelte'
import { token } from './token'
import { ui } from './ui.svelte'
import type { ArrowLayer } from './view/arrows'

/** A component with its kind and place in the scene. */
export interface Item {
  kind: Kind
  name: string
  index: number
  data: Component
}

/** Something that happened, for the list of messages and the marks on the timeline. */
export interface Happening {
  time: number
  kind: 'edit' | 'event' | 'error'
  text: string
  /** number of the client whose edit it was */
  client?: number
  energy?: number
  displacement?: number
}

const KEPT = 2000 // happenings
const READABLE = 80 // ms that a number stands while it changes
const MOST_CHANNELS = 256 // that a frame carries
const MOST_OFFERED = 200 // channels in the list of a field
const MOST_BODIES = 60 // of a model that is looked at after every edit

function itemsOf(scene: StudioScene): Item[] {
  const list = (kind: Kind, all: Component[] = []) => all.map((data, index) => ({ kind, name: data.name, index, data }))
  return [
    ...list('body', scene.bodies),
    ...list('joint', scene.joints),
    ...list('coupling', scene.couplings).map(asDrive),
    ...list('force', [...scene.forces, ...(scene.others ?? [])]).map(asDevice),
    ...list('event', scene.events),
    ...list('subsystem', scene.subsystems),
  ]
}

/** Drives are joints that couple a coordinate with time; people look for them by themselves. */
function asDrive(item: Item): Item {
  return item.data.type?.startsWith('drive') ? { ...item, kind: 'drive' } : item
}

/** Devices and the nodes where they meet are among the forces; people look for them by themselves. */
function asDevice(item: Item): Item {
  const { family, domain }: { family?: string; domain?: string } = item.data as SceneForce
  return family !== undefined ? { ...item, kind: 'device' } : domain !== undefined ? { ...item, kind: 'node' } : item
}

class Session {
  link = $state<LinkState>('connecting')
  hello = $state.raw<Hello>()
  scene = $state.raw<StudioScene>()
  revision = $state(0)
  /** number of the open model that the scene is of */
  document = $state(0)
  frame = $state.raw<Frame>()
  /** the frame that numbers are read from: not more often than people can read */
  reading = $state.raw<Frame>()
  private read = 0
  status = $state.raw<Status>()
  types = $state.raw<Descriptor[]>([])
  channels = $state.raw<Channel[]>([])
  /** names, the last one chosen last */
  selection = $state.raw<string[]>([])
  hovered = $state<string>()
  /** joints that stopped a drag */
  blocking = $state.raw<string[]>([])
  /** by joint: what of its reaction the mechanism does not determine */
  unclear = $state.raw<ReadonlyMap<string, Unclear>>(new Map())
  happenings = $state.raw<Happening[]>([])
  /** what frames carry for this client */
  private subscribed: Channel[] = []
  private subscription = 0
  private subscribing = false
  private wants = new Map<string, string[]>()
  private carried: Partial<Record<ArrowLayer, boolean>> = {}
  private readonly awaiting = new Set<() => void>()
  private readonly listeners = new Set<(frame: Frame) => void>()
  private readonly hearers = new Set<(push: Push) => void>()
  private connection?: Connection

  readonly items = $derived(this.scene ? itemsOf(this.scene) : [])
  private readonly byName = $derived(new Map(this.items.map((item) => [item.name, item])))
  /** of all channels: large models have a hundred thousand */
  readonly channelNames = $derived(new Set(this.channels.map(({ name }) => name)))
  readonly selected = $derived(this.selection.map((name) => this.item(name)).filter((item) => item !== undefined))
  readonly readOnly = $derived(this.hello?.access === 'view')
  readonly running = $derived(this.frame?.running ?? (this.status?.speed ?? 0) !== 0)
  readonly time = $derived(this.frame?.time ?? this.status?.time ?? 0)
  /** the pace that run sets; kept while paused */
  speed = $state<Speed>(1)

  start(): void {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    this.connection = new Connection(`${scheme}://${location.host}/session`, token, {
      state: (state) => this.linkChanged(state),
      push: (message) => this.pushed(message),
      frame: (frame) => this.framed(frame),
      failure: (answer) => notices.failure(answer),
    })
  }

  item(name: string | undefined): Item | undefined {
    return name === undefined ? undefined : this.byName.get(name)
  }

  subsystem(path: string | undefined): Subsystem | undefined {
    return this.scene?.subsystems.find((subsystem) => subsystem.name === path)
  }

  /** Asks the server; the answer may be a refusal, which the caller shows. */
  ask<V extends Verb>(verb: V, ...given: Given<V>): Promise<Answer<V>> {
    return this.connection!.ask(verb, ...(verb === 'command' ? withNumbers(given) : given))
  }

  /** Asks for something to be done; a refusal is shown to the reader. */
  async act<V extends Verb>(verb: V, ...given: Given<V>): Promise<Answer<V>> {
    const answer = await this.ask(verb, ...given)
    if (!answer.ok) notices.failure(answer, this.waysTo(answer.message))
    return answer
  }

  /** What a message names can be shown: it is selected, and looked at in the tree and the panel. */
  private waysTo(message: string): Choice[] {
    const item = namedIn(message)
    return item ? [{ label: `Show ${item.name}`, run: () => this.select([item.name]) }] : []
  }

  /** An edit, as in docs/live.md; the acknowledgement. */
  command(command: object): Promise<EditAnswer> {
    return this.act('command', { command })
  }

  /** For what goes out many times a second: no answer unless it fails. */
  tell<V extends Verb>(verb: V, ...given: Given<V>): void {
    this.connection?.tell(verb, ...given)
  }

  /** Another document is shown: what was said about the one before is of no use. */
  leave(): void {
    ui.inside = undefined
    this.selection = []
    this.hovered = undefined
    this.happenings = []
    this.unclear = new Map()
    notices.outdate()
  }

  select(names: string[]): void {
    this.selection = names
  }

  /** Until the scene of a revision, or a later one, is here. */
  async reached(revision: number): Promise<void> {
    while (this.revision < revision) await new Promise<void>((done) => this.awaiting.add(done))
  }

  /** Every frame, as it arrives. Returns what ends it. */
  onFrame(listener: (frame: Frame) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Every message that was not asked for, after the session has taken it. Returns what ends it. */
  onPush(hearer: (push: Push) => void): () => void {
    this.hearers.add(hearer)
    return () => this.hearers.delete(hearer)
  }

  /** The channels that an owner (a panel) wants in frames; replaces what it wanted before. */
  want(owner: string, channels: string[]): void {
    const before = (this.wants.get(owner) ?? []).join()
    if (before === channels.join()) return
    if (channels.length > 0) this.wants.set(owner, channels)
    else this.wants.delete(owner)
    void this.subscribe()
  }

  wanted(owner: string): string[] {
    return this.wants.get(owner) ?? []
  }

  /** The first channels whose names have a text in them: what fields offer. */
  channelsLike(text: string): string[] {
    const wanted = text.toLowerCase()
    const found: string[] = []
    for (const { name } of this.channels) {
      if (name.toLowerCase().includes(wanted) && found.push(name) === MOST_OFFERED) break
    }
    return found
  }

  /** What frames carry besides poses and channels. */
  carry(parts: Partial<Record<ArrowLayer, boolean>>): void {
    this.carried = parts
    void this.subscribe()
  }

  /** Number of a channel in frames; -1 where it is not subscribed. */
  channelIndex(name: string): number {
    return this.subscribed.findIndex((channel) => channel.name === name)
  }

  /** A frame on its way from before the last subscription has none. */
  value(name: string, frame = this.frame): number | undefined {
    const index = frame?.subscription === this.subscription ? this.channelIndex(name) : -1
    return index < 0 ? undefined : frame?.channels[index]
  }

  /** Once for all wishes of the moment. */
  private async subscribe(): Promise<void> {
    if (this.subscribing) return
    this.subscribing = true
    await Promise.resolve()
    this.subscribing = false
    const wanted = [...new Set([...this.wants.values()].flat())].filter((name) => this.channelNames.has(name))
    const channels = wanted.slice(0, MOST_CHANNELS)
    const answer = await this.ask('subscribe', { channels, ...this.carried })
    if (!answer.ok) return
    this.subscribed = answer.channels
    this.subscription = answer.subscription
  }

  private linkChanged(state: LinkState): void {
    this.link = state
  }

  private async greeted(hello: Hello): Promise<void> {
    this.hello = hello
    if (hello.speed !== 0) this.speed = hello.speed
    if (this.types.length > 0) return
    const answer = await this.ask('types')
    if (answer.ok) this.types = answer.types
  }

  private pushed(message: Push): void {
    switch (message.push) {
      case 'hello':
        void this.greeted(message)
        break
      case 'scene':
        void this.sceneCame(message)
        break
      case 'edit':
        this.edited(message)
        break
      case 'event':
        this.happened(message)
        break
      case 'status':
        this.statusCame(message)
        break
    }
    for (const hearer of this.hearers) hearer(message)
  }

  /** Channels belong to a scene, so what frames carry is asked for anew. */
  private async sceneCame({ scene, revision, document }: Pushes['scene']): Promise<void> {
    this.document = document
    if (!this.scene && scene.bodies.length + scene.forces.length === 0) ui.overlay = 'gallery'
    this.scene = scene
    this.revision = revision
    for (const done of this.awaiting) done()
    this.awaiting.clear()
    if (ui.inside && !this.subsystem(ui.inside)) ui.inside = undefined
    this.selection = this.selection.filter((name) => this.item(name))
    this.blocking = []
    const answer = await this.ask('channels')
    this.channels = answer.ok ? answer.channels : []
    await this.subscribe()
    if (scene.bodies.length > MOST_BODIES) return
    const health = await this.ask('health')
    this.unclear = health.ok ? unclearReactions(health) : new Map()
  }

  private edited(edit: Pushes['edit']): void {
    const { time, text, client, energy_change: energy, displacement } = edit
    notices.outdate() // the answer to one's own edit, with new choices, comes after this
    const last = this.happenings.at(-1)
    if (last?.kind === 'edit' && last.time === time && last.text === text && last.client === client)
      this.happenings = this.happenings.slice(0, -1) // a drag goes on
    this.note({ time, kind: 'edit', text, client, energy, displacement })
  }

  private happened(event: Pushes['event']): void {
    const text = event.text ?? [event.event, event.kind].filter(Boolean).join(' ')
    this.note({ time: event.time, kind: 'event', text })
  }

  private statusCame(status: Status): void {
    const news = status.message && status.message !== this.status?.message
    this.status = status
    if (status.speed !== 0) this.speed = status.speed
    if (news) this.note({ time: status.time, kind: 'error', text: status.message })
  }

  note(happening: Happening): void {
    this.happenings = [...this.happenings.slice(1 - KEPT), happening]
  }

  private framed(frame: Frame): void {
    this.frame = frame
    const now = performance.now()
    if (!frame.running || now - this.read > READABLE || frame.revision !== this.reading?.revision) {
      this.reading = frame
      this.read = now
    }
    for (const listener of this.listeners) listener(frame)
  }
}

export const session = new Session()

/** Line of the model's text; none of what an edit has added, until it is saved and opened again. */
export function lineOf({ file, line }: Component): number | undefined {
  return file === 'command' ? undefined : line
}

/** The component that a message names in quotes; the first, when there are several. */
export function namedIn(message: string): Item | undefined {
  const names = [...message.matchAll(/'([^']+)'/g)].map(([, name]) => name)
  return names.map((name) => session.item(name)).find((item) => item !== undefined)
}

/** Joints and forces that hang on a body; none on what is no body. */
export function attachedTo(scene: StudioScene, body: string): string[] {
  const index = scene.bodies.findIndex((b) => b.name === body)
  if (index < 0) return []
  const holds = (c: ConnectionData) => c.end1.body === index || c.end2.body === index
  return [...scene.joints, ...scene.forces].filter(holds).map((c) => c.name)
}
