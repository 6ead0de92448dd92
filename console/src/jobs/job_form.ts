import type { Job, JobDraft, NewJob } from '../../types/api'
import { charsMax, rangeProblem, tooLong } from '../app/text_limits'

/** Fields of the form. Texts for inputs, so that a field may be empty while it is edited. */
export interface JobForm {
  group: number | undefined
  name: string
  author: string
  alarm_email: string
  alarm_on: ('failed' | 'missed')[]
  description: string
  type: 'NONE' | 'CRON' | 'FIX_RATE'
  cron: string
  rateUnit: 's' | 'ms'
  rate: number | undefined
  time_zone: string
  start_at_ms: number | null
  end_at_ms: number | null
  jitter_ms: number | undefined
  glue_type: string
  glue_source: string
  glue_remark: string
  handler: string
  params: string
  route: string
  block: string
  misfire: string
  on_unknown: string
  timeout_s: number | undefined
  retry_count: number | undefined
  children: number[]
  keep_logs: boolean
}

export function emptyForm(group?: number): JobForm {
  return {
    group,
    name: '',
    author: '',
    alarm_email: '',
    alarm_on: ['failed', 'missed'],
    description: '',
    type: 'CRON',
    cron: '',
    rateUnit: 's',
    rate: undefined,
    time_zone: '',
    start_at_ms: null,
    end_at_ms: null,
    jitter_ms: undefined,
    glue_type: 'BEAN',
    glue_source: '',
    glue_remark: '',
    handler: '',
    params: '',
    route: 'FIRST',
    block: 'SERIAL_EXECUTION',
    misfire: 'DO_NOTHING',
    on_unknown: 'ask',
    timeout_s: 0,
    retry_count: 0,
    children: [],
    keep_logs: false,
  }
}

export function formOf(job: Job): JobForm {
  const type = job.schedule.type === 'CRON' || job.schedule.type === 'FIX_RATE' ? job.schedule.type : 'NONE'
  const conf = job.schedule.conf ?? ''
  return {
    group: job.group,
    name: job.name,
    author: job.author,
    alarm_email: job.alarm_email,
    alarm_on: [...job.alarm_on],
    description: job.description ?? '',
    type,
    cron: type === 'CRON' ? conf : '',
    rateUnit: job.interval_ms === null ? 's' : 'ms',
    rate: job.interval_ms ?? (type === 'FIX_RATE' && /^\d+$/.test(conf) ? Number(conf) : undefined),
    time_zone: job.time_zone ?? '',
    start_at_ms: job.start_at_ms,
    end_at_ms: job.end_at_ms,
    jitter_ms: job.jitter_ms ?? undefined,
    glue_type: job.glue_type,
    glue_source: job.glue_source,
    glue_remark: job.glue_remark,
    handler: job.handler,
    params: job.params,
    route: job.route,
    block: job.block,
    misfire: job.misfire,
    on_unknown: job.on_unknown,
    timeout_s: job.timeout_s,
    retry_count: job.retry_count,
    children: [...job.children],
    keep_logs: job.keep_logs,
  }
}

/** Returns the job to send. PUT replaces the whole job, so each member is sent. */
export function draftOf(form: JobForm): JobDraft {
  const isCron = form.type === 'CRON'
  const isRate = form.type === 'FIX_RATE'
  const inMs = isRate && form.rateUnit === 'ms'
  const draft = {
    group: form.group ?? 0,
    name: form.name.trim(),
    author: form.author.trim() || null,
    alarm_email: form.alarm_email.trim(),
    schedule: { type: form.type, conf: isCron ? form.cron.trim() : isRate && !inMs ? String(form.rate ?? '') : null },
    time_zone: isCron && form.time_zone ? form.time_zone : null,
    interval_ms: inMs ? (form.rate ?? null) : null,
    start_at_ms: form.type === 'NONE' ? null : form.start_at_ms,
    end_at_ms: form.type === 'NONE' ? null : form.end_at_ms,
    jitter_ms: form.type === 'NONE' ? null : form.jitter_ms || null,
    misfire: form.misfire,
    route: form.route,
    block: form.block,
    on_unknown: form.on_unknown,
    keep_logs: form.keep_logs,
    alarm_on: form.alarm_on,
    description: form.description.trim() || null,
    timeout_s: form.timeout_s ?? 0,
    retry_count: form.retry_count ?? 0,
    handler: form.handler.trim(),
    params: form.params,
    children: form.children,
  }
  return draft as JobDraft
}

