import type { LaterEdit } from '../api/problem'
import { timeText } from '../app/clock'

/** Returns whether this user made the later edit, elsewhere. */
export const isOwnEdit = (later: LaterEdit | undefined, user: string | undefined) => !!later?.by && later.by === user

/** Returns a heading with what is known of a later edit: by whom, when, and the remark of a script. */
export function laterHeading(heading: string, { by, ms }: LaterEdit, remark = ''): string {
  return [heading, by, ms === null ? null : timeText(ms), remark].filter(Boolean).join(' · ')
}
