import type { ElasticItem } from '../../types/api'

type Placed = Pick<ElasticItem, 'item' | 'state' | 'host' | 'planned_host'>

/** Returns the host that has the item: that of its open run, or else the one of the plan. */
export const hostOfItem = ({ state, host, planned_host: planned }: Placed): string | null => (state === 'running' && host ? host : planned)

/** Time for which a move is shown. */
export const movedMs = 10000

/**
 * Returns a function that takes each reading of items and returns the moves to show: the former host by item. Only items of two readings in a
 * row can have moved; an item that had no host, or has none, has not.
 */
export function watchMoves(): (items: readonly Placed[], nowMs: number) => ReadonlyMap<number, string> {
  let hosts = new Map<number, string | null>()
  let moves = new Map<number, { from: string; atMs: number }>()
  return (items, nowMs) => {
    const next = new Map(items.map((each) => [each.item, hostOfItem(each)]))
    for (const [item, host] of next) {
      const from = hosts.get(item)
      if (from && host && from !== host) moves.set(item, { from, atMs: nowMs })
    }
    hosts = next
    moves = new Map([...moves].filter(([, move]) => nowMs - move.atMs < movedMs))
    return new Map([...moves].map(([item, move]) => [item, move.from]))
  }
}
