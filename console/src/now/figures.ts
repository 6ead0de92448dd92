import type { Now, Run } from '../../types/api'
import type { ReasonCode } from '../log/run_facts'

export type Series = Now['series']
export type Lateness = Now['lateness']

/** One step of the series. */
export interface Step {
  ms: number
  /** Amounts per second. */
  fired: number
  failed: number
}
/** Returns the steps of a series, the oldest first. */
export function stepsOf(series: Series): Step[] {
  const perSecond = 1000 / series.step_ms
  return series.fired.map((count, index) => ({ ms: series.from_ms + index * series.step_ms, fired: count * perSecond, failed: (series.failed[index] ?? 0) * perSecond }))
}

export interface Minute {
  ms: number
  fired: number
  failed: number
  /** Length of the part of the minute that the series covers. */
  seconds: number
}
/** Returns the counts by minute of the clock, the newest first. */
export function minutesOf(series: Series): Minute[] {
  const found = new Map<number, Minute>()
  series.fired.forEach((count, index) => {
    const ms = Math.floor((series.from_ms + index * series.step_ms) / 60000) * 60000
    const minute = found.get(ms) ?? { ms, fired: 0, failed: 0, seconds: 0 }
    minute.fired += count
    minute.failed += series.failed[index] ?? 0
    minute.seconds += series.step_ms / 1000
    found.set(ms, minute)
  })
  return [...found.values()].sort((a, b) => b.ms - a.ms)
}

export interface LatenessRow {
  /** Upper bound; null: above the last bound. */
  boundMs: number | null
  count: number
  /** Part of the largest count, 0 to 1. */
  share: number
}
/** Returns the rows of the histogram up to the last one with a run; at least three. */
export function latenessRows({ bounds_ms, counts }: Lateness): LatenessRow[] {
  const most = Math.max(...counts, 1)
  const last = counts.reduce((found, count, index) => (count > 0 ? index : found), -1)
  return counts.slice(0, Math.max(last + 1, 3)).map((count, index) => ({ boundMs: bounds_ms[index] ?? null, count, share: count / most }))
}

export const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

/** Returns the bound within which this part of the runs was sent, e.g. 0.99; null: above the last bound, or no run. */
export function boundOf({ bounds_ms, counts }: Lateness, part: number): number | null {
  const wanted = Math.ceil(sumOf(counts) * part)
  let seen = 0
  for (const [index, count] of counts.entries()) {
    seen += count
    if (wanted > 0 && seen >= wanted) return bounds_ms[index] ?? null
  }
  return null
}

/** Failed runs of one job for one reason. */
export interface Failures {
  key: string
  newest: Run
  count: number
}
/** Returns the failures by job and reason: the most frequent first, then the newest. `runs`: the newest first. */
export function failuresOf(runs: readonly Run[]): Failures[] {
  const found = new Map<string, Failures>()
  for (const run of runs) {
    const code: ReasonCode | 'none' = run.reason?.code ?? 'none'
    const key = `${run.job} ${code}`
    const known = found.get(key)
    if (known) known.count += 1
    else found.set(key, { key, newest: run, count: 1 })
  }
  return [...found.values()].sort((a, b) => b.count - a.count || b.newest.id - a.newest.id)
}

/** Returns the first firings, at most two of each job, so that a quick job does not hide the others. */
export function fewOfEach<Firing extends { job: number }>(firings: readonly Firing[], most = 20): Firing[] {
  const seen = new Map<number, number>()
  return firings
    .filter(({ job }) => {
      const count = (seen.get(job) ?? 0) + 1
      seen.set(job, count)
      return count <= 2
    })
    .slice(0, most)
}

/** Formats a rate: `0`, `0.4`, `12.3`, `5,021`. */
export function rateText(rate: number, language: string): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: rate < 100 ? 1 : 0 }).format(rate)
}
