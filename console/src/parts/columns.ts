export interface Column {
  key: string
  title: string
  /** Its title is not shown, only read: columns of actions. */
  plain?: boolean
  numeric?: boolean
  narrow?: boolean
  /** Order of the list by this column, without a minus. */
  sort?: string
}

/** Returns the order after a choice of a column: ascending, then descending, then the usual one (''). */
export function nextSort(current: string, column: string): string {
  if (current === column) return `-${column}`
  return current === `-${column}` ? '' : column
}
/** Returns the value of aria-sort of a column. */
export const ariaSort = (current: string, column: string) => (current === column ? 'ascending' : current === `-${column}` ? 'descending' : 'none')

/** Returns the columns that are shown. The first one names the row and always stays. */
export function shownColumns(columns: Column[], hidden: string[] = []): Column[] {
  return columns.filter((column, index) => index === 0 || !hidden.includes(column.key))
}
