import { mount } from '@vue/test-utils'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { i18n, showLanguage } from '../src/app/i18n'
import { comingOf, mayReadAgain, readAgainMs } from '../src/jobs/next_times'
import SchedulePreview from '../src/jobs/SchedulePreview.vue'
import { json } from './app'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('next times', () => {
  it('are those to come, and are read again after one has passed, with a bound', () => {
    expect(comingOf([1000, 2000, 3000], 2000)).toEqual([3000])
    expect(mayReadAgain([1000, 2000], 900, -60000)).toBe(false)
    expect(mayReadAgain([1000, 2000], 1000, 1000 - readAgainMs)).toBe(true)
    expect(mayReadAgain([1000, 2000], 1000, 1001 - readAgainMs)).toBe(false)
    expect(mayReadAgain([], 1000, -60000)).toBe(false)
  })
  it('of a schedule of every second never show the past, and are read once in five seconds', async () => {
    await showLanguage('en')
    vi.useFakeTimers()
    let reads = 0
    let refused = false
    const answer = () => {
      reads += 1
      if (refused) return json({ type: 'urn:ringmaster:unavailable', title: '', status: 503, detail: 'busy' }, 503)
      return json({ next_ms: [1, 2, 3, 4, 5, 6].map((each) => Date.now() + each * 1000), zone: 'UTC', words: null, notes: [] })
    }
    vi.stubGlobal('fetch', vi.fn(async () => answer()))
    const wrapper = mount(SchedulePreview, { props: { schedule: { type: 'CRON', conf: '* * * * * ?' }, count: 6 }, global: { plugins: [i18n] } })
    const shown = () => wrapper.findAll('li time').map((each) => Date.parse(each.attributes('datetime') ?? ''))
    await vi.advanceTimersByTimeAsync(400)
    expect([reads, shown().length]).toEqual([1, 6])
    for (let second = 0; second < 20; second += 1) {
      await vi.advanceTimersByTimeAsync(1000)
      expect(shown().length).toBeGreaterThan(0)
      expect(Math.min(...shown())).toBeGreaterThan(Date.now() - 1000)
    }
    expect(reads).toBeLessThanOrEqual(5)
    refused = true
    await vi.advanceTimersByTimeAsync(30000)
    expect(wrapper.find('[role=alert]').exists()).toBe(false)
    refused = false
    await vi.advanceTimersByTimeAsync(6000)
    expect(shown().length).toBeGreaterThan(0)
    wrapper.unmount()
    const before = reads
    await vi.advanceTimersByTimeAsync(20000)
    expect(reads).toBe(before)
  })
})
