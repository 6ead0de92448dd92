import { ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { Job, JobRow } from '../../types/api'
import { call } from '../api/client'
import { copyText } from '../app/clipboard'
import { t } from '../app/i18n'
import { follow } from '../app/links'
import { attempt, tellDone, tellWarning } from '../app/notices'
import { useSession, type Right } from '../app/session'
import { deleteJob, switchJob } from './job_actions'

export interface RunnableJob {
  id: number
  name: string
  group: number
  params: string
}

/** Actions of jobs as the list and the page of a job offer them. `refresh` reads the page again. */
export function useJobHead(refresh: () => Promise<void>) {
  const route = useRoute()
  const router = useRouter()
  const session = useSession()
  /** Wanted states of jobs whose switch the server has not answered yet. */
  const switching = ref<Record<number, boolean>>({})
  /** Jobs of the dialog "run once"; null: closed. */
  const ran = ref<RunnableJob[] | null>(null)

  const may = (right: Right, job: Pick<JobRow, 'group'>) => session.may(right, job.group)
  /** The job has a schedule, and the user may start and stop it. */
  const switchable = (job: JobRow | Job) => may('operator', job) && job.schedule.type !== 'NONE'
  const deletable = (job: JobRow | Job) => may('editor', job) && !job.source
  // The filters of a list stay in the URL below its drawer. A drawer that a job's own page opens leads back to that page.
  const drawerAt = (path: string, more: Record<string, string> = {}) => {
    const place = route.matched[0]?.path
    const query = place === '/jobs' ? { ...route.query, ...more } : place === '/jobs/:id(\\d+)' ? { ...more, back: 'job' } : more
    return { path, query }
  }
  const toDrawer = (path: string, more: Record<string, string> = {}, event?: Event) => follow(router, drawerAt(path, more), event)
  /** Returns the place of the editor of a job with the focus on its cron; null: the user cannot change it there. */
  const cronEditorOf = (job: JobRow) => (may('editor', job) && !job.source && job.schedule.type === 'CRON' ? drawerAt(`/jobs/${job.id}/edit`, { field: 'cron' }) : null)

  /** Shows the wanted state from the confirmation until the server has answered; after a failure the page shows the real one. */
  async function turnTo(job: JobRow | Job, on: boolean): Promise<void> {
    const begun = () => (switching.value = { ...switching.value, [job.id]: on })
    if (await switchJob(job, on, refresh, begun)) await refresh()
    const rest = { ...switching.value }
    delete rest[job.id]
    switching.value = rest
  }
  const actions = {
    run: (job: JobRow | Job) => may('operator', job) && (ran.value = [job]),
    /** Starts a stopped job, stops a started one. A job that lost its schedule can still be stopped. */
    turn: (job: JobRow | Job) => may('operator', job) && (job.running || job.schedule.type !== 'NONE') && void turnTo(job, !job.running),
    // These lead to other pages; an event with Ctrl opens them in new tabs.
    edit: (job: JobRow | Job, event?: Event) => may('editor', job) && toDrawer(`/jobs/${job.id}/edit`, {}, event),
    copy: (job: JobRow | Job, event?: Event) => may('editor', job) && toDrawer('/jobs/new', { from: String(job.id) }, event),
    add: (event?: Event) => toDrawer('/jobs/new', {}, event),
    runs: (job: JobRow | Job, event?: Event) => follow(router, `/runs?job=${job.id}`, event),
    script: (job: JobRow | Job, event?: Event) => follow(router, `/jobs/${job.id}/script`, event),
  }
  /** Copies the job as a table of a declared file. */
  async function copyToml(job: JobRow | Job): Promise<void> {
    await attempt(async () => {
      const text = await call('GET /jobs/{id}/declaration', { id: job.id })
      if (await copyText(text)) tellDone(t('jobs.toml_copied'))
      else tellWarning(t('jobs.toml_not_copied'))
    })
  }
  async function remove(job: JobRow | Job, then: () => void): Promise<void> {
    if (await deleteJob(job)) then()
  }
  return { switching, ran, may, switchable, deletable, cronEditorOf, copyToml, remove, ...actions }
}
