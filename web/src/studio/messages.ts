// Messages of the studio: generated from src/studio/protocol_list.h by tests/studio/protocol.py --write.
import type { BodyData, ConnectionData, SceneData } from '../scene/data'

/** A finding about a text, with its place. */
export interface Diagnostic {
  severity: string
  file?: string
  line?: number
  column?: number
  message: string
}

/** A channel or an expression of channels. */
export interface Channel {
  name: string
  unit: string
}

/** A property of a component, as its type declares it. */
export interface Property {
  name: string
  unit: string
  /** SI; absent where an expression says it or nothing is given */
  value?: number
  /** as the model has it, where it is more than a number */
  expression?: string
  default?: number
  /** where the value comes from when it is not given */
  as_built?: string
  doc: string
  /** the command 'set' cannot change it */
  fixed?: boolean
}

/** What every component of the scene has. */
export interface Component {
  name: string
  type?: string
  /** takes part */
  enabled?: boolean
  file?: string
  /** of the model's text */
  line?: number
  properties?: Property[]
}

/** A limit of a joint coordinate, m or rad; a side without a limit is absent. */
export interface Limit {
  coordinate: string
  low?: number
  high?: number
  restitution: number
}

/** A parameter of a model file. */
export interface FileParameter {
  name: string
  value: number
  /** of value: rad, rad/s or rad/s^2 where its text has an angle */
  unit: string
  /** unit of angles in its text, such as rpm */
  written?: string
  /** as the surrounding model gives it; absent where the file's own value counts */
  given?: string
}

/** Settings of the solution, methods by name. */
export interface Solve {
  scheme: string
  integrator: string
  solver: string
  /** s; absent where the method chooses */
  step?: number
}

/** A subsystem of the scene. */
export interface Subsystem extends Component {
  parent: string
  file: string
  /** compiled: its contents are not disclosed */
  closed: boolean
  /** m */
  position: number[]
  /** quaternion */
  rotation: number[]
  /** name of each, and the path of the body or frame behind it */
  ports: Record<string, string>
  parameters: FileParameter[]
  /** settings of its own */
  solve?: Solve
}

/** A body of the scene. */
export type SceneBody = BodyData & Component & {
  mirrored?: boolean
}

/** A joint of the scene. */
export type SceneJoint = ConnectionData & Component & {
  limits?: Limit[]
  /** in a mirror image: it turns from x to -y of its frames */
  mirrored?: boolean
}

/** A port of a device. */
export interface DevicePort {
  name: string
  /** electrical, ...; rotary and translational are coordinates of the mechanism */
  domain: string
  /** as the model has it: a node, ground or a coordinate; absent: the port is open */
  text?: string
  /** path of its node */
  node?: string
}

/** A force of the scene; devices, and nodes where they meet, are among them. */
export type SceneForce = ConnectionData & Component & {
  mirrored?: boolean
  /** of a device: electrical, machines, ... */
  family?: string
  /** of a device */
  device_ports?: DevicePort[]
  /** of a node where devices meet */
  domain?: string
  /** of a node: what is measured there, voltage, pressure, ... */
  across?: string
  across_unit?: string
}

/** A joint that relates coordinates of other joints; drives are among them. */
export interface Coupling extends Component {
  type: string
  couples?: CoupledCoordinate[]
  mirrored?: boolean
  limits?: Limit[]
}

/** A coordinate that a coupling uses. */
export interface CoupledCoordinate {
  joint: string
  coordinate: string
}

/** An event of the model. */
export interface SceneEvent extends Component {
  when: string
  crosses: string
  do: string[]
}

/** Several definitions of one entity; set NAME.variant chooses. */
export interface VariantChoice {
  /** of the entity */
  name: string
  chosen: string
  variants: string[]
}

/** The mechanism with everything that can be changed. */
export interface StudioScene extends SceneData {
  bodies: SceneBody[]
  joints: SceneJoint[]
  forces: SceneForce[]
  couplings: Coupling[]
  /** forces that act on no body: states, controllers */
  others?: Component[]
  variants?: VariantChoice[]
  events?: SceneEvent[]
  subsystems: Subsystem[]
  /** of the model's text */
  parameters: FileParameter[]
  solve: Solve
  /** end of a run, s */
  until?: number
}

