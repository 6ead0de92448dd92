import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import { call } from '../api/client'
import { tellError } from '../app/notices'
import type { Firing, TimeSpan } from './forecast'

/** Firings that one reading asks for. */
export const firingsStep = 200

export interface FiringFilter {
  group?: number
  job?: number
}

/** Reads the firings of time spans in order, part by part. A reading that another one replaces changes nothing. */
export function useFirings() {
  const rows = shallowRef<Firing[]>([])
  const busy = ref(false)
  const continued = ref(false)
  const left = shallowRef<{ spans: TimeSpan[]; cursor?: string; filter: FiringFilter }>({ spans: [], filter: {} })
  let current: AbortController | null = null

  /** Reads until there are `firingsStep` more, or all. */
  async function read(before: Firing[]): Promise<void> {
    current?.abort()
    const own = new AbortController()
    current = own
    busy.value = true
    const found: Firing[] = []
    try {
      let { spans, cursor } = left.value
      const { filter } = left.value
      while (spans[0] && found.length < firingsStep) {
        const { from, to } = spans[0]
        const page = await call('GET /schedule/forecast', { query: { ...filter, from_ms: from, to_ms: to, limit: firingsStep - found.length, cursor }, signal: own.signal, repeat: false })
        if (own.signal.aborted) return
        found.push(...page.items)
        cursor = page.next ?? undefined
        if (!page.next) spans = spans.slice(1)
      }
      left.value = { spans, cursor, filter }
      rows.value = [...before, ...found]
    } catch (error) {
      if (own.signal.aborted) return
      // Rows of other spans must not stay.
      if (!before.length) rows.value = []
      tellError(error)
    } finally {
      if (current === own) busy.value = false
    }
  }
  function open(spans: TimeSpan[], filter: FiringFilter): Promise<void> {
    continued.value = false
    left.value = { spans, filter }
    return read([])
  }
  function more(): Promise<void> {
    continued.value = true
    return read(rows.value)
  }
  onScopeDispose(() => current?.abort())
  return { rows, busy, continued, hasMore: computed(() => left.value.spans.length > 0), open, more }
}
