/** Result of merging fresh rows into shown ones. */
export interface Merged<Row> {
  rows: Row[]
  /** Number of fresh rows that are not shown yet. */
  waiting: number
}

/** Merges fresh rows by id. While frozen, the order stays, new rows wait, and rows that have gone stay with their last values. */
export function mergeRows<Row extends { id: number }>(shown: Row[], fresh: Row[], frozen: boolean): Merged<Row> {
  if (!frozen || shown.length === 0) return { rows: fresh, waiting: 0 }
  const byId = new Map(fresh.map((row) => [row.id, row]))
  const known = new Set(shown.map((row) => row.id))
  return { rows: shown.map((row) => byId.get(row.id) ?? row), waiting: fresh.filter((row) => !known.has(row.id)).length }
}