/** The acknowledgement of an edit. */
export interface Acknowledgement {
  /** what was done */
  text: string
  changed: boolean
  /** J */
  energy_change: number
  /** m: largest displacement of a body */
  displacement: number
  /** of the model after the edit */
  revision: number
  /** of the state */
  hash: string
}

/** A file that can be used as a subsystem. */
export interface Part {
  file: string
  ports: string[]
  parameters: FileParameter[]
}

/** A model of the gallery. */
export interface GalleryModel {
  name: string
  /** relative to the gallery */
  file: string
  title: string
  text: string
  picture: string
}

/** A parameter that a type declares. */
export interface TypeParameter {
  name: string
  unit?: string
  doc?: string
  default?: number
  default_expression?: string
  [more: string]: unknown
}

/** A coordinate that a joint type has. */
export interface TypeCoordinate {
  name: string
  unit: string
  [more: string]: unknown
}

/** The planar or the spatial form of a joint type. */
export interface TypeForm {
  /** the joint lies along an axis, which may be given */
  axis?: boolean
  equations?: string[]
  velocity_equations?: string[]
  coordinates?: TypeCoordinate[]
  [more: string]: unknown
}

/** A type of joint, force, solver, scheme or integrator, as 'tenon describe --json' prints it. */
export interface Descriptor {
  family: string
  name: string
  doc: string
  parameters: TypeParameter[]
  /** of a joint: name of its picture */
  glyph?: string
  planar?: TypeForm
  spatial?: TypeForm
  [more: string]: unknown
}

/** What can be done about a group of dependent joints. */
export interface Suggestion {
  text: string
  /** leaves a joint of the group out with the same motion */
  command?: string
}

/** Joints whose equations depend on each other. */
export interface DependentGroup {
  joints: string[]
  /** equations more than the motion needs */
  excess: number
  suggestion?: Suggestion
}

/** Which components of a joint's reaction the mechanism determines. */
export interface JointUniqueness {
  name: string
  type: string
  /** by component of the reaction */
  unique: Record<string, boolean>
}

/** Drift of the constraints, m or rad, and per second. */
export interface Drift {
  now?: number | null
  largest: number
  largest_velocity: number
  joint?: string
}

/** The energy account, J. */
export interface Energy {
  kinetic?: number | null
  potential?: number | null
  error?: number | null
  start: number
  work: number
  largest_error: number
  /** of kinetic energy */
  peak: number
}

/** A part of a model that is solved by parts. */
export interface SolvedPart {
  path?: string
  scheme: string
  integrator: string
  solver: string
  bodies: number
  joints: number
  steps: number
  rejected: number
  evaluations: number
}

/** The work of the solver. */
export interface SolverReport extends Solve {
  steps: number
  rejected: number
  evaluations: number
  iterations: number
  /** s of wall time a step */
  step_wall: number
  /** s */
  mean_step: number
  parts?: SolvedPart[]
}

/** Steps of a subsystem that takes its own. */
export interface PartSteps {
  /** empty for everything that is in no such subsystem */
  path: string
  steps: number
  rejected: number
  evaluations: number
}

/** A body with its mass, kg. */
export interface BodyMass {
  name: string
  type: string
  mass: number
}

/** The report of 'health'. */
export interface HealthReport {
  /** of the model */
  name: string
  dimension: number
  coordinates: number
  equations: number
  rank: number
  /** by rank */
  freedoms: number
  /** freedoms by the Grübler count */
  gruebler: number
  /** singular value */
  smallest_kept: number
  /** singular value */
  largest_dropped: number
  subsystems: unknown[]
  bodies: BodyMass[]
  joints: JointUniqueness[]
  contacts: unknown[]
  /** fuses and latches */
  triggers: unknown[]
  groups: DependentGroup[]
  /** smallest singular value kept: 0 at a singular position */
  singularity: number
  /** disturbance over enforced part of the constraints */
  sigma?: number | null
  drift: Drift
  energy: Energy
  solver: SolverReport
  parts: PartSteps[]
  /** the error that stopped the motion */
  trouble?: string
  /** s since the report was made */
  age: number
}

/** A coordinate in a motion. */
export interface MotionPart {
  coordinate: string
  unit: string
  amount: number
  /** rad */
  phase: number
}

/** A mode of small motions. */
export interface Mode {
  /** Hz */
  frequency: number
  /** rad/s */
  omega: number
  damping: number
  /** real and imaginary part */
  eigenvalue: number[]
  shape: MotionPart[]
}

