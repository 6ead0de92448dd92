import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Router } from 'vue-router'
import { useBulkJobs } from '../src/jobs/bulk_jobs'
import type { FiringCounts, Forecast, Job, SourceVersion } from '../types/api'
import { answer, json, settle } from './app'
import { press, selectAllRows, type, useConsole } from './console'
import { example } from './example'

vi.mock('../src/script/editor', () => ({
  makeEditor: (_: HTMLElement, options: { changed(text: string): void; save(): void }) => {
    typed = options.changed
    saved = options.save
    return { put() {}, focus() {}, end() {} }
  },
  makeDifference: (_: HTMLElement, options: { other: string; text: string }) => {
    compared.push([options.other, options.text])
    return { put() {}, focus() {}, end() {} }
  },
}))
let typed: (text: string) => void = () => undefined
/** Presses the keys of the editor that save. */
let saved: () => void = () => undefined
let versions: SourceVersion[] = []
const version = (id: number, remark: string): SourceVersion => ({ id, job: 1, glue_type: 'GLUE_SHELL', source: null, bytes: 5, remark, added_ms: id * 1000, updated_ms: id * 1000 })
/** Returns the text of the button of a version. */
const versionButton = (remark: string) => [...document.querySelectorAll('.versions button')].find((each) => each.textContent?.startsWith(remark))?.textContent?.trim() ?? remark
const compared: [string, string][] = []

const job: Job = { ...(example('Job') as Job), id: 1, group: 1, schedule: { type: 'CRON', conf: '0 0 2 * * ?' }, interval_ms: null, start_at_ms: null, end_at_ms: null, jitter_ms: null, source: null, params: 'a=1', description: 'old', author: 'ann', running: true, glue_source: 'first', glue_type: 'GLUE_SHELL', children: [] }
let stored: Job
let tag: string
let sourceTag: string
/** User who changed the job last. */
let changedBy: string
let sent: { method: string; path: string; body: Record<string, unknown>; match: string | undefined }[]
let router: Router

async function serve(url: string, init?: RequestInit): Promise<Response> {
  const { pathname } = new URL(url, 'http://server')
  const method = init?.method ?? 'GET'
  const path = pathname.replace('/api/v1', '')
  if (method !== 'GET') {
    const turn = /^\/jobs\/1\/(start|stop)$/.exec(path)
    if (turn) stored = { ...stored, running: turn[1] === 'start' }
    const match = (init?.headers as Record<string, string>)['If-Match']
    sent.push({ method, path, body: JSON.parse(String(init?.body ?? '{}')), match })
    if (method === 'PUT' && path === '/jobs/1' && match !== tag) return json({ type: 'urn:ringmaster:changed', title: 'changed', status: 412, detail: 'changed', changed_by: changedBy, changed_ms: 1000 }, 412)
    if (method === 'PUT' && path === '/jobs/1/source') {
      if (match !== sourceTag) return json({ type: 'urn:ringmaster:changed_meanwhile', title: 'changed', status: 412, detail: 'changed', changed_by: 'ben', changed_ms: 1000 }, 412)
      sourceTag = '"saved"'
      return json({ job: 1, next_ms: null, on_their_way: 0 }, 200, { ETag: sourceTag })
    }
  }
  if (method === 'GET' && path === '/jobs/1/sources') return json({ items: versions, next: null, total: versions.length, total_is_capped: false }, 200, { ETag: sourceTag })
  if (method === 'GET' && path === '/jobs/1') return json(stored, 200, { ETag: tag })
  return answers[path]?.(url) ?? answer(url, init)
}
let answers: Record<string, (url: string) => Response>

