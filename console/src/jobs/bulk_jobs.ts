import { watch } from 'vue'
import type { JobFilter, JobRow, TaskBegun } from '../../types/api'
import { call } from '../api/client'
import { useGroups } from '../app/groups'
import { t } from '../app/i18n'
import { attempt, confirmed, confirmedByTyping, tellWarning } from '../app/notices'
import { useBulk, type BulkResult, type Objects } from '../live/bulk'
import { bulk, readJobs, type Outcome } from './job_actions'
import type { RunnableJob } from './job_head'

type Seen = Pick<JobRow, 'id' | 'running'>

/** An action on more jobs cannot be undone: their states before it are read one by one. */
const undoMax = 100
/** Removals of more jobs need their number typed. */
const plainMax = 20
const namedGroupsMax = 3

/** Returns the jobs whose state an action really changed: those that were done and had the other state before. */
export function changedBy(on: boolean, done: number[], before: Seen[]): number[] {
  const wasOn = new Map(before.map((job) => [job.id, job.running]))
  return done.filter((id) => wasOn.get(id) === !on)
}

const resultOf = (outcome: Outcome, total: number): BulkResult => ({ total, done: outcome.done.length, failures: outcome.failed.length, failed: outcome.failed, aborted: false })

/** Actions on selected jobs, with their outcome. `rows` are the shown ones, `show` reads the list again. */
export function useBulkJobs(rows: () => JobRow[], show: () => void, filter?: () => string) {
  const own = useBulk<JobFilter>(show, filter)
  const { selected, all, chosen, count, during, work, watchTask, finish } = own
  const shownById = () => new Map(rows().map((job) => [job.id, job]))
  /** Groups of the jobs that were shown when they were selected. */
  const groupOf = new Map<number, number>()
  watch(selected, () => rows().forEach((job) => groupOf.set(job.id, job.group)), { flush: 'sync' })

  /** Returns the names of the groups of the chosen jobs; empty: unknown. */
  function groupNames(ids: number[] | undefined): string {
    if (!ids && all.value && all.value.filter.group === undefined) return t('bulk.all_groups')
    const groups = useGroups()
    const found = !ids && all.value ? String(all.value.filter.group).split(',').map(Number) : (ids ?? chosen.value).flatMap((id) => groupOf.get(id) ?? [])
    const names = [...new Set(found)].map((id) => groups.title(id))
    const text = names.slice(0, namedGroupsMax).join(', ')
    return names.length > namedGroupsMax ? t('bulk.more_groups', { names: text, count: names.length - namedGroupsMax }) : text
  }

  function question(text: string, ids: number[] | undefined): string {
    const groups = groupNames(ids)
    return groups ? `${text} ${t('bulk.of_groups', { groups })}` : text
  }

  const sendTo = (on: boolean) => (on ? 'POST /jobs/start' : 'POST /jobs/stop')
  const send = (on: boolean, ids: number[]) => bulk((part) => call(sendTo(on), { body: { ids: part } }), ids)

  /** Undoes a start or stop of jobs that still have the state that it left. */
  async function undoTurn(on: boolean, ids: number[]): Promise<void> {
    const { found, failed } = await readJobs(ids)
    const left = found.filter((job) => job.running === on).map((job) => job.id)
    const skipped = found.length - left.length
    if (skipped) tellWarning(t('undo.skipped', { count: skipped }))
    const done = left.length ? await send(!on, left) : { done: [], failed: [] }
    if (!done) return
    done.failed.push(...failed)
    if (left.length || failed.length) finish(on ? 'stop' : 'start', resultOf(done, left.length + failed.length), (again) => undoTurn(on, again))
    else show()
  }
  async function turn(on: boolean, only?: number[], ask = true): Promise<void> {
    const action = t(on ? 'jobs.start' : 'jobs.stop')
    const ids = only ?? chosen.value
    const number = only?.length ?? count.value
    if (ask && !(await confirmed(action, question(t(on ? 'bulk.start_question' : 'bulk.stop_question', { count: number }), only), action))) return
    const retry = (failed: number[]) => turn(on, failed, false)
    if (!only && all.value) {
      const result = await work((body) => call(sendTo(on), { body }) as Promise<TaskBegun>)
      if (result) finish(on ? 'start' : 'stop', result, retry)
      return
    }
    const { before, done } = await during(ids.length, async () => ({ before: ids.length <= undoMax ? (await readJobs(ids)).found : [], done: await send(on, ids) }))
    if (!done) return
    const changed = changedBy(on, done.done, before)
    finish(on ? 'start' : 'stop', resultOf(done, ids.length), retry, changed.length ? () => undoTurn(on, changed) : undefined)
  }
  async function remove(only?: number[]): Promise<void> {
    const title = t('jobs.delete')
    const number = only?.length ?? count.value
    const text = question(t('bulk.delete_question', { count: number }), only)
    const sure = number > plainMax ? await confirmedByTyping(title, text, title, String(number)) : await confirmed(title, text, title, true)
    if (!sure) return
    const result = await work((body: Objects<JobFilter>) => call('POST /jobs/delete', { body }), only)
    if (result) finish('delete', result, remove)
  }
  /** Follows a task of manual runs that has begun. */
  async function triggered(begun: TaskBegun, total: number): Promise<void> {
    const result = await watchTask(begun, total)
    if (result) finish('trigger', result)
  }
  /** Returns the selected jobs, also those of other pages; null: one of them cannot be read. */
  async function chosenJobs(): Promise<RunnableJob[] | null> {
    const seen = shownById()
    const shown = chosen.value.flatMap((id) => seen.get(id) ?? [])
    let missing: RunnableJob[] = []
    const found = await attempt(async () => {
      missing = await Promise.all(chosen.value.filter((id) => !seen.has(id)).map((id) => call('GET /jobs/{id}', { id })))
    })
    return found ? [...shown, ...missing] : null
  }
  return { ...own, turn, remove, triggered, chosenJobs }
}
