import { ApiError } from '../api/problem'
import { wordsOf } from '../app/notices'

type Reads = Record<string, Promise<unknown> | null>
/** What was read; null: not asked, or it failed. */
export type FoundParts<Parts extends Reads> = { [Name in keyof Parts]: Awaited<Parts[Name]> | null }

/** Reads the parts of a page, each by itself: one that fails does not hide the others. Fails only if all parts fail. */
export async function readParts<Parts extends Reads>(parts: Parts): Promise<{ found: FoundParts<Parts>; problem: string }> {
  const found: Record<string, unknown> = {}
  let first: unknown = null
  let read = 0
  await Promise.all(
    Object.entries(parts).map(async ([name, part]) => {
      found[name] = null
      if (!part) return
      try {
        found[name] = await part
        read += 1
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        first ??= error
      }
    }),
  )
  if (first && !read) throw first
  return { found: found as FoundParts<Parts>, problem: first ? wordsOf(first) : '' }
}
