import { t } from './i18n'

/** Most characters of fields that users write, as the server stores them. */
export const charsMax = {
  app_name: 64,
  author: 64,
  alarm_email: 255,
  cron: 128,
  description: 1000,
  handler: 255,
  job_name: 255,
  key_name: 64,
  mail_address: 254,
  remark: 100,
  source: 128,
  title: 64,
} as const

/** Returns why a text is too long for its field, counted as the server counts; '': it is not. */
export function tooLong(text: string, max: number): string {
  const { length } = [...text.trim()]
  return length > max ? t('form.too_long', { count: length, max }) : ''
}

/** Returns why a number is not one that the server takes; '': it is. */
export const rangeProblem = (value: number, min: number, max: number): string => (Number.isInteger(value) && value >= min && value <= max ? '' : t('form.out_of_range', { value, min, max }))
