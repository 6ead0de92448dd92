import { describe, expect, it } from 'vitest'
import { cellKey, collisionsOf, heatRows, localHours, rowKey, shadeOf } from '../src/jobs/forecast'

const utc = localHours('UTC')
const at = (day: number, hour: number, minute = 0, second = 0) => Date.UTC(2026, 0, day, hour, minute, second)
const firing = (ms: number, job = 1) => ({ at_ms: ms, job, group: 1 })
const whole = (from: number, to: number) => ({ from, to, readTo: to })

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
    const rows = heatRows([firing(at(1, 2)), firing(at(1, 2, 59)), firing(at(2, 23))], whole(at(1, 0), at(3, 0)), 'day', utc)
    expect(rows.map((row) => [row.key, row.count])).toEqual([['2026-01-01', 2], ['2026-01-02', 1]])
    expect(rows[0]?.cells[2]).toEqual({ hour: 2, count: 2, partial: false, unknown: false })
    expect(rows[0]?.cells[3]).toEqual({ hour: 3, count: 0, partial: false, unknown: false })
  })
  it('sums the days of a weekday, beginning with Sunday', () => {
    const rows = heatRows([firing(at(1, 5)), firing(at(8, 5)), firing(at(4, 6))], whole(at(1, 0), at(15, 0)), 'weekday', utc)
    expect(rows.map((row) => row.key)).toEqual(['0', '1', '2', '3', '4', '5', '6'])
    expect(rows[4]?.cells[5]?.count).toBe(2)
    expect(rows[0]?.cells[6]?.count).toBe(1)
  })
  it('does not call an hour empty that was not read or is outside the span', () => {
    const span = { from: at(1, 10), to: at(1, 20), readTo: at(1, 12, 30) }
    const [row] = heatRows([firing(at(1, 11)), firing(at(1, 12, 30))], span, 'day', utc)
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

describe('collisions', () => {
  it('are seconds of several jobs, the largest first', () => {
    const second = at(1, 2)
    const found = collisionsOf([firing(second, 1), firing(second + 999, 2), firing(second + 1000, 1), firing(at(1, 3), 1), firing(at(1, 3), 2), firing(at(1, 3), 3)])
    expect(found.map((each) => [each.at_ms, each.count, each.jobs])).toEqual([
      [at(1, 3), 3, [1, 2, 3]],
      [second, 2, [1, 2]],
    ])
  })
  it('are no repetitions of one job', () => {
    expect(collisionsOf([firing(at(1, 2), 1), firing(at(1, 2), 1)])).toEqual([])
  })
})
