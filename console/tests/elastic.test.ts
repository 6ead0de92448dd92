import { describe, expect, it, vi } from 'vitest'
import type { ElasticHost, ElasticItem, ElasticJob, ElasticJobRow } from '../types/api'
import '../src/elastic/ElasticForm.vue'
import { hostActions } from '../src/elastic/host_orders'
import { countsOf, elasticSchedule, furtherOptions, notesOf, planRows, rangesText, stateOfItem } from '../src/elastic/elastic_facts'
import { elasticDraftOf, elasticFormOf, elasticProblems, emptyElasticForm, pairsOfItems, refusedElasticField, textOfItems } from '../src/elastic/elastic_form'
import { hiddenValue, propProblems } from '../src/elastic/elastic_props'
import { about, answer, json, session, settle } from './app'
import { press, type, useConsole } from './console'
import { example } from './example'

const item: ElasticItem = { ...(example('ElasticItem') as ElasticItem), item: 0, state: 'idle', host: null, run: null, source: null, granted_ms: null, missed: false, disabled: false, surplus: false, cancelled: false, planned_host: 'h1', gap: null }

describe('the state of an item', () => {
  it('names why an item does not run', () => {
    expect(stateOfItem(item)).toBe('idle')
    expect(stateOfItem({ ...item, planned_host: null, gap: 'no_host' })).toBe('unassigned')
    expect(stateOfItem({ ...item, planned_host: null, gap: 'no_host', disabled: true })).toBe('disabled')
    expect(stateOfItem({ ...item, state: 'waiting', gap: 'no_host', planned_host: null })).toBe('waiting')
  })
  it('is running until the run ends, also if the item is disabled meanwhile', () => {
    const running = { ...item, state: 'running', disabled: true, surplus: true, missed: true, source: 'failover' } as const
    expect(stateOfItem(running)).toBe('running')
    expect(notesOf(running)).toEqual(['failover', 'missed', 'disabled', 'surplus'])
    expect(notesOf({ ...running, cancelled: true })).toEqual(['failover', 'cancelled', 'missed', 'disabled', 'surplus'])
    expect(notesOf({ ...item, disabled: true, source: 'normal' })).toEqual([])
  })
})

describe('the facts of a job', () => {
  it('are counts above zero, what needs attention first', () => {
    expect(countsOf({ running: 2, waiting: 1, disabled: 0, unassigned: 3 }).map(({ kind, count, bad }) => [kind, count, bad])).toEqual([
      ['waiting', 1, true],
      ['unassigned', 3, true],
      ['running', 2, false],
    ])
  })
  it('have the schedule as text', () => {
    expect(elasticSchedule('cron', '0 0/5 * * * ?')).toBe('CRON 0 0/5 * * * ?')
    expect(elasticSchedule('fixed_rate', '60')).toBe('60 s')
    expect(elasticSchedule('fixed_rate', '', 250)).toBe('250 ms')
    expect(elasticSchedule('none', '')).toBe('')
  })
  it('leave out options that are not set, or that have a name on the page', () => {
    expect(furtherOptions({ param: 'day', label: '', static: false, failover_max: 3, start_at_ms: null, jitter_ms: 0, fence_mode: 'fast' })).toEqual([
      ['failover_max', '3'],
      ['fence_mode', 'fast'],
    ])
  })
})

describe('the actions on a host', () => {
  it('follow its mode, and only a host that is down can be removed', () => {
    expect(hostActions({ mode: 'enabled', state: 'up' })).toEqual(['disable', 'drain'])
    expect(hostActions({ mode: 'draining', state: 'up' })).toEqual(['enable', 'disable'])
    expect(hostActions({ mode: 'disabled', state: 'silent' })).toEqual(['enable', 'drain', 'remove'])
  })
})

