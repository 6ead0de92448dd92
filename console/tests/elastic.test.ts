import { describe, expect, it } from 'vitest'
import type { ElasticItem, ElasticJob, ElasticJobRow } from '../types/api'
import { countsOf, elasticSchedule, furtherOptions, notesOf, planRows, rangesText, stateOfItem } from '../src/elastic/elastic_facts'
import { answer, json, session, settle } from './app'
import { press, useConsole } from './console'
import { example } from './example'

const item: ElasticItem = { ...(example('ElasticItem') as ElasticItem), item: 0, state: 'idle', host: null, run: null, source: null, granted_ms: null, missed: false, disabled: false, surplus: false, planned_host: 'h1', gap: null }

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

let status: ElasticJob['status']
let isItemDisabled: boolean
let jobs: ElasticJobRow[]
let right: string
let sent: string[]
const row = () => ({ ...(example('ElasticJobRow') as ElasticJobRow), id: 7, group: 1, name: 'sums', status, total: 3, items: { running: 1, waiting: 0, disabled: 0, unassigned: 2 } })
const page = (items: unknown[]) => json({ items, next: null, total: items.length, total_is_capped: false })
const open = useConsole(async (url, init) => {
  const { pathname } = new URL(url, 'http://server')
  const path = pathname.replace('/api/v1', '')
  if (path === '/session') return json({ ...session, admin: right === 'admin', rights: [{ group: 1, right }] })
  if (init?.method === 'POST' && path.startsWith('/elastic/')) {
    sent.push(`${path} ${String(init.body ?? '')}`.trim())
    if (path.endsWith('/trigger')) return json({ request: '5' }, 202)
    const { item: number = null } = JSON.parse(String(init.body ?? '{}')) as { item?: number | null }
    const before = number === null ? status : isItemDisabled
    if (number !== null) isItemDisabled = path.endsWith('/disable')
    else status = path.endsWith('/enable') ? 'enabled' : path.endsWith('/disable') ? 'disabled' : 'shut_down'
    return json({ id: 7, changed: before !== (number === null ? status : isItemDisabled), next_ms: null })
  }
  if (path === '/elastic/jobs') return page(jobs.length ? [row()] : [])
  if (path === '/elastic/jobs/7') return json({ ...(example('ElasticJob') as ElasticJob), id: 7, group: 1, name: 'sums', status, total: 3 })
  if (path === '/elastic/jobs/7/items') return page([{ ...item, disabled: isItemDisabled }])
  return answer(url, init)
})
const text = () => document.body.textContent ?? ''
function begin(): void {
  status = 'enabled'
  isItemDisabled = false
  right = 'operator'
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
  it('request a run of one item', async () => {
    begin()
    await open('/elastic/7')
    await choose('Run this item now')
    await press('Run', '.el-dialog')
    expect(sent).toEqual(['/elastic/jobs/7/trigger {"item":0}'])
    expect(text()).toContain('The request is stored')
  })
})
