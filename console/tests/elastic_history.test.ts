import { describe, expect, it, vi } from 'vitest'
import type { ElasticItem, ElasticJob, ElasticRun } from '../types/api'
import { hookOf, itemPath, lanesOfItems, runMs, spanOfRuns, type ItemRun } from '../src/elastic/elastic_history'
import { movedMs, watchMoves } from '../src/elastic/item_moves'
import { answer, json, session, settle } from './app'
import { press, useConsole } from './console'
import { example } from './example'

const now = 1_800_000_000_000
const run = (id: number, item: number, fromS: number, toS: number | null, more: Partial<ElasticRun> = {}): ItemRun => ({
  ...(example('ElasticRun') as ElasticRun),
  id, run: id, item, state: toS === null ? 'running' : 'finished', source: 'normal', fire_source: 'normal', attempt: 1, fence: 4, host: 'h1', fire_ms: now - 100000,
  granted_ms: now + fromS * 1000, started_ms: null, ended_ms: toS === null ? null : now + toS * 1000, message: null, ...more,
})

describe('the timeline of an elastic job', () => {
  const lost = run(5, 1, -40, -30, { state: 'lost' })
  const takeover = run(6, 1, -25, null, { source: 'failover', attempt: 2, host: 'h2' })
  it('reaches from the first grant to the last end, or to now while a run is open', () => {
    expect(spanOfRuns([], now)).toBe(null)
    expect(spanOfRuns([run(1, 0, -60, -50), lost], now)).toEqual({ from: now - 60000, to: now - 30000, now })
    expect(spanOfRuns([lost, takeover], now)).toEqual({ from: now - 40000, to: now, now })
    // A run of a moment is drawn on a span that can be read.
    expect(spanOfRuns([run(1, 0, -60, -60)], now)).toEqual({ from: now - 60000, to: now - 50000, now })
    expect(spanOfRuns([run(1, 0, -60, -60, { granted_ms: null })], now)).toBe(null)
  })
  it('has a row for each item, with the hooks around them', () => {
    const runs = [run(9, -2, -10, -9), run(8, 3, -20, -10), takeover, lost, run(4, 0, -40, -20), run(3, -1, -45, -40)]
    const { lanes, more } = lanesOfItems(runs, spanOfRuns(runs, now)!)
    expect(lanes.map((lane) => [lane.item, lane.bars.map((bar) => bar.run.id)])).toEqual([[-1, [3]], [0, [4]], [1, [5, 6]], [3, [8]], [-2, [9]]])
    expect(more).toBe(0)
    expect(lanesOfItems(runs, spanOfRuns(runs, now)!, 2).more).toBe(3)
  })
  it('leads from a lost attempt to its takeover, and to no run of another fire', () => {
    const span = { from: now - 40000, to: now, now }
    const [lane] = lanesOfItems([takeover, lost], span).lanes
    expect(lane?.takeovers).toEqual([{ key: '5 6', place: 0.25, width: 0.125 }])
    expect(lane?.bars.map((bar) => bar.durationMs)).toEqual([10000, 25000])
    expect(lanesOfItems([{ ...takeover, fire_ms: 1 }, lost], span).lanes[0]?.takeovers).toEqual([])
  })
  it('knows no duration of a run without an end', () => {
    expect(runMs(run(1, 0, -60, null), now)).toBe(60000)
    expect(runMs(run(1, 0, -60, null, { state: 'lost' }), now)).toBe(null)
    expect(runMs(run(1, 0, 5, null), now)).toBe(0)
  })
  it('leads to the item of a run, and names the hooks', () => {
    expect(itemPath(7, 0)).toBe('/elastic/7')
    expect(itemPath(7, 250)).toBe('/elastic/7?items_page=2&items_cursor=p250')
    expect([-1, -2, 0].map(hookOf)).toEqual(['before_all', 'after_all', null])
  })
})

