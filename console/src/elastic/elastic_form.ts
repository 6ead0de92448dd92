import type { ElasticJob, ElasticJobDraft, ElasticOptions } from '../../types/api'
import type { ApiError } from '../api/problem'
import { t } from '../app/i18n'
import { charsMax, rangeProblem, tooLong } from '../app/text_limits'
import type { PreviewedSchedule } from '../jobs/job_actions'
import { hiddenValue, sentProps, typeHandlers } from './elastic_props'

export const elasticTypes = ['simple', 'dataflow', 'script', 'http'] as const
export const strategies = ['AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN', 'SINGLE_SHARDING_BALANCE', 'STICKY'] as const
export const hostOrders = ['desc-string', 'asc-natural'] as const
export const fenceModes = ['by_nodes', 'fast', 'orphan'] as const
export const fallbacks = ['wait', 'borrow'] as const
export const itemsMax = 100000

/** One name with its value. `value`: null for the stored value of a secret, which is not shown. */
export interface Pair {
  name: string
  value: string | null
}

/** Fields of the form. Durations are seconds, as users read them; an empty one is not set. */
export interface ElasticForm {
  group: number | undefined
  namespace: string
  name: string
  kind: string
  handler: string
  total: number | undefined
  enabled: boolean
  description: string
  schedule: 'none' | 'cron' | 'fixed_rate'
  cron: string
  rateUnit: 's' | 'ms'
  rate: number | undefined
  time_zone: string
  start_at_ms: number | null
  end_at_ms: number | null
  jitter_ms: number | undefined
  item_params: Pair[]
  param: string
  strategy: string
  order: ElasticOptions['order']
  label: string
  static: boolean
  static_fallback: ElasticOptions['static_fallback']
  max_time_diff: number | undefined
  failover: boolean
  failover_max: number | undefined
  misfire: boolean
  misfire_max_age: number | undefined
  timeout: number | undefined
  cancel_grace: number | undefined
  fence_mode: ElasticOptions['fence_mode']
  trigger_policy: ElasticOptions['trigger_policy']
  streaming: boolean
  pool: string
  error_handler: string
  listeners: string
  once_listeners: string
  started_timeout: number | undefined
  completed_timeout: number | undefined
  alarm_email: string
  props: Pair[]
}

export function emptyElasticForm(group?: number): ElasticForm {
  return {
    group, namespace: '', name: '', kind: 'simple', handler: '', total: 1, enabled: true, description: '',
    schedule: 'cron', cron: '', rateUnit: 's', rate: undefined, time_zone: '', start_at_ms: null, end_at_ms: null, jitter_ms: undefined,
    item_params: [], param: '', strategy: '', order: 'desc-string', label: '', static: false, static_fallback: 'wait', max_time_diff: undefined,
    failover: false, failover_max: 3, misfire: true, misfire_max_age: undefined, timeout: undefined, cancel_grace: 5, fence_mode: 'by_nodes', trigger_policy: 'discard', streaming: false,
    pool: '', error_handler: '', listeners: '', once_listeners: '', started_timeout: undefined, completed_timeout: undefined, alarm_email: '', props: [],
  }
}

/** Reads the text of item parameters: `0=a,1=b`, or an object of texts by item. */
export function pairsOfItems(text: string): Pair[] {
  if (text.trimStart().startsWith('{')) return Object.entries(JSON.parse(text) as Record<string, string>).map(([name, value]) => ({ name, value }))
  const parts = text.split(',').map((part) => part.trim()).filter(Boolean)
  return parts.map((part) => {
    const [name = '', value = ''] = part.split('=').map((each) => each.trim())
    return { name, value }
  })
}

