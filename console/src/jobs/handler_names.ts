import { onScopeDispose, ref, watch } from 'vue'
import type { JobRow } from '../../types/api'
import { call } from '../api/client'

/** Jobs of the group that are read, newest first. */
const jobsRead = 200
/** Jobs that are read for a typed part of a name. */
const jobsFound = 50
const pauseMs = 300

/** Returns each handler of these jobs once, in the order of the alphabet. */
export function handlersOf(jobs: Pick<JobRow, 'glue_type' | 'handler'>[]): string[] {
  return [...new Set(jobs.filter((job) => job.glue_type === 'BEAN').map((job) => job.handler))].filter(Boolean).sort((a, b) => a.localeCompare(b))
}

/** Suggests names of handlers: those that other jobs of the group have. A group that cannot be read has none. */
export function useHandlerNames(group: () => number | undefined) {
  const names = ref<string[]>([])
  /** Group whose newest jobs were read. */
  let held: number | undefined
  /** The group has more jobs than were read. */
  let hasMore = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: AbortController | null = null

  async function read(handler: string | undefined, limit: number): Promise<void> {
    const own = group()
    if (!own) return
    current?.abort()
    const asked = new AbortController()
    current = asked
    const page = await call('GET /jobs', { query: { group: own, glue_type: 'BEAN', handler, limit }, signal: asked.signal, repeat: false }).catch(() => null)
    if (!page || asked.signal.aborted) return
    held = own
    if (!handler) hasMore = page.next !== null
    names.value = [...new Set([...(handler ? names.value : []), ...handlersOf(page.items)])]
  }
  /** Reads the handlers of the group, once. */
  async function load(): Promise<void> {
    if (held !== group()) await read(undefined, jobsRead)
  }
  /** Looks for names with this part among the jobs that were not read. */
  function look(part: string): void {
    clearTimeout(timer)
    const wanted = part.trim().toLowerCase()
    if (!hasMore || !wanted || names.value.some((name) => name.toLowerCase().includes(wanted))) return
    timer = setTimeout(() => void read(part.trim(), jobsFound), pauseMs)
  }
  watch(group, () => {
    clearTimeout(timer)
    current?.abort()
    held = undefined
    hasMore = false
    names.value = []
  })
  onScopeDispose(() => {
    clearTimeout(timer)
    current?.abort()
  })
  return { names, load, look }
}