/** Returns why fields that are sent are too long for the server. */
export function longFields(form: JobForm): Partial<Record<keyof JobForm, string>> {
  const limits: Partial<Record<keyof JobForm, number>> = { name: charsMax.job_name, author: charsMax.author, alarm_email: charsMax.alarm_email, description: charsMax.description }
  if (form.glue_type === 'BEAN') limits.handler = charsMax.handler
  if (form.type === 'CRON') limits.cron = charsMax.cron
  const found: Partial<Record<keyof JobForm, string>> = {}
  for (const [name, max] of Object.entries(limits) as [keyof JobForm, number][]) {
    const problem = tooLong(String(form[name]), max)
    if (problem) found[name] = problem
  }
  return found
}

/** Most seconds and milliseconds that the server stores in a number. */
const numberMax = 2147483647

/** Returns why numbers that are sent are not those that the server takes. An empty field is not sent. */
export function outOfRange(form: JobForm): Partial<Record<keyof JobForm, string>> {
  const ranges: Partial<Record<keyof JobForm, [number, number]>> = { timeout_s: [0, numberMax], retry_count: [0, 1000] }
  if (form.type === 'FIX_RATE') ranges.rate = [form.rateUnit === 'ms' ? 10 : 1, numberMax]
  if (form.type !== 'NONE') ranges.jitter_ms = [0, 86400000]
  const found: Partial<Record<keyof JobForm, string>> = {}
  for (const [name, [min, max]] of Object.entries(ranges) as [keyof JobForm, [number, number]][]) {
    const value = form[name]
    const problem = typeof value === 'number' ? rangeProblem(value, min, max) : ''
    if (problem) found[name] = problem
  }
  return found
}

export function newJobOf(form: JobForm): NewJob {
  const script = form.glue_type !== 'BEAN'
  return {
    ...draftOf(form),
    glue_type: form.glue_type as NewJob['glue_type'],
    ...(script ? { glue_source: form.glue_source, glue_remark: form.glue_remark || 'first version' } : {}),
  }
}

export type Difference = { name: keyof JobDraft; opened: unknown; now: unknown; own: unknown; conflict: boolean }

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Compares the job as it was opened, as it is now, and the user's draft. A change of both sides is a conflict. */
export function compareDrafts(opened: JobDraft, now: JobDraft, own: JobDraft): Difference[] {
  return (Object.keys(own) as (keyof JobDraft)[])
    .filter((name) => !same(opened[name], now[name]) || !same(opened[name], own[name]))
    .map((name) => ({
      name,
      opened: opened[name],
      now: now[name],
      own: own[name],
      conflict: !same(opened[name], now[name]) && !same(opened[name], own[name]) && !same(now[name], own[name]),
    }))
}

/** Returns whose value a merge keeps; `mine` names the conflicts in which the user's value wins. */
export function savedSide(each: Difference, mine: Set<string>): 'now' | 'own' {
  if (each.conflict) return mine.has(each.name) ? 'own' : 'now'
  return same(each.opened, each.now) ? 'own' : 'now'
}

/** Merges changes of one side; `mine` names the conflicts in which the user's value wins. */
export function mergeDrafts(opened: JobDraft, now: JobDraft, own: JobDraft, mine: Set<string>): JobDraft {
  const result: Record<string, unknown> = { ...own }
  for (const each of compareDrafts(opened, now, own)) {
    result[each.name] = each[savedSide(each, mine)]
  }
  return result as unknown as JobDraft
}
