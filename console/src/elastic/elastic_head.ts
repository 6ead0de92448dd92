import { ref } from 'vue'
import type { ElasticEdit, ElasticJobRow, ElasticStatus, ElasticSwitch } from '../../types/api'
import { call } from '../api/client'
import { t } from '../app/i18n'
import { attempt, confirmed, tellDone, tellWarning, tellWithUndo } from '../app/notices'
import { useSession, type Right } from '../app/session'

export type ElasticFacts = Pick<ElasticJobRow, 'id' | 'name' | 'group' | 'status'>

/** Enables or disables an item of a job; without one, the job. */
const sendSwitch = (id: number, on: boolean, body: ElasticSwitch = {}): Promise<ElasticEdit> => call(on ? 'POST /elastic/jobs/{id}/enable' : 'POST /elastic/jobs/{id}/disable', { id, body })

function sendStatus(id: number, status: ElasticStatus): Promise<ElasticEdit> {
  if (status === 'shut_down') return call('POST /elastic/jobs/{id}/shutdown', { id })
  if (status === 'draining') return call('POST /elastic/jobs/{id}/drain', { id })
  return sendSwitch(id, status === 'enabled')
}

/** Enables or disables a host for a job. */
const sendHost = (id: number, name: string, on: boolean): Promise<ElasticEdit> => call(on ? 'POST /elastic/jobs/{id}/hosts/{name}/enable' : 'POST /elastic/jobs/{id}/hosts/{name}/disable', { id, name })

const statusOf = async (id: number) => (await call('GET /elastic/jobs/{id}', { id, repeat: false })).status

/** Returns whether an item is disabled; null: it has no row any more. */
async function isItemDisabled(id: number, item: number): Promise<boolean | null> {
  const query = item > 0 ? { limit: 1, cursor: `p${item}` } : { limit: 1 }
  const found = (await call('GET /elastic/jobs/{id}/items', { id, query, repeat: false })).items[0]
  return found?.item === item ? found.disabled : null
}

/** Undoes a change, unless what it left was changed since. */
async function undo(isUnchanged: () => Promise<boolean>, send: () => Promise<unknown>, done: string): Promise<void> {
  await attempt(async () => {
    if (!(await isUnchanged())) return tellWarning(t('undo.skipped', { count: 1 }))
    await send()
    tellDone(done)
  })
}

/** Actions on elastic jobs as their list and the page of a job offer them. `refresh` reads the page again. */
export function useElasticHead(refresh: () => Promise<void>) {
  const session = useSession()
  /** Wanted states of jobs whose change the server has not answered yet. */
  const switching = ref<Record<number, ElasticStatus>>({})
  /** Job and item of the dialog "run now"; null: it is closed. `item`: null for all items. */
  const ran = ref<{ job: ElasticFacts; item: number | null } | null>(null)
  const may = (right: Right, job: Pick<ElasticJobRow, 'group'>) => session.may(right, job.group)

  /** Changes the state of a job after a confirmation. If the server had another state before, the notice can undo it. */
  async function setStatus(job: ElasticFacts, to: ElasticStatus): Promise<void> {
    const name = { name: job.name, id: job.id }
    const action = t(`elastic.set.${to}`)
    if (!may('operator', job) || !(await confirmed(action, t(`elastic.set_question.${to}`, name), action))) return
    switching.value = { ...switching.value, [job.id]: to }
    await attempt(async () => {
      // Another user may have changed the state since the page was read.
      const before = await statusOf(job.id)
      const { changed } = await sendStatus(job.id, to)
      const done = t(`elastic.set_done.${to}`, name)
      if (!changed || before === to) return tellDone(done)
      tellWithUndo(done, async () => {
        await undo(async () => (await statusOf(job.id)) === to, () => sendStatus(job.id, before), t(`elastic.set_done.${before}`, name))
        await refresh()
      })
    })
    await refresh()
    const rest = { ...switching.value }
    delete rest[job.id]
    switching.value = rest
  }
  /** Enables or disables one item; its notice can undo it. */
  async function setItem(job: ElasticFacts, item: number, on: boolean): Promise<void> {
    if (!may('operator', job)) return
    const done = (enabled: boolean) => t(enabled ? 'elastic.item_enabled' : 'elastic.item_disabled', { item })
    await attempt(async () => {
      const { changed } = await sendSwitch(job.id, on, { item })
      if (!changed) return tellDone(done(on))
      tellWithUndo(done(on), async () => {
        await undo(async () => (await isItemDisabled(job.id, item)) === !on, () => sendSwitch(job.id, !on, { item }), done(!on))
        await refresh()
      })
    })
    await refresh()
  }
  /** Sends an order that ends runs, after a confirmation. It cannot be undone. */
  async function endRuns(job: ElasticFacts, action: string, question: string, send: () => Promise<ElasticEdit>, done: string): Promise<void> {
    if (!may('operator', job) || !(await confirmed(action, question, action, true))) return
    await attempt(async () => {
      await send()
      tellDone(done)
    })
    await refresh()
  }
  /** Cancels the open run of an item. */
  const cancel = (job: ElasticFacts, item: number, run: number) =>
    endRuns(job, t('elastic.cancel_run'), t('elastic.cancel_question', { item, run, name: job.name }), () => call('POST /elastic/runs/{id}/cancel', { id: run }), t('elastic.cancel_done', { item, run }))
  /** Cancels the open runs of a job and enables it. */
  const restart = (job: ElasticFacts) =>
    endRuns(job, t('elastic.restart'), t('elastic.restart_question', { name: job.name, id: job.id }), () => call('POST /elastic/jobs/{id}/restart', { id: job.id }), t('elastic.restart_done', { name: job.name }))
  /** Enables or disables one host for a job, by id or IP address; its notice can undo it. */
  async function setHost(job: ElasticFacts, host: string, on: boolean): Promise<void> {
    const names = { host, name: job.name }
    const action = t(on ? 'elastic.job_host.enable' : 'elastic.job_host.disable')
    if (!may('operator', job) || (!on && !(await confirmed(action, t('elastic.job_host.question', names), action)))) return
    const done = (enabled: boolean) => t(enabled ? 'elastic.job_host.enabled' : 'elastic.job_host.disabled', names)
    await attempt(async () => {
      const { changed } = await sendHost(job.id, host, on)
      if (!changed) return tellDone(done(on))
      tellWithUndo(done(on), async () => {
        await undo(async () => (await call('GET /elastic/jobs/{id}', { id: job.id, repeat: false })).disabled_servers.includes(host) === !on, () => sendHost(job.id, host, !on), done(!on))
        await refresh()
      })
    })
    await refresh()
  }
  const turn = (job: ElasticFacts) => setStatus(job, job.status === 'enabled' ? 'disabled' : 'enabled')
  const run = (job: ElasticFacts, item: number | null = null) => void (may('operator', job) && (ran.value = { job, item }))
  return { switching, ran, may, setStatus, setItem, setHost, cancel, restart, turn, run }
}
export type ElasticHead = ReturnType<typeof useElasticHead>
