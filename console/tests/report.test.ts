import type { VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { showLanguage } from '../src/app/i18n'
import { answer, json, openApp } from './app'

vi.mock('echarts/core', () => ({ use() {}, init: () => ({ on() {}, resize() {}, dispose() {}, setOption() {} }) }))

let wrapper: VueWrapper | null = null
let asked: URLSearchParams[] = []
/** The log is too long to be counted. */
let tooLong = false
/** Runs cannot be read. */
let noRuns = false

const figures = { total: 3, running: 0, succeeded: 2, failed: 1 }
beforeEach(async () => {
  asked = []
  tooLong = false
  noRuns = false
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string, init?: RequestInit) => {
      const { pathname, searchParams } = new URL(url, 'http://server')
      if (noRuns && pathname === '/api/v1/runs') return json({ detail: 'the log is locked' }, 400)
      if (pathname !== '/api/v1/reports') return answer(url, init)
      asked.push(searchParams)
      const hourly = searchParams.get('by') === 'hour'
      if (hourly && tooLong) return json({ detail: 'choose a shorter range, or one job' }, 400)
      return json({ items: [hourly ? { ...figures, day: '2026-01-01 14:00', day_ms: 1767276000000, median_ms: 4000 } : { ...figures, day: '2026-01-01', day_ms: 1767225600000, median_ms: null }] })
    }),
  )
  await showLanguage('en')
})
afterEach(() => {
  wrapper?.unmount()
  wrapper = null
  document.body.innerHTML = ''
  vi.unstubAllGlobals()
})
const open = async (path: string, text: string) => {
  wrapper = (await openApp(path)).wrapper
  await vi.waitFor(() => expect(wrapper?.text()).toContain(text), 15000)
}

describe('the daily report', () => {
  it('is by day for more than two days', async () => {
    await open('/report', '2026-01-01')
    expect(asked.every((each) => !each.has('by'))).toBe(true)
    expect(wrapper!.text()).toContain('Runs by day')
    expect(wrapper!.text()).not.toContain('Median duration')
  })
  it('is by hour for a day, of a chosen job, whose runs an hour opens', async () => {
    await open('/report?range=yesterday&group=2&job=7', '2026-01-01 14:00')
    expect(Object.fromEntries(asked[0]!)).toMatchObject({ by: 'hour', group: '2', job: '7' })
    expect(wrapper!.text()).toContain('Runs by hour')
    expect(wrapper!.text()).toContain('4 s')
    const link = wrapper!.findAll('details a').find((each) => each.text() === '2026-01-01 14:00')!
    expect(link.attributes('href')).toContain('from=1767276000000&to=1767279599999&group=2&job=7')
    const running = wrapper!.findAll('details tbody a')[4]!
    expect(decodeURIComponent(running.attributes('href')!)).toContain('status=pending,running')
  })
  it('falls back to days if the log is too long for hours', async () => {
    tooLong = true
    await open('/report?range=today', '2026-01-01')
    expect(wrapper!.text()).toContain('Runs by day')
  })
  it('says why the runs of a job cannot be counted', async () => {
    tooLong = true
    await open('/report?range=today&job=7', 'choose a shorter range')
    expect(wrapper!.find('.charts').exists()).toBe(false)
  })
  it('is shown when the numbers of its cards cannot be read', async () => {
    noRuns = true
    await open('/report', '2026-01-01')
    await vi.waitFor(() => expect(wrapper!.text()).toContain('Could not be read: the log is locked'), 5000)
  })
})
