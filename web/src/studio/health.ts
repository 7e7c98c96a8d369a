// What the verb "health" answers, and what it means for people.
import type { HealthReport, JointUniqueness } from './protocol'

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
const STANDS = 1e-9 // of the energy: less of it in motion is rounding
const ENERGY_WARN = 1e-3 // of the peak of kinetic energy

export function driftGrade(report: HealthReport): Grade {
  return (report.drift.now ?? 0) > DRIFT_WARN ? 'warn' : 'good'
}

/** Energy that the computation made up or lost, over the peak of kinetic energy; no part of it where nothing moves. */
export function energyError(report: HealthReport): { part?: number; grade: Grade } {
  const { peak, start } = report.energy
  const error = report.energy.error ?? 0
  if (!(peak > STANDS * Math.abs(start))) return { grade: 'good' }
  const part = Math.abs(error) / peak
  return { part, grade: part > ENERGY_WARN ? 'warn' : 'good' }
}

/** What is not determined about a joint: parts of its reaction, and which others hold the same. */
export interface Unclear {
  parts: string[]
  others: string[]
}

/** By joint, for those that have any. */
export function unclearReactions({ joints, groups }: HealthReport): ReadonlyMap<string, Unclear> {
  const othersOf = (name: string) =>
    groups.flatMap((group) => (group.joints.includes(name) ? group.joints.filter((other) => other !== name) : []))
  const unclear = joints.map((joint): [string, Unclear] => [
    joint.name,
    { parts: ambiguous(joint), others: [...new Set(othersOf(joint.name))] },
  ])
  return new Map(unclear.filter(([, { parts }]) => parts.length > 0))
}

/** Parts of the reaction of a joint that are a matter of the method, not of the mechanism. */
export function ambiguous(joint: JointUniqueness): string[] {
  return Object.entries(joint.unique)
    .filter(([, unique]) => !unique)
    .map(([part]) => part)
}
