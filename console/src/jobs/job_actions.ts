import type { BulkOutcome, Job, JobRow, TaskBegun } from '../../types/api'
import { call } from '../api/client'
import { attempt, confirmed, tellDone, tellError, tellWarning, tellWithUndo, wordsOf } from '../app/notices'
import { t } from '../app/i18n'
import { misfires } from './choices'
import { partsOf } from '../live/bulk'

export type JobFacts = Pick<JobRow, 'id' | 'name' | 'group' | 'running' | 'schedule' | 'glue_type' | 'source'>

export const stateOfJob = (job: Pick<JobRow, 'running' | 'schedule'>) => (job.schedule.type === 'NONE' ? 'manual' : job.running ? 'scheduled' : 'stopped')

/** Formats `CRON: 0 0 2 * * ?` or `FIX_RATE: 30 s`. */
export function scheduleText(job: Pick<JobRow, 'schedule' | 'interval_ms'>): string {
  if (job.schedule.type === 'NONE') return ''
  if (job.schedule.type === 'FIX_RATE') return `${job.interval_ms ?? job.schedule.conf ?? ''} ${job.interval_ms ? 'ms' : 's'}`
  return job.schedule.conf ?? ''
}

/** A schedule whose next times the server computes. */
export interface PreviewedSchedule {
  type: 'NONE' | 'CRON' | 'FIX_RATE'
  conf?: string
  time_zone?: string
  interval_ms?: number
  start_at_ms?: number
  end_at_ms?: number
  jitter_ms?: number
  misfire?: (typeof misfires)[number]
}

/** Returns the schedule of a job as the preview takes it. */
export function scheduleOf(job: Pick<JobRow, 'schedule' | 'time_zone' | 'interval_ms' | 'start_at_ms' | 'end_at_ms' | 'jitter_ms' | 'misfire'>): PreviewedSchedule {
  return {
    type: job.schedule.type as PreviewedSchedule['type'],
    conf: job.interval_ms ? undefined : (job.schedule.conf ?? undefined),
    time_zone: job.time_zone ?? undefined,
    interval_ms: job.interval_ms ?? undefined,
    start_at_ms: job.start_at_ms ?? undefined,
    end_at_ms: job.end_at_ms ?? undefined,
    jitter_ms: job.jitter_ms ?? undefined,
    misfire: misfires.find((each) => each === job.misfire),
  }
}

const sendSwitch = (id: number, on: boolean) => call(on ? 'POST /jobs/{id}/start' : 'POST /jobs/{id}/stop', { id })

/** Undoes a start or stop, unless the job no longer has the state that the action left. */
async function undoSwitch(id: number, on: boolean, done: string): Promise<void> {
  await attempt(async () => {
    const job = await call('GET /jobs/{id}', { id })
    if (job.running !== on) return tellWarning(t('undo.skipped', { count: 1 }))
    await sendSwitch(id, !on)
    tellDone(done)
  })
}

/**
 * Starts or stops a job after a confirmation, which calls `begun`. If that changes the job's state as the server knows it, the notice can
 * undo it, and `refresh` is called then. Returns whether it was done.
 */
export async function switchJob(job: JobFacts, on: boolean, refresh: () => Promise<void>, begun: () => void): Promise<boolean> {
  const name = { name: job.name, id: job.id }
  const action = t(on ? 'jobs.start' : 'jobs.stop')
  if (!(await confirmed(action, t(on ? 'jobs.start_question' : 'jobs.stop_question', name), action))) return false
  begun()
  // Another user may have changed the state since the page was read.
  const { found } = await readJobs([job.id])
  if (!(await attempt(() => sendSwitch(job.id, on)))) return false
  const done = t(on ? 'jobs.started' : 'jobs.stopped', name)
  if (found[0]?.running !== !on) tellDone(done)
  else
    tellWithUndo(done, async () => {
      await undoSwitch(job.id, on, t(on ? 'jobs.stopped' : 'jobs.started', name))
      await refresh()
    })
  return true
}

/** Reads jobs from the server, eight at a time. `failed`: those that cannot be read. */
export async function readJobs(ids: number[]): Promise<{ found: Job[]; failed: Outcome['failed'] }> {
  const found: Job[] = []
  const failed: Outcome['failed'] = []
  for (let i = 0; i < ids.length; i += 8)
    await Promise.all(
      ids.slice(i, i + 8).map((id) =>
        call('GET /jobs/{id}', { id, repeat: false }).then(
          (job) => found.push(job),
          (error: unknown) => failed.push({ id, detail: wordsOf(error) }),
        ),
      ),
    )
  return { found, failed }
}

export async function deleteJob(job: JobFacts): Promise<boolean> {
  const name = { name: job.name, id: job.id }
  if (!(await confirmed(t('jobs.delete'), t('jobs.delete_question', name), t('jobs.delete'), true))) return false
  return attempt(() => call('DELETE /jobs/{id}', { id: job.id }), t('jobs.deleted', name))
}

export interface Outcome {
  done: number[]
  failed: { id: number; detail: string }[]
}

export function outcomeOf(answers: BulkOutcome[]): Outcome {
  const outcome: Outcome = { done: [], failed: [] }
  for (const answer of answers)
    for (const item of answer.items ?? []) {
      if (item.status < 400) outcome.done.push(item.id)
      else outcome.failed.push({ id: item.id, detail: item.problem?.detail ?? String(item.status) })
    }
  return outcome
}

/** Does one action with many jobs, in parts of as many as the server takes. Null: the request failed as a whole. */
export async function bulk(action: (ids: number[]) => Promise<BulkOutcome | TaskBegun>, ids: number[]): Promise<Outcome | null> {
  const answers: BulkOutcome[] = []
  try {
    for (const part of partsOf(ids)) {
      const answer = await action(part.ids)
      if ('items' in answer) answers.push(answer)
    }
  } catch (error) {
    tellError(error)
    if (!answers.length) return null
  }
  return outcomeOf(answers)
}
