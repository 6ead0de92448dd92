import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { Page } from '../api/operations'
import { settings } from '../app/settings'
import { useLive } from './poll'
import { mergeRows } from './rows'

/** Least interval of a search of a part of a list: it reads many rows each time. */
const partEveryMs = 15000

export interface PageOfList {
  limit: number
  cursor?: string
}

export interface ListSource<Row> {
  /** Names the list among the tabs of the browser. */
  name: string
  load(page: PageOfList, signal: AbortSignal): Promise<Page<Row>>
  /** A text of all filters; the first page is read again when it changes. */
  filters(): string
  everyMs: number
  /** Rows were read, here or in another tab. */
  seen?(rows: Row[]): void
}

/** An answer with the filters it belongs to. */
interface Found<Row> {
  filters: string
  page: Page<Row>
}

/** A live list with pages. */
export function useList<Row extends { id: number }>({ name, load, filters, everyMs, seen }: ListSource<Row>) {
  const rows = shallowRef<Row[]>([])
  const total = ref<number | null>(null)
  const totalIsCapped = ref(false)
  const next = ref<string | null>(null)
  /** Time at which the search of a part of the list ended; null: the page is full, or the list has ended. */
  const searchedTo = ref<number | null>(null)
  let parts = 1
  const waiting = ref(0)
  /** Reasons to keep the order: the pointer is on the table, rows are selected. */
  const holds = ref(0)
  const cursors = ref<string[]>([])
  let replace = true
  /** Filters of the rows that are shown. */
  let shownFilters: string | null = null

  const pageOf = () => ({ limit: settings.pageSize, cursor: cursors.value[cursors.value.length - 1] })
  const live = useLive<Found<Row>>({
    key: () => JSON.stringify([name, filters(), pageOf()]),
    async read(signal) {
      const asked = filters()
      return { filters: asked, page: await load(pageOf(), signal) }
    },
    show({ filters: asked, page }) {
      shownFilters = asked
      const merged = mergeRows(rows.value, page.items, holds.value > 0 && !replace)
      replace = false
      rows.value = merged.rows
      waiting.value = merged.waiting
      total.value = page.total
      totalIsCapped.value = page.total_is_capped
      // While a filter is typed, an answer for the former filters may come: it leads to no further page.
      const isAsked = asked === filters()
      next.value = isAsked ? page.next : null
      searchedTo.value = isAsked ? (page.searched_to_ms ?? null) : null
      parts = page.parts ?? 1
      seen?.(page.items)
    },
    everyMs: () => everyMs,
    leastMs: () => (searchedTo.value === null && parts === 1 ? 0 : partEveryMs),
  })

  function show(): void {
    replace = true
    void live.refresh()
  }
  /** Removes the rows of former filters: those of the present ones were refused. */
  function clear(): void {
    rows.value = []
    total.value = null
    totalIsCapped.value = false
    next.value = null
    searchedTo.value = null
    waiting.value = 0
    shownFilters = null
  }
  function goNext(): void {
    if (!next.value) return
    cursors.value.push(next.value)
    show()
  }
  function goBack(): void {
    cursors.value.pop()
    show()
  }
  function goFirst(): void {
    cursors.value = []
    show()
  }
  // Typing in a filter asks once.
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(filters, () => {
    // The place of a page belongs to a list with these filters, in this order.
    cursors.value = []
    next.value = null
    searchedTo.value = null
    clearTimeout(timer)
    timer = setTimeout(goFirst, 250)
  })
  onScopeDispose(() => clearTimeout(timer))
  watch(
    () => live.error,
    (error) => {
      if (error && !error.mayPass && shownFilters !== null && shownFilters !== filters()) clear()
    },
  )
  watch(() => settings.pageSize, goFirst)

  const page = computed(() => cursors.value.length)
  return { rows, total, totalIsCapped, next, searchedTo, waiting, holds, live, page, show, goNext, goBack, goFirst }
}
