import type { Timeline } from '../../types/api'
import { timeOfWall, wallOf, zoneName } from '../app/clock'
import { settings } from '../app/settings'
import { durationMs, isOpen, stateOf, type RunState } from '../log/run_facts'

export const dayMs = 86400000
export const hourMs = 3600000
const aheadMaxMs = 12 * hourMs
/** The server answers at most 31 days. */
const spanMaxMs = 31 * dayMs
const spanMinMs = 10 * 60000
/** Maximum number of rows for the other shards of broadcasts. */
const shardLanesMax = 8

export type TimelineRun = Timeline['runs'][number]
export type Instant = Timeline['instants'][number]
export type Outcome = Instant['outcome']
export type Edit = Timeline['edits'][number]

/** Time span of a timeline. */
export interface Span {
  from: number
  to: number
  now: number
}

/** Returns the usual span, the last 24 hours: it reaches 3 hours ahead, or as far as the next instant, at most 12 hours. */
export function spanOf(nowMs: number, next: number[]): Span {
  const first = next.find((ms) => ms > nowMs)
  const ahead = first === undefined ? hourMs : Math.min(aheadMaxMs, Math.max(3 * hourMs, (first - nowMs) * 1.1))
  return { from: nowMs - dayMs, to: nowMs + ahead, now: nowMs }
}

/** Returns the span that is asked for at first: the whole time that the usual one may show. */
export const askedSpan = (nowMs: number) => ({ from: nowMs - dayMs, to: nowMs + aheadMaxMs })

/** Returns a span `factor` times as long, in which the time `at` keeps its place; within 10 minutes and 31 days. */
export function zoomed({ from, to }: Pick<Span, 'from' | 'to'>, factor: number, at: number): { from: number; to: number } {
  const length = Math.min(spanMaxMs, Math.max(spanMinMs, (to - from) * factor))
  const share = Math.min(1, Math.max(0, (at - from) / (to - from)))
  const begin = Math.max(0, Math.round(at - share * length))
  return { from: begin, to: begin + Math.round(length) }
}

/** Returns the span that an address names, within 10 minutes and 31 days; null if it names none. */
export function namedSpan(from: number | undefined, to: number | undefined): { from: number; to: number } | null {
  if (from === undefined || to === undefined || to <= from) return null
  return zoomed({ from, to }, 1, (from + to) / 2)
}

/** Returns the place of a time, 0 to 1. */
export const placeOf = (ms: number, { from, to }: Span) => Math.min(1, Math.max(0, (ms - from) / (to - from)))

/** Returns a place or a width as a part of the whole for a style. */
export const percentOf = (share: number) => `${(share * 100).toFixed(3)}%`

export interface RunBar {
  run: TimelineRun
  state: RunState
  /** Start of the run. */
  at: number
  durationMs: number | null
  /** Place and width, 0 to 1. */
  place: number
  width: number
  /** Height, 0 to 1: durations by their logarithm, so that a long run does not flatten the others. */
  height: number
}

const endOf = (run: TimelineRun | undefined) => (run?.trigger_ms != null && run.duration_ms !== null ? run.trigger_ms + run.duration_ms : null)

