import { t } from '../app/i18n'
import { charsMax } from '../app/text_limits'

/** Least characters of a remark, as the server has it. */
const remarkMin = 4

/** Returns the remark to store; empty: a usual one. Null: it is too short or too long. */
export function remarkOf(typed: string): string | null {
  const text = typed.trim()
  if (!text) return t('script.remark_usual')
  const { length } = [...text]
  return length < remarkMin || length > charsMax.remark ? null : text
}

/** Returns the remark of a version that repeats an earlier one. */
export const remarkBackTo = (version: number) => t('script.back_to', { id: version })

/** Returns the remark after another version was chosen (null: none): a remark that was typed stays. `before`: the version chosen until now. */
export function remarkAfterChoice(typed: string, before: number | null, now: number | null): string {
  const isOwn = typed.trim() !== '' && (before === null || typed !== remarkBackTo(before))
  if (isOwn) return typed
  return now === null ? '' : remarkBackTo(now)
}
