export interface Column {
  key: string
  title: string
  /** Its title is not shown, only read: columns of actions. */
  plain?: boolean
  numeric?: boolean
  narrow?: boolean
}

/** Returns the columns that are shown. The first one names the row and always stays. */
export function shownColumns(columns: Column[], hidden: string[] = []): Column[] {
  return columns.filter((column, index) => index === 0 || !hidden.includes(column.key))
}