/** Displacement of the centre of mass and small turn of a body: re cos p - im sin p at phase p. */
export interface BodyMotion {
  name: string
  re: number[]
  im: number[]
}

/** A gap that assembly closed, m or rad. */
export interface Gap {
  joint: string
  before: number
  after: number
}

/** The displacement of a body by assembly. */
export interface Shift {
  body: string
  distance: number
  angle: number
}

/** A start value that assembly changed or found. */
export interface StartValue {
  /** of the body, joint or drive */
  name: string
  what: string
  unit: string
  /** absent where the model gives none */
  given?: number
  found: number
}

/** The answer of 'assemble', as 'tenon assemble --json' prints it. */
export interface Assembly {
  steps: number
  gaps: Gap[]
  shifts: Shift[]
  /** values that assembly changed or found */
  start_values: StartValue[]
}

/** A stop or contact that bears load in an equilibrium. */
export interface Support {
  /** of the stop or contact */
  name: string
  /** that bear load */
  points: number
  /** N; of a stop against rotation: N m */
  force: number
  /** N */
  friction: number
  /** friction keeps it from sliding */
  sticks: boolean
}

/** The answer of 'statics', as 'tenon statics --json' prints it. */
export interface Equilibrium {
  kind: string
  freedoms: number
  steps: number
  residual: number
  load: number
  margin: number | null
  by_stiffness: boolean
  /** of the least stable motion */
  direction: MotionPart[]
  /** stops and contacts that bear load */
  supports: Support[]
  /** rates, m/s or rad/s, of drives that stand still here but not in the motion */
  halted: Record<string, number>
  /** by channel */
  values: Record<string, number | null>
}

/** The answer of 'modes', as 'tenon modes --json' prints it. */
export interface Modes {
  modes: Mode[]
  freedoms: number
  undamped: boolean
  /** of the mode that was asked for */
  bodies?: BodyMotion[]
}

/** A column of numbers. */
export interface TableColumn {
  name: string
  unit: string
  /** base64 of doubles in little-endian order */
  values: string
}

/** A step that was tried and rejected. */
export interface RefusedStep {
  /** s */
  time: number
  /** s */
  step: number
  why: string
}

/** A model that is open. */
export interface OpenDocument {
  number: number
  /** of its file, or the one it would get */
  name: string
  /** of the model */
  title: string
  /** path within the served folder; absent where it was never saved there */
  file?: string
  /** it has changes that are not saved */
  unsaved: boolean
}

/** A model of the served folder. */
export interface FolderFile {
  /** path within the served folder */
  file: string
  /** s since 1970 */
  modified: number
}

/** A model that an earlier program left unsaved. */
export interface UnsavedModel {
  id: string
  /** of its file */
  name: string
  /** of the model */
  title: string
  /** of its last change, s since 1970 */
  when: number
}

/** The session and this client's place in it. */
export interface Hello {
  /** version */
  protocol: number
  /** of the program */
  version: string
  access: 'edit' | 'view'
  client: number
  /** of the model's file */
  name: string
  /** where models are opened and saved; for clients that may edit */
  folder?: string
  /** its path; for clients that may edit */
  journal?: string
  revision: number
  branch: number
  /** s */
  time: number
  speed: number | 'max'
  /** the one that is shown */
  document: number
  documents: OpenDocument[]
  /** file of the folder that the program was started with and that has mistakes */
  broken?: string
  /** for clients that may edit */
  view_token?: string
}

/** A motion that the joints leave free. */
export interface FreeMotion {
  /** moves by 1, m or rad; the other independent ones stay */
  coordinate: string
  unit: string
  shape: MotionPart[]
  bodies: BodyMotion[]
}

/** A slider of a page that plays motions. */
export interface PageSlider {
  parameter: string
  /** SI */
  low: number
  /** SI */
  high: number
  /** of values, both ends among them: 2 to 101 */
  count: number
}

/** What a person decided about an import. */
export interface ImportDecision {
  about: 'joint' | 'assembly' | 'density' | 'mass' | 'ground' | 'drive'
  /** key of a joint, path of a body or sub-assembly */
  name: string
  /** as `tn_import_decision`; empty: takes an earlier one back */
  value: string
}