beforeEach(() => {
  stored = { ...job }
  tag = '"1"'
  sourceTag = '"s1"'
  changedBy = 'ben'
  sent = []
  answers = {}
  versions = []
  compared.length = 0
  sessionStorage.clear()
})
const openPage = useConsole(serve)
async function open(path: string): Promise<void> {
  router = (await openPage(path)).router
}
const table = () => [...document.querySelectorAll('table.conflict tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent?.trim()))
const puts = () => sent.filter((each) => each.method === 'PUT')
/** The field of the form with this value. */
const fieldOf = (value: string) => {
  const found = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('.el-drawer input, .el-drawer textarea')].find((each) => each.value === value)
  found?.setAttribute('data-field', value)
  return `[data-field="${value}"]`
}

describe('saving an edit of a job', () => {
  it('shows each changed field, and sends after a confirmation', async () => {
    await open('/jobs/1/edit')
    await type(fieldOf('a=1'), 'a=2')
    await press('Save', '.el-drawer')
    expect(puts()).toEqual([])
    expect(table()).toEqual([['Parameters', 'a=1', 'a=2']])
    await press('Back to the form', '.el-dialog')
    expect(table()).toEqual([])
    await press('Save', '.el-drawer')
    await press('Save', '.el-dialog')
    expect(puts().map((each) => [each.path, each.match, each.body.params])).toEqual([['/jobs/1', '"1"', 'a=2']])
  })
  it('sends nothing if nothing was changed', async () => {
    await open('/jobs/1/edit')
    await press('Save', '.el-drawer')
    expect(puts()).toEqual([])
    expect(document.body.textContent).toContain('Nothing was changed')
  })
  it('leads back to where the edit began: the page of the job, or the list with its filters', async () => {
    await open('/jobs/1')
    await press('Edit')
    const place = () => router.currentRoute.value.fullPath
    const shown = () => vi.waitFor(() => expect(document.querySelector('.el-drawer form')).not.toBeNull(), 15000)
    await vi.waitFor(() => expect(place()).toBe('/jobs/1/edit?back=job'), 15000)
    await shown()
    await press('Save', '.el-drawer')
    await vi.waitFor(() => expect(place()).toBe('/jobs/1'), 15000)
    await router.push('/jobs/1/edit?name=report')
    await shown()
    await press('Save', '.el-drawer')
    await vi.waitFor(() => expect(place()).toBe('/jobs?name=report'), 15000)
  })
  it('shows both sides after a change of another user, and lets the user decide', async () => {
    await open('/jobs/1/edit')
    await type(fieldOf('a=1'), 'a=3')
    await type(fieldOf('old'), 'mine')
    stored = { ...job, params: 'a=2', author: 'ben' }
    tag = '"2"'
    await press('Save', '.el-drawer')
    await press('Save', '.el-dialog')
    expect(table().sort()).toEqual([
      ['Author', 'ann', 'ben✓ will be saved', 'ann'],
      ['Parameters', 'a=1', 'a=2✓ will be saved', 'a=3'],
      ['Purpose', 'old', 'old', 'mine✓ will be saved'],
    ])
    expect(document.body.textContent).toContain('Another user changed this job')
    document.querySelectorAll<HTMLInputElement>('table.conflict input[type=radio]')[1]?.click()
    await settle()
    expect(table().find(([name]) => name === 'Parameters')).toEqual(['Parameters', 'a=1', 'a=2', 'a=3✓ will be saved'])
    await press('Merge and save', '.el-dialog')
    expect(puts().map((each) => each.match)).toEqual(['"1"', '"2"'])
    expect(puts()[1]?.body).toMatchObject({ params: 'a=3', author: 'ben', description: 'mine' })
  })
  it('says so if the same user made the other change', async () => {
    await open('/jobs/1/edit')
    await type(fieldOf('a=1'), 'a=3')
    stored = { ...job, params: 'a=2' }
    tag = '"2"'
    changedBy = 'admin'
    await press('Save', '.el-drawer')
    await press('Save', '.el-dialog')
    expect(document.body.textContent).toContain('You changed this job in another window')
    expect(document.body.textContent).not.toContain('Another user')
  })
})

describe('saving a script', () => {
  const remark = async (text: string) => type('.head .remark input', text)
  const enter = () => document.querySelector('.head form')?.dispatchEvent(new Event('submit', { cancelable: true }))
  const remarkShown = () => document.querySelector<HTMLInputElement>('.head .remark input')?.value
  const bodies = () => puts().map((each) => [each.match, each.body.source, each.body.remark])

  it('needs no dialog; a remark is optional, but not shorter than the server takes it', async () => {
    await open('/jobs/1/script')
    typed('second')
    await remark('abc')
    enter()
    await settle()
    expect(puts()).toEqual([])
    expect(document.querySelector('[role=alert]')?.textContent).toContain('4 to 100 characters')
    // Enter twice saves once.
    await remark('a remark')
    enter()
    enter()
    await settle()
    expect(bodies()).toEqual([['"s1"', 'second', 'a remark']])
    expect(remarkShown()).toBe('')
    // The next save has the tag of this one, and the keys of the editor save, too.
    typed('third')
    saved()
    await settle()
    expect(bodies()[1]).toEqual(['"saved"', 'third', 'Edited in the console'])
    saved()
    await settle()
    expect(puts()).toHaveLength(2)
    expect(document.querySelector('.el-dialog')).toBeNull()
  })
  it('shows the version that another user saved meanwhile, before it is replaced', async () => {
    await open('/jobs/1/script')
    typed('second')
    await settle()
    stored = { ...job, glue_source: 'theirs' }
    sourceTag = '"s2"'
    await press('Save')
    expect(puts().map((each) => each.match)).toEqual(['"s1"'])
    expect(compared.at(-1)).toEqual(['theirs', 'second'])
    expect(document.querySelector('.el-dialog')?.textContent).toContain('Now · ben · ')
    // And once more: nothing of it is overwritten unseen.
    stored = { ...job, glue_source: 'newest' }
    sourceTag = '"s3"'
    await press('Save mine', '.el-dialog')
    expect(compared.at(-1)).toEqual(['newest', 'second'])
    await press('Save mine', '.el-dialog')
    expect(puts().map((each) => [each.match, each.body.source])).toEqual([['"s1"', 'second'], ['"s2"', 'second'], ['"s3"', 'second']])
  })
  it('goes back to a version with one press on it and one on Restore', async () => {
    versions = [version(4, 'first'), version(3, 'the oldest one')]
    answers['/jobs/1/sources/3'] = () => json({ ...version(3, ''), source: 'zero' })
    answers['/jobs/1/sources/4'] = () => json({ ...version(4, ''), source: 'first' })
    await open('/jobs/1/script')
    await press(versionButton('first'), '.versions')
    expect(remarkShown()).toBe('Back to version 4')
    // That is the present text.
    expect([...document.querySelectorAll<HTMLButtonElement>('.main button')].find((each) => each.textContent?.trim() === 'Restore')?.disabled).toBe(true)
    await press(versionButton('the oldest one'), '.versions')
    expect(compared.at(-1)).toEqual(['zero', 'first'])
    expect(remarkShown()).toBe('Back to version 3')
    await press('Restore')
    expect(bodies()).toEqual([['"s1"', 'zero', 'Back to version 3']])
    expect(document.querySelector('.versions [aria-pressed=true]')).toBeNull()
    expect(remarkShown()).toBe('')
  })
  it('keeps a remark that was typed when a version is chosen, and continues with its text', async () => {
    versions = [version(3, 'the oldest one')]
    answers['/jobs/1/sources/3'] = () => json({ ...version(3, ''), source: 'zero' })
    await open('/jobs/1/script')
    await remark('my remark')
    await press(versionButton('the oldest one'), '.versions')
    expect(remarkShown()).toBe('my remark')
    await press('Edit from here')
    await press('Save')
    expect(bodies()).toEqual([['"s1"', 'zero', 'my remark']])
  })
  it('shows no version whose text cannot be read', async () => {
    versions = [version(3, 'the oldest one')]
    answers['/jobs/1/sources/3'] = () => json({ type: 'urn:ringmaster:not_found', title: '', status: 404, detail: 'no such version' }, 404)
    await open('/jobs/1/script')
    await press(versionButton('the oldest one'), '.versions')
    expect(document.querySelector('[role=alert]')?.textContent).toContain('no such version')
    expect(document.querySelector('.versions [aria-pressed=true]')).toBeNull()
    expect(remarkShown()).toBe('')
  })
})

describe('stopping a job', () => {
  it('is undone from its notice', async () => {
    await open('/jobs/1')
    document.querySelector<HTMLElement>('.el-switch input')?.click()
    await settle()
    await press('Stop', '.el-message-box')
    expect(sent.map((each) => each.path)).toEqual(['/jobs/1/stop'])
    await press('Undo')
    expect(sent.map((each) => each.path)).toEqual(['/jobs/1/stop', '/jobs/1/start'])
  })
  const stop = async () => {
    await open('/jobs/1')
    document.querySelector<HTMLElement>('.el-switch input')?.click()
    await settle()
  }
  it('is not under way before it is confirmed', async () => {
    const isSwitching = () => document.querySelector('.el-switch')?.classList.contains('is-disabled')
    await stop()
    expect(isSwitching()).toBe(false)
    await press('Cancel', '.el-message-box')
    expect([isSwitching(), sent]).toEqual([false, []])
  })
  it('that another user stopped first cannot be undone', async () => {
    await stop()
    stored = { ...stored, running: false }
    await press('Stop', '.el-message-box')
    expect(sent.map((each) => each.path)).toEqual(['/jobs/1/stop'])
    expect(document.querySelector('.el-message')?.textContent).toContain('is stopped')
    expect(document.querySelector('.el-message .undo')).toBeNull()
  })
  it('is not undone after another user started it', async () => {
    await stop()
    await press('Stop', '.el-message-box')
    stored = { ...stored, running: true }
    await press('Undo')
    expect(sent.map((each) => each.path)).toEqual(['/jobs/1/stop'])
    expect(document.body.textContent).toContain('Jobs that were not undone, because their state changed meanwhile: 1')
  })
})

describe('stopping many jobs', () => {
  const states: Record<number, boolean> = {}
  const row = (id: number) => ({ ...job, id, name: `job ${id}`, running: true })
  const bulkIds = () => sent.filter((each) => /^\/jobs\/(stop|start)$/.test(each.path)).map((each) => [each.path, each.body.ids])
  async function stopAll(count: number): Promise<void> {
    const ids = Array.from({ length: count }, (_, index) => index + 1)
    answers['/jobs'] = () => json({ items: ids.map(row), next: null, total: count, total_is_capped: false })
    for (const id of ids) {
      states[id] = true
      answers[`/jobs/${id}`] = () => json({ ...row(id), running: states[id] })
    }
    for (const [path, on] of [['/jobs/stop', false], ['/jobs/start', true]] as const)
      answers[path] = () => {
        const changed = (sent.at(-1)?.body.ids ?? []) as number[]
        for (const id of changed) states[id] = on
        return json({ items: changed.map((id) => ({ id, status: 200 })) })
      }
    vi.stubGlobal('fetch', vi.fn((url: string, init?: RequestInit) => (url.endsWith('/jobs/1') ? Promise.resolve(answers['/jobs/1']!(url)) : serve(url, init))))
    await open('/jobs')
    await selectAllRows()
    await press('Stop', '.bulk')
  }
  it('is undone for those that the action changed, and that still have that state', async () => {
    await stopAll(4)
    // Since the list was read, another user stopped job 1.
    states[1] = false
    await press('Stop', '.el-message-box')
    states[3] = true
    await press('Undo')
    const ids = bulkIds()[1]?.[1] as number[]
    expect([...ids].sort()).toEqual([2, 4])
    expect(document.body.textContent).toContain('Jobs that were not undone, because their state changed meanwhile: 1')
  })
  it('cannot be undone for more than 100 jobs, and reads none of them', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => index + 1)
    answers['/jobs/stop'] = () => json({ items: ids.map((id) => ({ id, status: 200 })) })
    const show = vi.fn()
    await useBulkJobs(() => [], show).turn(false, ids, false)
    await settle()
    expect(show).toHaveBeenCalledTimes(1)
    expect(vi.mocked(fetch)).toHaveBeenCalledTimes(1)
    expect(document.body.textContent).toContain('101 of 101 stopped')
    expect(document.querySelector('.el-message .undo')).toBeNull()
  })
})

