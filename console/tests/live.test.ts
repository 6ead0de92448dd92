import { describe, expect, it } from 'vitest'
import { nextWaitMs } from '../src/live/shared_poll'
import { mergeRows } from '../src/live/rows'

describe('merging rows', () => {
  const row = (id: number, value = '') => ({ id, value })
  it('replaces rows that are not frozen', () => {
    expect(mergeRows([row(1)], [row(2), row(1)], false)).toEqual({ rows: [row(2), row(1)], waiting: 0 })
  })
  it('keeps the order and counts new rows while frozen', () => {
    const merged = mergeRows([row(2), row(1)], [row(3), row(1, 'new'), row(2)], true)
    expect(merged).toEqual({ rows: [row(2), row(1, 'new')], waiting: 1 })
  })
  it('keeps a removed row with its last values while frozen', () => {
    expect(mergeRows([row(2), row(1)], [row(2)], true).rows).toEqual([row(2), row(1)])
  })
})

describe('the next reading', () => {
  it('has a jitter of 10 %', () => {
    expect(nextWaitMs(5000, 0, null, 0)).toBe(4500)
    expect(nextWaitMs(5000, 0, null, 1)).toBeCloseTo(5500)
  })
  it('backs off after failures', () => {
    expect(nextWaitMs(100, 1, null, 0.5)).toBe(1000)
    expect(nextWaitMs(100, 9, null, 0.5)).toBe(10000)
  })
  it('obeys Retry-After', () => {
    expect(nextWaitMs(1000, 1, 60000, 0.5)).toBe(60000)
  })
})
