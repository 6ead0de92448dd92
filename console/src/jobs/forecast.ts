import type { FiringCounts, Forecast } from '../../types/api'

export type Firing = Forecast['items'][number]
export type BusySecond = FiringCounts['top'][number]
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

/** Length of a bucket: a quarter of an hour never belongs to two hours of a clock. */
export const bucketMs = 900000

export type Counted = Pick<FiringCounts, 'counts' | 'bucket_ms' | 'buckets_from_ms' | 'from_ms' | 'to_ms' | 'walked_to_ms'>

/** Sums buckets by hour of the clock. Hours after `walked_to_ms` were not counted, those outside the span were not asked for: both are unknown, not empty. */
export function heatRows(counted: Counted, by: Grouping, local: (ms: number) => LocalHour): HeatRow[] {
  const rows = new Map<string, { read: Set<number>; missing: Set<number>; counts: number[] }>()
  counted.counts.forEach((count, index) => {
    const begin = counted.buckets_from_ms + index * counted.bucket_ms
    const at = local(begin)
    const key = rowKey(at, by)
    const row = rows.get(key) ?? { read: new Set(), missing: new Set(), counts: Array.from({ length: 24 }, () => 0) }
    rows.set(key, row)
    row.counts[at.hour] = (row.counts[at.hour] ?? 0) + count
    ;(Math.min(counted.to_ms, begin + counted.bucket_ms) <= counted.walked_to_ms ? row.read : row.missing).add(at.hour)
  })
  const result = [...rows].map(([key, { read, missing, counts }]) => ({
    key,
    count: counts.reduce((sum, count) => sum + count, 0),
    cells: counts.map((count, hour) => ({ hour, count, partial: missing.has(hour), unknown: count === 0 && !read.has(hour) })),
  }))
  return by === 'weekday' ? result.sort((a, b) => a.key.localeCompare(b.key)) : result
}

export interface TimeSpan {
  from: number
  to: number
}

/** Returns the times of a cell in order. On a clock that is set back, and on several days, an hour has several. */
export function spansOfCell(counted: Counted, cell: string, by: Grouping, local: (ms: number) => LocalHour): TimeSpan[] {
  const spans: TimeSpan[] = []
  counted.counts.forEach((_, index) => {
    const begin = counted.buckets_from_ms + index * counted.bucket_ms
    const at = local(begin)
    if (cellKey(rowKey(at, by), at.hour) !== cell) return
    const from = Math.max(begin, counted.from_ms)
    const to = Math.min(begin + counted.bucket_ms, counted.to_ms)
    const last = spans.at(-1)
    if (last?.to === from) last.to = to
    else spans.push({ from, to })
  })
  return spans
}

/** Returns the shade of a count, 0 to 5, in relation to the largest one. */
export const shadeOf = (count: number, most: number) => (count === 0 ? 0 : Math.max(1, Math.min(5, Math.ceil((5 * count) / Math.max(1, most)))))
