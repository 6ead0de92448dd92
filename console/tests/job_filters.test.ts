import { describe, expect, it } from 'vitest'
import { filterOf, furtherCount, jobFilters } from '../src/jobs/job_filters'
import { readFilters, writeFilters } from '../src/live/filters'
import { ariaSort, nextSort } from '../src/parts/columns'

describe('the filters of jobs', () => {
  it('are those of an action on all matching jobs, without the order and without empty ones', () => {
    const values = readFilters(jobFilters, { q: 'night', type: 'CRON', declared: 'false', sort: '-next', group: '3' })
    expect(filterOf(values)).toEqual({ q: 'night', type: 'CRON', declared: false, group: 3 })
    expect(filterOf(readFilters(jobFilters, { sort: 'name' }))).toEqual({})
  })
  it('name several statuses of the last run with commas, and no unknown one', () => {
    expect(filterOf(readFilters(jobFilters, { last_status: 'failed,lost,missed,failed' }))).toEqual({ last_status: 'failed,missed' })
    expect(filterOf(readFilters(jobFilters, { last_status: 'lost' }))).toEqual({})
    expect(writeFilters(jobFilters, readFilters(jobFilters, { last_status: 'failed' }), {})).toEqual({ last_status: 'failed' })
  })
  it('are counted among those that are shown only when asked', () => {
    expect(furtherCount(readFilters(jobFilters, { q: 'x', running: 'true' }))).toBe(0)
    expect(furtherCount(readFilters(jobFilters, { declared: 'false', author: 'ann' }))).toBe(2)
  })
  it('ignore an order that the list does not have', () => {
    expect(readFilters(jobFilters, { sort: 'author' }).sort).toBe('')
  })
})

describe('the order by a column', () => {
  it('goes from ascending to descending and back to the usual one', () => {
    expect(['', 'name', '-name', 'next'].map((current) => nextSort(current, 'name'))).toEqual(['name', '-name', '', 'name'])
    expect(['name', '-name', 'next'].map((current) => ariaSort(current, 'name'))).toEqual(['ascending', 'descending', 'none'])
  })
})
