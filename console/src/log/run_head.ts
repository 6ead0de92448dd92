import { computed, ref } from 'vue'
import type { Run } from '../../types/api'
import { call } from '../api/client'
import { durationText, useNow } from '../app/clock'
import { t } from '../app/i18n'
import { confirmed, tellDone, tellError, tellWarning, wordsOf } from '../app/notices'
import { useSession } from '../app/session'
import { durationMs, stateOf } from './run_facts'

/** Returns whether a run has, or had, a log. */
export const hasLog = (run: Run) => run.status !== 'missed' && (run.trigger_code === 200 || run.handle_code !== 0)

/** Returns the words for the duration of a run, which grow while it is open. */
export function useDurations() {
  const now = useNow()
  const duration = (run: Run) => durationMs(run, now.value)
  const durationWords = (run: Run) => {
    const ms = duration(run)
    return ms === null ? '–' : durationText(ms)
  }
  return { now, duration, durationWords }
}

/** Actions of runs as the list and the page of a run offer them. `refresh` reads the page again. */
export function useRunHead(refresh: () => Promise<void>) {
  const session = useSession()
  /** Run that is repeated in the dialog; null: closed. */
  const rerun = ref<Run | null>(null)
  /** Members of the dialog "run once" for this run: with its parameters. The route strategy of the job chooses the executor. */
  const rerunOf = computed(() => {
    const run = rerun.value
    return run && { jobs: [{ id: run.job, name: run.job_name ?? '', group: run.group, params: run.params }], params: run.params }
  })

  const killable = (run: Run) => run.status === 'running' && session.may('operator', run.group)
  const repeatable = (run: Run) => run.status !== 'missed' && session.may('operator', run.group)
  const repeat = (run: Run) => repeatable(run) && (rerun.value = run)

  /** Tells how the run is after its executor agreed: another result may have been first, or the result is not known yet. */
  async function tellEnd(id: number, words: string): Promise<void> {
    const after = stateOf(await call('GET /runs/{id}', { id }))
    const said = words ? t('runs.executor_said', { words }) : ''
    const values = { id, state: t(`run.state.${after}`), said }
    if (after === 'killed') tellDone(t('runs.killed', values))
    else tellWarning(t(after === 'running' || after === 'pending' ? 'runs.kill_open' : 'runs.kill_ended', values))
  }
  async function kill(run: Run): Promise<void> {
    if (!(await confirmed(t('runs.kill'), t('runs.kill_question', { id: run.id }), t('runs.kill'), true))) return
    try {
      const { message } = await call('POST /runs/{id}/kill', { id: run.id })
      await tellEnd(run.id, message).catch(() => tellWarning(t('runs.kill_asked', { id: run.id })))
    } catch (error) {
      tellError(new Error(t('runs.not_killed', { id: run.id, reason: wordsOf(error) })))
    }
    await refresh()
  }
  return { rerun, rerunOf, killable, repeatable, repeat, kill }
}
