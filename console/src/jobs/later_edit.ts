import type { LaterEdit } from '../api/problem'
import { timeText } from '../app/clock'

/** Returns a heading with what is known of a later edit: by whom, when, and the remark of a script. */
export function laterHeading(heading: string, { by, ms }: LaterEdit, remark = ''): string {
  return [heading, by, ms === null ? null : timeText(ms), remark].filter(Boolean).join(' · ')
}
