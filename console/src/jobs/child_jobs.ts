import { computed, ref } from 'vue'
import { call } from '../api/client'
import { useJobNames } from '../app/groups'

/** Jobs to choose as children of a job: those found by words, and those that are chosen. `job`: the parent, which is no choice. */
export function useChildJobs(job: () => number | null, chosen: () => number[]) {
  const names = useJobNames()
  const found = ref<{ id: number; name: string }[]>([])
  async function search(words: string): Promise<void> {
    const page = await call('GET /jobs', { query: { name: words || undefined, limit: 20 }, repeat: false }).catch(() => null)
    found.value = (page?.items ?? []).filter((each) => each.id !== job())
    names.note(found.value)
  }
  const choices = computed(() => {
    const all = new Map<number, string>(found.value.map((each) => [each.id, each.name]))
    for (const child of chosen()) if (!all.has(child)) all.set(child, names.name(child))
    return [...all]
  })
  return { search, choices }
}
