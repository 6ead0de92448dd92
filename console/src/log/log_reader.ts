import { onBeforeUnmount, ref, shallowRef, watch } from 'vue'
import { callWithTag, type Answer } from '../api/client'
import { ApiError } from '../api/problem'
import { wordsOf } from '../app/notices'
import { LogBlocks } from './log_blocks'

export interface ReadRun {
  run: number
  /** The run has no result yet. */
  open: boolean
}
export interface LogListener {
  /** Rows were added at the end, and the oldest `dropped` rows were removed. */
  grew(added: number, dropped: number): void
  /** Nothing more will come. */
  ended(): void
}

const backOffMs = [1000, 2000, 5000, 10000]

/** Waits, at most until the signal. */
export const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', () => (clearTimeout(timer), done()))
  })

/** Reads the log of a run, from its first line and as it grows, until its end or the end of the component. */
export function useLogReader(props: ReadRun, listener: LogListener) {
  const blocks = shallowRef(new LogBlocks())
  /** Grows with each change of `blocks`. */
  const version = ref(0)
  /** The logs of all shards are one text. */
  const merged = ref(false)
  const ended = ref(false)
  const kept = ref(false)
  const problem = ref('')
  const loading = ref(true)
  const lastOutputMs = ref(Date.now())
  let current: AbortController | null = null
  let tag: string | null = null

  /** Adds a part of the log, in steps. Returns false if the signal ended it. */
  async function take(part: NonNullable<Answer<'GET /runs/{id}/log'>['data']>, from: number, signal: AbortSignal): Promise<boolean> {
    kept.value = part.kept
    if (merged.value) blocks.value.clear()
    const before = blocks.value.count
    const toLine = merged.value ? part.content.split('\n').length : part.to_line
    const steps = blocks.value.appendInSteps(merged.value ? 1 : part.from_line || from, toLine, part.content)
    let step = steps.next()
    while (!step.done) {
      await pause(0, signal)
      if (signal.aborted) return false
      step = steps.next()
    }
    const added = blocks.value.count + step.value - before
    if (added > 0) {
      version.value += 1
      lastOutputMs.value = Date.now()
      listener.grew(added, step.value)
    }
    return true
  }

  /** Asks once for what follows. Returns whether the log goes on. */
  async function readPart(signal: AbortSignal): Promise<boolean> {
    const from = blocks.value.lastLine + 1
    const query = merged.value ? { merged: true } : { from_line: from, wait_s: loading.value ? 0 : 30 }
    const ifNoneMatch = merged.value && tag ? tag : undefined
    const answer = await callWithTag('GET /runs/{id}/log', { id: props.run, query, ifNoneMatch, signal, repeat: false, timeoutMs: 60000 })
    if (signal.aborted) return false
    problem.value = ''
    tag = answer.etag
    if (answer.data && !(await take(answer.data, from, signal))) return false
    loading.value = false
    if (answer.data?.end) {
      ended.value = true
      listener.ended()
      return false
    }
    if (merged.value) await pause(3000, signal)
    else if (!answer.data) await pause(200, signal)
    return true
  }

  async function read(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      if (document.hidden && !loading.value) {
        await pause(1000, signal)
        continue
      }
      try {
        if (!(await readPart(signal))) return
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        loading.value = false
        problem.value = wordsOf(error)
        if (error instanceof ApiError && !error.mayPass) return
        const waitMs = error instanceof ApiError && error.retryAfterMs ? error.retryAfterMs : (backOffMs[failures] ?? 10000)
        failures = Math.min(failures + 1, backOffMs.length - 1)
        await pause(waitMs, signal)
      }
    }
  }

  /** Reads from the first line again. */
  function begin(): void {
    current?.abort()
    current = new AbortController()
    tag = null
    blocks.value.clear()
    version.value += 1
    ended.value = false
    loading.value = true
    problem.value = ''
    void read(current.signal)
  }
  watch(merged, begin)
  watch(
    () => props.open,
    (open, before) => open && !before && begin(),
  )
  onBeforeUnmount(() => current?.abort())
  return { blocks, version, merged, ended, kept, problem, loading, lastOutputMs, begin }
}
