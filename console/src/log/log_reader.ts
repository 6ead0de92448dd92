import { ref, shallowRef, type Ref } from 'vue'
import { callWithTag, type Answer } from '../api/client'
import { ApiError } from '../api/problem'
import { wordsOf } from '../app/notices'
import { LogBlocks } from './log_blocks'

/** Lines that are read first, from the end of the log. */
const tailLines = 5000
/** Lines that are read when the user scrolls up. */
const earlierLines = 1000
/** Lines before a wanted line that are read with it. */
const contextLines = 500
const backOffMs = [1000, 2000, 5000, 10000]

export const pause = (ms: number, signal?: AbortSignal) => new Promise<void>((done) => {
  const timer = setTimeout(done, ms)
  signal?.addEventListener('abort', () => (clearTimeout(timer), done()))
})

export interface AddedRows {
  rows: number
  /** Rows that were dropped at the front. */
  dropped: number
  /** The first rows since `begin`. */
  isFirst: boolean
}
export interface ReaderView {
  /** Returns true if lines after the loaded ones are wanted. */
  wantsLater(): boolean
  added(change: AddedRows): void
  /** Called once: the run has ended, and its log was read to its end. */
  ended(): void
}

/** Reads the log of a run: its end first, or the lines around one line, then what the view wants. Keeps a bounded number of rows. */
export function useLogReader(run: () => number, merged: Ref<boolean>, view: ReaderView) {
  const blocks = shallowRef(new LogBlocks())
  /** Changes with the rows. */
  const version = ref(0)
  const loading = ref(true)
  const ended = ref(false)
  const kept = ref(false)
  /** There are lines after the loaded ones already. */
  const moreAfter = ref(false)
  const partial = ref('')
  const problem = ref('')
  const lastOutputMs = ref(Date.now())
  let current: AbortController | null = null
  let startLine = 0
  /** The server has answered since `begin`: the next lines follow the loaded ones. */
  let hasFirst = false
  let toldEnd = false
  let earlier = false

  function nextQuery() {
    if (merged.value) return { merged: true }
    if (hasFirst) return { from_line: blocks.value.lastLine + 1, wait_s: 30 }
    return startLine ? { from_line: Math.max(1, startLine - contextLines) } : { tail: tailLines }
  }

  /** Takes a part. Returns the number of rows that it added; null: aborted. */
  async function take(part: NonNullable<Answer<'GET /runs/{id}/log'>['data']>, signal: AbortSignal): Promise<number | null> {
    const from = blocks.value.lastLine + 1
    kept.value = part.kept
    partial.value = part.partial_reason ?? ''
    const isFirst = !hasFirst && (merged.value || part.to_line >= part.from_line)
    hasFirst = true
    if (merged.value) blocks.value.clear()
    else if (isFirst) blocks.value.clear(part.from_line)
    else if (part.from_line !== from) return 0
    moreAfter.value = part.more
    const before = blocks.value.count
    const toLine = merged.value ? part.content.split('\n').length : part.to_line
    const steps = blocks.value.appendInSteps(merged.value ? 1 : part.from_line, toLine, part.content)
    let step = steps.next()
    while (!step.done) {
      await pause(0, signal)
      if (signal.aborted) return null
      step = steps.next()
    }
    const rows = blocks.value.count + step.value - before
    if (rows > 0) {
      version.value += 1
      lastOutputMs.value = Date.now()
      view.added({ rows, dropped: step.value, isFirst })
    }
    return rows
  }

  async function read(signal: AbortSignal): Promise<void> {
    let failures = 0
    let tag: string | null = null
    while (!signal.aborted) {
      if (hasFirst && (document.hidden || (!merged.value && !view.wantsLater()))) {
        await pause(document.hidden ? 1000 : 200, signal)
        continue
      }
      try {
        const begun = Date.now()
        const answer: Answer<'GET /runs/{id}/log'> = await callWithTag('GET /runs/{id}/log', { id: run(), query: nextQuery(), ifNoneMatch: merged.value && tag ? tag : undefined, signal, repeat: false, timeoutMs: 60000 })
        if (signal.aborted) return
        problem.value = ''
        failures = 0
        tag = answer.etag
        const rows = answer.data ? await take(answer.data, signal) : 0
        if (rows === null) return
        const wasLoading = loading.value
        loading.value = false
        if (answer.data?.end) return end()
        if (merged.value) await pause(3000, signal)
        // A server that holds no more requests back answers at once.
        else if (!rows && !wasLoading && Date.now() - begun < 1000) await pause(1000, signal)
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
  function end(): void {
    ended.value = true
    if (!toldEnd) view.ended()
    toldEnd = true
  }

  /** Reads the log again: its end, or the lines around one line. */
  function begin(line = 0): void {
    startLine = line
    hasFirst = false
    blocks.value.clear()
    version.value += 1
    loading.value = true
    moreAfter.value = false
    problem.value = ''
    resume()
  }
  function resume(): void {
    current?.abort()
    current = new AbortController()
    ended.value = false
    void read(current.signal)
  }
  const stop = () => current?.abort()

  /** Loads the lines before the loaded ones and returns the number of rows. Rows at the end are dropped for them, and are read again
   * when the view wants them. */
  async function loadEarlier(): Promise<number> {
    const signal = current?.signal
    const to = blocks.value.firstLine - 1
    if (earlier || merged.value || loading.value || !signal || to < 1) return 0
    earlier = true
    try {
      const from = Math.max(1, to - earlierLines + 1)
      let text = ''
      for (let line = from; line <= to; ) {
        const { data } = await callWithTag('GET /runs/{id}/log', { id: run(), query: { from_line: line, max_lines: to - line + 1 }, signal, timeoutMs: 60000 })
        if (!data || data.to_line < line) return 0
        text += data.content.replace(/\r?\n$/, '') + '\n'
        line = data.to_line + 1
      }
      return signal.aborted ? 0 : addEarlier(from, to, text)
    } catch (error) {
      if (!signal.aborted) problem.value = wordsOf(error)
      return 0
    } finally {
      earlier = false
    }
  }
  function addEarlier(from: number, to: number, text: string): number {
    const last = blocks.value.lastLine
    const added = blocks.value.prepend(from, to, text)
    version.value += 1
    if (blocks.value.lastLine < last) {
      moreAfter.value = true
      if (ended.value) resume()
    }
    return added
  }

  return { blocks, version, loading, ended, kept, moreAfter, partial, problem, lastOutputMs, begin, stop, loadEarlier }
}
