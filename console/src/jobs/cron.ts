/** Fields of a cron expression in XXL-JOB's dialect. Weekdays: 1 is Sunday. The server alone decides whether a text is valid. */
export const cronFields = ['second', 'minute', 'hour', 'day', 'month', 'week', 'year'] as const
export type CronField = (typeof cronFields)[number]
export type CronParts = Record<CronField, string>

export const limits: Record<CronField, [number, number]> = {
  second: [0, 59],
  minute: [0, 59],
  hour: [0, 23],
  day: [1, 31],
  month: [1, 12],
  week: [1, 7],
  year: [1970, 2099],
}

export type FieldMode =
  | { mode: 'every' }
  | { mode: 'none' }
  | { mode: 'range'; from: number; to: number }
  | { mode: 'step'; from: number; step: number }
  | { mode: 'list'; values: number[] }
  | { mode: 'last' }
  | { mode: 'last_workday' }
  | { mode: 'near_workday'; day: number }
  | { mode: 'last_weekday'; weekday: number }
  | { mode: 'nth_weekday'; weekday: number; nth: number }
  /** A text that the tabs cannot show; it stays untouched. */
  | { mode: 'text'; text: string }

const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

/** Splits an expression; null if it does not have six or seven fields. */
export function splitCron(text: string): CronParts | null {
  const found = text.trim().split(/[ \t]+/)
  if (found.length < 6 || found.length > 7) return null
  const [second = '', minute = '', hour = '', day = '', month = '', week = '', year = ''] = found
  return { second, minute, hour, day, month, week, year }
}

export function joinCron(parts: CronParts): string {
  return cronFields
    .map((field) => parts[field])
    .join(' ')
    .trim()
}

/** Returns whether a text looks like a crontab line, whose five fields lack the seconds. */
export const looksLikeFiveFields = (text: string) => text.trim() !== '' && text.trim().split(/[ \t]+/).length === 5

function numberOf(text: string, field: CronField): number | null {
  const names = field === 'week' ? weekdays : field === 'month' ? months : []
  const named = names.indexOf(text.toUpperCase())
  if (named >= 0) return named + 1
  if (!/^\d{1,4}$/.test(text)) return null
  const value = Number(text)
  return value >= limits[field][0] && value <= limits[field][1] ? value : null
}

/** Reads one field. Texts beyond the tabs give mode `text`. */
export function modeOf(text: string, field: CronField): FieldMode {
  const unknown: FieldMode = { mode: 'text', text }
  if (text === '*' || (field === 'year' && text === '')) return { mode: 'every' }
  if (text === '?') return field === 'day' || field === 'week' ? { mode: 'none' } : unknown
  if (field === 'day') {
    if (text === 'L') return { mode: 'last' }
    if (text === 'LW') return { mode: 'last_workday' }
    const near = /^(\d{1,2})W$/.exec(text)
    const day = near ? numberOf(near[1] ?? '', field) : null
    if (day !== null) return { mode: 'near_workday', day }
  }
  if (field === 'week') {
    const last = /^(\d|[A-Za-z]{3})L$/.exec(text)
    const lastDay = last ? numberOf(last[1] ?? '', field) : null
    if (lastDay !== null) return { mode: 'last_weekday', weekday: lastDay }
    const nth = /^(\d|[A-Za-z]{3})#([1-5])$/.exec(text)
    const weekday = nth ? numberOf(nth[1] ?? '', field) : null
    if (nth && weekday !== null) return { mode: 'nth_weekday', weekday, nth: Number(nth[2]) }
  }
  const step = /^(\*|\d{1,4})\/(\d{1,4})$/.exec(text)
  if (step) {
    const from = step[1] === '*' ? limits[field][0] : numberOf(step[1] ?? '', field)
    return from === null || Number(step[2]) < 1 ? unknown : { mode: 'step', from, step: Number(step[2]) }
  }
  const range = /^(\w{1,4})-(\w{1,4})$/.exec(text)
  if (range) {
    const from = numberOf(range[1] ?? '', field)
    const to = numberOf(range[2] ?? '', field)
    return from === null || to === null ? unknown : { mode: 'range', from, to }
  }
  const values = text.split(',').map((each) => numberOf(each, field))
  if (values.every((value): value is number => value !== null)) return { mode: 'list', values: [...new Set(values)].sort((a, b) => a - b) }
  return unknown
}

/** Writes one field. */
export function textOf(mode: FieldMode, field: CronField): string {
  switch (mode.mode) {
    case 'every':
      return field === 'year' ? '' : '*'
    case 'none':
      return '?'
    case 'range':
      return `${mode.from}-${mode.to}`
    case 'step':
      return `${mode.from}/${mode.step}`
    case 'list':
      return mode.values.length ? mode.values.join(',') : field === 'year' ? '' : '*'
    case 'last':
      return 'L'
    case 'last_workday':
      return 'LW'
    case 'near_workday':
      return `${mode.day}W`
    case 'last_weekday':
      return `${mode.weekday}L`
    case 'nth_weekday':
      return `${mode.weekday}#${mode.nth}`
    case 'text':
      return mode.text
  }
}

/** Sets one field. A weekday sets the day to `?` and the reverse, because exactly one of them may have a value. */
export function withField(parts: CronParts, field: CronField, text: string): CronParts {
  const next = { ...parts, [field]: text }
  if (field === 'week' && text !== '?') next.day = '?'
  if (field === 'week' && text === '?' && next.day === '?') next.day = '*'
  if (field === 'day' && text !== '?') next.week = '?'
  if (field === 'day' && text === '?' && next.week === '?') next.week = '1'
  return next
}

export const presets = [
  { key: 'minute', text: '0 * * * * ?' },
  { key: 'five_minutes', text: '0 0/5 * * * ?' },
  { key: 'hour', text: '0 0 * * * ?' },
  { key: 'night', text: '0 0 2 * * ?' },
  { key: 'workdays', text: '0 0 8 ? * 2-6' },
  { key: 'monday', text: '0 0 8 ? * 2' },
  { key: 'month', text: '0 0 3 1 * ?' },
  { key: 'month_end', text: '0 0 23 L * ?' },
] as const

export interface MarkedText {
  before: string
  wrong: string
  after: string
}

/** Splits a text around the characters that the server names. Null: it names none. */
export function markedText(text: string, mistake?: { position?: number; length?: number }): MarkedText | null {
  if (mistake?.position === undefined) return null
  const end = mistake.position + (mistake.length ?? 0)
  return { before: text.slice(0, mistake.position), wrong: text.slice(mistake.position, end), after: text.slice(end) }
}