/** A body of the file. */
export interface ImportBody {
  /** path in the file */
  source: string
  /** in the model */
  name?: string
  /** the body that it is a rigid part of */
  part_of?: string
  /** kg, with all that is part of it */
  mass: number
  /** kg */
  own_mass: number
  /** m^3; 0: the file has the mass, or none */
  volume: number
  mass_source: string
  file: string | null
  line: number
}

/** Faces that meet, in the world, m. */
export interface ImportContact {
  kind: 'cylindrical' | 'planar' | 'spherical'
  point: number[]
  axis: number[]
  radius: number
  /** along the axis */
  length: number
}

/** A joint of the file, or a proposal. */
export interface ImportJoint {
  /** in the model */
  name: string
  /** of decisions */
  key: string
  type: string
  /** what the file calls it */
  source: string
  body1: string
  body2: string
  /** 1: the file says it */
  confidence: number
  evidence: string | null
  used: boolean
  /** it has made one body of two */
  merged: boolean
  decided: boolean
  /** m */
  at: number[]
  axis: number[]
  coordinates: string[]
  contacts: ImportContact[]
  file: string | null
  line: number
}

/** A sub-assembly of the file. */
export interface ImportAssembly {
  path: string
  name: string
  rigid: boolean
  decided: boolean
  /** joints that would be found inside, were it flexible */
  inside?: number
}

/** A body that was moved because the file was not exactly assembled. */
export interface ImportShift {
  name: string
  /** m */
  distance: number
  /** rad */
  angle: number
}

/** Something in the file that has no counterpart. */
export interface ImportLeftOut {
  what: string
  count: number
  file: string | null
  line: number
}

/** A message of an import. */
export interface ImportNote {
  severity: string
  message: string
  file: string | null
  line: number
}

/** A material that decisions about densities may name. */
export interface ImportMaterial {
  name: string
  /** kg/m^3 */
  density: number
}

/** What became of a file, as 'tenon import --json' prints it. */
export interface ImportReport {
  format: string
  /** the file */
  source: string
  folder: string
  /** to be opened: path within the served folder */
  model: string
  name: string
  couplings: number
  /** forces and drives */
  loads: number
  subsystems: number
  bodies: ImportBody[]
  joints: ImportJoint[]
  assemblies: ImportAssembly[]
  /** all that count */
  decisions: ImportDecision[]
  assembled: boolean
  /** why it cannot be put together */
  trouble: string | null
  equations?: number
  rank?: number
  freedoms?: number
  redundant?: number
  /** kg */
  mass?: number
  /** kg, of the parts that are fixed to ground */
  ground_mass?: number
  /** groups of joints whose equations depend on each other */
  redundancy: string[]
  moved: ImportShift[]
  left_out: ImportLeftOut[]
  notes: ImportNote[]
  /** against an earlier import: new, moved, vanished */
  changes: string[]
  materials: ImportMaterial[]
}

