import { computed, getCurrentScope, onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { Task, TaskBegun } from '../../types/api'
import { call } from '../api/client'
import { ApiError } from '../api/problem'
import { t } from '../app/i18n'
import { tellDone, tellError, tellWarning, tellWithUndo } from '../app/notices'

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
const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

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
    return partsOf(only ?? chosen.value)
  }
  async function follow(task: number, before: BulkResult): Promise<Task | null> {
    for (;;) {
      const now = await call('GET /tasks/{id}', { id: task })
      if (left) return null
      progress.value = { done: before.done + before.failures + now.done + now.failed, total: before.total, task }
      if (now.state !== 'running') return now
      await pause(pollMs)
      if (left) return null
    }
  }
  /** Does an action with the objects as tasks, one after the other. Null: nothing was done. */
  async function work(begin: (objects: Objects<Filter>) => Promise<TaskBegun>, only?: number[]): Promise<BulkResult | null> {
    let result: BulkResult = { ...nothing, total: only?.length ?? count.value }
    progress.value = { done: 0, total: result.total, task: 0 }
    try {
      for (const objects of objectsOf(only)) {
        const { task } = await begin(objects)
        const ended = await follow(task, result)
        if (!ended) return null
        result = addTask(result, ended)
        if (result.aborted) break
      }
    } catch (error) {
      refuse(error)
      if (!result.done && !result.failures) return null
    } finally {
      progress.value = null
    }
    return result
  }
  /** Follows a task with `total` objects that has begun elsewhere. Null: its outcome is unknown. */
  async function watchTask(begun: TaskBegun, total: number): Promise<BulkResult | null> {
    try {
      const ended = await follow(begun.task, { ...nothing, total })
      return ended && addTask({ ...nothing, total }, ended)
    } catch (error) {
      refuse(error)
      return null
    } finally {
      progress.value = null
    }
  }
  /** Shows an error. If another number of objects matches by now, it is shown, to be confirmed again. */
  function refuse(error: unknown): void {
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
    if (result.failures) outcome.value = { text, result, retry }
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
  return { selected, all, progress, outcome, chosen, count, work, watchTask, abort, finish, retryFailed, closeOutcome, clear }
}

export type Bulk = Pick<ReturnType<typeof useBulk>, 'selected' | 'all' | 'progress' | 'outcome' | 'count' | 'abort' | 'retryFailed' | 'closeOutcome' | 'clear'>
