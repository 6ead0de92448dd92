import { useI18n } from 'vue-i18n'
import { useGroups } from '../app/groups'
import { isolated } from '../app/isolate'
import { useKnown } from '../app/known'
import { glueNames } from '../jobs/choices'

/** Texts of the fields that the audit log names; other fields keep their name. */
const fieldKeys: Record<string, string> = {
  name: 'job.name',
  author: 'job.author',
  alarm_email: 'job.alarm_email',
  alarm_on: 'job.alarm_on',
  description: 'job.description',
  schedule: 'job.schedule',
  time_zone: 'job.time_zone',
  interval_ms: 'job.interval_ms',
  start_at: 'job.start_at_ms',
  end_at: 'job.end_at_ms',
  jitter_ms: 'job.jitter_ms',
  misfire: 'job.misfire',
  route: 'job.route',
  block: 'job.block',
  on_unknown: 'job.on_unknown',
  params: 'job.params',
  param: 'job.params',
  glue_type: 'job.glue_type',
  timeout: 'job.timeout_s',
  retry: 'job.retry_count',
  keep_logs: 'job.keep_logs',
  group: 'job.group',
  children: 'job.children',
  title: 'group.title',
  addresses: 'audit.fields.addresses',
  role: 'users.role',
  groups: 'users.rights',
  source: 'script.source',
  remark: 'script.remark',
}
const choices = new Set(['route', 'block', 'misfire', 'on_unknown'])

/** Actions, objects, fields and values of the audit log in words; a name or value that is not known stays as it is stored. */
export function useChangeTexts() {
  const { t } = useI18n()
  const groups = useGroups()
  void groups.load().catch(() => undefined)
  const known = useKnown()
  const titleOf = (id: string) => (groups.byId.has(Number(id)) ? isolated(groups.title(Number(id))) : id)

  /** Names the groups of `1 operator, 2`; a right that is not written is editor. */
  function rightsText(value: string): string {
    const parts = value.split(', ').map((each) => /^(\d+)(?: (\w+))?$/.exec(each))
    if (!parts.every((part) => part !== null)) return value
    return parts.map((part) => `${titleOf(part[1] ?? '')}: ${known(`right.${part[2] ?? 'editor'}`, part[2] ?? '')}`).join(', ')
  }
  function valueText(name: string, value: string): string {
    if (!value) return '–'
    if (name === 'group') return titleOf(value)
    if (name === 'groups') return rightsText(value)
    if (name === 'role') return value === 'admin' ? t('users.admin') : value === 'user' ? t('users.normal') : value
    if (name === 'keep_logs') return value === 'yes' ? t('act.yes') : value === 'no' ? t('act.no') : value
    if (name === 'glue_type') return glueNames[value] ?? value
    if (name === 'alarm_on') return value.split(',').map((each) => known(`alarm_on.${each}`, each)).join(', ')
    return choices.has(name) ? known(`${name}.${value}`, value) : value
  }
  return {
    actionName: (name: string) => known(`audit.actions.${name}`, name),
    objectName: (name: string) => known(`audit.objects.${name}`, name),
    fieldName: (name: string) => (Object.hasOwn(fieldKeys, name) ? t(fieldKeys[name] ?? '') : name === 'password: changed' ? t('audit.fields.password_changed') : name),
    valueText,
  }
}
