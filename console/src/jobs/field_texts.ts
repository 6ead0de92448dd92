import { useI18n } from 'vue-i18n'
import { timeText } from '../app/clock'
import { useGroups, useJobNames } from '../app/groups'
import { isolated } from '../app/isolate'

/** Names and values of a job's fields in words, for dialogs that compare jobs. */
export function useFieldTexts() {
  const { t, te } = useI18n()
  const groups = useGroups()
  const names = useJobNames()
  const inWords = new Set(['route', 'block', 'misfire', 'on_unknown'])

  const fieldName = (name: string) => (te(`job.${name}`) ? t(`job.${name}`) : name)

  function fieldText(name: string, value: unknown): string {
    if (value === null || value === undefined || value === '') return '–'
    if (typeof value === 'boolean') return value ? t('act.yes') : t('act.no')
    if (name === 'group') return groups.title(Number(value))
    if (name.endsWith('_at_ms')) return timeText(Number(value))
    if (name === 'children' && Array.isArray(value)) return value.map((id) => `${id} ${isolated(names.name(Number(id)))}`.trim()).join(', ') || '–'
    if (name === 'alarm_on' && Array.isArray(value)) return value.map((each) => t(`alarm_on.${each}`)).join(', ') || '–'
    if (inWords.has(name) && te(`${name}.${value}`)) return t(`${name}.${value}`)
    return typeof value === 'object' ? Object.values(value).filter(Boolean).join(' ') : String(value)
  }
  return { fieldName, fieldText }
}
