import { t } from '../app/i18n'
import type { ElasticForm, Pair } from './elastic_form'

/** A property with a field of its own. */
export interface PropField {
  name: string
  form: 'line' | 'area' | 'number' | 'flag' | 'secret' | 'choice'
  /** Value of a job that does not set the property. */
  otherwise?: string
  choices?: readonly string[]
  required?: boolean
  /** The text of the field, if several share it. */
  label?: string
}

/** Handlers of the types that have no code of their own, as the server wants them. */
export const typeHandlers: Record<string, string> = { script: 'SCRIPT', http: 'HTTP' }

const ofTypes: Record<string, PropField[]> = {
  script: [{ name: 'script.command.line', form: 'area', required: true }],
  http: [
    { name: 'http.uri', form: 'line', required: true },
    { name: 'http.method', form: 'choice', otherwise: 'GET', choices: ['GET', 'POST', 'PUT', 'DELETE'] },
    { name: 'http.data', form: 'area' },
    { name: 'http.content.type', form: 'line', otherwise: 'application/x-www-form-urlencoded' },
    { name: 'http.connect.timeout.milliseconds', form: 'number', otherwise: '3000', label: 'connect_timeout' },
    { name: 'http.read.timeout.milliseconds', form: 'number', otherwise: '5000', label: 'read_timeout' },
    { name: 'http.fail.on.status', form: 'flag', otherwise: 'true' },
  ],
}

const timeouts = (of: string): PropField[] => [
  { name: `${of}.connectTimeoutMilliseconds`, form: 'number', otherwise: '3000', label: 'connect_timeout' },
  { name: `${of}.readTimeoutMilliseconds`, form: 'number', otherwise: '5000', label: 'read_timeout' },
]
const ofMessages: PropField[] = [
  { name: 'error.channel', form: 'line' },
  { name: 'error.notify', form: 'choice', otherwise: 'node', choices: ['node', 'host'] },
]
const ofErrorHandlers: Record<string, PropField[]> = {
  EMAIL: [
    { name: 'email.to', form: 'line', required: true },
    { name: 'email.cc', form: 'line' },
    { name: 'email.bcc', form: 'line' },
    { name: 'email.subject', form: 'line', otherwise: 'ElasticJob error message' },
    { name: 'email.host', form: 'line' },
    { name: 'email.port', form: 'number', otherwise: '465' },
    { name: 'email.useSsl', form: 'flag', otherwise: 'true' },
    { name: 'email.from', form: 'line' },
    { name: 'email.username', form: 'line' },
    { name: 'email.password', form: 'secret' },
    ...ofMessages,
  ],
  WECHAT: [{ name: 'wechat.webhook', form: 'secret', label: 'webhook' }, ...timeouts('wechat'), ...ofMessages],
  DINGTALK: [{ name: 'dingtalk.webhook', form: 'secret', label: 'webhook' }, { name: 'dingtalk.secret', form: 'secret' }, { name: 'dingtalk.keyword', form: 'line' }, ...timeouts('dingtalk'), ...ofMessages],
  WEBHOOK: [{ name: 'webhook.url', form: 'secret', label: 'webhook' }, ...timeouts('webhook'), ...ofMessages],
}

export const errorHandlers = ['LOG', 'THROW', 'IGNORE', 'EMAIL', 'WECHAT', 'DINGTALK', 'WEBHOOK'] as const
export const pools = ['CPU', 'SINGLE_THREAD'] as const

type Chosen = Pick<ElasticForm, 'kind' | 'error_handler'>
export const fieldsOfType = ({ kind }: Pick<ElasticForm, 'kind'>): PropField[] => ofTypes[kind] ?? []
/** The names of built-in error handlers are accepted in any case. */
export const fieldsOfErrorHandler = ({ error_handler: handler }: Pick<ElasticForm, 'error_handler'>): PropField[] => ofErrorHandlers[handler.trim().toUpperCase()] ?? []

const namesOf = (fields: PropField[]) => new Set(fields.map((field) => field.name))
const typeNames = namesOf(Object.values(ofTypes).flat())

/** Returns whether a property has no field of its own: it belongs to the list of the others. */
export function isOtherProp(form: Chosen, name: string): boolean {
  return !typeNames.has(name.trim()) && !namesOf(fieldsOfErrorHandler(form)).has(name.trim())
}

/** Returns the properties that are sent: those of another type would be refused. */
export function sentProps(form: Chosen & Pick<ElasticForm, 'props'>): Record<string, string | null> {
  const own = namesOf(fieldsOfType(form))
  const kept = form.props.map(({ name, value }) => ({ name: name.trim(), value })).filter(({ name }) => !typeNames.has(name) || own.has(name))
  return Object.fromEntries(kept.map(({ name, value }) => [name, value]))
}

/** Text that stands for a stored secret, as the server shows it elsewhere. A copy needs the value itself. */
export const hiddenValue = '******'

/**
 * Returns the properties with another value of one. `kept`: names of stored secrets. An empty value removes the property, or leaves a stored
 * secret unchanged, and so does its mask.
 */
export function withProp(pairs: readonly Pair[], name: string, value: string, kept: ReadonlySet<string>): Pair[] {
  const isUnchanged = kept.has(name) && (value === '' || value === hiddenValue)
  const next = isUnchanged ? null : value
  if (next === '') return pairs.filter((pair) => pair.name !== name)
  return pairs.some((pair) => pair.name === name) ? pairs.map((pair) => (pair.name === name ? { name, value: next } : pair)) : [...pairs, { name, value: next }]
}

/** Returns why properties with a field of their own cannot be sent, by name. */
export function propProblems(form: Chosen & Pick<ElasticForm, 'props'>, shown: 'all' | 'at once'): Record<string, string> {
  const found: Record<string, string> = {}
  for (const field of [...fieldsOfType(form), ...fieldsOfErrorHandler(form)]) {
    const pair = form.props.find((each) => each.name === field.name)
    const text = pair?.value?.trim() ?? ''
    if (field.form === 'number' && text && !/^\d{1,9}$/.test(text)) found[field.name] = t('elastic.prop.whole_number')
    const isMissing = text === hiddenValue || (field.required && !text && pair?.value !== null)
    if (shown === 'all' && isMissing) found[field.name] = t('form.needed')
  }
  return found
}