describe('the moves of items', () => {
  const item = (number: number, host: string | null, planned: string | null = host, state: ElasticItem['state'] = 'idle') => ({ item: number, state, host, planned_host: planned })
  it('are shown for a while after the host has changed', () => {
    const moves = watchMoves()
    expect(moves([item(0, 'a'), item(1, 'a')], now).size).toBe(0)
    expect([...moves([item(0, 'a'), item(1, 'b')], now + 1000)]).toEqual([[1, 'a']])
    expect([...moves([item(0, 'a'), item(1, 'b')], now + movedMs)]).toEqual([[1, 'a']])
    expect(moves([item(0, 'a'), item(1, 'b')], now + 1000 + movedMs).size).toBe(0)
  })
  it('wait for the end of a run, and leave out items without a host or of another page', () => {
    const moves = watchMoves()
    moves([item(0, 'a', 'a', 'running'), item(1, null), item(2, 'a')], now)
    expect(moves([item(0, 'a', 'b', 'running'), item(1, 'b'), item(2, 'a', null)], now).size).toBe(0)
    expect([...moves([item(0, 'a', 'b'), item(2, 'b')], now)]).toEqual([[0, 'a']])
    expect([...moves([item(7, 'a')], now)]).toEqual([[0, 'a']])
  })
})

let right: string
let disabled: string[]
let host: string
let sent: string[]
let asked: URLSearchParams[]
let pages: { items: ElasticRun[]; next: string | null }[]
const page = (items: unknown[], next: string | null = null) => json({ items, next, total: null, total_is_capped: false })
const open = useConsole(async (url, init) => {
  const { pathname, searchParams } = new URL(url, 'http://server')
  const path = pathname.replace('/api/v1', '')
  if (path === '/session') return json({ ...session, admin: false, rights: [{ group: 1, right }] })
  if (init?.method === 'POST' && path.startsWith('/elastic/jobs/7/hosts/')) {
    sent.push(path)
    const name = decodeURIComponent(path.split('/')[5] ?? '')
    disabled = path.endsWith('/disable') ? [...disabled, name] : disabled.filter((each) => each !== name)
    return json({ id: 7, changed: true, next_ms: null })
  }
  if (path === '/elastic/jobs/7') return json({ ...(example('ElasticJob') as ElasticJob), id: 7, group: 1, name: 'sums', status: 'enabled', disabled_servers: disabled })
  if (path === '/elastic/jobs/7/items') return page([{ ...(example('ElasticItem') as ElasticItem), item: 0, state: 'idle', host, planned_host: host, gap: null }])
  if (path === '/elastic/jobs/7/history') {
    asked.push(searchParams)
    const found = pages[Math.min(asked.length, pages.length) - 1] ?? { items: [], next: null }
    return page(found.items, found.next)
  }
  if (path === '/elastic/servers') return json({ items: [{ ip: '10.0.0.9', hosts: ['h1', 'h2'], up: 2, silent: 0, down: 0, disabled: 1, running: 3, jobs: 4, disabled_jobs: 0 }] })
  return answer(url, init)
})
const text = () => document.body.textContent ?? ''
function begin(): void {
  right = 'operator'
  disabled = []
  host = 'h1'
  sent = []
  asked = []
  pages = [{ items: [run(6, 1, -25, -5, { source: 'failover', attempt: 2, host: 'h2' }), run(5, 1, -40, -30, { state: 'lost', message: 'no heartbeat' }), run(4, -1, -45, -41)], next: null }]
}
const rows = () => [...document.querySelectorAll<HTMLElement>('[data-table=elastic_history] tbody tr')].map((each) => each.textContent ?? '')

