import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { GroupRow, JobRow } from '../../types/api'
import { call } from '../api/client'

const groupsMax = 5000

/** Titles of groups and jobs, which rows of other lists name by number. */
export const useGroups = defineStore('groups', () => {
  const all = shallowRef<GroupRow[]>([])
  /** The reading under way, and whether it has the counts. */
  let reading: { done: Promise<void>; counts: boolean } | null = null
  let readMs = 0

  /** Reads all groups that the user may see, at most every 30 s. `counts`: with the numbers of their jobs and executors. */
  function load(force = false, counts = false): Promise<void> {
    if (reading && (reading.counts || !counts)) return reading.done
    if (!force && Date.now() - readMs < 30000) return Promise.resolve()
    const own = { done: Promise.resolve(), counts }
    reading = own
    own.done = (async () => {
      const found: GroupRow[] = []
      let cursor: string | undefined
      do {
        const page = await call('GET /groups', { query: { limit: 500, cursor, ...(counts ? { counts } : {}) } })
        found.push(...page.items)
        cursor = page.items.length > 0 && page.next !== cursor ? (page.next ?? undefined) : undefined
      } while (cursor && found.length < groupsMax)
      // A later reading with counts replaces this one.
      if (reading === own) take(found)
      else await reading?.done
    })().finally(() => {
      if (reading === own) reading = null
    })
    return own.done
  }

  /** Takes groups that another tab has read. */
  function take(found: GroupRow[]): void {
    all.value = found
    readMs = Date.now()
  }
  const byId = computed(() => new Map(all.value.map((group) => [group.id, group])))
  const title = (id: number) => byId.value.get(id)?.title ?? `#${id}`
  return { all, byId, load, take, title }
})

/** Names of jobs, read once each. Null: the job is gone, or the user may not see it. */
export const useJobNames = defineStore('job-names', () => {
  const names = ref<Record<number, string | null>>({})
  const asked = new Set<number>()
  let queue: number[] = []
  let busy = 0

  function note(jobs: Pick<JobRow, 'id' | 'name'>[]): void {
    for (const job of jobs) {
      names.value[job.id] = job.name
      asked.add(job.id)
    }
  }

  async function work(): Promise<void> {
    busy += 1
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      const job = await call('GET /jobs/{id}', { id, repeat: false }).catch(() => null)
      names.value[id] = job?.name ?? null
    }
    busy -= 1
  }

  /** Asks for the names of jobs that are not known yet, four at a time. */
  function want(ids: Iterable<number>): void {
    for (const id of ids)
      if (id > 0 && !asked.has(id)) {
        asked.add(id)
        queue.push(id)
      }
    queue = queue.slice(-200)
    while (busy < Math.min(4, queue.length)) void work()
  }

  const name = (id: number) => names.value[id] ?? ''
  return { names, note, want, name }
})
