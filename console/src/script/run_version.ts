import { shallowRef, watch } from 'vue'
import type { Run, SourceVersion } from '../../types/api'
import { call } from '../api/client'

/** A save in this time around the trigger leaves open whether the run had the version or the one before it: databases keep whole seconds. */
const nearMs = 2000

export interface RunVersion {
  id: number
  ms: number
  isNear: boolean
}

/** Returns the version of its script that a run had, by their times; null: none of the stored ones. `versions`: newest first. */
export function versionAt(versions: Pick<SourceVersion, 'id' | 'added_ms' | 'updated_ms'>[], triggerMs: number): RunVersion | null {
  for (const version of versions) {
    const ms = version.added_ms ?? version.updated_ms
    if (ms !== null && ms <= triggerMs + nearMs) return { id: version.id, ms, isNear: ms > triggerMs - nearMs }
  }
  return null
}

/** Returns whether a run ran a script whose versions can be read. Other kinds of jobs always have a handler. */
export const ranScript = (run: Run) => run.handler === '' && run.job_name !== null && run.trigger_ms !== null && run.status !== 'missed'

/** Reads which version of its script a run had. Undefined: not known, or not a script; null: a version that is not stored. */
export function useRunVersion(run: () => Run | null) {
  const found = shallowRef<RunVersion | null | undefined>()
  async function read(job: number, triggerMs: number): Promise<void> {
    const list = await call('GET /jobs/{id}/sources', { id: job, query: { bodies: false }, repeat: false }).catch(() => null)
    if (list) found.value = versionAt(list.items, triggerMs)
  }
  watch(
    () => {
      const own = run()
      return own && ranScript(own) ? `${own.job} ${own.trigger_ms}` : ''
    },
    () => {
      const own = run()
      if (own && ranScript(own) && own.trigger_ms !== null) void read(own.job, own.trigger_ms)
    },
    { immediate: true },
  )
  return found
}
