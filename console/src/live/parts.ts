import { shallowRef } from 'vue'
import { ApiError } from '../api/problem'
import { serverNow } from '../app/clock'
import { wordsOf } from '../app/notices'

/** Readings of the parts of a page; null: not asked. */
export type Reads = Record<string, (() => Promise<unknown>) | null>
type Answer<Read> = Read extends () => Promise<infer Data> ? Data : never
/** What was read; null: not asked, or it failed. */
export type FoundParts<Parts extends Reads> = { [Name in keyof Parts]: Answer<Parts[Name]> | null }
/** Why a part could not be read. */
export interface PartProblem {
  words: string
  /** The same request may succeed later. */
  mayPass: boolean
}
export type PartProblems<Parts extends Reads> = { [Name in keyof Parts]?: PartProblem }
export interface PartsAnswer<Parts extends Reads> {
  found: FoundParts<Parts>
  failed: PartProblems<Parts>
  /** Longest pause that the server asked for. */
  retryAfterMs: number | null
}

/** Least interval after a part could not be read. */
const failedMs = 10000

/**
 * Reads the parts of a page, each by itself: one that fails does not hide the others. Parts that were refused `before` are not asked again.
 * Fails only if no part can be read.
 */
export async function readParts<Parts extends Reads>(parts: Parts, before: PartProblems<Parts> = {}): Promise<PartsAnswer<Parts>> {
  const found: Record<string, unknown> = {}
  const failed: Record<string, PartProblem> = {}
  const errors: ApiError[] = []
  let read = 0
  await Promise.all(
    Object.entries(parts).map(async ([name, part]) => {
      found[name] = null
      const former = before[name]
      if (part && former && !former.mayPass) failed[name] = former
      else if (part)
        try {
          found[name] = await part()
          read += 1
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          errors.push(error)
          failed[name] = { words: wordsOf(error), mayPass: error.mayPass }
        }
    }),
  )
  // The poll goes on after an error that may pass.
  if (!read && errors.length) throw errors.find((error) => error.mayPass) ?? errors[0]
  const waits = errors.map((error) => error.retryAfterMs ?? 0)
  return { found: found as FoundParts<Parts>, failed: failed as PartProblems<Parts>, retryAfterMs: Math.max(0, ...waits) || null }
}

/** The parts of a live page: what was read, and why the rest was not. */
export function useParts<Parts extends Reads>(parts: (signal: AbortSignal) => Parts) {
  const failed = shallowRef<PartProblems<Parts>>({})
  const readMs = shallowRef<{ [Name in keyof Parts]?: number }>({})
  let retryAfterMs: number | null = null

  /** Notes an answer that is shown. */
  function note(answer: PartsAnswer<Parts>): void {
    failed.value = answer.failed
    retryAfterMs = answer.retryAfterMs
    const now = serverNow()
    const read = Object.keys(answer.found).filter((name) => answer.found[name] !== null)
    readMs.value = { ...readMs.value, ...Object.fromEntries(read.map((name) => [name, now])) }
  }
  return {
    failed,
    /** Times at which the parts were read last. */
    readMs,
    read: (signal: AbortSignal) => readParts(parts(signal), failed.value),
    note,
    /** Asks parts that were refused again, too. */
    askAll: () => void (failed.value = {}),
    /** Returns the least interval of the poll: of a part that failed, and what the server asked for. */
    leastMs: () => (Object.values<PartProblem | undefined>(failed.value).some((each) => each?.mayPass) ? Math.max(failedMs, retryAfterMs ?? 0) : 0),
    /** Returns whether a part was read, and its last reading did not fail. */
    isRead: (name: keyof Parts) => readMs.value[name] !== undefined && !failed.value[name],
  }
}
