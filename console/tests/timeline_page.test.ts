import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { TimelineRun } from '../src/jobs/timeline'
import type { Job, Run, Timeline } from '../types/api'
import { answer, json, settle } from './app'
import { useConsole } from './console'
import { example } from './example'

const job: Job = { ...(example('Job') as Job), id: 1, group: 1, schedule: { type: 'CRON', conf: '0 0 2 * * ?' }, source: null, running: true }
let children: number[]
let answers: Record<string, (url: string) => Response>

beforeEach(() => {
  children = []
  answers = {}
})
const open = useConsole((url, init) => {
  const path = new URL(url, 'http://server').pathname.replace('/api/v1', '')
  return path === '/jobs/1' ? json({ ...job, children }) : (answers[path]?.(url) ?? answer(url, init))
})

describe('the timeline of a job', () => {
  const minute = 60000
  const run = (id: number, minutesAgo: number, more: Partial<TimelineRun> = {}): TimelineRun => ({ ...(example('ShortRun') as TimelineRun), id, status: 'succeeded', reason: null, retry_of: null, shard_index: null, trigger_ms: Date.now() - minutesAgo * minute, duration_ms: 1000, ...more })
  const timeline = (more: Partial<Timeline> = {}): Timeline => ({
    runs: [run(3, 10), run(2, 20), run(1, 30)],
    instants: [
      { at_ms: Date.now() - 30 * minute, run: 1, outcome: 'fired' },
      { at_ms: Date.now() - 25 * minute, run: 2, outcome: 'late' },
      { at_ms: Date.now() + 60 * minute, run: null, outcome: 'future' },
    ],
    edits: [{ at_ms: Date.now() - 15 * minute, by: 'ann', action: 'update', fields: ['schedule'] }],
    truncated: false,
    from_ms: 0,
    to_ms: 0,
    known_from_ms: 0,
    ...more,
  })
  const press = (key: string) => document.querySelector('.strip')?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  it('is one stop for Tab; arrows move among the runs', async () => {
    answers['/jobs/1/timeline'] = () => json(timeline())
    await open('/jobs/1')
    await vi.waitFor(() => expect(document.querySelectorAll('.strip a')).toHaveLength(3))
    const stops = () => [...document.querySelectorAll<HTMLElement>('.strip a')].filter((each) => each.tabIndex === 0).map((each) => each.dataset.run)
    expect(stops()).toEqual(['3'])
    press('ArrowLeft')
    await settle()
    expect(stops()).toEqual(['2'])
    expect((document.activeElement as HTMLElement).dataset.run).toBe('2')
    expect([...document.querySelectorAll('.strip .tick')].map((tick) => tick.classList[1])).toEqual(['fired', 'late', 'future'])
    expect(document.querySelectorAll('.strip .gap')).toHaveLength(1)
    expect(document.querySelectorAll('.strip .edit')).toHaveLength(1)
  })
  it('is zoomed by keys around the chosen run, and reads the new time', async () => {
    const spans: [number, number][] = []
    answers['/jobs/1/timeline'] = (url) => {
      const query = new URL(url, 'http://server').searchParams
      spans.push([Number(query.get('from_ms')), Number(query.get('to_ms'))])
      return json(timeline())
    }
    await open('/jobs/1')
    await vi.waitFor(() => expect(document.querySelectorAll('.strip a')).toHaveLength(3))
    press('ArrowLeft')
    press('+')
    await vi.waitFor(() => expect(spans.length).toBeGreaterThan(1))
    const [from, to] = spans.at(-1)!
    expect((to - from) / 3600000).toBeCloseTo(13.5, 1)
    const at = Date.now() - 20 * minute
    expect(from).toBeLessThan(at)
    expect(to).toBeGreaterThan(at)
    press('0')
    await vi.waitFor(() => expect(spans.at(-1)![1] - spans.at(-1)![0]).toBe(36 * 3600000))
  })
  it('says from when on the schedule is known, and has all of it in a table', async () => {
    answers['/jobs/1/timeline'] = () => json(timeline({ from_ms: Date.now() - 24 * 3600000, known_from_ms: Date.now() - 3600000, truncated: true }))
    await open('/jobs/1')
    await vi.waitFor(() => expect(document.querySelectorAll('.strip a')).toHaveLength(3))
    expect(document.body.textContent).toContain('the schedule is not known')
    expect(document.body.textContent).toContain('Not all runs or instants')
    const details = document.querySelector<HTMLDetailsElement>('.panel details')!
    details.open = true
    details.dispatchEvent(new Event('toggle'))
    await settle()
    const rows = [...details.querySelectorAll('tbody tr')].map((row) => row.textContent ?? '')
    expect(rows).toHaveLength(5)
    expect(rows[0]).toContain('planned')
    expect(rows.find((row) => row.includes('late'))).toContain('5 min')
    expect(rows.some((row) => row.includes('Edit by ann: update') && row.includes('schedule'))).toBe(true)
  })
  it('is read again with the runs of the page, when these have changed', async () => {
    let runs: TimelineRun[] = []
    let asked = 0
    answers['/jobs/1/timeline'] = () => {
      asked += 1
      return json(timeline({ runs }))
    }
    answers['/runs'] = () => json({ items: runs.map((each) => ({ ...(example('Run') as Run), ...each })), next: null, total: runs.length, total_is_capped: false })
    await open('/jobs/1')
    await vi.waitFor(() => expect(document.body.textContent).toContain('No run in the last 24 hours'))
    const refresh = async () => {
      document.querySelector<HTMLElement>('.live button[aria-label="Read again"]')?.click()
      await settle()
    }
    await refresh()
    expect(asked).toBe(1)
    runs = [run(50, 5)]
    await refresh()
    await vi.waitFor(() => expect(document.querySelectorAll('.strip a')).toHaveLength(1))
    expect(document.body.textContent).not.toContain('No run in the last 24 hours')
    expect(asked).toBe(2)
  })
  it('has a row for the runs of child jobs', async () => {
    children = [8, 9]
    answers['/jobs/1/timeline'] = () => json(timeline())
    answers['/runs'] = (url) => {
      const child = new URL(url, 'http://server').searchParams.get('job')
      if (child === '9') return json({ type: 'urn:ringmaster:forbidden', title: 'no', status: 403, detail: 'no' }, 403)
      return json({ items: child === '8' ? [{ ...(example('Run') as Run), ...run(50, 5, { kind: 'parent' }) }] : [], next: null, total: 1, total_is_capped: false })
    }
    await open('/jobs/1')
    await vi.waitFor(() => expect(document.querySelectorAll('.strip .below')).toHaveLength(1))
    expect(document.querySelectorAll('.strip .below a')).toHaveLength(1)
  })
  describe('that is zoomed', () => {
    const spans: [number, number][] = []
    const length = () => spans.at(-1)![1] - spans.at(-1)![0]
    const zoomKey = async (key: string) => {
      const before = spans.length
      press(key)
      await vi.waitFor(() => expect(spans.length).toBeGreaterThan(before))
    }
    beforeEach(() => {
      spans.length = 0
      answers['/jobs/1/timeline'] = (url) => {
        const query = new URL(url, 'http://server').searchParams
        spans.push([Number(query.get('from_ms')), Number(query.get('to_ms'))])
        return json(timeline())
      }
    })
    it('has its time in the URL, which Back undoes; the usual time is not named', async () => {
      const { router } = await open('/jobs/1?x=kept')
      await vi.waitFor(() => expect(document.querySelector('.strip')).not.toBeNull())
      expect(router.currentRoute.value.query).toEqual({ x: 'kept' })
      await zoomKey('+')
      await vi.waitFor(() => expect(router.currentRoute.value.query).toEqual({ x: 'kept', from: String(spans.at(-1)![0]), to: String(spans.at(-1)![1]) }))
      const near = length()
      await zoomKey('+')
      await vi.waitFor(() => expect(router.currentRoute.value.query.from).toBe(String(spans.at(-1)![0])))
      expect(length()).toBeLessThan(near)
      router.back()
      await vi.waitFor(() => expect(length()).toBe(near))
      router.back()
      await vi.waitFor(() => expect(length()).toBe(36 * 3600000))
      expect(router.currentRoute.value.query).toEqual({ x: 'kept' })
    })
    it('is restored by a link', async () => {
      const to = Date.now()
      await open(`/jobs/1?from=${to - 2 * 3600000}&to=${to}`)
      await vi.waitFor(() => expect(spans[0]).toEqual([to - 2 * 3600000, to]))
      await vi.waitFor(() => expect(document.querySelector('h2 + [role=group] button:last-child')?.hasAttribute('disabled')).toBe(false))
    })
    it.each(['from=5&to=3', 'from=x&to=7', 'from=7'])('is the usual one if a link names none: %s', async (query) => {
      await open(`/jobs/1?${query}`)
      await vi.waitFor(() => expect(spans.length).toBeGreaterThan(0))
      expect(length()).toBe(36 * 3600000)
    })
  })
})
