import { callWithTag } from '../api/client'
import type { AnswerOf, OperationName } from '../api/operations'
import { ApiError } from '../api/problem'

/** Returns a reading of an operation that sends the ETag of its last answer, and gives that answer again after a 304. */
export function taggedRead<Name extends OperationName>(name: Name): (signal: AbortSignal) => Promise<AnswerOf<Name>> {
  let last: { tag: string; data: AnswerOf<Name> } | null = null
  return async (signal) => {
    const answer = await callWithTag(name, { signal, repeat: false, ...(last && { ifNoneMatch: last.tag }) })
    if (answer.data === undefined) {
      if (last) return last.data
      throw new ApiError(0, 'no_answer', '')
    }
    last = answer.etag ? { tag: answer.etag, data: answer.data } : null
    return answer.data
  }
}
