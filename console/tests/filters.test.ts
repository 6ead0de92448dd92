import { describe, expect, it } from 'vitest'
import { readFilters, writeFilters } from '../src/live/filters'

const spec = { group: 'number', running: 'flag', name: 'text', status: ['failed', 'running'] } as const

describe('filters in the URL', () => {
  it('survive writing and reading', () => {
    const values = { group: 7, running: false, name: 'a b&c', status: 'failed' as const }
    const query = writeFilters(spec, values, {})
    expect(query).toEqual({ group: '7', running: 'false', name: 'a b&c', status: 'failed' })
    expect(readFilters(spec, query as Record<string, string>)).toEqual(values)
  })
  it('leave absent values out and keep members of other parts', () => {
    const empty = readFilters(spec, {})
    expect(writeFilters(spec, empty, { group: '3', tab: 'log' })).toEqual({ tab: 'log' })
  })
  it('count invalid values as absent', () => {
    expect(readFilters(spec, { group: '-1', running: 'yes', status: 'x', name: ['a', 'b'] })).toEqual({ group: undefined, running: undefined, name: 'a', status: '' })
  })
})
