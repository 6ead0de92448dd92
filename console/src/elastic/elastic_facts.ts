import type { ElasticItem, ElasticJobRow, ElasticShare, ElasticStatus } from '../../types/api'

export const elasticStatuses = ['enabled', 'disabled', 'draining', 'shut_down'] as const satisfies readonly ElasticStatus[]
export const triggerPolicies = ['discard', 'queue', 'coalesce'] as const

/** State of an item as the console shows it. */
export type ItemState = 'running' | 'waiting' | 'disabled' | 'unassigned' | 'idle'

/** Returns the state of an item. A run that has begun goes on, also if the item is disabled meanwhile. */
export function stateOfItem(item: Pick<ElasticItem, 'state' | 'disabled' | 'gap' | 'planned_host'>): ItemState {
  if (item.state !== 'idle') return item.state
  if (item.disabled) return 'disabled'
  return item.gap && !item.planned_host ? 'unassigned' : 'idle'
}

/** Facts of an item that its state does not tell. */
export type ItemNote = 'misfire' | 'failover' | 'manual' | 'cancelled' | 'missed' | 'disabled' | 'surplus'

/** Returns the notes of an item, in the order in which they are shown. */
export function notesOf(item: Pick<ElasticItem, 'state' | 'disabled' | 'gap' | 'planned_host' | 'source' | 'cancelled' | 'missed' | 'surplus'>): ItemNote[] {
  const notes: ItemNote[] = []
  if (item.source && item.source !== 'normal') notes.push(item.source)
  if (item.cancelled) notes.push('cancelled')
  if (item.missed) notes.push('missed')
  if (item.disabled && stateOfItem(item) !== 'disabled') notes.push('disabled')
  if (item.surplus) notes.push('surplus')
  return notes
}

/** Counts of a job's items that are shown: those above 0, what needs attention first. */
export function countsOf(items: NonNullable<ElasticJobRow['items']>): { kind: keyof typeof items; count: number; bad: boolean }[] {
  const kinds = ['waiting', 'unassigned', 'running', 'disabled'] as const
  return kinds.map((kind) => ({ kind, count: items[kind], bad: kind === 'waiting' || kind === 'unassigned' })).filter((each) => each.count > 0)
}

/** Formats `CRON 0 0/5 * * * ?` or `60 s`; '' without a schedule. */
export function elasticSchedule(type: unknown, conf: unknown, intervalMs?: unknown): string {
  if (type === 'cron') return `CRON ${String(conf)}`
  if (type !== 'fixed_rate') return ''
  if (typeof intervalMs === 'number' && intervalMs > 0) return `${intervalMs} ms`
  return conf ? `${String(conf)} s` : ''
}

/** Ranges of a share that are written out. */
const rangesMax = 40

/** Formats `0-3, 7`. `more`: ranges that are left out. */
export function rangesText(ranges: ElasticShare['ranges']): { text: string; more: number } {
  const shown = ranges.slice(0, rangesMax)
  return { text: shown.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join(', '), more: ranges.length - shown.length }
}

export interface PlanRow {
  /** Null: the items have no host. */
  host: string | null
  gap: string | null
  count: number
  ranges: ElasticShare['ranges']
  /** Difference of the number of items from the plan with all hosts. */
  change: number
}

const countOf = (ranges: ElasticShare['ranges']) => ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)

/** Joins the shares of each host, or of each reason without one. */
function rowsOf(shares: readonly ElasticShare[]): Map<string, Omit<PlanRow, 'change'>> {
  const rows = new Map<string, Omit<PlanRow, 'change'>>()
  for (const { host, gap, ranges } of shares) {
    const key = JSON.stringify([host, gap])
    const before = rows.get(key)
    const all = [...(before?.ranges ?? []), ...ranges].sort((a, b) => a.first - b.first)
    rows.set(key, { host, gap, count: countOf(all), ranges: all })
  }
  return rows
}

/** Returns the rows of a plan, items without a host last. `preview`: the plan if a host leaves; the rows are then its rows, and those that end. */
export function planRows(now: readonly ElasticShare[], preview: readonly ElasticShare[] | null): PlanRow[] {
  const before = rowsOf(now)
  const after = preview ? rowsOf(preview) : before
  const rows = [...after].map(([key, row]) => ({ ...row, change: row.count - (before.get(key)?.count ?? 0) }))
  for (const [key, row] of before) if (!after.has(key)) rows.push({ ...row, count: 0, ranges: [], change: -row.count })
  return rows.sort((a, b) => Number(a.host === null) - Number(b.host === null) || (a.host ?? '').localeCompare(b.host ?? ''))
}

/** Options that the page of a job shows under a name of their own, or with the schedule. */
const namedOptions = new Set(['schedule_type', 'schedule', 'time_zone', 'interval_ms', 'param', 'item_params', 'strategy', 'failover', 'misfire', 'timeout_ms', 'trigger_policy', 'description'])

/** Returns the other options that are set, by the names of declared files. */
export function furtherOptions(options: Record<string, unknown>): [string, string][] {
  return Object.entries(options)
    .filter(([name, value]) => !namedOptions.has(name) && value !== null && value !== '' && value !== false && value !== 0)
    .map(([name, value]) => [name, String(value)])
}

/** A file that declares an elastic job, for users who have none. */
export const declaredExample = `[[group]]
app_name = "shard-worker"               # what the hosts register as

[[elastic_job]]
group = "shard-worker"
name = "sum-orders"                     # unique in its namespace
handler = "sum"                         # the name in the executor
total = 3                               # items 0, 1, 2
schedule = { cron = "0 0/5 * * * ?" }
item_params = { 0 = "north", 1 = "south", 2 = "west" }
param = "day"
failover = true
timeout = "2m"
`
