import { computed, ref } from 'vue'
import type { JobRow } from '../../types/api'
import { call } from '../api/client'
import { t } from '../app/i18n'
import { attempt, confirmed, confirmedByTyping, tellDone, tellWarning, tellWithUndo } from '../app/notices'
import { bulk, readJobs, type Outcome } from './job_actions'
import type { RunnableJob } from './job_head'

type Seen = Pick<JobRow, 'id' | 'running'>

/** An action on more jobs cannot be undone: their states before it are read one by one. */
const undoMax = 100

/** Returns the jobs whose state an action really changed: those that were done and had the other state before. */
export function changedBy(on: boolean, done: number[], before: Seen[]): number[] {
  const wasOn = new Map(before.map((job) => [job.id, job.running]))
  return done.filter((id) => wasOn.get(id) === !on)
}

/** Actions on selected jobs, with their outcome. `rows` are the shown ones, `show` reads the list again. */
export function useBulkJobs(rows: () => JobRow[], show: () => void) {
  const selected = ref(new Set<number>())
  const progress = ref<{ done: number; total: number } | null>(null)
  const outcome = ref<{ text: string; outcome: Outcome; retry: (ids: number[]) => Promise<void> } | null>(null)
  const chosen = computed(() => [...selected.value])
  const shownById = () => new Map(rows().map((job) => [job.id, job]))

  const send = (on: boolean, ids: number[]) => bulk((part) => call(on ? 'POST /jobs/start' : 'POST /jobs/stop', { body: { ids: part } }), ids)

  /** Shows an outcome. Only failed jobs stay selected. */
  function finish(done: Outcome, total: number, retry: (ids: number[]) => Promise<void>, undo?: () => Promise<void>): void {
    const text = t('bulk.outcome', { done: done.done.length, total })
    selected.value = new Set(done.failed.map((each) => each.id))
    if (undo) tellWithUndo(text, undo)
    else if (!done.failed.length) tellDone(text)
    if (done.failed.length) outcome.value = { text, outcome: done, retry }
    show()
  }
  /** Undoes a start or stop of jobs that still have the state that it left. */
  async function undoTurn(on: boolean, ids: number[]): Promise<void> {
    const { found, failed } = await readJobs(ids)
    const left = found.filter((job) => job.running === on).map((job) => job.id)
    const skipped = found.length - left.length
    if (skipped) tellWarning(t('undo.skipped', { count: skipped }))
    const done = left.length ? await send(!on, left) : { done: [], failed: [] }
    if (!done) return
    done.failed.push(...failed)
    if (left.length || failed.length) finish(done, left.length + failed.length, (again) => undoTurn(on, again))
    else show()
  }
  async function turn(on: boolean, ids = chosen.value, ask = true): Promise<void> {
    const action = t(on ? 'jobs.start' : 'jobs.stop')
    if (ask && !(await confirmed(action, t(on ? 'bulk.start_question' : 'bulk.stop_question', { count: ids.length }), action))) return
    const before = ids.length <= undoMax ? (await readJobs(ids)).found : []
    const done = await send(on, ids)
    if (!done) return
    const changed = changedBy(on, done.done, before)
    finish(done, ids.length, (failed) => turn(on, failed, false), changed.length ? () => undoTurn(on, changed) : undefined)
  }
  async function remove(ids = chosen.value): Promise<void> {
    const title = t('jobs.delete')
    const text = t('bulk.delete_question', { count: ids.length })
    const sure = ids.length > 20 ? await confirmedByTyping(title, text, title, String(ids.length)) : await confirmed(title, text, title, true)
    if (!sure) return
    const done: Outcome = { done: [], failed: [] }
    for (const id of ids) {
      progress.value = { done: done.done.length + done.failed.length, total: ids.length }
      await call('DELETE /jobs/{id}', { id }).then(
        () => done.done.push(id),
        (error: unknown) => done.failed.push({ id, detail: error instanceof Error ? error.message : '' }),
      )
    }
    progress.value = null
    finish(done, ids.length, remove)
  }
  async function retryFailed(): Promise<void> {
    const now = outcome.value
    outcome.value = null
    if (now) await now.retry(now.outcome.failed.map((each) => each.id))
  }
  /** Returns the selected jobs, also those of other pages; null: one of them cannot be read. */
  async function chosenJobs(): Promise<RunnableJob[] | null> {
    const seen = shownById()
    const shown = chosen.value.flatMap((id) => seen.get(id) ?? [])
    let missing: RunnableJob[] = []
    const all = await attempt(async () => {
      missing = await Promise.all(chosen.value.filter((id) => !seen.has(id)).map((id) => call('GET /jobs/{id}', { id })))
    })
    return all ? [...shown, ...missing] : null
  }
  return { selected, progress, outcome, turn, remove, retryFailed, chosenJobs }
}