/** Writes item parameters as ElasticJob's text, if it can hold them. */
export function textOfItems(pairs: Pair[]): string {
  const isPlain = pairs.every(({ value }) => value && value === value.trim() && !/[,={]/.test(value))
  if (isPlain) return pairs.map(({ name, value }) => `${Number(name)}=${value}`).join(',')
  return JSON.stringify(Object.fromEntries(pairs.map(({ name, value }) => [String(Number(name)), value ?? ''])))
}

const secondsOf = (ms: number | null) => (ms === null ? undefined : ms / 1000)
/** Of an option that means no limit at 0. */
const limitOf = (ms: number) => (ms === 0 ? undefined : ms / 1000)
const msOf = (seconds: number | undefined | null) => (seconds == null ? null : Math.round(seconds * 1000))

export function elasticFormOf(job: ElasticJob): ElasticForm {
  const { options } = job
  return {
    group: job.group,
    namespace: job.namespace,
    name: job.name,
    kind: job.type,
    handler: typeHandlers[job.type] ? '' : job.handler,
    total: job.total,
    enabled: job.status === 'enabled',
    description: options.description,
    schedule: options.schedule_type,
    cron: options.schedule_type === 'cron' ? options.schedule : '',
    rateUnit: options.interval_ms === null ? 's' : 'ms',
    rate: options.interval_ms ?? (options.schedule_type === 'fixed_rate' && /^\d+$/.test(options.schedule) ? Number(options.schedule) : undefined),
    time_zone: options.time_zone,
    start_at_ms: options.start_at_ms,
    end_at_ms: options.end_at_ms,
    jitter_ms: options.jitter_ms ?? undefined,
    item_params: pairsOfItems(options.item_params),
    param: options.param,
    strategy: options.strategy,
    order: options.order,
    label: options.label,
    static: options.static,
    static_fallback: options.static_fallback,
    max_time_diff: secondsOf(options.max_time_diff_ms),
    failover: options.failover,
    failover_max: options.failover_max,
    misfire: options.misfire,
    misfire_max_age: secondsOf(options.misfire_max_age_ms),
    timeout: limitOf(options.timeout_ms),
    cancel_grace: options.cancel_grace_ms / 1000,
    fence_mode: options.fence_mode,
    trigger_policy: options.trigger_policy,
    streaming: options.streaming,
    pool: options.pool,
    error_handler: options.error_handler,
    listeners: options.listeners,
    once_listeners: options.once_listeners,
    started_timeout: limitOf(options.started_timeout_ms),
    completed_timeout: limitOf(options.completed_timeout_ms),
    alarm_email: options.alarm_email,
    props: Object.entries(job.props).map(([name, value]) => ({ name, value: typeof value === 'string' ? value : null })),
  }
}

/** Returns the definition to send. PUT replaces the whole definition, so each option is sent. */
export function elasticDraftOf(form: ElasticForm): ElasticJobDraft {
  const isCron = form.schedule === 'cron'
  const isRate = form.schedule === 'fixed_rate'
  const inMs = isRate && form.rateUnit === 'ms'
  const timed = form.schedule !== 'none'
  return {
    group: form.group ?? 0,
    namespace: form.namespace.trim(),
    name: form.name.trim(),
    type: form.kind,
    handler: typeHandlers[form.kind] ?? form.handler.trim(),
    total: form.total ?? 1,
    options: {
      schedule_type: form.schedule,
      schedule: isCron ? form.cron.trim() : isRate && !inMs ? String(form.rate ?? '') : '',
      time_zone: isCron ? form.time_zone : '',
      interval_ms: inMs ? (form.rate ?? null) : null,
      start_at_ms: timed ? form.start_at_ms : null,
      end_at_ms: timed ? form.end_at_ms : null,
      jitter_ms: timed ? form.jitter_ms || null : null,
      item_params: textOfItems(form.item_params),
      param: form.param,
      strategy: form.strategy,
      order: form.order,
      label: form.label.trim(),
      static: form.static,
      static_fallback: form.static_fallback,
      max_time_diff_ms: msOf(form.max_time_diff),
      failover: form.failover,
      failover_max: form.failover_max ?? null,
      misfire: form.misfire,
      misfire_max_age_ms: msOf(form.misfire_max_age),
      timeout_ms: msOf(form.timeout),
      cancel_grace_ms: msOf(form.cancel_grace),
      fence_mode: form.fence_mode,
      trigger_policy: form.trigger_policy,
      streaming: form.kind === 'dataflow' && form.streaming,
      pool: form.pool.trim(),
      error_handler: form.error_handler.trim(),
      listeners: form.listeners.trim(),
      once_listeners: form.once_listeners.trim(),
      started_timeout_ms: msOf(form.started_timeout),
      completed_timeout_ms: msOf(form.completed_timeout),
      alarm_email: form.alarm_email.trim(),
      description: form.description.trim(),
    },
    props: sentProps(form),
  }
}

/** Returns the schedule as the preview takes it. */
export function previewOf(form: ElasticForm): PreviewedSchedule {
  const { options } = elasticDraftOf(form)
  const types = { none: 'NONE', cron: 'CRON', fixed_rate: 'FIX_RATE' } as const
  return {
    type: types[form.schedule],
    conf: options?.schedule || undefined,
    interval_ms: options?.interval_ms ?? undefined,
    time_zone: options?.time_zone || undefined,
    start_at_ms: options?.start_at_ms ?? undefined,
    end_at_ms: options?.end_at_ms ?? undefined,
    jitter_ms: options?.jitter_ms ?? undefined,
  }
}

type Field = keyof ElasticForm
export type FieldProblems = Partial<Record<Field, string>>

const yearSeconds = 365 * 24 * 3600
const durations = ['max_time_diff', 'misfire_max_age', 'timeout', 'cancel_grace', 'started_timeout', 'completed_timeout'] as const

/** Returns why fields cannot be sent. `shown`: only those that are said at once, while the user types. */
export function elasticProblems(form: ElasticForm, shown: 'all' | 'at once'): FieldProblems {
  const found: FieldProblems = {}
  const note = (name: Field, problem: string) => problem && (found[name] ??= problem)
  const texts = { namespace: 64, name: 128, handler: charsMax.handler, description: charsMax.description, label: 1024, alarm_email: charsMax.alarm_email, ...(form.schedule === 'cron' ? { cron: charsMax.cron } : {}) } satisfies Partial<Record<Field, number>>
  for (const [name, max] of Object.entries(texts) as [Field, number][]) note(name, tooLong(String(form[name]), max))
  const numbers: Partial<Record<Field, [number, number]>> = { total: [1, itemsMax], failover_max: [0, 254] }
  if (form.schedule === 'fixed_rate') numbers.rate = [form.rateUnit === 'ms' ? 10 : 1, 2147483647]
  if (form.schedule !== 'none') numbers.jitter_ms = [0, 86400000]
  for (const [name, [min, max]] of Object.entries(numbers) as [Field, [number, number]][]) {
    const value = form[name]
    if (typeof value === 'number') note(name, rangeProblem(value, min, max))
  }
  for (const name of durations) {
    const seconds = form[name]
    if (seconds != null && (seconds < 0 || seconds > yearSeconds)) note(name, t('elastic.form.duration_range'))
  }
  if (form.name.includes('/')) note('name', t('elastic.form.no_slash'))
  if (form.item_params.some(({ name }) => name && !/^\d{1,5}$/.test(name.trim()))) note('item_params', t('elastic.form.item_number', { max: itemsMax - 1 }))
  for (const name of ['item_params', 'props'] as const) {
    const names = form[name].map((each) => each.name.trim()).filter(Boolean)
    if (new Set(names).size < names.length) note(name, t('elastic.form.twice'))
  }
  if (shown === 'at once') return found
  if (!form.group) note('group', t('form.needed'))
  if (!form.name.trim()) note('name', t('form.needed'))
  if (!form.handler.trim() && !typeHandlers[form.kind]) note('handler', t('form.needed'))
  if (form.total == null) note('total', t('form.needed'))
  if (form.schedule === 'cron' && !form.cron.trim()) note('cron', t('form.needed'))
  if (form.schedule === 'fixed_rate' && form.rate == null) note('rate', t('form.needed'))
  if (form.start_at_ms && form.end_at_ms && form.end_at_ms <= form.start_at_ms) note('end_at_ms', t('form.end_before_start'))
  for (const name of ['item_params', 'props'] as const) if (form[name].some((each) => !each.name.trim())) note(name, t('elastic.form.name_needed'))
  const hidden = form.props.find((each) => each.value === hiddenValue)
  if (hidden) note('props', t('elastic.form.secret_needed', { name: hidden.name.trim() }))
  return found
}

/** Returns the field that a refusal of the server names, by a pointer or before a colon, and the words about it. */
export function refusedElasticField(error: Pick<ApiError, 'message' | 'errors'>, form: ElasticForm): { name: Field; text: string } | null {
  const pointed = error.errors.find((each) => each.pointer)
  const [, before, after] = /^([a-z][A-Za-z_./0-9]*): (.+)$/s.exec(error.message) ?? []
  const named = (pointed?.pointer ?? before ?? '').replace(/^\//, '').replace(/^options[./]/, '').replace(/^props\..*$/, 'props')
  const isSchedule = ['schedule', 'interval_ms', 'schedule.cron'].includes(named)
  const plain = named.endsWith('_ms') && !Object.hasOwn(form, named) ? named.slice(0, -3) : named
  const renamed = isSchedule ? (form.schedule === 'fixed_rate' ? 'rate' : 'cron') : plain === 'type' ? 'kind' : plain
  if (!Object.hasOwn(form, renamed)) return null
  const text = pointed ? error.message : (after ?? error.message)
  // The text of a property begins with its name.
  const prop = /^\/?props[./](.+)$/.exec(pointed?.pointer ?? before ?? '')?.[1]
  return { name: renamed as Field, text: prop ? `${prop}: ${text}` : text }
}
