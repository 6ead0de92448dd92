import { callWithTag } from '../api/client'

export interface LineRange {
  from: number
  to: number
}

/** Longest text that the server searches, in bytes. */
const wantedBytesMax = 256

/** Returns the first or the last line of a range that contains a text, in the whole log; null if there is none. Ends early when
 * `goesOn` returns false. */
export async function findLine(run: number, text: string, range: LineRange, which: 'first' | 'last', goesOn: () => boolean): Promise<number | null> {
  if (!text || new TextEncoder().encode(text).length > wantedBytesMax) return null
  let found: number | null = null
  let next: number | null | undefined = range.from
  while (next !== null && next !== undefined && next <= range.to && goesOn()) {
    const { data }: { data?: { matches: { line: number }[]; next_line: number | null } } = await callWithTag('GET /runs/{id}/log/search', { id: run, query: { q: text, from_line: next } })
    for (const { line } of data?.matches ?? []) {
      if (line > range.to) return found
      found = line
      if (which === 'first') return found
    }
    next = data?.next_line
  }
  return found
}
