import { beforeEach, describe, expect, it } from 'vitest'
import { showLanguage } from '../src/app/i18n'
import { remarkAfterChoice, remarkOf } from '../src/script/remarks'
import { ranScript, versionAt } from '../src/script/run_version'
import type { Run } from '../types/api'
import { answer, json } from './app'
import { useConsole } from './console'
import { example } from './example'

const at = (id: number, ms: number | null, updated: number | null = ms) => ({ id, added_ms: ms, updated_ms: updated })

describe('the version that a run had', () => {
  const versions = [at(9, 90000), at(7, 70000), at(5, null, 50000)]
  it('is the newest one at its trigger', () => {
    expect(versionAt(versions, 100000)).toEqual({ id: 9, ms: 90000, isNear: false })
    expect(versionAt(versions, 80000)).toEqual({ id: 7, ms: 70000, isNear: false })
    expect(versionAt(versions, 60000)).toEqual({ id: 5, ms: 50000, isNear: false })
  })
  it('may be the one before it if it was saved in the seconds around the trigger', () => {
    for (const ms of [68500, 70000, 71500]) expect(versionAt(versions, ms), String(ms)).toEqual({ id: 7, ms: 70000, isNear: true })
  })
  it('is none of those that are stored if all are later', () => {
    expect(versionAt(versions, 1000)).toBeNull()
    expect(versionAt([], 1000)).toBeNull()
    expect(versionAt([at(1, null)], 1000)).toBeNull()
  })
})

describe('the page of a run', () => {
  const run = { ...(example('Run') as Run), id: 5, job: 1, job_name: 'tidy up', handler: '', status: 'succeeded', trigger_ms: 80000, missed: null } as Run
  let shown: Run = run
  const asked: string[] = []
  const openPage = useConsole(async (url, init) => {
    const { pathname } = new URL(url, 'http://server')
    asked.push(pathname)
    if (pathname === '/api/v1/runs/5') return json(shown)
    if (pathname === '/api/v1/jobs/1/sources') return json({ items: [{ ...(example('SourceVersion') as object), ...at(7, 70000) }], next: null, total: 1, total_is_capped: false })
    return answer(url, init)
  })
  beforeEach(() => (asked.length = 0))

  it('names the version of its script', async () => {
    shown = run
    await openPage('/runs/5')
    expect(document.querySelector('a[href$="/jobs/1/script"]')?.textContent).toMatch(/^Version 7 of 1970-01-01 /)
  })
  it('names the handler of any other run, and reads no versions', async () => {
    shown = { ...run, handler: 'quick' }
    await openPage('/runs/5')
    expect(document.querySelector('.facts')?.textContent).toContain('JobHandlerquick')
    expect(asked.filter((each) => each.endsWith('/sources'))).toEqual([])
  })
  it('reads no versions of a job that no longer exists', () => {
    expect([ranScript(run), ranScript({ ...run, job_name: null }), ranScript({ ...run, status: 'missed' })]).toEqual([true, false, false])
  })
})

describe('a remark', () => {
  beforeEach(() => showLanguage('en'))
  it('is a usual one if it is empty, and at least four characters long', () => {
    expect(['', '  ', 'abc', ' abcd ', '四個字元', '🌙🌙🌙'].map(remarkOf)).toEqual(['Edited in the console', 'Edited in the console', null, 'abcd', '四個字元', null])
  })
  it('of a version that is chosen gives way to what is typed', () => {
    expect(remarkAfterChoice('', null, 3)).toBe('Back to version 3')
    expect(remarkAfterChoice('Back to version 3', 3, 4)).toBe('Back to version 4')
    expect(remarkAfterChoice('Back to version 4', 4, null)).toBe('')
    expect(remarkAfterChoice('because of the bank', 4, null)).toBe('because of the bank')
  })
})
