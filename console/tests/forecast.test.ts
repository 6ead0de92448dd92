import { describe, expect, it } from 'vitest'
import { bucketMs, cellKey, heatRows, localHours, rowKey, shadeOf, spansOfCell, type Counted } from '../src/jobs/forecast'

const utc = localHours('UTC')
const at = (day: number, hour: number, minute = 0, second = 0) => Date.UTC(2026, 0, day, hour, minute, second)
/** Counts with one firing at each of these times. */
function counted(firings: number[], from: number, to: number, walkedTo = to): Counted {
  const begin = Math.floor(from / bucketMs) * bucketMs
  const counts = Array.from({ length: Math.ceil((to - begin) / bucketMs) }, () => 0)
  for (const ms of firings) {
    const bucket = Math.floor((ms - begin) / bucketMs)
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  return { counts, bucket_ms: bucketMs, buckets_from_ms: begin, from_ms: from, to_ms: to, walked_to_ms: walkedTo }
}

describe('hours of a zone', () => {
  it('are those of its clock, also with offsets of a quarter', () => {
    expect(utc(at(31, 23, 59))).toEqual({ day: '2026-01-31', weekday: 6, hour: 23 })
    expect(localHours('Asia/Tokyo')(at(31, 23, 59))).toEqual({ day: '2026-02-01', weekday: 0, hour: 8 })
    expect(localHours('Asia/Kathmandu')(at(1, 0, 14)).hour).toBe(5)
    expect(localHours('Asia/Kathmandu')(at(1, 0, 15)).hour).toBe(6)
  })
})

describe('the heat map', () => {
  it('counts by hour and day', () => {
    const rows = heatRows(counted([at(1, 2), at(1, 2, 59), at(2, 23)], at(1, 0), at(3, 0)), 'day', utc)
    expect(rows.map((row) => [row.key, row.count])).toEqual([['2026-01-01', 2], ['2026-01-02', 1]])
    expect(rows[0]?.cells[2]).toEqual({ hour: 2, count: 2, partial: false, unknown: false })
    expect(rows[0]?.cells[3]).toEqual({ hour: 3, count: 0, partial: false, unknown: false })
  })
  it('sums the days of a weekday, beginning with Sunday', () => {
    const rows = heatRows(counted([at(1, 5), at(8, 5), at(4, 6)], at(1, 0), at(15, 0)), 'weekday', utc)
    expect(rows.map((row) => row.key)).toEqual(['0', '1', '2', '3', '4', '5', '6'])
    expect(rows[4]?.cells[5]?.count).toBe(2)
    expect(rows[0]?.cells[6]?.count).toBe(1)
  })
  it('does not call an hour empty that was not counted or is outside the span', () => {
    const [row] = heatRows(counted([at(1, 11), at(1, 12, 20)], at(1, 10), at(1, 20), at(1, 12, 30)), 'day', utc)
    const states = row?.cells.map((cell) => (cell.unknown ? 'unknown' : cell.partial ? 'partial' : 'read'))
    expect(states?.slice(9, 14)).toEqual(['unknown', 'read', 'read', 'partial', 'unknown'])
  })
  it('has shades in relation to the largest count', () => {
    expect([0, 1, 50, 51, 100].map((count) => shadeOf(count, 100))).toEqual([0, 1, 3, 3, 5])
    expect(shadeOf(0, 0)).toBe(0)
  })
  it('names its cells', () => {
    expect(cellKey(rowKey(utc(at(1, 5)), 'day'), 5)).toBe('2026-01-01 05')
    expect(cellKey(rowKey(utc(at(1, 5)), 'weekday'), 5)).toBe('4 05')
  })
})

describe('the times of a cell', () => {
  it('are one hour of a day, within the span', () => {
    expect(spansOfCell(counted([], at(1, 0), at(3, 0)), '2026-01-01 05', 'day', utc)).toEqual([{ from: at(1, 5), to: at(1, 6) }])
    expect(spansOfCell(counted([], at(1, 5, 20), at(1, 5, 50)), '2026-01-01 05', 'day', utc)).toEqual([{ from: at(1, 5, 20), to: at(1, 5, 50) }])
    expect(spansOfCell(counted([], at(1, 0), at(3, 0)), '2026-02-01 05', 'day', utc)).toEqual([])
  })
  it('are an hour of each week for a weekday', () => {
    expect(spansOfCell(counted([], at(1, 0), at(15, 0)), '4 05', 'weekday', utc)).toEqual([
      { from: at(1, 5), to: at(1, 6) },
      { from: at(8, 5), to: at(8, 6) },
    ])
  })
  it('are both hours when clocks are set back', () => {
    const begin = Date.UTC(2026, 9, 24, 22)
    expect(spansOfCell(counted([], begin, begin + 25 * 3600000), '2026-10-25 02', 'day', localHours('Europe/Berlin'))).toEqual([{ from: begin + 2 * 3600000, to: begin + 4 * 3600000 }])
  })
})
