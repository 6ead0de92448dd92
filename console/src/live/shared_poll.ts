import { noteAnswer } from '../api/client'
import { ApiError } from '../api/problem'
import type { PollMessage, TabChannel } from './tab_channel'

export interface PollSource<Data> {
  read(signal: AbortSignal): Promise<Data>
  /** Shows an answer, of this tab or of another one. */
  show(data: Data): void
  /** Interval; 0: the poll is not repeated, and what is shown stays until this tab asks again. */
  everyMs(): number
  /** Least interval, also if the user has chosen a shorter one; default: none. A poll that is not repeated stays so. */
  leastMs?(): number
  /** Names everything that decides the answer, also the user. Tabs with the same key share their answers; '': not shared. */
  key(): string
}
export interface PollState {
  loading: boolean
  /** Nothing has been read yet. */
  first: boolean
  error: ApiError | null
  /** Time of the answer that is shown. */
  updatedMs: number
  paused: boolean
}
export interface Surroundings {
  channel: TabChannel | null
  isHidden(): boolean
  random(): number
}
export interface SharedPoll {
  refresh(): Promise<void>
  /** The tab was hidden or is shown again. */
  seen(): void
  /** The poll was paused or goes on: `state.paused`. */
  turned(): void
  end(): void
}

const backOffMs = [1000, 2000, 5000, 10000]

/** Returns when to ask again: the interval ±10 %, later after errors, never before Retry-After. */
export function nextWaitMs(everyMs: number, failures: number, retryAfter: number | null, random = Math.random()): number {
  const usual = failures > 0 ? Math.max(everyMs, backOffMs[Math.min(failures, backOffMs.length) - 1] ?? 10000) : everyMs
  return Math.max(retryAfter ?? 0, usual) * (0.9 + 0.2 * random)
}

/** Returns when a tab that gets the answers of another one asks itself: after it missed one, within two intervals. */
export const takeOverMs = (everyMs: number, random = Math.random()) => everyMs * (1.4 + 0.5 * random)

/**
 * Reads at once and then again and again, while the tab is visible and the poll is not paused.
 * Tabs with the same key share their answers: the one that answered last is the leader and asks again after an interval. The others wait
 * longer, so that they ask only if the leader is gone, hidden or paused; the first that does is the next leader.
 */
export function sharePoll<Data>(state: PollState, source: PollSource<Data>, { channel, isHidden, random }: Surroundings): SharedPoll {
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: AbortController | null = null
  let failures = 0
  let ended = false
  /** A reading fell due while the tab was hidden. */
  let due = false
  /** Key and time of the request whose answer is shown. Answers are ordered by their requests: a slow answer may be an older state. */
  let shown: { key: string; askedMs: number } | null = null
  /** While this tab asked, it was told an answer to a later request. */
  let overtaken = false
  let askedMs = 0

  function plan(waitMs: number): void {
    clearTimeout(timer)
    if (ended || state.paused || source.everyMs() <= 0) return
    if (state.error && !state.error.mayPass) return
    timer = setTimeout(() => {
      if (isHidden()) due = true
      else void refresh()
    }, waitMs)
  }
  function took(key: string, data: Data, asked: number, atMs: number): void {
    shown = { key, askedMs: asked }
    source.show(data)
    state.updatedMs = atMs
    noteAnswer(atMs)
    answered()
  }
  function answered(): void {
    state.error = null
    state.first = false
    failures = 0
    due = false
  }
  function tell(message: PollMessage): void {
    try {
      if (message.key) channel?.send(message)
    } catch {
      // An answer that cannot be copied: the other tabs ask for themselves.
    }
  }

  async function refresh(): Promise<void> {
    if (ended) return
    clearTimeout(timer)
    current?.abort()
    const own = new AbortController()
    current = own
    const key = source.key()
    askedMs = Date.now()
    overtaken = false
    state.loading = true
    let retryAfter: number | null = null
    try {
      const data = await source.read(own.signal)
      if (own.signal.aborted) return
      if (overtaken) return answered()
      took(key, data, askedMs, Date.now())
      tell({ key, kind: 'data', data, askedMs, atMs: state.updatedMs })
    } catch (error) {
      if (own.signal.aborted) return
      if (!(error instanceof ApiError)) throw error
      state.error = error
      retryAfter = error.retryAfterMs
      failures += 1
      if (retryAfter && error.mayPass) tell({ key, kind: 'wait', waitMs: retryAfter })
    } finally {
      if (current === own) {
        state.loading = false
        state.first = false
        current = null
        plan(nextWaitMs(source.everyMs(), failures, retryAfter, random()))
      }
    }
  }

  /** Takes an answer of another tab, unless this one shows something else, or nothing new. */
  function heard(message: PollMessage): void {
    if (ended || state.paused || message.key === '' || message.key !== source.key()) return
    if (message.kind === 'data') {
      if (shown && source.everyMs() <= 0) return
      if (shown?.key === message.key && message.askedMs < shown.askedMs) return
      if (current && message.askedMs > askedMs) overtaken = true
      took(message.key, message.data as Data, message.askedMs, message.atMs)
      if (!current) plan(takeOverMs(source.everyMs(), random()))
    } else if (!current) plan(Math.max(message.waitMs, takeOverMs(source.everyMs(), random())))
  }
  const deaf = channel?.listen(heard)

  function seen(): void {
    if (isHidden() || !due) return
    due = false
    void refresh()
  }
  function turned(): void {
    if (state.paused) clearTimeout(timer)
    else void refresh()
  }
  function end(): void {
    ended = true
    clearTimeout(timer)
    current?.abort()
    deaf?.()
  }
  return { refresh, seen, turned, end }
}