describe('a plan', () => {
  const range = (first: number, last = first) => ({ first, last })
  it('writes ranges, at most 40', () => {
    expect(rangesText([range(0, 3), range(7)])).toEqual({ text: '0-3, 7', more: 0 })
    expect(rangesText(Array.from({ length: 50 }, (_, at) => range(2 * at))).more).toBe(10)
    expect(rangesText([])).toEqual({ text: '', more: 0 })
  })
  it('shows what changes if a host leaves', () => {
    const now = [{ host: 'h2', gap: null, ranges: [range(2, 3)] }, { host: 'h1', gap: null, ranges: [range(4), range(0, 1)] }]
    const preview = [{ host: 'h1', gap: null, ranges: [range(0, 3)] }, { host: null, gap: 'no_host', ranges: [range(4)] }]
    expect(planRows(now, null).map(({ host, count, change }) => [host, count, change])).toEqual([['h1', 3, 0], ['h2', 2, 0]])
    expect(rangesText(planRows(now, null)[0]?.ranges ?? []).text).toBe('0-1, 4')
    expect(planRows(now, preview).map(({ host, gap, count, change }) => [host ?? gap, count, change])).toEqual([['h1', 4, 1], ['h2', 0, -2], ['no_host', 1, 1]])
  })
})

describe('the form of a definition', () => {
  const options = { ...(example('ElasticJob') as ElasticJob).options, schedule_type: 'fixed_rate', schedule: '1', interval_ms: 250, item_params: '0=a, 1=b', timeout_ms: 0, cancel_grace_ms: 1500, max_time_diff_ms: null, start_at_ms: null, end_at_ms: null, jitter_ms: null } as const
  const job: ElasticJob = { ...(example('ElasticJob') as ElasticJob), type: 'http', options: { ...options }, props: { 'http.uri': 'http://a', secret: null } }
  it('sends what it has read, with each option', () => {
    const draft = elasticDraftOf(elasticFormOf(job))
    expect(Object.keys(draft.options ?? {}).sort()).toEqual(Object.keys(options).sort())
    expect(draft.options).toMatchObject({ schedule_type: 'fixed_rate', schedule: '', interval_ms: 250, item_params: '0=a,1=b', timeout_ms: null, cancel_grace_ms: 1500, max_time_diff_ms: null })
    expect(draft.props).toEqual({ 'http.uri': 'http://a', secret: null })
  })
  it('writes item parameters as text, or as an object if a text cannot hold them', () => {
    for (const pairs of [[], [{ name: '0', value: 'a' }, { name: '2', value: 'b c' }], [{ name: '0', value: 'a,b=c' }], [{ name: '1', value: '' }], [{ name: '0', value: ' a' }]]) expect(pairsOfItems(textOfItems(pairs))).toEqual(pairs)
    expect(textOfItems([{ name: '00', value: 'a' }])).toBe('0=a')
    expect(textOfItems([{ name: '0', value: 'a=b' }])).toBe('{"0":"a=b"}')
    expect(pairsOfItems('0=a,, 1 = b ,')).toEqual([{ name: '0', value: 'a' }, { name: '1', value: 'b' }])
  })
  it('says what is wrong with a field', () => {
    const empty = emptyElasticForm()
    expect(Object.keys(elasticProblems(empty, 'all')).sort()).toEqual(['cron', 'group', 'handler', 'name'])
    expect(elasticProblems(empty, 'at once')).toEqual({})
    const wrong = { ...empty, name: 'a/b', total: 100001, timeout: -1, item_params: [{ name: 'x', value: 'a' }], props: [{ name: 'a', value: '1' }, { name: 'a', value: '2' }] }
    expect(Object.keys(elasticProblems(wrong, 'at once')).sort()).toEqual(['item_params', 'name', 'props', 'timeout', 'total'])
  })
  it('asks for the secrets of a copy by name', () => {
    const copy = { ...emptyElasticForm(), props: [{ name: 'email.to', value: 'a@b.example' }, { name: 'email.password', value: hiddenValue }] }
    expect(elasticProblems(copy, 'at once').props).toBeUndefined()
    expect(elasticProblems(copy, 'all').props).toContain('email.password')
    expect(propProblems({ ...copy, error_handler: 'EMAIL' }, 'all')).toEqual({ 'email.password': 'Required' })
  })
  it('finds the field that the server has refused', () => {
    const form = emptyElasticForm()
    const field = (message: string, pointer?: string) => refusedElasticField({ message, errors: pointer ? [{ file: null, line: null, pointer, code: 'out_of_range', detail: message }] : [] }, form)?.name
    expect(field('name: must not be empty')).toBe('name')
    expect(field('options.timeout_ms: must be a whole number')).toBe('timeout')
    expect(field('options.start_at_ms: must be from 0')).toBe('start_at_ms')
    expect(field('type: unknown')).toBe('kind')
    expect(field('schedule: it ends too early', '/options/schedule')).toBe('cron')
    expect(field('listeners: not supported by this release')).toBe('listeners')
    expect(field('props.http.uri: has no value')).toBe('props')
    expect(field('items of the elastic job run')).toBe(undefined)
    expect(refusedElasticField({ message: 'interval_ms: too small', errors: [] }, { ...form, schedule: 'fixed_rate' })?.name).toBe('rate')
  })
})

