import type { Run } from '../../types/api'
import { durationMs, stateOf, type RunState } from '../log/run_facts'

export const dayMs = 86400000
const hourMs = 3600000

/** Time span of a timeline: the last 24 hours, and some time ahead. */
export interface Span {
  from: number
  to: number
  now: number
}

/** Returns the span: it reaches 3 hours ahead, or as far as the next instant, at most 12 hours. */
export function spanOf(nowMs: number, next: number[]): Span {
  const first = next.find((ms) => ms > nowMs)
  const ahead = first === undefined ? hourMs : Math.min(12 * hourMs, Math.max(3 * hourMs, (first - nowMs) * 1.1))
  return { from: nowMs - dayMs, to: nowMs + ahead, now: nowMs }
}

/** Returns the place of a time, 0 to 1. */
export const placeOf = (ms: number, { from, to }: Span) => Math.min(1, Math.max(0, (ms - from) / (to - from)))

export interface RunBar {
  run: Run
  state: RunState
  at: number
  durationMs: number | null
  /** Place and width, 0 to 1. */
  place: number
  width: number
  /** Height, 0 to 1: durations by their logarithm, so that a long run does not flatten the others. */
  height: number
}

/** Returns the bars of the runs of a span, oldest first. */
export function barsOf(runs: Run[], span: Span): RunBar[] {
  const shown = runs.flatMap((run) => {
    const at = run.trigger_ms ?? run.missed?.to_ms ?? null
    return at !== null && at >= span.from && at <= span.to ? [{ run, at, ms: durationMs(run, span.now) }] : []
  })
  const longest = Math.max(1000, ...shown.map((each) => each.ms ?? 0))
  return shown
    .sort((a, b) => a.at - b.at || a.run.id - b.run.id)
    .map(({ run, at, ms }) => ({
      run,
      state: stateOf(run),
      at,
      durationMs: ms,
      place: placeOf(at, span),
      width: placeOf(at + (ms ?? 0), span) - placeOf(at, span),
      height: 0.2 + 0.8 * (Math.log1p(Math.max(0, ms ?? 0) / 100) / Math.log1p(longest / 100)),
    }))
}

/** Returns the times of the next instants that lie in the span, with their places. */
export const ticksOf = (next: number[], span: Span) => next.filter((ms) => ms > span.now && ms <= span.to).map((ms) => ({ ms, place: placeOf(ms, span) }))

/** Returns the full hours of the viewer's clock for the axis, at most about nine. */
export function hoursOf(span: Span): { ms: number; place: number }[] {
  const step = span.to - span.from > 30 * hourMs ? 6 : 3
  const first = new Date(span.from)
  first.setMinutes(0, 0, 0)
  const found = []
  for (let ms = first.getTime() + hourMs; ms <= span.to; ms += hourMs) if (new Date(ms).getHours() % step === 0) found.push({ ms, place: placeOf(ms, span) })
  return found
}