/** Returns the bars of the runs of a span, oldest first. Rows of missed instants have none. */
export function barsOf(runs: TimelineRun[], span: Span): RunBar[] {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const shown = runs.flatMap((run) => {
    if (run.trigger_ms === null || run.status === 'missed') return []
    // The log has the instant of the first attempt; a retry begins after the result of the attempt before.
    const before = run.retry_of === null ? null : endOf(byId.get(run.retry_of))
    const at = Math.max(run.trigger_ms, before ?? run.trigger_ms)
    const end = endOf(run) ?? (isOpen(run) ? span.now : null)
    const ms = before === null ? durationMs(run, span.now) : end === null ? null : Math.max(0, end - at)
    return at >= span.from && at <= span.to ? [{ run, at, ms }] : []
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

/** One row of bars below the runs of the job. */
export interface Lane {
  /** Index of a shard, or a child job. */
  shard: number | null
  job: number | null
  bars: RunBar[]
}

/** Returns the bars of the job's own row, and those of the rows below it: of other shards, of children. */
export function lanesOf(bars: RunBar[], children: { job: number; bars: RunBar[] }[]): { own: RunBar[]; below: Lane[] } {
  const own = bars.filter(({ run }) => !run.shard_index)
  const indexes = [...new Set(bars.map(({ run }) => run.shard_index ?? 0).filter(Boolean))].sort((a, b) => a - b).slice(0, shardLanesMax)
  const shards = indexes.map((shard) => ({ shard, job: null, bars: bars.filter(({ run }) => run.shard_index === shard) }))
  const followers = children.filter((child) => child.bars.length).map((child) => ({ shard: null, job: child.job, bars: child.bars }))
  return { own, below: [...shards, ...followers] }
}

/** A line from one place to another. */
export interface Line {
  key: string
  place: number
  width: number
}

/** Returns the lines from each attempt to the next one. */
export function retryLines(bars: RunBar[]): Line[] {
  const byId = new Map(bars.map((bar) => [bar.run.id, bar]))
  return bars.flatMap((bar) => {
    const before = bar.run.retry_of === null ? undefined : byId.get(bar.run.retry_of)
    return before ? [{ key: `${before.run.id} ${bar.run.id}`, place: before.place, width: bar.place + bar.width - before.place }] : []
  })
}

export interface Tick {
  key: string
  instant: Instant
  place: number
  /** Time from the instant to the run in its place; null for any other instant. */
  latenessMs: number | null
}

/** Returns the planned instants of a span. */
export function ticksOf(instants: Instant[], runs: TimelineRun[], span: Span): Tick[] {
  const byId = new Map(runs.map((run) => [run.id, run]))
  return instants.flatMap((instant, index) => {
    if (instant.at_ms < span.from || instant.at_ms > span.to) return []
    const started = instant.outcome === 'late' && instant.run !== null ? (byId.get(instant.run)?.trigger_ms ?? null) : null
    return [{ key: `${instant.at_ms} ${index}`, instant, place: placeOf(instant.at_ms, span), latenessMs: started === null ? null : Math.max(0, started - instant.at_ms) }]
  })
}

/** Returns the gaps between instants and the late runs in their place; one for each run, from its first instant on. */
export function latenessLines(ticks: Tick[], span: Span): Line[] {
  const found = new Map<number, Line>()
  for (const { instant, place, latenessMs } of ticks)
    if (latenessMs !== null && instant.run !== null && !found.has(instant.run))
      found.set(instant.run, { key: String(instant.run), place, width: placeOf(instant.at_ms + latenessMs, span) - place })
  return [...found.values()]
}

/** One row of the table. */
export interface TableRow {
  key: string
  at: number
  tick: Tick | null
  bar: RunBar | null
  edit: Edit | null
}

/** Returns the same data as rows, the newest first: instants with their runs, other runs, edits. */
export function rowsOf(ticks: Tick[], bars: RunBar[], edits: Edit[]): TableRow[] {
  const byId = new Map(bars.map((bar) => [bar.run.id, bar]))
  const used = new Set<number>()
  const planned = ticks.map((tick) => {
    const bar = (tick.instant.run !== null && byId.get(tick.instant.run)) || null
    if (bar) used.add(bar.run.id)
    return { key: `i${tick.key}`, at: tick.instant.at_ms, tick, bar, edit: null }
  })
  const others = bars.filter((bar) => !used.has(bar.run.id)).map((bar) => ({ key: `r${bar.run.id}`, at: bar.at, tick: null, bar, edit: null }))
  const changes = edits.map((edit, index) => ({ key: `e${edit.at_ms} ${index}`, at: edit.at_ms, tick: null, bar: null, edit }))
  return [...planned, ...others, ...changes].sort((a, b) => b.at - a.at)
}

/** Distances of the marks of the axis, ascending. */
const steps = [1000, 5000, 15000, 60000, 5 * 60000, 15 * 60000, hourMs, 3 * hourMs, 6 * hourMs, 12 * hourMs, dayMs, 2 * dayMs, 7 * dayMs]

/** Returns the full hours, minutes or days of the shown zone's clock for the axis, at most about ten. */
export function hoursOf(span: Span, zone = zoneName(settings.zone)): { ms: number; place: number; isDay: boolean }[] {
  const step = steps.find((each) => (span.to - span.from) / each <= 10) ?? 7 * dayMs
  const begin = wallOf(span.from, zone)
  const unit = Math.min(step, dayMs)
  const found = []
  let last = -Infinity
  for (let wall = Math.floor(begin / unit) * unit; ; wall += step) {
    // By the clock for hours and days, so that a change to summer time moves no mark.
    const ms = step < hourMs ? span.from + (wall - begin) : timeOfWall(wall, zone)
    if (ms > span.to) return found
    const isDay = (step < hourMs ? wallOf(ms, zone) : wall) % dayMs === 0
    if (ms >= span.from && ms > last) found.push({ ms, place: placeOf(ms, span), isDay })
    last = Math.max(last, ms)
  }
}