let status: ElasticJob['status']
let source: string | null
let isItemDisabled: boolean
let jobs: ElasticJobRow[]
let right: string
let run: number | null
let sent: string[]
/** Answer to edits; null: they are done. */
let refusal: { type: string; title: string; status: number; detail: string } | null
const row = () => ({ ...(example('ElasticJobRow') as ElasticJobRow), id: 7, group: 1, name: 'sums', status, total: 3, items: { running: 1, waiting: 0, disabled: 0, unassigned: 2 } })
const stored = (): ElasticJob => {
  const job = example('ElasticJob') as ElasticJob
  const options = { ...job.options, schedule_type: 'cron' as const, schedule: '0 0 1 * * ?', item_params: '0=a', interval_ms: null, start_at_ms: null, end_at_ms: null, jitter_ms: null, time_zone: '', max_time_diff_ms: null, misfire_max_age_ms: null, timeout_ms: 2000, cancel_grace_ms: 5000, started_timeout_ms: 0, completed_timeout_ms: 0 }
  return { ...job, id: 7, group: 1, name: 'sums', status, total: 3, source, version: 4, options, props: {} }
}
const page = (items: unknown[]) => json({ items, next: null, total: items.length, total_is_capped: false })
const open = useConsole(async (url, init) => {
  const { pathname } = new URL(url, 'http://server')
  const path = pathname.replace('/api/v1', '')
  if (path === '/session') return json({ ...session, admin: right === 'admin', rights: [{ group: 1, right }] })
  if (path === '/about') return json({ ...about, features: { ...about.features, elastic_unsupported: ['listeners', 'props'] } })
  if (path === '/schedule/preview') return json({ next_ms: [1_900_000_000_000], words: 'daily', zone: 'UTC', notes: [] })
  const isEdit = init?.method === 'PUT' || init?.method === 'DELETE' || (init?.method === 'POST' && path === '/elastic/jobs')
  if (isEdit && path.startsWith('/elastic/')) {
    const { 'If-Match': match = '' } = (init?.headers ?? {}) as Record<string, string>
    sent.push([init?.method, path, match, String(init?.body ?? '')].filter(Boolean).join(' '))
    if (refusal) return json(refusal, refusal.status)
    if (init?.method === 'DELETE') return new Response(null, { status: 204 })
    return init?.method === 'PUT' ? json({ id: 7, changed: true, next_ms: null }) : json({ id: 8 }, 201)
  }
  if (path === '/elastic/preview') return json({ items: [{ host: 'h9', gap: null, ranges: [{ first: 0, last: 2 }] }] })
  if (init?.method === 'POST' && path.startsWith('/elastic/')) {
    sent.push(`${path} ${String(init.body ?? '')}`.trim())
    if (path.endsWith('/trigger')) return json({ request: '5' }, 202)
    if (path.startsWith('/elastic/hosts/')) return json({ hosts: ['id'], changed: true })
    if (path.endsWith('/cancel') || path.endsWith('/restart')) return json({ id: 7, changed: true, next_ms: null })
    const { item: number = null } = JSON.parse(String(init.body ?? '{}')) as { item?: number | null }
    const before = number === null ? status : isItemDisabled
    if (number !== null) isItemDisabled = path.endsWith('/disable')
    else status = path.endsWith('/enable') ? 'enabled' : path.endsWith('/disable') ? 'disabled' : path.endsWith('/drain') ? 'draining' : 'shut_down'
    return json({ id: 7, changed: before !== (number === null ? status : isItemDisabled), next_ms: null })
  }
  if (path === '/elastic/jobs') return page(jobs.length ? [row()] : [])
  if (path === '/elastic/jobs/7') return json(stored(), 200, { ETag: '"4"' })
  if (path === '/elastic/jobs/7/items') return page([{ ...item, disabled: isItemDisabled, run, state: run === null ? 'idle' : 'running', host: run === null ? null : 'h1' }])
  if (path === '/elastic/hosts') return json({ items: [{ ...(example('ElasticHost') as ElasticHost), mode: 'enabled', state: 'up' }] })
  return answer(url, init)
})
const text = () => document.body.textContent ?? ''
function begin(): void {
  status = 'enabled'
  source = null
  refusal = null
  isItemDisabled = false
  right = 'operator'
  run = null
  sent = []
  jobs = [row()]
}
async function choose(entry: string): Promise<void> {
  document.querySelector<HTMLButtonElement>('td .el-dropdown button')?.click()
  await settle()
  const found = [...document.querySelectorAll<HTMLElement>('.el-dropdown-menu__item')].find((each) => each.textContent?.trim() === entry)
  if (!found) throw new Error(`no entry ${entry}`)
  found.click()
  await settle()
}

