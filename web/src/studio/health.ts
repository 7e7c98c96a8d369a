// What the verb "health" answers, and what it means for people.
import type { Answer } from './protocol'

export interface Group {
  joints: string[]
  excess: number
  suggestion?: { text: string; command?: string }
}

export interface HealthReport extends Answer {
  coordinates: number
  equations: number
  rank: number
  freedoms: number
  gruebler: number
  smallest_kept: number
  largest_dropped: number
  joints: { name: string; type: string; unique: Record<string, boolean> }[]
  groups: Group[]
  drift: { now?: number; largest: number; largest_velocity: number; joint?: string }
  energy: {
    kinetic?: number
    potential?: number
    error?: number
    start: number
    work: number
    largest_error: number
    peak: number
  }
  solver: {
    scheme: string
    integrator: string
    solver: string
    steps: number
    rejected: number
    evaluations: number
    iterations: number
    step_wall: number
    mean_step: number
  }
  /** what takes steps of its own */
  parts: { path: string; steps: number; rejected: number; evaluations: number }[]
  trouble?: string
}

export type Grade = 'good' | 'warn' | 'bad'

// Smallest singular value of the scaled equations that counts as independent.
const NEAR = 0.2
const AT = 0.02

/** How near to a position in which the mechanism could go several ways. */
export function singularity(report: HealthReport, least = report.smallest_kept): { grade: Grade; text: string } {
  if (report.equations === 0) return { grade: 'good', text: 'no equations' }
  if (least < AT) return { grade: 'bad', text: 'at a singular position: the motion may branch here' }
  if (least < NEAR) return { grade: 'warn', text: 'close to a singular position' }
  return { grade: 'good', text: 'far from singular positions' }
}

const DRIFT_WARN = 1e-5 // m or rad
const ENERGY_WARN = 1e-3 // of the peak of kinetic energy

export function driftGrade(report: HealthReport): Grade {
  return (report.drift.now ?? 0) > DRIFT_WARN ? 'warn' : 'good'
}

/** Energy that the computation made up or lost, over the peak of kinetic energy. */
export function energyError(report: HealthReport): { part: number; grade: Grade } {
  const { error = 0, peak } = report.energy
  const part = peak > 0 ? Math.abs(error) / peak : 0
  return { part, grade: part > ENERGY_WARN ? 'warn' : 'good' }
}

/** By joint, for those that have any. */
export function unclearReactions(answer: Answer): ReadonlyMap<string, string[]> {
  const joints = answer.ok ? (answer as HealthReport).joints : []
  return new Map(joints.map((joint) => [joint.name, ambiguous(joint)] as const).filter(([, parts]) => parts.length > 0))
}

/** Parts of the reaction of a joint that are a matter of the method, not of the mechanism. */
export function ambiguous(joint: HealthReport['joints'][number]): string[] {
  return Object.entries(joint.unique)
    .filter(([, unique]) => !unique)
    .map(([part]) => part)
}
