import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { laterHeading } from '../src/jobs/later_edit'
import { readSource, saveSource, versionTexts } from '../src/script/source'
import { json } from './app'

/** The source on the server, and its tag. */
let held: { source: string; tag: string }
let asked: string[]
let failures: number

const problem = (status: number, kind: string, more: object = {}) => json({ type: `urn:ringmaster:${kind}`, title: '', status, detail: kind, ...more }, status)

beforeEach(() => {
  held = { source: 'echo 1', tag: '"a"' }
  asked = []
  failures = 0
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string, init?: RequestInit) => {
      const { pathname, search } = new URL(url, 'http://server')
      const method = init?.method ?? 'GET'
      const seen = (init?.headers as Record<string, string>)['If-Match']
      asked.push(`${method} ${pathname}${search}${seen ? ` ${seen}` : ''}`)
      if (method === 'PUT') {
        if (seen !== held.tag) return problem(412, 'changed_meanwhile', { changed_by: 'ann', changed_ms: 1000 })
        held = { source: JSON.parse(String(init?.body)).source, tag: '"c"' }
        return json({ job: 7, next_ms: null, on_their_way: 0 }, 200, { ETag: held.tag })
      }
      if (pathname.endsWith('/sources')) return json({ items: [{ id: 3, source: null }], next: null, total: 1, total_is_capped: false }, 200, { ETag: held.tag })
      if (pathname.includes('/sources/')) return failures-- > 0 ? problem(404, 'not_found') : json({ id: 3, source: 'text of 3' }, 200, { ETag: held.tag })
      return json({ id: 7, glue_source: held.source })
    }),
  )
})
afterEach(() => void vi.unstubAllGlobals())

describe('the source of a script', () => {
  it('gets its tag before its text, and no texts of versions', async () => {
    const read = await readSource(7)
    expect(asked).toEqual(['GET /api/v1/jobs/7/sources?bodies=false', 'GET /api/v1/jobs/7'])
    expect([read.etag, read.job.glue_source, read.versions.length]).toEqual(['"a"', 'echo 1', 1])
  })
  it('is saved with its tag, and the next save has the new one', async () => {
    expect(await saveSource(7, '"a"', 'echo 2', 'second')).toEqual({ etag: '"c"' })
    expect(await saveSource(7, '"c"', 'echo 3', 'third')).toEqual({ etag: '"c"' })
    expect(asked).toEqual(['PUT /api/v1/jobs/7/source "a"', 'PUT /api/v1/jobs/7/source "c"'])
  })
  it('is not overwritten after the save of another user, who is named', async () => {
    held = { source: 'echo theirs', tag: '"b"' }
    expect(await saveSource(7, '"a"', 'echo mine', 'mine')).toEqual({ later: { by: 'ann', ms: 1000 } })
    expect(held.source).toBe('echo theirs')
  })
  it('is not overwritten if its tag is unknown', async () => {
    expect(await saveSource(7, '', 'echo mine', 'mine')).toHaveProperty('later')
    expect(held.source).toBe('echo 1')
  })
})

describe('versions', () => {
  it('are read once each, and again after a failure', async () => {
    const textOf = versionTexts(7)
    failures = 1
    await expect(textOf(3)).rejects.toThrow('not_found')
    expect(await Promise.all([textOf(3), textOf(3)])).toEqual(['text of 3', 'text of 3'])
    expect(asked).toEqual(['GET /api/v1/jobs/7/sources/3', 'GET /api/v1/jobs/7/sources/3'])
  })
})

describe('the heading of a later edit', () => {
  it('has what is known', () => {
    expect(laterHeading('Now', { by: null, ms: null })).toBe('Now')
    expect(laterHeading('Now', { by: 'ann', ms: 0 }, 'faster')).toMatch(/^Now · ann · .*\d.* · faster$/)
  })
})