describe('the pages of elastic jobs', () => {
  it('say how to declare a job while there is none', async () => {
    begin()
    jobs = []
    await open('/elastic')
    expect(text()).toContain('[[elastic_job]]')
    expect(text()).toContain('No elastic job yet')
  })
  it('offer no action to a viewer', async () => {
    begin()
    right = 'viewer'
    await open('/elastic')
    expect(text()).toContain('2 unassigned')
    expect(text()).not.toContain('Run now')
  })
  it('disable a job and undo it, unless another user changed it meanwhile', async () => {
    begin()
    await open('/elastic/7')
    await press('Disable')
    await press('Disable', '.el-message-box')
    expect(sent).toEqual(['/elastic/jobs/7/disable {}'])
    await press('Undo')
    expect(sent).toEqual(['/elastic/jobs/7/disable {}', '/elastic/jobs/7/enable {}'])
    await press('Shut down')
    await press('Shut down', '.el-message-box')
    status = 'disabled'
    await press('Undo')
    expect(sent.slice(2)).toEqual(['/elastic/jobs/7/shutdown'])
  })
  it('disable an item and undo it', async () => {
    begin()
    await open('/elastic/7')
    await choose('Disable the item')
    expect(sent).toEqual(['/elastic/jobs/7/disable {"item":0}'])
    await press('Undo')
    expect(sent[1]).toBe('/elastic/jobs/7/enable {"item":0}')
  })
  it('show the plan if a host leaves', async () => {
    begin()
    await open('/elastic/7?without=id')
    expect(text()).toContain('Plan if id leaves')
    expect(text()).not.toContain('is not up any more')
  })
  it('say that the host of a preview has left already', async () => {
    begin()
    await open('/elastic/7?without=gone')
    expect(text()).toContain('gone is not up any more')
    expect(text()).toContain('Plan now')
  })
  it('drain a job and undo it', async () => {
    begin()
    await open('/elastic/7')
    await press('Drain')
    await press('Drain', '.el-message-box')
    await press('Undo')
    expect(sent).toEqual(['/elastic/jobs/7/drain', '/elastic/jobs/7/enable {}'])
  })
  it('restart a job after a confirmation', async () => {
    begin()
    await open('/elastic/7')
    await press('Restart')
    expect(sent).toEqual([])
    await press('Restart', '.el-message-box')
    expect(sent).toEqual(['/elastic/jobs/7/restart'])
  })
  it('cancel the run of an item after a confirmation', async () => {
    begin()
    run = 55
    await open('/elastic/7')
    await choose('Cancel the run')
    expect(sent).toEqual([])
    await press('Cancel the run', '.el-message-box')
    expect(sent).toEqual(['/elastic/runs/55/cancel'])
  })
  it('let administrators disable a host', async () => {
    begin()
    right = 'admin'
    await open('/elastic/hosts')
    await choose('Disable')
    await press('Disable', '.el-message-box')
    expect(sent).toEqual(['/elastic/hosts/id/disable'])
  })
  it('request a run of one item', async () => {
    begin()
    await open('/elastic/7')
    await choose('Run this item now')
    await press('Run', '.el-dialog')
    expect(sent).toEqual(['/elastic/jobs/7/trigger {"item":0}'])
    expect(text()).toContain('The request is stored')
  })
})