/** Requests by verb. */
export interface Verbs {
  /** applies an edit as in [live.md](live.md), given as text or as a JSON object */
  command: {
    arguments: {
      text?: string
      command?: object
    }
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
    }
  }
  /** takes the last edit back. `restore`: with the state before the edit; otherwise the model only */
  undo: {
    arguments: {
      restore?: boolean
    }
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
    }
  }
  /** applies an edit again that was taken back */
  redo: {
    arguments: {
      restore?: boolean
    }
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
    }
  }
  /** sets simulated seconds per second; 0 pauses, `"max"` is as fast as possible */
  speed: {
    arguments: {
      value: number | 'max'
    }
    answer: {
      /** s, after it was done */
      time: number
    }
  }
  /** takes `count` steps and pauses; negative: back, at most 4096 */
  step: {
    arguments: {
      count: number
    }
    answer: {
      /** s, after it was done */
      time: number
    }
  }
  /** goes to t = 0 with the present model; a new journal begins, and earlier edits cannot be taken back any more */
  reset: {
    arguments: object
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
    }
  }
  /** goes to a past instant and pauses */
  seek: {
    arguments: {
      time: number
    }
    answer: {
      /** s, after it was done */
      time: number
    }
  }
  /** starts another future here; curves so far belong to the old one */
  branch: {
    arguments: object
    answer: {
      /** s, after it was done */
      time: number
      branch: number
    }
  }
  /** runs at `speed` (by default the present one, or 1) to exactly `time`, or to the first step after the expression `when` crosses zero; then pauses */
  run_to: {
    arguments: {
      time?: number
      when?: string
      speed?: number | 'max'
    }
    answer: {
      /** s, after it was done */
      time: number
    }
  }
  /** pulls a point of a body, see `tn_pull`; sent again it moves the target. Answered only when it fails */
  pull: {
    arguments: {
      body: string
      at: number[]
      target: number[]
      omega?: number
      cap?: number
    }
    answer: {
      /** s, after it was done */
      time: number
    }
  }
  /** ends the pull */
  release: {
    arguments: object
    answer: {
      /** s, after it was done */
      time: number
      /** J that the pull put in */
      energy: number
    }
  }
  /** while paused: moves a body along the constraints (`tn_session_drag`); `more` joins it with the last one for undo */
  drag: {
    arguments: {
      body: string
      at: number[]
      target: number[]
      more?: boolean
    }
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
      reached: boolean
      /** ask again */
      unfinished: boolean
      /** m that are left */
      distance: number
      /** joints and contacts */
      blocking: string[]
      /** 'limit', 'drive', 'joint' or 'contact' for each */
      blocking_by: string[]
    }
  }
  /** whether edits are made while the journal cannot be written (`status.journal`). `false`, as at the start: they are refused. `true`: they are made, counted, and written when there is room again */
  journal: {
    arguments: {
      go_on: boolean
    }
    answer: {
      /** s, after it was done */
      time: number
    }
  }
  /** chooses the contents of this client's frames; at most 256 channels or expressions of them */
  subscribe: {
    arguments: {
      channels?: string[]
      reactions?: boolean
      forces?: boolean
      velocities?: boolean
      accelerations?: boolean
      touches?: boolean
    }
    answer: {
      /** s, after it was done */
      time: number
      channels: Channel[]
      subscription: number
    }
  }
  /** lists all channels */
  channels: {
    arguments: object
    answer: {
      /** s, after it was done */
      time: number
      channels: Channel[]
    }
  }
  /** evaluates channels or expressions now */
  value: {
    arguments: {
      channels: string[]
    }
    answer: {
      /** s, after it was done */
      time: number
      values: (number | null)[]
    }
  }
  /** lists the types of joints, forces and settings with parameters, units, defaults and help */
  types: {
    arguments: object
    answer: {
      types: Descriptor[]
    }
  }
  /** values of channels or expressions at the kept snapshots since the model last changed, later than `after`. Snapshots are 1/60 s apart, in large models up to 0.1 s */
  history: {
    arguments: {
      channels: string[]
      after?: number
    }
    answer: {
      /** s, after it was done */
      time: number
      /** [time, value, ...] at each snapshot */
      rows: (number | null)[][]
      /** ask again, after the last time */
      more: boolean
    }
  }
  /** lists files beside the model (`.yaml`, `.yml`, `.json`; `.so` with `--plugins` and the editing token) that have ports and can be used as a subsystem in such a model */
  parts: {
    arguments: {
      dimension: number
    }
    answer: {
      parts: Part[]
    }
  }
  /** the text of the model with all edits, or the file of a subsystem as it was read */
  text: {
    arguments: {
      subsystem?: string
    }
    answer: {
      /** s, after it was done */
      time: number
      text: string
      file: string
      revision: number
      /** of a subsystem: another file can be put beside the model, which is a file of the served folder itself */
      changeable?: boolean
    }
  }
  /** checks a text without applying it; the answer has `diagnostics` */
  check: {
    arguments: {
      text: string
    }
    answer: {
      good: boolean
    }
  }
  /** makes an HDF5 file of the client's table */
  hdf5: {
    arguments: {
      model: string
      dimension: number
      rows: number
      columns: TableColumn[]
    }
    answer: {
      /** its bytes as base64 */
      file: string
    }
  }
  /** continues the run with that text as its model, states matched by name */
  apply_text: {
    arguments: {
      text: string
    }
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
    }
  }
  /** reports on constraints, drift, energy and solver at the present state */
  health: {
    arguments: object
    answer: HealthReport & {
      /** s, after it was done */
      time: number
    }
  }
  /** puts the session into equilibrium, paused */
  statics: {
    arguments: object
    answer: Equilibrium & {
      /** s, after it was done */
      time: number
    }
  }
  /** assembles the start of the model's text; the run is not touched */
  assemble: {
    arguments: object
    answer: Assembly & {
      /** s, after it was done */
      time: number
    }
  }
  /** runs the model from its start to `until`, s, once for each of up to 256 values (SI) of a parameter of its text (`L`, `front.stiffness`) or of a property (`coil.stiffness`), beside the session. Each run is sent as a push `sweep`; the answer follows the last. One sweep at a time: `busy` */
  sweep: {
    arguments: {
      parameter?: string
      property?: string
      values: number[]
      channel: string
      until: number
    }
    answer: {
      /** s, after it was done */
      time: number
      runs: number
      cancelled: boolean
    }
  }
  /** cancels the sweep or page under way, if there is one */
  sweep_cancel: {
    arguments: object
    answer: object
  }
  /** makes the page that plays the motion anywhere, with up to 3 sliders for parameters of the model's text: the model is run from its start to `until`, s, for every combination of their values, beside the session. A push `page` follows each run; afterwards the page is at `/export/page.html`. One sweep or page at a time: `busy` */
  page: {
    arguments: {
      sliders: PageSlider[]
      until: number
    }
    answer: {
      /** s, after it was done */
      time: number
      runs: number
      frames: number
      /** runs that ended before `until` */
      short: number
      bytes: number
    }
  }
  /** frequencies and damping of small motions about the present state; `bodies` is the number of a mode, from 1, whose body motions the answer includes */
  modes: {
    arguments: {
      bodies?: number
    }
    answer: Modes & {
      /** s, after it was done */
      time: number
    }
  }
  /** the motions that the joints leave free at the present state, one for each independent coordinate */
  mobility: {
    arguments: object
    answer: {
      /** s, after it was done */
      time: number
      motions: FreeMotion[]
    }
  }
  /** makes a model folder in the served folder from files there: the first is the machine, folders of the others are searched for what it refers to ([import.md](import.md)). Decisions of an earlier import into the folder count, `decisions` more. The session is not touched. One import at a time: `busy` */
  import: {
    arguments: {
      files: string[]
      folder: string
      decisions?: ImportDecision[]
      density?: number
      collisions?: boolean
    }
    answer: ImportReport & {
      /** s, after it was done */
      time: number
    }
  }
  /** cancels the import under way, if there is one */
  import_cancel: {
    arguments: object
    answer: object
  }
  /** lists the models to start from */
  gallery: {
    arguments: object
    answer: {
      models: GalleryModel[]
    }
  }
  /** opens a model of the gallery, or a path in the served folder, paused. The model shown before stays open when it has unsaved changes, or with `beside`; otherwise it is closed. At most 16 are open: `documents` */
  open: {
    arguments: {
      model: string
      beside?: boolean
    }
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
    }
  }
  /** opens an empty model, as `open` does */
  new: {
    arguments: {
      dimension: number
      beside?: boolean
    }
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
    }
  }
  /** opens a text as a model that is not saved yet. `mended`: it is to be saved as the file `name` of the served folder */
  open_text: {
    arguments: {
      text: string
      name: string
      mended?: boolean
      beside?: boolean
    }
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
    }
  }
  /** shows another open model, paused; its run stands where it was left */
  show: {
    arguments: {
      document: number
    }
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
    }
  }
  /** closes an open model, by default the one shown. Refused with `unsaved` where that would lose changes, unless `discard` */
  close: {
    arguments: {
      document?: number
      discard?: boolean
    }
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
    }
  }
  /** writes the text into the served folder: as `name` (no folders; `.yaml`, `.yml` or `.json`), with the files it uses, or as the file that it has (`name` when it has none). What the page shows goes to `NAME.studio` beside it. Refused with `exists` or `changed` where it would overwrite a file, or what another program wrote meanwhile, unless `replace` */
  save: {
    arguments: {
      name?: string
      document?: number
      replace?: boolean
    }
    answer: {
      /** s, after it was done */
      time: number
      name: string
    }
  }
  /** lists models that earlier programs left unsaved, the latest first */
  recoverable: {
    arguments: object
    answer: {
      models: UnsavedModel[]
    }
  }
  /** opens such a model, by its `id`; it is unsaved still */
  recover: {
    arguments: {
      model: string
      beside?: boolean
    }
    answer: Acknowledgement & {
      /** s, after it was done */
      time: number
    }
  }
  /** gives such a model up, by its `id` */
  forget: {
    arguments: {
      model: string
    }
    answer: object
  }
  /** lists the models of the served folder */
  files: {
    arguments: object
    answer: {
      files: FolderFile[]
      /** those opened or saved last, the latest first */
      recent: string[]
    }
  }
  /** the text of a model of the served folder, with its mistakes if it has some */
  file: {
    arguments: {
      file: string
    }
    answer: {
      text: string
    }
  }
  /** puts a file into the served folder: a model, mesh or table, or a file to be imported, its bytes as base64. `exists` where there is one, unless `replace`. Large files come in pieces: `offset` is how many bytes the file has already */
  upload: {
    arguments: {
      file: string
      content: string
      offset?: number
      replace?: boolean
    }
    answer: object
  }
  /** what a page shows with a model (plots, paths, layers), for pages that open it later */
  keep_view: {
    arguments: {
      view: object
      document?: number
    }
    answer: {
      /** s, after it was done */
      time: number
    }
  }
  /** what was kept of that */
  kept_view: {
    arguments: {
      document?: number
    }
    answer: {
      /** s, after it was done */
      time: number
      document: number
      view?: object
    }
  }
  /** choices of the person at this machine (units, theme), kept from one start to the next; `null` takes one back */
  preferences: {
    arguments: {
      change?: object
    }
    answer: {
      preferences: object
    }
  }
  /** the contents of the hello message */
  session: {
    arguments: object
    answer: Hello
  }
}

