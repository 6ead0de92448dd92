import { onScopeDispose, reactive, watch } from 'vue'
import { whenBack } from '../app/connection'
import { ApiError } from '../api/problem'

export interface Live {
  loading: boolean
  /** Nothing has been read yet. */
  first: boolean
  error: ApiError | null
  updatedMs: number
  paused: boolean
  refresh(): Promise<void>
}

const backOffMs = [1000, 2000, 5000, 10000]

/** Returns when to ask again: the interval ±10 %, later after errors, never before Retry-After. */
export function nextWaitMs(everyMs: number, failures: number, retryAfter: number | null, random = Math.random()): number {
  const usual = failures > 0 ? Math.max(everyMs, backOffMs[Math.min(failures, backOffMs.length) - 1] ?? 10000) : everyMs
  return Math.max(retryAfter ?? 0, usual) * (0.9 + 0.2 * random)
}

/** Reads now and then again and again, as long as the page is visible and not paused. `everyMs` 0: once. */
export function useLive(read: (signal: AbortSignal) => Promise<void>, everyMs: () => number): Live {
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: AbortController | null = null
  let failures = 0
  let ended = false
  let due = false

  const live = reactive<Live>({ loading: false, first: true, error: null, updatedMs: 0, paused: false, refresh })

  async function refresh(): Promise<void> {
    clearTimeout(timer)
    current?.abort()
    const own = new AbortController()
    current = own
    live.loading = true
    let retryAfter: number | null = null
    try {
      await read(own.signal)
      if (own.signal.aborted) return
      live.error = null
      live.updatedMs = Date.now()
      failures = 0
    } catch (error) {
      if (own.signal.aborted) return
      if (!(error instanceof ApiError)) throw error
      live.error = error
      retryAfter = error.retryAfterMs
      failures += 1
    } finally {
      if (current === own) {
        live.loading = false
        live.first = false
        current = null
        plan(retryAfter)
      }
    }
  }

  function plan(retryAfter: number | null): void {
    clearTimeout(timer)
    if (ended || live.paused || everyMs() <= 0) return
    if (live.error && !live.error.mayPass) return
    timer = setTimeout(() => {
      if (document.hidden) due = true
      else void refresh()
    }, nextWaitMs(everyMs(), failures, retryAfter))
  }

  const shown = () => {
    if (!document.hidden && due) {
      due = false
      void refresh()
    }
  }
  document.addEventListener('visibilitychange', shown)
  const forget = whenBack(() => void refresh())
  watch(
    () => live.paused,
    (paused) => (paused ? clearTimeout(timer) : void refresh()),
  )
  onScopeDispose(() => {
    ended = true
    clearTimeout(timer)
    current?.abort()
    document.removeEventListener('visibilitychange', shown)
    forget()
  })
  void refresh()
  return live
}
