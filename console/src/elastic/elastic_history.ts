import type { ElasticRun } from '../../types/api'
import { placeOf, type Line, type Span } from '../jobs/timeline'

export const itemRunStates = ['running', 'finished', 'error', 'lost', 'killed', 'failed'] as const satisfies readonly ElasticRun['state'][]

/** A run of an item as a row of a list. */
export type ItemRun = ElasticRun & { id: number }

/** Returns which call of the once-listeners has this number in place of an item; null: it is an item. */
export function hookOf(item: number): 'before_all' | 'after_all' | null {
  if (item === -1) return 'before_all'
  return item === -2 ? 'after_all' : null
}

/** Returns the page of a job at an item: its list of items begins with it. */
export const itemPath = (job: number, item: number) => (item > 0 ? `/elastic/${job}?items_page=2&items_cursor=p${item}` : `/elastic/${job}`)

/** Returns the list of hosts with this one. */
export const hostPath = (host: string) => `/elastic/hosts?q=${encodeURIComponent(host)}`

/** Returns how long a run took, or takes until now; null if that is not known. */
export function runMs(run: Pick<ElasticRun, 'granted_ms' | 'ended_ms' | 'state'>, nowMs: number): number | null {
  const end = run.ended_ms ?? (run.state === 'running' ? nowMs : null)
  return run.granted_ms === null || end === null ? null : Math.max(0, end - run.granted_ms)
}

/** Shortest span of a timeline. */
const spanMinMs = 10000

/** Returns the time from the first grant to the last end, or until now if a run is open; null without a run. */
export function spanOfRuns(runs: readonly ItemRun[], now: number): Span | null {
  const starts = runs.flatMap((run) => run.granted_ms ?? [])
  if (!starts.length) return null
  const from = Math.min(...starts)
  const ends = runs.map((run) => (run.granted_ms ?? from) + (runMs(run, now) ?? 0))
  return { from, to: Math.max(from + spanMinMs, ...ends), now }
}

/** A run on the timeline. */
export interface ItemBar {
  run: ItemRun
  at: number
  durationMs: number | null
  /** Place and width, 0 to 1. */
  place: number
  width: number
}

/** The runs of one item, or of one hook. */
export interface ItemLane {
  item: number
  bars: ItemBar[]
  /** From the end of each lost attempt to the takeover of its run. */
  takeovers: Line[]
}

/** Calls before all items are first, those after all items last. */
const rankOf = (item: number) => (item === -1 ? -1 : item < 0 ? Infinity : item)

function takeoversOf(bars: readonly ItemBar[]): Line[] {
  return bars.flatMap((bar, index) => {
    const before = bars[index - 1]
    if (!before || bar.run.source !== 'failover' || before.run.fire_ms !== bar.run.fire_ms) return []
    const end = before.place + before.width
    return [{ key: `${before.run.id} ${bar.run.id}`, place: end, width: Math.max(0, bar.place - end) }]
  })
}

/** Returns a lane for each item that has a run in the span, at most `max`, and the number of items that are left out. */
export function lanesOfItems(runs: readonly ItemRun[], span: Span, max = 60): { lanes: ItemLane[]; more: number } {
  const byItem = new Map<number, ItemBar[]>()
  for (const run of runs) {
    if (run.granted_ms === null) continue
    const durationMs = runMs(run, span.now)
    const place = placeOf(run.granted_ms, span)
    const bar = { run, at: run.granted_ms, durationMs, place, width: placeOf(run.granted_ms + (durationMs ?? 0), span) - place }
    byItem.set(run.item, [...(byItem.get(run.item) ?? []), bar])
  }
  const items = [...byItem.keys()].sort((a, b) => rankOf(a) - rankOf(b) || b - a)
  const lanes = items.slice(0, max).map((item) => {
    const bars = (byItem.get(item) ?? []).sort((a, b) => a.at - b.at || a.run.id - b.run.id)
    return { item, bars, takeovers: takeoversOf(bars) }
  })
  return { lanes, more: items.length - lanes.length }
}
