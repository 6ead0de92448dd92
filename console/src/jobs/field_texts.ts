import { useI18n } from 'vue-i18n'
import { timeText } from '../app/clock'
import { useGroups, useJobNames } from '../app/groups'
import { isolated } from '../app/isolate'
import { useKnown } from '../app/known'

/** Names and values of a job's fields in words, for dialogs that compare jobs. */
export function useFieldTexts() {
  const { t } = useI18n()
  const known = useKnown()
  const groups = useGroups()
  const names = useJobNames()
  const inWords = new Set(['route', 'block', 'misfire', 'on_unknown'])

  const fieldName = (name: string) => known(`job.${name}`, name)

  function fieldText(name: string, value: unknown): string {
    if (value === null || value === undefined || value === '') return '–'
    if (typeof value === 'boolean') return value ? t('act.yes') : t('act.no')
    if (name === 'group') return groups.title(Number(value))
    if (name.endsWith('_at_ms')) return timeText(Number(value))
    if (name === 'children' && Array.isArray(value)) return value.map((id) => `${id} ${isolated(names.name(Number(id)))}`.trim()).join(', ') || '–'
    if (name === 'alarm_on' && Array.isArray(value)) return value.map((each) => t(`alarm_on.${each}`)).join(', ') || '–'
    if (inWords.has(name)) return known(`${name}.${value}`, String(value))
    return typeof value === 'object' ? Object.values(value).filter(Boolean).join(' ') : String(value)
  }
  return { fieldName, fieldText }
}
