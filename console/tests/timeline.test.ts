import { describe, expect, it } from 'vitest'
import { barsOf, hoursOf, lanesOf, latenessLines, namedSpan, placeOf, retryLines, rowsOf, spanOf, ticksOf, zoomed, type Instant, type TimelineRun } from '../src/jobs/timeline'
import { example } from './example'

const now = new Date(2026, 0, 10, 15, 30).getTime()
const hour = 3600000
const run = (id: number, hoursAgo: number, seconds: number | null, more: Partial<TimelineRun> = {}): TimelineRun => ({
  ...(example('ShortRun') as TimelineRun),
  id,
  status: seconds === null ? 'running' : 'succeeded',
  reason: null,
  trigger_ms: now - hoursAgo * hour,
  duration_ms: seconds === null ? null : seconds * 1000,
  retry_of: null,
  shard_index: null,
  ...more,
})
const instant = (hoursAgo: number, outcome: Instant['outcome'], of: number | null = null): Instant => ({ at_ms: now - hoursAgo * hour, run: of, outcome })

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
  it('has hours and days of the shown zone, also where its clock is changed', () => {
    const from = Date.UTC(2026, 2, 28, 12)
    const span = { from, to: from + 48 * hour, now: from }
    const days = (zone: string) => hoursOf(span, zone).filter((each) => each.isDay).map((each) => new Date(each.ms).toISOString().slice(0, 16))
    expect(days('UTC')).toEqual(['2026-03-29T00:00', '2026-03-30T00:00'])
    expect(days('Asia/Kathmandu')).toEqual(['2026-03-28T18:15', '2026-03-29T18:15'])
    expect(days('Europe/Berlin')).toEqual(['2026-03-28T23:00', '2026-03-29T22:00'])
    expect(hoursOf(span, 'Europe/Berlin')).toHaveLength(8)
    const short = { from: from + 12 * hour, to: from + 17 * hour, now: from }
    expect(hoursOf(short, 'Europe/Berlin').map((each) => (each.ms - short.from) / hour)).toEqual([0, 1, 2, 3, 4, 5])
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
  it('leave out rows of missed instants', () => {
    expect(barsOf([run(1, 2, 0, { status: 'missed' })], span)).toEqual([])
  })
  it('of retries begin after the attempt before, and are joined with it', () => {
    const bars = barsOf([run(2, 2, 120, { retry_of: 1 }), run(1, 2, 60, { status: 'failed' }), run(4, 3, 5, { retry_of: 99 })], span)
    expect(bars.map((bar) => [bar.run.id, bar.at - now, bar.durationMs])).toEqual([
      [4, -3 * hour, 5000],
      [1, -2 * hour, 60000],
      [2, -2 * hour + 60000, 60000],
    ])
    const lines = retryLines(bars)
    expect(lines.map((line) => line.key)).toEqual(['1 2'])
    expect(lines[0]?.place).toBe(bars[1]?.place)
    expect(lines[0]?.width).toBeCloseTo(120 / (25 * 3600))
  })
  it('of shards and children have rows below', () => {
    const bars = barsOf([run(1, 2, 1, { shard_index: 0 }), run(2, 2, 1, { shard_index: 1 }), run(3, 1, 1), run(4, 1, 1, { shard_index: 1 })], span)
    const { own, below } = lanesOf(bars, [{ job: 8, bars: barsOf([run(5, 1, 1)], span) }, { job: 9, bars: [] }])
    expect(own.map((bar) => bar.run.id)).toEqual([1, 3])
    expect(below.map((lane) => [lane.shard, lane.job, lane.bars.map((bar) => bar.run.id)])).toEqual([
      [1, null, [2, 4]],
      [null, 8, [5]],
    ])
  })
})

describe('ticks of a timeline', () => {
  const span = spanOf(now, [now + hour])
  it('are the instants within the span, with the lateness of those that a later run replaces', () => {
    const instants = [instant(30, 'fired', 1), instant(4, 'late', 2), instant(3, 'late', 2), instant(2, 'dropped', 3), instant(-1, 'future'), instant(-9, 'future')]
    const ticks = ticksOf(instants, [run(2, 2.5, 1)], span)
    expect(ticks.map((tick) => [tick.instant.outcome, tick.latenessMs])).toEqual([
      ['late', 1.5 * hour],
      ['late', 0.5 * hour],
      ['dropped', null],
      ['future', null],
    ])
    const lines = latenessLines(ticks, span)
    expect(lines).toHaveLength(1)
    expect(lines[0]?.place).toBe(ticks[0]?.place)
    expect(lines[0]?.width).toBeCloseTo(1.5 / 27)
  })
  it('are rows of the table with their runs, among other runs and edits', () => {
    const bars = barsOf([run(1, 4, 1), run(2, 3, 1, { kind: 'manual' })], span)
    const edit = { at_ms: now - 2 * hour, by: 'ann', action: 'update', fields: ['params'] }
    const rows = rowsOf(ticksOf([instant(4, 'fired', 1), instant(1, 'unknown')], [], span), bars, [edit])
    expect(rows.map((row) => [row.tick?.instant.outcome, row.bar?.run.id, row.edit?.by])).toEqual([
      ['unknown', undefined, undefined],
      [undefined, undefined, 'ann'],
      [undefined, 2, undefined],
      ['fired', 1, undefined],
    ])
  })
})

describe('zoom of a timeline', () => {
  it('keeps the place of a time', () => {
    const near = zoomed({ from: now - 3 * hour, to: now + hour }, 0.5, now)
    expect(near).toEqual({ from: now - 1.5 * hour, to: now + 0.5 * hour })
    expect(zoomed(near, 2, now)).toEqual({ from: now - 3 * hour, to: now + hour })
  })
  it('stays within 10 minutes and 31 days, and after the epoch', () => {
    const length = ({ from, to }: { from: number; to: number }) => (to - from) / 60000
    expect(length(zoomed({ from: now - hour, to: now }, 0.01, now))).toBe(10)
    expect(length(zoomed({ from: now - 24 * hour, to: now }, 1000, now))).toBe(31 * 24 * 60)
    expect(zoomed({ from: hour, to: 2 * hour }, 10, 2 * hour).from).toBe(0)
  })
  it('is named by a link, within the same limits', () => {
    expect(namedSpan(now - hour, now)).toEqual({ from: now - hour, to: now })
    expect(namedSpan(1, 4 * hour + 2)).toEqual({ from: 1, to: 4 * hour + 2 })
    expect(namedSpan(now - 1000, now)).toEqual({ from: now - 500 - 5 * 60000, to: now - 500 + 5 * 60000 })
    expect(namedSpan(0, now)!.to - namedSpan(0, now)!.from).toBe(31 * 24 * hour)
    for (const [from, to] of [[undefined, now], [now, undefined], [now, now], [now, now - 1]]) expect(namedSpan(from, to)).toBeNull()
  })
  it('has marks of minutes, hours or days, at most about ten', () => {
    const marks = (back: number) => hoursOf({ from: now - back * hour, to: now, now })
    expect(marks(0.5).map((each) => new Date(each.ms).getMinutes())).toEqual([0, 5, 10, 15, 20, 25, 30])
    expect(marks(24 * 31).every((each) => each.isDay)).toBe(true)
    for (const back of [0.17, 1, 5, 24, 60, 200, 24 * 31]) expect(marks(back).length).toBeLessThan(12)
  })
})
