import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../src/api/problem'
import { sharePoll, type PollState, type SharedPoll } from '../src/live/shared_poll'
import { channelOf, type Port, type TabChannel } from '../src/live/tab_channel'

const everyMs = 5000

/** Ports of one channel: a message reaches all other ports, later, as a copy. */
function makePorts(count: number): Port[] {
  const ports: Port[] = Array.from({ length: count }, (_, own) => ({
    onmessage: null,
    postMessage(message) {
      const copy = structuredClone(message)
      ports.forEach((port, index) => index !== own && setTimeout(() => port.onmessage?.({ data: copy }), 1))
    },
  }))
  return ports
}

interface Tab {
  state: PollState
  poll: SharedPoll
  reads: number
  shown: unknown[]
  hidden: boolean
  key: string
  fail: ApiError | null
  everyMs: number
  /** How long the server takes to answer; its answer is of the beginning. */
  slowMs: number
}
let answers = 0

function openTab(channel: TabChannel | null, key = 'jobs', random = 0.5): Tab {
  const tab = { reads: 0, shown: [] as unknown[], hidden: false, key, fail: null as ApiError | null, everyMs, slowMs: 0 } as Tab
  tab.state = { loading: false, first: true, error: null, updatedMs: 0, paused: false }
  tab.poll = sharePoll(
    tab.state,
    {
      async read() {
        tab.reads += 1
        if (tab.fail) throw tab.fail
        const answer = (answers += 1)
        if (tab.slowMs) await new Promise((done) => setTimeout(done, tab.slowMs))
        return answer
      },
      show: (data) => void tab.shown.push(data),
      everyMs: () => tab.everyMs,
      key: () => tab.key,
    },
    { channel, isHidden: () => tab.hidden, random: () => random },
  )
  void tab.poll.refresh()
  return tab
}
const tabs: Tab[] = []
async function openTabs(...keys: string[]): Promise<Tab[]> {
  const ports = makePorts(keys.length)
  for (const [index, key] of keys.entries()) {
    tabs.push(openTab(channelOf(ports[index]!), key, 0.2 + 0.3 * index))
    // People open one tab after the other.
    await vi.advanceTimersByTimeAsync(300)
  }
  return tabs
}
const sum = () => tabs.reduce((count, tab) => count + tab.reads, 0)
const pass = (intervals: number) => vi.advanceTimersByTimeAsync(intervals * everyMs)

beforeEach(() => {
  vi.useFakeTimers()
  tabs.length = 0
  answers = 0
})
afterEach(() => {
  for (const tab of tabs) tab.poll.end()
  vi.useRealTimers()
})

describe('tabs that show the same', () => {
  it('share one poll: each answer reaches all of them', async () => {
    const [a, b, c] = await openTabs('jobs', 'jobs', 'jobs')
    const before = sum()
    await pass(20)
    expect(sum() - before).toBeGreaterThanOrEqual(17)
    expect(sum() - before).toBeLessThanOrEqual(23)
    for (const tab of [a, b, c]) expect(tab?.shown.at(-1)).toBe(answers)
    expect([a, b, c].filter((tab) => tab && tab.reads > 2)).toHaveLength(1)
  })
  it('ask each for themselves without a channel', async () => {
    tabs.push(openTab(null), openTab(null))
    await pass(10)
    for (const tab of tabs) expect(tab.reads).toBeGreaterThanOrEqual(9)
  })
  it('do not share with a tab that shows something else', async () => {
    const [a, b] = await openTabs('jobs', 'runs')
    await pass(10)
    for (const tab of [a, b]) expect(tab?.reads).toBeGreaterThanOrEqual(9)
  })
  it('share nothing without a user', async () => {
    const [a, b] = await openTabs('', '')
    await pass(4)
    for (const tab of [a, b]) expect(tab?.shown).toHaveLength(tab?.reads ?? 0)
  })
})

describe('answers that cross', () => {
  it('are ordered by their requests: a slow answer replaces no answer to a later request', async () => {
    const [a, b] = await openTabs('jobs', 'jobs')
    a!.slowMs = 1000
    void a!.poll.refresh()
    await vi.advanceTimersByTimeAsync(100)
    const [slow, late] = [answers, answers + 1]
    void b!.poll.refresh()
    await vi.advanceTimersByTimeAsync(1500)
    for (const tab of [a, b]) {
      expect(tab!.shown).toContain(late)
      expect(tab!.shown).not.toContain(slow)
      expect(tab!.state.loading).toBe(false)
    }
  })
  it('to own requests are shown also after the clock was set back', async () => {
    const [a] = await openTabs('jobs', 'jobs')
    vi.setSystemTime(Date.now() - 3600000)
    void a!.poll.refresh()
    await vi.advanceTimersByTimeAsync(10)
    expect(a!.shown.at(-1)).toBe(answers)
  })
  it('do not replace what a tab shows that is not polled', async () => {
    const [a, b] = await openTabs('jobs', 'jobs')
    a!.everyMs = 0
    await a!.poll.refresh()
    const shown = a!.shown.length
    await pass(5)
    expect(b!.reads).toBeGreaterThanOrEqual(4)
    expect(a!.shown).toHaveLength(shown)
  })
})

describe('a leader that', () => {
  /** Returns the leader and the other tab, after a few intervals. */
  async function pair(): Promise<[Tab, Tab]> {
    await openTabs('jobs', 'jobs')
    await pass(4)
    const [a, b] = tabs as [Tab, Tab]
    return a.reads > b.reads ? [a, b] : [b, a]
  }
  it('is closed is replaced within two intervals', async () => {
    const [leader, other] = await pair()
    const { reads } = other
    leader.poll.end()
    await pass(2)
    expect(other.reads).toBe(reads + 1)
    await pass(10)
    expect(other.reads).toBeGreaterThanOrEqual(reads + 9)
  })
  it('is hidden asks no more, and another tab takes over', async () => {
    const [leader, other] = await pair()
    const { reads } = leader
    leader.hidden = true
    await pass(10)
    expect(leader.reads).toBe(reads)
    expect(other.reads).toBeGreaterThanOrEqual(8)
    // It was kept up to date, so it need not ask when it is shown again.
    leader.hidden = false
    leader.poll.seen()
    expect(leader.reads).toBe(reads)
    expect(leader.shown.at(-1)).toBe(answers)
  })
  it('is paused keeps what it shows, and another tab takes over', async () => {
    const [leader, other] = await pair()
    leader.state.paused = true
    leader.poll.turned()
    const shown = leader.shown.length
    await pass(5)
    expect(leader.shown).toHaveLength(shown)
    expect(other.reads).toBeGreaterThanOrEqual(3)
    leader.state.paused = false
    leader.poll.turned()
    await vi.advanceTimersByTimeAsync(10)
    expect(leader.shown.at(-1)).toBe(answers)
  })
  it('gets Retry-After passes the pause on', async () => {
    const [leader, other] = await pair()
    leader.fail = other.fail = new ApiError(429, 'too_many', '', 60000)
    const before = sum()
    await pass(10)
    expect(sum() - before).toBe(1)
  })
})

describe('hidden tabs', () => {
  it('do not ask, and ask at once when one is shown again', async () => {
    const [a, b] = await openTabs('jobs', 'jobs')
    a!.hidden = b!.hidden = true
    await pass(1)
    const before = sum()
    await pass(20)
    expect(sum()).toBe(before)
    a!.hidden = false
    a!.poll.seen()
    await vi.advanceTimersByTimeAsync(10)
    expect(sum()).toBe(before + 1)
    expect(b!.shown.at(-1)).toBe(answers)
  })
})
