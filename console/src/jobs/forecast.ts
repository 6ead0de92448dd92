import type { Forecast } from '../../types/api'

export type Firing = Forecast['items'][number]
export type Grouping = 'day' | 'weekday'

/** Day and hour of a time in the shown zone. */
export interface LocalHour {
  /** `2026-01-31`. */
  day: string
  /** 0 is Sunday. */
  weekday: number
  hour: number
}

/** Returns a function that reads times in a zone. It keeps its results by quarter of an hour, of which offsets of zones are multiples. */
export function localHours(zone: string): (ms: number) => LocalHour {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' })
  const known = new Map<number, LocalHour>()
  return (ms) => {
    const quarter = Math.floor(ms / 900000)
    let found = known.get(quarter)
    if (!found) {
      const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]))
      const day = `${part.year}-${part.month}-${part.day}`
      found = { day, weekday: new Date(`${day}T00:00:00Z`).getUTCDay(), hour: Number(part.hour) }
      known.set(quarter, found)
    }
    return found
  }
}

export interface HeatCell {
  hour: number
  count: number
  /** A part of the hour was not read: the count is at least this. */
  partial: boolean
  /** None of its hours was read. */
  unknown: boolean
}
export interface HeatRow {
  /** `2026-01-31`, or the number of a weekday. */
  key: string
  cells: HeatCell[]
  count: number
}

export const rowKey = (at: LocalHour, by: Grouping) => (by === 'day' ? at.day : String(at.weekday))
/** Name of a cell: `2026-01-31 05` or `4 05`. */
export const cellKey = (row: string, hour: number) => `${row} ${String(hour).padStart(2, '0')}`

/** Counts firings by hour of the clock. Hours after `readTo` were not read, those outside the span were not asked for: both are unknown, not empty. */
export function heatRows(firings: Firing[], span: { from: number; to: number; readTo: number }, by: Grouping, local: (ms: number) => LocalHour): HeatRow[] {
  const rows = new Map<string, { read: Set<number>; missing: Set<number>; counts: number[] }>()
  const rowOf = (key: string) => {
    const found = rows.get(key) ?? { read: new Set(), missing: new Set(), counts: Array.from({ length: 24 }, () => 0) }
    rows.set(key, found)
    return found
  }
  // A quarter of an hour never belongs to two hours of a clock.
  for (let ms = span.from; ms < span.to; ms = (Math.floor(ms / 900000) + 1) * 900000) {
    const at = local(ms)
    const row = rowOf(rowKey(at, by))
    const end = Math.min(span.to, (Math.floor(ms / 900000) + 1) * 900000)
    ;(end <= span.readTo ? row.read : row.missing).add(at.hour)
  }
  for (const firing of firings) {
    const at = local(firing.at_ms)
    const { counts } = rowOf(rowKey(at, by))
    counts[at.hour] = (counts[at.hour] ?? 0) + 1
  }
  const result = [...rows].map(([key, { read, missing, counts }]) => ({
    key,
    count: counts.reduce((sum, count) => sum + count, 0),
    cells: counts.map((count, hour) => ({ hour, count, partial: missing.has(hour), unknown: count === 0 && !read.has(hour) })),
  }))
  return by === 'weekday' ? result.sort((a, b) => a.key.localeCompare(b.key)) : result
}

/** Returns the shade of a count, 0 to 5, in relation to the largest one. */
export const shadeOf = (count: number, most: number) => (count === 0 ? 0 : Math.max(1, Math.min(5, Math.ceil((5 * count) / Math.max(1, most)))))

export interface Collision {
  /** The second. */
  id: number
  at_ms: number
  count: number
  jobs: number[]
}

/** Returns the seconds in which more than one job fires, those with most first. */
export function collisionsOf(firings: Firing[]): Collision[] {
  const seconds = new Map<number, Firing[]>()
  for (const each of firings) {
    const second = Math.floor(each.at_ms / 1000)
    const all = seconds.get(second)
    if (all) all.push(each)
    else seconds.set(second, [each])
  }
  return [...seconds]
    .map(([second, all]) => ({ id: second, at_ms: second * 1000, count: all.length, jobs: [...new Set(all.map((each) => each.job))] }))
    .filter((each) => each.jobs.length > 1)
    .sort((a, b) => b.count - a.count || a.at_ms - b.at_ms)
}
