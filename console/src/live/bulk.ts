import { computed, getCurrentScope, onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { Task, TaskBegun } from '../../types/api'
import { call, newIdempotencyKey } from '../api/client'
import { ApiError } from '../api/problem'
import { t } from '../app/i18n'
import { tellDone, tellError, tellWarning, tellWithUndo, wordsOf } from '../app/notices'
import { nextWaitMs } from './shared_poll'

export type BulkAction = Task['action']

/** All objects that a filter of their list finds. */
export interface Matching<Filter> {
  filter: Filter
  total: number
}

/** The objects of a request: by their ids, or by a filter and their number. */
export type Objects<Filter> = { ids: number[] } | { filter: Filter; expect: number }

export interface BulkResult {
  total: number
  done: number
  /** Objects that failed; `failed` names the first ones. */
  failures: number
  failed: { id: number; detail: string }[]
  aborted: boolean
}

const nothing: BulkResult = { total: 0, done: 0, failures: 0, failed: [], aborted: false }

export const bulkMax = 500
const pollMs = 500
/** Interval in a hidden tab: the next part of an action begins there, too. */
const hiddenPollMs = 10000

/** Waits `ms`; in a hidden tab at least `hiddenPollMs`, or until it is shown. */
function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    const beginMs = Date.now()
    let timer: ReturnType<typeof setTimeout>
    const plan = () => {
      clearTimeout(timer)
      const waitMs = document.hidden ? Math.max(ms, hiddenPollMs) : ms
      timer = setTimeout(end, Math.max(0, beginMs + waitMs - Date.now()))
    }
    const end = () => {
      document.removeEventListener('visibilitychange', plan)
      done()
    }
    document.addEventListener('visibilitychange', plan)
    plan()
  })
}

/** The server may have done what was asked, or may go on with it. */
class OutcomeUnknown extends Error {}
const mayBeDone = (error: unknown) => error instanceof ApiError && (error.isAbsence || (error.status >= 500 && error.status !== 503))

/** Splits ids into parts of as many as the server takes. */
export function partsOf(ids: number[]): { ids: number[] }[] {
  const parts = []
  for (let i = 0; i < ids.length; i += bulkMax) parts.push({ ids: ids.slice(i, i + bulkMax) })
  return parts
}

/** Adds what a task has done to the result of earlier parts. */
export function addTask(result: BulkResult, task: Task): BulkResult {
  return {
    total: result.total,
    done: result.done + task.done,
    failures: result.failures + task.failed,
    failed: [...result.failed, ...task.problems.map(({ id, detail }) => ({ id, detail }))],
    aborted: result.aborted || task.state === 'aborted',
  }
}

/** Returns failures by their reason, the most frequent reason first. */
export function failuresByReason(failed: BulkResult['failed']): { detail: string; ids: number[] }[] {
  const found = new Map<string, number[]>()
  for (const { id, detail } of failed) found.set(detail, [...(found.get(detail) ?? []), id])
  return [...found].map(([detail, ids]) => ({ detail, ids })).sort((a, b) => b.ids.length - a.ids.length)
}

/**
 * Selected rows of a list, or all that match its filter, and actions with them. `show` reads the list again; `filter` is a text
 * that changes with the filter.
 */