describe('the form of an elastic job', () => {
  const bodyOf = (line: string | undefined) => JSON.parse(line?.slice(line.indexOf('{')) ?? '{}') as Record<string, unknown>
  const drawer = '.el-drawer'
  const field = (label: string) => `${drawer} [aria-label="${label}"]`
  const input = (label: string) => (document.querySelector(`${drawer} input[aria-label="${label}"]`) ? `${drawer} input[aria-label="${label}"]` : `${field(label)} input`)

  it('adds a job', async () => {
    begin()
    right = 'editor'
    await open('/elastic')
    await press('Add an elastic job')
    expect(document.querySelectorAll(field('Listeners'))).toHaveLength(0)
    expect(document.querySelectorAll(field('Error handler'))).not.toHaveLength(0)
    await press('Save', drawer)
    expect(sent).toEqual([])
    expect(text()).toContain('Required')
    await type(input('Name'), 'totals')
    await type(input('Handler'), 'sum')
    await type(input('Cron expression'), '0 0 2 * * ?')
    await press('Show the plan', drawer)
    expect(text()).toContain('h9')
    await press('Save', drawer)
    expect(sent[0]).toMatch(/^POST \/elastic\/jobs \{/)
    expect(bodyOf(sent[0])).toMatchObject({ group: 1, name: 'totals', handler: 'sum', total: 1, enabled: true, options: { schedule_type: 'cron', schedule: '0 0 2 * * ?' } })
  })
  it('changes a job as it was read, and names the field that is refused', async () => {
    begin()
    right = 'editor'
    await open('/elastic/7')
    await press('Edit')
    await type(input('Handler'), 'other')
    refusal = { type: 'urn:ringmaster:invalid_argument', title: '', status: 400, detail: 'handler: is unknown here' }
    await press('Save', drawer)
    await vi.waitFor(() => expect(document.querySelector(`${drawer} .is-error`)?.textContent).toContain('is unknown here'))
    refusal = { type: 'urn:ringmaster:conflict', title: '', status: 412, detail: 'edited' }
    await press('Save', drawer)
    expect(text()).toContain('Another user changed it meanwhile')
    refusal = null
    await press('Save', drawer)
    expect(sent).toHaveLength(3)
    expect(sent[2]).toMatch(/^PUT \/elastic\/jobs\/7 "4" \{/)
    expect(bodyOf(sent[2])).toMatchObject({ name: 'sums', handler: 'other', total: 3, options: { item_params: '0=a' } })
    expect(document.querySelectorAll(drawer)).toHaveLength(0)
  })
  it('asks before it discards changes', async () => {
    begin()
    right = 'editor'
    await open('/elastic/7')
    await press('Edit')
    await type(input('Handler'), 'other')
    await press('Cancel', drawer)
    expect(text()).toContain('Discard the changes')
    await press('Discard', '.el-message-box')
    expect(document.querySelectorAll(drawer)).toHaveLength(0)
    expect(sent).toEqual([])
  })
  it('copies a job under another name', async () => {
    begin()
    right = 'editor'
    await open('/elastic/7')
    await press('Copy', 'main')
    await press('Save', drawer)
    expect(bodyOf(sent[0])).toMatchObject({ name: 'sums (copy)', total: 3 })
  })
  it('is not needed to delete a job, after a question', async () => {
    begin()
    right = 'editor'
    await open('/elastic/7')
    await press('Delete', 'main')
    await press('Delete', '.el-message-box')
    expect(sent[0]).toBe('DELETE /elastic/jobs/7')
  })
  it('shows a declared job, and saves nothing', async () => {
    begin()
    right = 'editor'
    source = 'deploy'
    await open('/elastic/7')
    expect([...document.querySelectorAll('main button')].some((each) => each.textContent?.trim() === 'Delete')).toBe(false)
    await press('Edit')
    expect(text()).toContain('This object comes from the source deploy')
    expect(document.querySelector<HTMLButtonElement>(`${drawer} .el-button--primary[disabled]`)).not.toBeNull()
  })
})