describe('the history of an elastic job', () => {
  it('lists runs with their cause in words, and draws them', async () => {
    begin()
    await open('/elastic/7/history')
    expect(text()).toContain('History of sums')
    expect(rows()).toHaveLength(3)
    expect(rows()[0]).toContain('takeover, attempt 2')
    expect(rows()[1]).toContain('Its host died, refused it or no longer has it')
    expect(rows()[1]).toContain('no heartbeat')
    expect(rows()[2]).toContain('before all')
    const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-table=elastic_history] tbody a')].map((each) => each.getAttribute('href'))
    expect(links.slice(0, 2)).toEqual(['/elastic/7?items_page=2&items_cursor=p1', '/elastic/hosts?q=h2'])
    expect([...document.querySelectorAll('.lane')].map((lane) => lane.querySelectorAll('button').length)).toEqual([1, 2])
    const bar = document.querySelector<HTMLElement>('[data-run="6"]')
    expect(bar?.className).toContain('takeover')
    for (const part of ['Run 6', 'Item 1', 'h2', 'Fence 4', '20 s']) expect(bar?.title).toContain(part)
    expect(document.querySelectorAll('.lane .line')).toHaveLength(1)
  })
  it('shows the run of a bar in the list, and moves by the arrow keys', async () => {
    begin()
    await open('/elastic/7/history')
    const strip = document.querySelector('.strip')
    const key = async (name: string) => {
      strip?.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }))
      await settle()
      return (document.activeElement as HTMLElement).dataset.run
    }
    expect(await key('ArrowDown')).toBe('5')
    expect(await key('ArrowRight')).toBe('6')
    expect(await key('ArrowRight')).toBe('6')
    expect(await key('ArrowUp')).toBe('4')
    document.querySelector<HTMLElement>('[data-run="6"]')?.click()
    expect((document.activeElement as HTMLElement).dataset.row).toBe('6')
  })
  it('asks with the filters of the URL, and reads on while a page is not full', async () => {
    begin()
    pages = [{ items: [], next: 'p90' }, { items: [run(6, 1, -25, -5)], next: null }]
    await open('/elastic/7/history?item=0&state=lost&from=5&to=9')
    expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ item: '0', state: 'lost', from_ms: '5', to_ms: '9' })
    expect(asked[1]?.get('cursor')).toBe('p90')
    expect(rows()).toHaveLength(1)
  })
  it('says that there is none', async () => {
    begin()
    pages = []
    await open('/elastic/7/history')
    expect(text()).toContain('No item has run yet')
  })
})

describe('the hosts of an elastic job', () => {
  it('are disabled for the job from the menu of an item, and undone', async () => {
    begin()
    host = 'ringmaster://a/b'
    await open('/elastic/7')
    document.querySelector<HTMLButtonElement>('[data-table=elastic_items] td .el-dropdown button')?.click()
    await settle()
    ;[...document.querySelectorAll<HTMLElement>('.el-dropdown-menu__item')].find((each) => each.textContent?.trim() === 'Disable its host for this job')?.click()
    await settle()
    expect(sent).toEqual([])
    await press('Disable its host for this job', '.el-message-box')
    expect(sent).toEqual(['/elastic/jobs/7/hosts/ringmaster%3A%2F%2Fa%2Fb/disable'])
    await press('Undo')
    expect(sent[1]).toBe('/elastic/jobs/7/hosts/ringmaster%3A%2F%2Fa%2Fb/enable')
  })
  it('are enabled from the facts of the job', async () => {
    begin()
    disabled = ['10.0.0.9']
    await open('/elastic/7')
    document.querySelector<HTMLElement>('[aria-label="Enable the host 10.0.0.9 for this job"]')?.click()
    await settle()
    expect(sent).toEqual(['/elastic/jobs/7/hosts/10.0.0.9/enable'])
  })
  it('have a mark on an item that has moved while the page is open', async () => {
    begin()
    await open('/elastic/7')
    expect(text()).not.toContain('moved from')
    host = 'h2'
    await vi.waitFor(() => expect(text()).toContain('moved from h1'), { timeout: 8000 })
  }, 15000)
  it('are counted by server', async () => {
    begin()
    await open('/elastic/hosts')
    const row = document.querySelector('[data-table=elastic_servers] tbody tr')
    expect([...(row?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent?.trim())).toEqual(['10.0.0.9', '2', '0', '0', '1', '3', '4', '0'])
  })
})