describe('the forecast', () => {
  const hour = 3600000
  const from = Date.UTC(2026, 0, 5, 0)
  const forecast = (items: Forecast['items'], next: string | null): Forecast => ({ items, next, truncated: false, from_ms: from, to_ms: from + 4 * hour, cannot_be_planned: [] })
  const counts = (firings: number[], more: Partial<FiringCounts> = {}): FiringCounts => ({
    bucket_ms: 900000,
    buckets_from_ms: from,
    from_ms: from,
    to_ms: from + 4 * hour,
    walked_to_ms: from + 4 * hour,
    truncated: false,
    firings: firings.length,
    counts: Array.from({ length: 16 }, (_, i) => firings.filter((ms) => Math.floor((ms - from) / 900000) === i).length),
    top: [],
    jobs: [],
    cannot_be_planned: [],
    ...more,
  })
  const asked: URLSearchParams[] = []
  const serveList = (found: FiringCounts, list: (query: URLSearchParams) => Forecast | Promise<Forecast>) => {
    asked.length = 0
    answers['/schedule/forecast/counts'] = () => json(found)
    vi.stubGlobal('fetch', vi.fn(async (url: string, init?: RequestInit) => {
      const { pathname, searchParams } = new URL(url, 'http://server')
      if (!pathname.endsWith('/schedule/forecast')) return serve(url, init)
      asked.push(searchParams)
      return json(await list(searchParams))
    }))
  }
  const rows = () => document.querySelectorAll('tr[data-row]').length

  it('counts by hour, and opens the firings of an hour', async () => {
    const items = [{ at_ms: from + hour, job: 1, group: 1 }, { at_ms: from + hour, job: 2, group: 1 }, { at_ms: from + 2 * hour, job: 1, group: 1 }]
    const found = counts(items.map((each) => each.at_ms), { top: [{ at_ms: from + hour, count: 2, jobs: 2, some: [1, 2] }, { at_ms: from + 2 * hour, count: 1, jobs: 1, some: [1] }] })
    serveList(found, (query) => forecast(items.filter((each) => each.at_ms >= Number(query.get('from_ms')) && each.at_ms < Number(query.get('to_ms'))), null))
    await open('/forecast')
    const cells = [...document.querySelectorAll<HTMLButtonElement>('td button[aria-pressed]')]
    expect(cells.map((each) => each.textContent)).toEqual(['2', '1'])
    expect(document.querySelectorAll('table.plain tbody tr')).toHaveLength(1)
    expect(rows()).toBe(3)
    cells[1]?.click()
    await settle()
    await vi.waitFor(() => expect(rows()).toBe(1))
    expect(Number(asked.at(-1)?.get('to_ms')) - Number(asked.at(-1)?.get('from_ms'))).toBe(hour)
    await vi.waitFor(() => expect(router.currentRoute.value.query.cell).toMatch(/^2026-01-0\d \d\d$/))
  })
  it('reads the list part by part', async () => {
    const page = (query: URLSearchParams) => forecast(Array.from({ length: Number(query.get('limit')) }, () => ({ at_ms: from, job: 1, group: 1 })), query.get('cursor') ? null : 'f1-1-1')
    serveList(counts([from]), page)
    await open('/forecast')
    await vi.waitFor(() => expect(rows()).toBe(200))
    await press('Show more')
    await vi.waitFor(() => expect(rows()).toBe(400))
    expect(asked.map((query) => query.get('cursor'))).toEqual([null, 'f1-1-1'])
    expect(document.body.textContent).not.toContain('Show more')
  })
  it('says up to when it counted', async () => {
    serveList(counts([from], { truncated: true, walked_to_ms: from + hour }), () => forecast([], null))
    await open('/forecast')
    expect(document.body.textContent).toContain('1 firings are counted, up to ')
    expect(document.querySelectorAll('td [role=img]').length).toBeGreaterThan(2)
  })
  it('compares a cron with what is scheduled now', async () => {
    const before = { ...counts([from]), own: [{ at_ms: from, count: 1, jobs: 1, some: [1] }] }
    const after = { ...counts([from, from + hour]), own: [{ at_ms: from + hour, count: 3, jobs: 3, some: [1, 2, 3] }] }
    answers['/schedule/what_if'] = () => json({ before, after })
    answers['/schedule/preview'] = () => json({ next_ms: [from + hour], zone: 'UTC', words: 'At 02:00, every day', notes: [{ code: 'never_again', at_ms: from }] })
    serveList(counts([from]), () => forecast([], null))
    await open('/forecast?job=1')
    document.querySelector<HTMLElement>('main .el-collapse-item__header')?.click()
    await settle()
    await vi.waitFor(() => expect(document.body.textContent).toContain('collides with others: 2'), 4000)
    expect(sent.at(-1)?.body).toMatchObject({ job: 1, schedule: { type: 'CRON', conf: '0 0 2 * * ?' } })
    expect(document.querySelector('.what-if .before')?.textContent).toContain('alone')
    expect(document.body.textContent).toContain('At 02:00, every day')
    expect(document.body.textContent).toContain('for the last time')
    // Another cron is typed: the former result does not stay beside it.
    const cron = document.querySelector<HTMLInputElement>('main input[aria-label="Cron expression"]')!
    cron.value = '0 0 3 * * ?'
    cron.dispatchEvent(new Event('input'))
    await settle()
    expect(document.querySelector('.what-if .before')).toBeNull()
  })
  it('shows no row of a former filter after the list could not be read', async () => {
    serveList(counts([from]), () => forecast([{ at_ms: from, job: 1, group: 1 }], null))
    await open('/forecast')
    await vi.waitFor(() => expect(rows()).toBe(1))
    serveList(counts([from]), () => Promise.reject(new TypeError('no answer')))
    document.querySelector<HTMLElement>('.live button:last-of-type')?.click()
    await vi.waitFor(() => expect(document.body.textContent).toContain('The server does not answer'))
    expect(rows()).toBe(0)
  })
})

