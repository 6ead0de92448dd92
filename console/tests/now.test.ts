import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Run } from '../types/api'
import { taggedRead } from '../src/live/tagged'
import { boundOf, failuresOf, latenessRows, minutesOf, rateText, stepsOf, fewOfEach } from '../src/now/figures'
import { example } from './example'

const series = (from_ms: number, fired: number[], failed: number[] = []) => ({ step_ms: 5000, from_ms, fired, failed })

describe('the series', () => {
  it('becomes amounts per second', () => {
    expect(stepsOf(series(1000, [10, 0], [5]))).toEqual([{ ms: 1000, fired: 2, failed: 1 }, { ms: 6000, fired: 0, failed: 0 }])
    expect(stepsOf(series(1000, []))).toEqual([])
  })
  it('is summed by minute of the clock, the newest first', () => {
    const minutes = minutesOf(series(50000, [1, 2, 3, 4], [0, 1, 0, 0]))
    expect(minutes).toEqual([{ ms: 60000, fired: 7, failed: 0, seconds: 10 }, { ms: 0, fired: 3, failed: 1, seconds: 10 }])
  })
})

describe('the lateness', () => {
  const lateness = { bounds_ms: [1, 2, 5, 10], counts: [90, 8, 0, 1, 1] }
  it('is shown up to the last bound with a run', () => {
    expect(latenessRows({ ...lateness, counts: [4, 2, 0, 0, 0] })).toEqual([
      { boundMs: 1, count: 4, share: 1 },
      { boundMs: 2, count: 2, share: 0.5 },
      { boundMs: 5, count: 0, share: 0 },
    ])
    expect(latenessRows(lateness).at(-1)).toEqual({ boundMs: null, count: 1, share: 1 / 90 })
  })
  it('has the bounds within which parts of the runs were sent', () => {
    expect(boundOf(lateness, 0.5)).toBe(1)
    expect(boundOf(lateness, 0.98)).toBe(2)
    expect(boundOf(lateness, 0.99)).toBe(10)
    expect(boundOf(lateness, 1)).toBeNull()
    expect(boundOf({ bounds_ms: [1], counts: [0, 0] }, 0.5)).toBeNull()
  })
})

describe('failures', () => {
  const run = (id: number, job: number, code: string | null) => ({ ...(example('Run') as Run), id, job, reason: code === null ? null : { ...(example('Run') as Run).reason, code } }) as Run
  it('are grouped by job and reason, the most frequent first', () => {
    const found = failuresOf([run(9, 1, 'killed'), run(8, 2, 'lost'), run(7, 2, 'lost'), run(6, 2, 'killed'), run(5, 1, null)])
    expect(found.map((each) => [each.newest.id, each.count])).toEqual([[8, 2], [9, 1], [6, 1], [5, 1]])
  })
})

describe('rates', () => {
  it('have a decimal where it matters', () => {
    expect([0, 0.04, 0.44, 12.34, 5021.4].map((rate) => rateText(rate, 'en'))).toEqual(['0', '0', '0.4', '12.3', '5,021'])
  })
})

describe('a tagged reading', () => {
  afterEach(() => vi.unstubAllGlobals())
  it('gives its last answer again after a 304, and the new one otherwise', async () => {
    const sent: (string | null)[] = []
    const answers = [
      () => new Response('{"now_ms":1}', { headers: { 'Content-Type': 'application/json', ETag: 'W/"a"' } }),
      () => new Response(null, { status: 304, headers: { ETag: 'W/"a"' } }),
      () => new Response('{"now_ms":2}', { headers: { 'Content-Type': 'application/json', ETag: 'W/"b"' } }),
      () => new Response(null, { status: 304, headers: { ETag: 'W/"b"' } }),
    ]
    vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
      sent.push(new Headers(init.headers).get('If-None-Match'))
      return Promise.resolve(answers[sent.length - 1]!())
    })
    const read = taggedRead('GET /now')
    const signal = new AbortController().signal
    const shown = [await read(signal), await read(signal), await read(signal), await read(signal)]
    expect(shown.map((each) => each.now_ms)).toEqual([1, 1, 2, 2])
    expect(shown[1]).toBe(shown[0])
    expect(sent).toEqual([null, 'W/"a"', 'W/"a"', 'W/"b"'])
  })
})

describe('the next firings', () => {
  it('are at most two of each job, in their order', () => {
    const firing = (job: number, at_ms: number) => ({ job, at_ms })
    const quick = Array.from({ length: 100 }, (_, at) => firing(1, at))
    expect(fewOfEach([...quick, firing(2, 200), firing(1, 201), firing(3, 202)])).toEqual([firing(1, 0), firing(1, 1), firing(2, 200), firing(3, 202)])
    expect(fewOfEach([firing(1, 0), firing(2, 1), firing(3, 2)], 2)).toHaveLength(2)
  })
})