export function useBulk<Filter>(show: () => void, filter: () => string = () => '') {
  const selected = ref(new Set<number>())
  const all = shallowRef<Matching<Filter> | null>(null)
  /** `task`: 0 until the server has begun. */
  const progress = ref<{ done: number; total: number; task: number } | null>(null)
  const outcome = shallowRef<{ text: string; result: BulkResult; retry?: (ids: number[]) => Promise<void> } | null>(null)
  const chosen = computed(() => [...selected.value])
  const count = computed(() => all.value?.total ?? selected.value.size)
  watch([selected, filter], () => (all.value = null), { flush: 'sync' })

  let left = false
  if (getCurrentScope())
    onScopeDispose(() => {
      left = true
      if (progress.value) tellWarning(t('bulk.goes_on'))
    })

  /** Returns the requests for these objects, or else for the chosen ones. */
  function objectsOf(only?: number[]): Objects<Filter>[] {
    if (!only && all.value) return [{ filter: all.value.filter, expect: all.value.total }]
    // In order, so that the same objects are the same requests.
    return partsOf([...(only ?? chosen.value)].sort((a, b) => a - b))
  }
  /** Shows progress while an action works with `total` objects. */
  async function during<Value>(total: number, action: () => Promise<Value>): Promise<Value> {
    progress.value = { done: 0, total, task: 0 }
    try {
      return await action()
    } finally {
      progress.value = null
    }
  }
  /** Reads the progress of a task until it ends. Goes on after errors that may pass. Errors: OutcomeUnknown. Null: the user has left the page. */
  async function follow(task: number, before: BulkResult): Promise<Task | null> {
    progress.value = { done: before.done + before.failures, total: before.total, task }
    for (let errors = 0; !left; ) {
      try {
        const now = await call('GET /tasks/{id}', { id: task, repeat: false })
        if (left) return null
        progress.value = { done: before.done + before.failures + now.done + now.failed, total: before.total, task }
        if (now.state !== 'running') return now
        errors = 0
        await pause(pollMs)
      } catch (error) {
        if (!(error instanceof ApiError && error.mayPass)) throw new OutcomeUnknown(wordsOf(error))
        errors += 1
        await pause(Math.max(error.retryAfterMs ?? 0, nextWaitMs(pollMs, errors, null)))
      }
    }
    return null
  }
  /**
   * Does an action with the objects as tasks, one after the other. Null: nothing was done, or the outcome is unknown. `keys`: keys of the action
   * by requests. They stay until the outcome is known: the same requests with the same keys do nothing twice.
   */
  async function work(begin: (objects: Objects<Filter>, key: string) => Promise<TaskBegun>, only?: number[], keys = new Map<string, string>()): Promise<BulkResult | null> {
    let result: BulkResult = { ...nothing, total: only?.length ?? count.value }
    const requests = objectsOf(only).map((objects) => ({ objects, name: JSON.stringify(objects) }))
    for (const { name } of requests) if (!keys.has(name)) keys.set(name, newIdempotencyKey())
    return during(result.total, async () => {
      let isRefused = false
      try {
        for (const { objects, name } of requests) {
          const ended = await follow((await begin(objects, keys.get(name) ?? '')).task, result)
          if (!ended) return null
          result = addTask(result, ended)
          if (result.aborted) break
        }
      } catch (error) {
        refuse(error)
        if (error instanceof OutcomeUnknown || mayBeDone(error)) return null
        isRefused = true
      }
      for (const { name } of requests) keys.delete(name)
      return isRefused && !result.done && !result.failures ? null : result
    })
  }
  /** Follows a task with `total` objects that has begun elsewhere. Null: its outcome is unknown. */
  function watchTask(begun: TaskBegun, total: number): Promise<BulkResult | null> {
    return during(total, async () => {
      try {
        const ended = await follow(begun.task, { ...nothing, total })
        return ended && addTask({ ...nothing, total }, ended)
      } catch (error) {
        refuse(error)
        return null
      }
    })
  }
  /** Shows an error. If another number of objects matches by now, it is shown, to be confirmed again. */
  function refuse(error: unknown): void {
    if (error instanceof OutcomeUnknown || mayBeDone(error)) {
      tellWarning(t('bulk.unknown', { reason: wordsOf(error) }))
      return show()
    }
    const now = error instanceof ApiError && error.status === 409 ? error.count : null
    if (now === null || !all.value) tellError(error)
    else {
      all.value = { ...all.value, total: now }
      tellWarning(t('bulk.changed', { count: now }))
    }
    show()
  }
  async function abort(): Promise<void> {
    if (!progress.value?.task) return
    try {
      await call('POST /tasks/{id}/abort', { id: progress.value.task })
    } catch (error) {
      tellError(error)
    }
  }

  /** Shows an outcome. Only failed objects stay selected. */
  function finish(action: BulkAction, result: BulkResult, retry?: (ids: number[]) => Promise<void>, undo?: () => Promise<void>): void {
    const text = t(`bulk.done.${action}`, { done: result.done, total: result.total })
    selected.value = new Set(result.failed.map((each) => each.id))
    if (undo) tellWithUndo(text, undo)
    else if (result.aborted) tellWarning(`${t('bulk.aborted')} ${text}`)
    else if (!result.failures) tellDone(text)
    // On another page nothing shows the failures.
    if (result.failures && left) tellWarning(text)
    else if (result.failures) outcome.value = { text, result, retry }
    show()
  }
  async function retryFailed(): Promise<void> {
    const now = outcome.value
    outcome.value = null
    await now?.retry?.(now.result.failed.map((each) => each.id))
  }
  function closeOutcome(): void {
    outcome.value = null
  }
  function clear(): void {
    selected.value = new Set()
    all.value = null
  }
  return { selected, all, progress, outcome, chosen, count, during, work, watchTask, abort, finish, retryFailed, closeOutcome, clear }
}

export type Bulk = Pick<ReturnType<typeof useBulk>, 'selected' | 'all' | 'progress' | 'outcome' | 'count' | 'abort' | 'retryFailed' | 'closeOutcome' | 'clear'>
