import type { ApiError } from '../api/problem'
import type { JobForm } from './job_form'

const scheduleField = (form: JobForm) => (form.type === 'FIX_RATE' ? 'rate' : 'cron')
/** Fields of the job that have another name in the form. */
const renamed: Record<string, (form: JobForm) => keyof JobForm> = {
  schedule: scheduleField,
  'schedule/conf': scheduleField,
  'schedule/type': () => 'type',
  'schedule.conf': scheduleField,
  'schedule.type': () => 'type',
  interval_ms: () => 'rate',
}

/** Returns the field of the form that a refusal of the server names, by a pointer or before a colon, and the words about it. */
export function refusedField(error: Pick<ApiError, 'message' | 'errors'>, form: JobForm): { name: keyof JobForm; text: string } | null {
  const pointed = error.errors.find((each) => each.pointer)
  const [, before, after] = /^([a-z][a-z_./]*): (.+)$/s.exec(error.message) ?? []
  const named = pointed?.pointer?.replace(/^\//, '') ?? before
  if (!named) return null
  const name = (Object.hasOwn(renamed, named) ? renamed[named]?.(form) : undefined) ?? named
  if (!Object.hasOwn(form, name)) return null
  return { name: name as keyof JobForm, text: pointed ? error.message : (after ?? error.message) }
}
