/** Returns the last night of the viewer: from 18:00 to 08:00, or to now if it has not ended. */
export function lastNight(nowMs: number): [number, number] {
  const end = new Date(nowMs)
  end.setHours(8, 0, 0, 0)
  const begin = new Date(end)
  begin.setDate(begin.getDate() - 1)
  begin.setHours(18, 0, 0, 0)
  return [begin.getTime(), Math.min(end.getTime(), nowMs)]
}

/** Returns whether a range is the last night, or the part of it that was over when the range was chosen. */
export function isLastNight(from: number | undefined, to: number | undefined, nowMs: number): boolean {
  const [begin, end] = lastNight(nowMs)
  if (from !== begin || to === undefined) return false
  return to === end || (end === nowMs && to > begin && to < end)
}

export type Days = 'today' | 'yesterday' | 'this_month' | 'last_month' | 'week' | 'month'
export const dayRanges: Days[] = ['today', 'yesterday', 'week', 'this_month', 'last_month', 'month']

/** Returns a range of whole days of the viewer; the end is exclusive. */
export function daysRange(range: Days, nowMs: number): [number, number] {
  const at = (year: number, month: number, day: number) => new Date(year, month, day).getTime()
  const now = new Date(nowMs)
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  switch (range) {
    case 'today':
      return [at(year, month, day), at(year, month, day + 1)]
    case 'yesterday':
      return [at(year, month, day - 1), at(year, month, day)]
    case 'this_month':
      return [at(year, month, 1), at(year, month + 1, 1)]
    case 'last_month':
      return [at(year, month - 1, 1), at(year, month, 1)]
    case 'week':
      return [at(year, month, day - 6), at(year, month, day + 1)]
    case 'month':
      return [at(year, month, day - 29), at(year, month, day + 1)]
  }
}