/** Verbs that change the session: not for clients that look on. */
export type EditVerb =
  | 'command'
  | 'undo'
  | 'redo'
  | 'speed'
  | 'step'
  | 'reset'
  | 'seek'
  | 'branch'
  | 'run_to'
  | 'pull'
  | 'release'
  | 'drag'
  | 'journal'
  | 'apply_text'
  | 'statics'
  | 'assemble'
  | 'sweep'
  | 'sweep_cancel'
  | 'page'
  | 'import'
  | 'import_cancel'
  | 'open'
  | 'new'
  | 'open_text'
  | 'show'
  | 'close'
  | 'save'
  | 'recoverable'
  | 'recover'
  | 'forget'
  | 'files'
  | 'file'
  | 'upload'
  | 'keep_view'
  | 'preferences'

/** Messages that nobody asked for, by kind. */
export interface Pushes {
  /** first of all */
  hello: Hello
  /** after `hello` and after every change of the model */
  scene: {
    /** s */
    time: number
    /** whose it is */
    document: number
    revision: number
    scene: StudioScene
  }
  /** when another model is shown, opened, closed or saved, or has its first unsaved change */
  documents: {
    /** the one that is shown */
    document: number
    documents: OpenDocument[]
  }
  /** after an edit of any client */
  edit: {
    /** whose edit it was */
    client: number
    /** s */
    time: number
    text: string
    /** J */
    energy_change: number
    /** m */
    displacement: number
    revision: number
  }
  /** when an event fires, and for each line of the log */
  event: {
    /** s */
    time: number
    event: string
    /** of an event that fired */
    kind?: 'up' | 'down' | 'touch'
    /** of a line of the log */
    text?: string
  }
  /** to the client that asked for the sweep, after each run, with 401 instants */
  sweep: {
    /** from 1 */
    run: number
    value: number
    /** s */
    t: number[]
    /** the channel */
    y: (number | null)[]
    /** why the run failed */
    message?: string
  }
  /** to the client that asked for the page, after each run */
  page: {
    /** done so far */
    run: number
    runs: number
  }
  /** four times a second */
  status: {
    /** s */
    time: number
    /** asked for; 0: paused */
    speed: number | 'max'
    /** reached */
    pace: number
    steps: number
    rejected: number
    /** the last step that was rejected */
    refused?: RefusedStep
    /** requests that wait for the session */
    queued: number
    /** s: how far back the run can be sought */
    rewind_begin: number | null
    /** s */
    rewind_end: number
    /** memory that snapshots may take */
    rewind_bytes: number
    branch: number
    clients: number
    /** of the error that stopped the motion; empty: none */
    code: string
    /** of that error; it stays until the cause is removed */
    message: string
    /** why the journal cannot be written, as on a full disk; empty: it is written */
    journal: string
    /** edits that are in no file, see the verb `journal` */
    unwritten: number
    /** why unsaved changes could not be written to disk */
    not_kept?: string
  }
}
