import { describe, expect, it } from 'vitest'
import { barsOf, hoursOf, placeOf, spanOf, ticksOf } from '../src/jobs/timeline'
import type { Run } from '../types/api'
import { example } from './example'

const now = new Date(2026, 0, 10, 15, 30).getTime()
const hour = 3600000
const run = (id: number, hoursAgo: number, seconds: number | null, more: Partial<Run> = {}): Run => {
  const trigger_ms = now - hoursAgo * hour
  const handle_ms = seconds === null ? null : trigger_ms + seconds * 1000
  return { ...(example('Run') as Run), id, status: seconds === null ? 'running' : 'succeeded', trigger_ms, handle_ms, duration_ms: seconds === null ? null : seconds * 1000, missed: null, ...more }
}

describe('the span of a timeline', () => {
  it('reaches 3 hours ahead, or as far as the next instant, within 12 hours', () => {
    const ahead = (...next: number[]) => (spanOf(now, next).to - now) / hour
    expect(ahead()).toBe(1)
    expect(ahead(now + hour)).toBe(3)
    expect(ahead(now - hour, now + 5 * hour)).toBeCloseTo(5.5)
    expect(ahead(now + 30 * hour)).toBe(12)
    expect(spanOf(now, []).from).toBe(now - 24 * hour)
  })
  it('has hours of the clock', () => {
    const hours = hoursOf(spanOf(now, []))
    expect(hours.map((each) => new Date(each.ms).getHours())).toEqual([18, 21, 0, 3, 6, 9, 12, 15])
    expect(hours.every((each, index) => each.place > (hours[index - 1]?.place ?? 0))).toBe(true)
  })
})

describe('bars of a timeline', () => {
  const span = spanOf(now, [])
  it('stand at their times, oldest first, and leave out what is older', () => {
    const bars = barsOf([run(3, 1, 60), run(2, 12, 1), run(1, 25, 1)], span)
    expect(bars.map((bar) => bar.run.id)).toEqual([2, 3])
    expect(bars[0]?.place).toBeCloseTo(12 / 25)
    expect(bars[1]?.width).toBeCloseTo(60 / (25 * 3600))
  })
  it('are higher for longer runs, and never flat', () => {
    const [short, middle, long] = barsOf([run(1, 3, 0), run(2, 2, 10), run(3, 1, 3600)], span)
    expect(short?.height).toBeCloseTo(0.2)
    expect(long?.height).toBeCloseTo(1)
    expect(middle?.height).toBeGreaterThan(0.4)
    expect(middle?.height).toBeLessThan(0.9)
  })
  it('grow while a run is open, to the present', () => {
    const [bar] = barsOf([run(1, 2, null)], span)
    expect(bar?.state).toBe('running')
    expect((bar?.place ?? 0) + (bar?.width ?? 0)).toBeCloseTo(placeOf(now, span))
  })
  it('place missed instants, which have no duration', () => {
    const [bar] = barsOf([run(1, 2, null, { status: 'missed', trigger_ms: null, missed: { instants: 2, from_ms: now - 3 * hour, to_ms: now - 2 * hour } })], span)
    expect(bar).toMatchObject({ state: 'missed', durationMs: null, width: 0 })
    expect(bar?.place).toBeCloseTo(22 / 25)
  })
})

describe('ticks of a timeline', () => {
  it('are the next instants within the span', () => {
    const span = spanOf(now, [now + hour])
    expect(ticksOf([now - 1, now + hour, now + 2 * hour, now + 9 * hour], span).map((tick) => (tick.ms - now) / hour)).toEqual([1, 2])
  })
})
