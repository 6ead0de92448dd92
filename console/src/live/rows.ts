/** Result of merging fresh rows into shown ones. */
export interface Merged<Row> {
  rows: Row[]
  /** Number of fresh rows that are not shown yet. */
  waiting: number
}

/**
 * Returns a function that gives rows without a number of their own an id, which a row keeps in later answers at another place. `keyOf` names
 * a row; the ids of rows with the same name go by their order.
 */
export function rowIds<Row>(keyOf: (row: Row) => unknown): (rows: readonly Row[]) => (Row & { id: number })[] {
  let ids = new Map<string, number>()
  let last = 0
  return (rows) => {
    const kept = new Map<string, number>()
    const seen = new Map<string, number>()
    const numbered = rows.map((row) => {
      const name = JSON.stringify(keyOf(row))
      const count = (seen.get(name) ?? 0) + 1
      seen.set(name, count)
      const key = `${name} ${count}`
      const id = ids.get(key) ?? (last += 1)
      kept.set(key, id)
      return { ...row, id }
    })
    ids = kept
    return numbered
  }
}

/** Merges fresh rows by id. While frozen, the order stays, new rows wait, and rows that have gone stay with their last values. */
export function mergeRows<Row extends { id: number }>(shown: Row[], fresh: Row[], frozen: boolean): Merged<Row> {
  if (!frozen || shown.length === 0) return { rows: fresh, waiting: 0 }
  const byId = new Map(fresh.map((row) => [row.id, row]))
  const known = new Set(shown.map((row) => row.id))
  return { rows: shown.map((row) => byId.get(row.id) ?? row), waiting: fresh.filter((row) => !known.has(row.id)).length }
}
