import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { Page } from '../api/operations'
import { ApiError } from '../api/problem'
import { settings } from '../app/settings'
import { cursorOf, firstPlace, formerPlace, hasFormer, laterPlace, usePlaceInMemory, type KeptPlace, type Place } from './place'
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
  /** Page that is shown; default: kept in memory. */
  place?: KeptPlace
  /** Rows were read, here or in another tab. */
  seen?(rows: Row[]): void
}

/** An answer with the filters it belongs to. */
interface Found<Row> {
  filters: string
  page: Page<Row>
  /** The page that was asked for does not exist: this is the first one. */
  isMoved?: boolean
}

/** A live list with pages. */
export function useList<Row extends { id: number }>({ name, load, filters, everyMs, place = usePlaceInMemory(), seen }: ListSource<Row>) {
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
  /** The place that this list has seen; another one comes from the URL. */
  let known = place.current.value
  /** The page after the shown one, until it had rows: the rest of a list may be empty. */
  let rest: Place | null = null
  let replace = true
  /** Filters of the rows that are shown. */
  let shownFilters: string | null = null

  const pageOf = () => ({ limit: settings.pageSize, cursor: cursorOf(place.current.value) })
  const live = useLive<Found<Row>>({
    key: () => JSON.stringify([name, filters(), pageOf()]),
    async read(signal) {
      const asked = filters()
      const found = await readAsked(signal)
      return found ? { filters: asked, page: found } : { filters: asked, page: await load({ limit: settings.pageSize }, signal), isMoved: true }
    },
    show({ filters: asked, page, isMoved }) {
      if (isMoved) {
        moveTo(firstPlace, 'replace')
        replace = true
      }
      if (page.items.length) rest = null
      // Later pages of runs are not counted: the total of the first one stays.
      const isSameList = shownFilters === asked && !isMoved && cursorOf(place.current.value) !== undefined
      shownFilters = asked
      const merged = mergeRows(rows.value, page.items, holds.value > 0 && !replace)
      replace = false
      rows.value = merged.rows
      waiting.value = merged.waiting
      if (page.total !== null || !isSameList) {
        total.value = page.total
        totalIsCapped.value = page.total_is_capped
      }
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

  /** Reads the page. Returns null if it does not exist any more: its cursor is refused, or it has no rows. */
  async function readAsked(signal: AbortSignal): Promise<Page<Row> | null> {
    const asked = pageOf()
    const mayBeEmpty = asked.cursor === undefined || place.current.value === rest
    try {
      const page = await load(asked, signal)
      return page.items.length || page.next || mayBeEmpty ? page : null
    } catch (error) {
      if (asked.cursor !== undefined && error instanceof ApiError && error.status === 400) return null
      throw error
    }
  }
  function moveTo(other: Place, how: 'push' | 'replace' | 'later'): void {
    known = other
    place.move(other, how)
  }
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
    rest = laterPlace(place.current.value, next.value)
    moveTo(rest, 'push')
    show()
  }
  function goBack(): void {
    moveTo(formerPlace(place.current.value), 'push')
    show()
  }
  function goFirst(how: 'push' | 'replace' = 'push'): void {
    moveTo(firstPlace, how)
    show()
  }
  // Typing in a filter asks once.
  let timer: ReturnType<typeof setTimeout> | undefined
  watch([filters, place.current], ([text, now], [former, before]) => {
    const isFromUrl = now !== known
    known = now
    if (text === former && (!isFromUrl || cursorOf(now) === cursorOf(before))) return
    next.value = null
    searchedTo.value = null
    clearTimeout(timer)
    if (isFromUrl) return show()
    // The place of a page belongs to a list with these filters, in this order.
    moveTo(firstPlace, 'later')
    timer = setTimeout(show, 250)
  })
  onScopeDispose(() => clearTimeout(timer))
  watch(
    () => live.error,
    (error) => {
      if (error && !error.mayPass && shownFilters !== null && shownFilters !== filters()) clear()
    },
  )
  watch(() => settings.pageSize, () => goFirst('replace'))

  const page = computed(() => place.current.value.page)
  const hasBack = computed(() => hasFormer(place.current.value))
  return { rows, total, totalIsCapped, next, searchedTo, waiting, holds, live, page, hasBack, show, goNext, goBack, goFirst: () => goFirst() }
}

/** Pages of a list: what `ListFoot` shows and turns. */
export type PagesOfList = Pick<ReturnType<typeof useList>, 'total' | 'totalIsCapped' | 'page' | 'hasBack' | 'next' | 'goFirst' | 'goBack' | 'goNext'>
