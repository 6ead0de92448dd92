import { describe, expect, it } from 'vitest'
import type { LocationQuery } from 'vue-router'
import { hasStray, readFilters, writeFilters } from '../src/live/filters'

const spec = { group: 'number', running: 'flag', name: 'text', status: ['failed', 'running'] } as const

describe('filters in the URL', () => {
  it('survive writing and reading', () => {
    const values = { group: 7, running: false, name: 'a b&c', status: 'failed' as const }
    const query = writeFilters(spec, values, {})
    expect(query).toEqual({ group: '7', running: 'false', name: 'a b&c', status: 'failed' })
    expect(readFilters(spec, query as Record<string, string>)).toEqual(values)
  })
  it('have several values of one filter, with commas', () => {
    const list = { status: { several: ['failed', 'running', 'lost'] } } as const
    expect(readFilters(list, { status: 'lost,x,failed,lost' })).toEqual({ status: ['lost', 'failed'] })
    expect(readFilters(list, {})).toEqual({ status: [] })
    expect(writeFilters(list, { status: ['failed', 'lost'] }, {})).toEqual({ status: 'failed,lost' })
    expect(writeFilters(list, { status: [] }, {})).toEqual({})
  })
  it('leave absent values out and keep members of other parts', () => {
    const empty = readFilters(spec, {})
    expect(writeFilters(spec, empty, { group: '3', tab: 'log' })).toEqual({ tab: 'log' })
  })
  it('name values of the URL that are not applied', () => {
    const list = { q: 'text', status: { several: ['failed', 'running'] }, took: 'number' } as const
    const stray = (query: LocationQuery) => hasStray(list, readFilters(list, query), query)
    expect([stray({ status: 'x' }), stray({ status: 'failed,x' }), stray({ took: '1h' })]).toEqual([true, true, true])
    expect([stray({}), stray({ status: 'failed,running', q: 'a', took: '60000' }), stray({ q: '', tab: 'x' })]).toEqual([false, false, false])
  })
  it('count invalid values as absent', () => {
    expect(readFilters(spec, { group: '-1', running: 'yes', status: 'x', name: ['a', 'b'] })).toEqual({ group: undefined, running: undefined, name: 'a', status: '' })
  })
})
