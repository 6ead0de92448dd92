import type { AnswerOf } from '../api/operations'
import type { Executor, GroupRow } from '../../types/api'
import { charsMax } from '../app/text_limits'

export type RefusedExecutor = AnswerOf<'GET /executors/refused'>['items'][number]

/** States of the filter: those of executors, and `refused` for the ones that were refused or have no group. */
export const executorStates = ['online', 'late', 'gone', 'entered'] as const
export const filterStates = [...executorStates, 'refused'] as const
export type FilterState = (typeof filterStates)[number]
/** App names that a group can have. */
const appNameChars = { least: 4, most: charsMax.app_name }

const order: Record<Executor['state'], number> = { late: 0, gone: 1, entered: 2, online: 3 }
/** Sorts executors: late ones first, then those that have gone; equal ones keep their order. */
export const byTrouble = (executors: readonly Executor[]) => [...executors].sort((a, b) => order[a.state] - order[b.state])

/** Returns how much a group is in trouble: 2 without an executor that should be online, 1 with late or gone executors. */
function troubleOf(group: GroupRow): number {
  if (group.online === 0 && group.address_type === 'automatic') return 2
  return (group.late ?? 0) + (group.gone ?? 0) > 0 ? 1 : 0
}
/** Sorts groups: those in trouble first; equal ones keep their order. */
export const groupsByTrouble = (groups: readonly GroupRow[]) => [...groups].sort((a, b) => troubleOf(b) - troubleOf(a))

/** Returns whether a text contains a part, without regard to case; an empty part is in each text. */
export const contains = (text: string | null, part: string) => (text ?? '').toLowerCase().includes(part.trim().toLowerCase())

/** Returns whether a group can be added for a refused executor. */
export function lacksGroup(refused: RefusedExecutor): boolean {
  const chars = [...(refused.app_name ?? '')].length
  return refused.reason === 'unknown_app' && chars >= appNameChars.least && chars <= appNameChars.most
}
/** Returns the app names, each once, for which a group can be added. */
export const appsWithoutGroup = (refused: readonly RefusedExecutor[]) => [...new Set(refused.filter(lacksGroup).map((each) => each.app_name ?? ''))].sort()
