import { ref } from 'vue'
import type { ElasticJobRow } from '../../types/api'
import { call } from '../api/client'
import { copyText } from '../app/clipboard'
import { t } from '../app/i18n'
import { attempt, confirmed, tellDone, tellWarning } from '../app/notices'
import { useSession } from '../app/session'

export type EditableElastic = Pick<ElasticJobRow, 'id' | 'name' | 'group' | 'source'>

/** What a form begins with: nothing, or a stored job that it changes or copies. */
export type ElasticFormStart = { group?: number } | { id: number; isCopy: boolean }

/** Edits of definitions as the list and the page of a job offer them. */
export function useElasticEdits() {
  const session = useSession()
  /** Begin of the open form; null: it is closed. */
  const opened = ref<ElasticFormStart | null>(null)
  const may = (job: Pick<EditableElastic, 'group'>) => session.may('editor', job.group)
  const deletable = (job: EditableElastic) => may(job) && !job.source

  const add = (group?: number) => void (session.may('editor') && (opened.value = { group }))
  const edit = (job: EditableElastic) => void (may(job) && (opened.value = { id: job.id, isCopy: false }))
  const copy = (job: EditableElastic) => void (may(job) && (opened.value = { id: job.id, isCopy: true }))
  const close = () => void (opened.value = null)

  /** Copies the job as a table of a declared file. */
  async function copyToml(job: Pick<EditableElastic, 'id'>): Promise<void> {
    await attempt(async () => {
      const text = await call('GET /elastic/jobs/{id}/declaration', { id: job.id })
      if (await copyText(text)) tellDone(t('jobs.toml_copied'))
      else tellWarning(t('jobs.toml_not_copied'))
    })
  }
  async function remove(job: EditableElastic, then: () => unknown): Promise<void> {
    const name = { name: job.name, id: job.id }
    if (!deletable(job) || !(await confirmed(t('jobs.delete'), t('elastic.form.delete_question', name), t('jobs.delete'), true))) return
    if (await attempt(() => call('DELETE /elastic/jobs/{id}', { id: job.id }), t('elastic.form.deleted', name))) then()
  }
  return { opened, may, deletable, add, edit, copy, close, copyToml, remove }
}