describe('the preview of a schedule', () => {
  it('marks the wrong characters', async () => {
    const errors = [{ pointer: '/schedule/conf', code: 'out_of_range', detail: 'Hour values must be between 0 and 23', position: 4, length: 2 }]
    stored = { ...job, schedule: { type: 'CRON', conf: '0 0 25 * * ?' } }
    answers['/schedule/preview'] = () => json({ type: 'urn:ringmaster:invalid_argument', title: 'Bad Request', status: 400, detail: 'Hour values', errors }, 400)
    await open('/jobs/1/edit')
    await vi.waitFor(() => expect(document.querySelector('.preview mark')?.textContent).toBe('25'), 4000)
    expect(document.querySelector('.preview .marked')?.textContent).toBe('0 0 25 * * ?')
  })
  it('leaves a crontab line to the hint of its field', async () => {
    stored = { ...job, schedule: { type: 'CRON', conf: '0 2 * * *' } }
    answers['/schedule/preview'] = () => json({ type: 'urn:ringmaster:invalid_argument', title: 'Bad Request', status: 400, detail: 'words of the server' }, 400)
    await open('/jobs/1/edit')
    await vi.waitFor(() => expect(document.querySelector('.preview [role=alert]')).not.toBeNull(), 4000)
    expect(document.querySelector('.cron .bad')?.textContent).toContain('five fields')
    expect(document.querySelector('.preview')?.textContent).not.toContain('words of the server')
  })
})
