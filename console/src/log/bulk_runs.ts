import type { RunFilter } from '../../types/api'
import { call } from '../api/client'
import { t } from '../app/i18n'
import { confirmed, confirmedByTyping } from '../app/notices'
import { useBulk } from '../live/bulk'

/** Actions with more runs need their number typed. */
const plainMax = 20

/** Actions on selected runs, with their outcome. `show` reads the list again. */
export function useBulkRuns(show: () => void, filter: () => string) {
  const own = useBulk<RunFilter>(show, filter)
  const { count, work, finish } = own
  /** Keys of reruns whose outcome is not known yet. */
  const keys = new Map<string, string>()
  const sure = (title: string, text: string, number: number) =>
    number > plainMax ? confirmedByTyping(title, text, title, String(number)) : confirmed(title, text, title, true)

  async function kill(only?: number[]): Promise<void> {
    const number = only?.length ?? count.value
    if (!(await sure(t('runs.kill'), t('bulk.kill_question', { count: number }), number))) return
    const result = await work((body) => call('POST /runs/kill', { body }), only)
    if (result) finish('kill', result, kill)
  }
  async function rerun(only?: number[]): Promise<void> {
    const number = only?.length ?? count.value
    if (!(await sure(t('runs.rerun'), t('bulk.rerun_question', { count: number }), number))) return
    const result = await work((body, idempotencyKey) => call('POST /runs/rerun', { body, idempotencyKey }), only, keys)
    if (result) finish('rerun', result, rerun)
  }
  return { ...own, kill, rerun }
}
