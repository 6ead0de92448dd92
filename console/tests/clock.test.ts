import { effectScope } from 'vue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useNow } from '../src/app/clock'

const use = (everyMs: number) => {
  const scope = effectScope()
  const now = scope.run(() => useNow(everyMs))
  if (!now) throw new Error('the scope has ended')
  return { now, end: () => scope.stop() }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.setSystemTime(1_000_000)
})
afterEach(() => vi.useRealTimers())

describe('the present in steps', () => {
  it('has one timer an interval, which ends with its last user', () => {
    const users = [use(5000), use(5000), use(1000)]
    expect([users[0]?.now === users[1]?.now, vi.getTimerCount()]).toEqual([true, 2])
    users[0]?.end()
    vi.advanceTimersByTime(5000)
    expect(users.map((each) => each.now.value)).toEqual([1_005_000, 1_005_000, 1_005_000])
    users[1]?.end()
    users[2]?.end()
    expect(vi.getTimerCount()).toBe(0)
  })
  it('is right for a user that comes between two steps', () => {
    const first = use(5000)
    vi.advanceTimersByTime(400)
    const second = use(5000)
    expect(second.now.value).toBe(1_000_000)
    vi.advanceTimersByTime(2000)
    const third = use(5000)
    expect([first, second, third].map((each) => each.now.value)).toEqual([1_002_400, 1_002_400, 1_002_400])
    for (const each of [first, second, third]) each.end()
  })
})
