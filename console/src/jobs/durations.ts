import type { Run } from '../../types/api'

export interface Figures {
  ended: number
  succeeded: number
  /** Percent; null without an ended run. */
  success: number | null
  p50: number | null
  p95: number | null
}

export function percentile(sorted: number[], share: number): number | null {
  return sorted.length ? (sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? null) : null
}

/** Counts results and durations of runs that have ended. */
export function figuresOf(runs: Pick<Run, 'status' | 'trigger_ms' | 'handle_ms'>[]): Figures {
  const ended = runs.filter((run) => run.status === 'succeeded' || run.status === 'failed')
  const succeeded = ended.filter((run) => run.status === 'succeeded').length
  const times = ended.flatMap((run) => (run.trigger_ms !== null && run.handle_ms !== null ? [Math.max(0, run.handle_ms - run.trigger_ms)] : [])).sort((a, b) => a - b)
  return {
    ended: ended.length,
    succeeded,
    success: ended.length ? Math.round((succeeded * 1000) / ended.length) / 10 : null,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
  }
}
