import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, nextTick, ref } from 'vue'
import { handlersOf, useHandlerNames } from '../src/jobs/handler_names'
import type { Mistake } from '../src/api/problem'
import { emptyForm, type JobForm } from '../src/jobs/job_form'
import { refusedField } from '../src/jobs/job_refusal'
import type { JobRow } from '../types/api'
import { answer, json, settle } from './app'
import { press, type, useConsole } from './console'
import { example } from './example'

const row = (handler: string, more: Partial<JobRow> = {}): JobRow => ({ ...(example('JobRow') as JobRow), glue_type: 'BEAN', handler, group: 1, ...more })
const page = (items: JobRow[], next: string | null = null) => json({ items, next, total: items.length, total_is_capped: false })

describe('names of handlers', () => {
  let asked: URLSearchParams[]
  let pages: (query: URLSearchParams) => Response
  beforeEach(() => {
    asked = []
    pages = () => page([])
    vi.stubGlobal('fetch', vi.fn(async (url: string) => {
      const { searchParams } = new URL(url, 'http://server')
      asked.push(searchParams)
      return pages(searchParams)
    }))
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const use = (group: () => number | undefined) => {
    const scope = effectScope()
    const handlers = scope.run(() => useHandlerNames(group))
    if (!handlers) throw new Error('no scope')
    return { ...handlers, end: () => scope.stop() }
  }

  it('are each named once, without scripts', () => {
    expect(handlersOf([row('b'), row('a'), row('b'), row('', {}), row('script', { glue_type: 'GLUE_SHELL' })])).toEqual(['a', 'b'])
  })
  it('are read once per group, and none without a group', async () => {
    const group = ref<number | undefined>()
    pages = (query) => page([row(`of ${query.get('group')}`)])
    const { names, load, end } = use(() => group.value)
    await load()
    expect(asked).toEqual([])
    group.value = 1
    await nextTick()
    await load()
    await load()
    expect([asked.length, asked[0]?.get('limit'), names.value]).toEqual([1, '200', ['of 1']])
    group.value = 2
    await nextTick()
    expect(names.value).toEqual([])
    await load()
    expect(names.value).toEqual(['of 2'])
    end()
  })
  it('of further jobs are looked for by what is typed', async () => {
    vi.useFakeTimers()
    pages = (query) => (query.get('handler') ? page([row('old one')]) : page([row('new one')], 'more'))
    const { names, load, look, end } = use(() => 1)
    await load()
    look('NEW')
    await vi.advanceTimersByTimeAsync(1000)
    expect(asked).toHaveLength(1)
    look('ol')
    look('old')
    await vi.advanceTimersByTimeAsync(1000)
    expect(asked.slice(1).map((each) => each.get('handler'))).toEqual(['old'])
    expect(names.value).toEqual(['new one', 'old one'])
    end()
  })
  it('that cannot be read are not suggested', async () => {
    pages = () => json({ type: 'urn:ringmaster:no_right', title: '', status: 403, detail: 'no' }, 403)
    const { names, load, end } = use(() => 1)
    await load()
    expect(names.value).toEqual([])
    end()
  })
})

describe('the form of a job', () => {
  let jobs: JobRow[] = []
  let refusal: Response | null = null
  const job = { ...(example('Job') as object), id: 1, group: 1, source: null, glue_type: 'BEAN', handler: 'quick', schedule: { type: 'CRON', conf: '0 0 2 * * ?' }, interval_ms: null, start_at_ms: null, end_at_ms: null, jitter_ms: null, children: [] }
  const openPage = useConsole(async (url, init) => {
    const { pathname } = new URL(url, 'http://server')
    if (refusal && init?.method === 'PUT') return refusal
    if (pathname === '/api/v1/jobs' && (init?.method ?? 'GET') === 'GET') return page(jobs)
    if (pathname === '/api/v1/jobs/1') return json(job, 200, { ETag: '"1"' })
    if (pathname === '/api/v1/schedule/preview') return json({ next_ms: [Date.now() + 3600000], zone: 'UTC', words: null, notes: [] })
    return answer(url, init)
  })

  // Drafts that are not saved are kept there.
  beforeEach(() => {
    sessionStorage.clear()
    refusal = null
  })

  it('suggests handlers and takes any other name', async () => {
    jobs = [row('quick'), row('slow')]
    await openPage('/jobs/1/edit')
    const field = document.querySelector<HTMLInputElement>('.el-drawer input[list]')
    field?.dispatchEvent(new FocusEvent('focus'))
    await settle()
    expect([...document.querySelectorAll(`[id="${field?.getAttribute('list')}"] option`)].map((each) => each.getAttribute('value'))).toEqual(['quick', 'slow'])
    await type('.el-drawer input[list]', 'not known yet')
    expect(field?.value).toBe('not known yet')
  })
  it('says what runs a job without a schedule, and shows no next times', async () => {
    await openPage('/jobs/1/edit')
    await vi.waitFor(() => expect(document.querySelector('.el-drawer .preview time')).not.toBeNull())
    document.querySelector<HTMLInputElement>('.el-drawer input[type=radio][value=NONE]')?.click()
    await settle()
    const preview = document.querySelector('.el-drawer .preview')
    expect(preview?.textContent?.trim()).toBe('Without a schedule, the job runs only manually, through the API or as a child of another job. It has no next times.')
    expect(document.querySelector('.el-drawer .el-collapse')).toBeNull()
  })
  it('has the focus on the cron after the link of the list, whose filters stay', async () => {
    jobs = [{ ...row('quick'), ...job, name: 'report' } as unknown as JobRow]
    const { router } = await openPage('/jobs?name=report')
    document.querySelector<HTMLElement>('tbody a[href*="field=cron"]')?.click()
    await vi.waitFor(() => expect(router.currentRoute.value.fullPath).toBe('/jobs/1/edit?name=report&field=cron'), { timeout: 8000 })
    await vi.waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Cron expression'), { timeout: 8000 })
  })
  it('says next to Save what the server refuses, and at the field that it names', async () => {
    refusal = json({ type: 'urn:ringmaster:invalid_argument', title: '', status: 400, detail: 'alarm_email: invalid e-mail address "not an email"' }, 400)
    await openPage('/jobs/1/edit')
    const field = document.querySelector<HTMLInputElement>('.el-drawer input[placeholder^="a@example"]')
    const item = () => field?.closest('.el-form-item')
    await type('.el-drawer input[placeholder^="a@example"]', 'not an email')
    await press('Save')
    await press('Save', '.el-dialog')
    await vi.waitFor(() => expect(document.querySelector('.el-drawer__footer [role=alert]')?.textContent).toContain('invalid e-mail address'))
    await vi.waitFor(() => expect(item()?.classList.contains('is-error')).toBe(true))
    await vi.waitFor(() => expect(item()?.textContent).toContain('invalid e-mail address "not an email"'))
    await type('.el-drawer input[placeholder^="a@example"]', 'a@example.org')
    await vi.waitFor(() => expect(item()?.classList.contains('is-error')).toBe(false))
  })
})

describe('the field that a refusal names', () => {
  const form = emptyForm(1)
  const at = (message: string, errors: Mistake[] = [], more: Partial<JobForm> = {}) => refusedField({ message, errors }, { ...form, ...more })
  it('is found by the name before a colon or by a pointer', () => {
    expect(at('timeout_s: must be positive')).toEqual({ name: 'timeout_s', text: 'must be positive' })
    expect(at('unknown character', [{ pointer: '/schedule/conf' } as Mistake])).toEqual({ name: 'cron', text: 'unknown character' })
    expect(at('too short', [{ pointer: '/interval_ms' } as Mistake], { type: 'FIX_RATE' })?.name).toBe('rate')
    expect(at('the store: is busy')).toBeNull()
    expect(at('toString: x')).toBeNull()
    expect(at('Job ID is illegal')).toBeNull()
  })
})
