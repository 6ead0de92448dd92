import type { Job, SourceVersion } from '../../types/api'
import { call, callWithTag } from '../api/client'
import { ApiError, type LaterEdit } from '../api/problem'

/** The source of a script as the server has it, and its versions without their texts. */
export interface HeldSource {
  job: Job
  /** Tag of this source, or of an earlier one: then the next save is refused. */
  etag: string
  versions: SourceVersion[]
}

export async function readSource(id: number): Promise<HeldSource> {
  // The tag comes first: a version that is saved before the text is read must not get the tag of that text.
  const { data, etag } = await callWithTag('GET /jobs/{id}/sources', { id, query: { bodies: false } })
  return { job: await call('GET /jobs/{id}', { id }), etag: etag ?? '', versions: data?.items ?? [] }
}

/** Outcome of a save: the tag of the stored source, or the edit of another user that came first. */
export type Saved = { etag: string } | { later: LaterEdit }

/** Saves a new version if the server still has the source with this tag. */
export async function saveSource(id: number, etag: string, source: string, remark: string): Promise<Saved> {
  try {
    // Without a tag nothing is known of the present source: a tag that no source has is refused.
    const answer = await callWithTag('PUT /jobs/{id}/source', { id, ifMatch: etag || '""', body: { source, remark } })
    return { etag: answer.etag ?? '' }
  } catch (error) {
    if (error instanceof ApiError && error.status === 412) return { later: error.later }
    throw error
  }
}

/** Reads the text of a version when it is needed, and once. */
export function versionTexts(id: number): (version: number) => Promise<string> {
  const texts = new Map<number, Promise<string>>()
  return (version) => {
    const known = texts.get(version)
    if (known) return known
    const text = call('GET /jobs/{id}/sources/{version}', { id, version }).then((found) => found.source ?? '')
    texts.set(version, text)
    text.catch(() => texts.delete(version))
    return text
  }
}
