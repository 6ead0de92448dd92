import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { useRoute, useRouter, type LocationQuery, type LocationQueryRaw } from 'vue-router'

/** Place in a list that is read page by page. */
export interface Place {
  /** Number of pages before this one; 0: the first page. */
  readonly page: number
  /** Cursors of the pages up to this one, as far as they are known; the last one is its own. The first page has none. */
  readonly cursors: readonly string[]
}

/** Place of a list and its changes. */
export interface KeptPlace {
  readonly current: Readonly<ShallowRef<Place>>
  /** Moves to another page. `later`: the URL follows with the filters that are being typed. */
  move(place: Place, how: 'push' | 'replace' | 'later'): void
}

export const firstPlace: Place = { page: 0, cursors: [] }

/** Number of cursors that are remembered for the way back. */
const cursorsMax = 100
/** The longest cursor has the name of a job. */
const cursorCharsMax = 1024
/** Time after which the URL has the filters that were typed. */
const laterMs = 500

export const cursorOf = (place: Place): string | undefined => place.cursors[place.cursors.length - 1]
/** Returns whether the page before this one is known: that before a page which a link opened is not, unless it is the first one. */
export const hasFormer = (place: Place): boolean => place.page === 1 || (place.page > 1 && place.cursors.length > 1)
export const laterPlace = (place: Place, cursor: string): Place => ({ page: place.page + 1, cursors: [...place.cursors, cursor].slice(-cursorsMax) })
export const formerPlace = (place: Place): Place => (place.page <= 1 ? firstPlace : { page: place.page - 1, cursors: place.cursors.slice(0, -1) })

interface Names {
  page: string
  cursor: string
}
const namesOf = (part: string): Names => (part ? { page: `${part}_page`, cursor: `${part}_cursor` } : { page: 'page', cursor: 'cursor' })
const textOf = (query: LocationQuery, name: string) => String((Array.isArray(query[name]) ? query[name][0] : query[name]) ?? '')

/**
 * Reads a place from a query. `state`: what the browser kept with the URL, the cursors of the pages before. A place that is invalid is the
 * first page.
 */
export function readPlace(query: LocationQuery, state: unknown, part = ''): Place {
  const names = namesOf(part)
  const cursor = textOf(query, names.cursor)
  if (!cursor || cursor.length > cursorCharsMax) return firstPlace
  const number = textOf(query, names.page)
  const page = /^[1-9]\d{0,8}$/.test(number) ? Math.max(1, Number(number) - 1) : 1
  const kept = Array.isArray(state) ? state.filter((each): each is string => typeof each === 'string' && each !== '').slice(-cursorsMax) : []
  return { page, cursors: kept.length <= page && kept[kept.length - 1] === cursor ? kept : [cursor] }
}

/** Writes a place into a query; that of the first page is absent. */
export function writePlace(query: LocationQuery | LocationQueryRaw, place: Place, part = ''): LocationQueryRaw {
  const names = namesOf(part)
  const rest: LocationQueryRaw = Object.fromEntries(Object.entries(query).filter(([name]) => name !== names.page && name !== names.cursor))
  const cursor = cursorOf(place)
  return cursor === undefined ? rest : { ...rest, [names.page]: String(place.page + 1), [names.cursor]: cursor }
}

const isSame = (a: Place, b: Place) => a.page === b.page && cursorOf(a) === cursorOf(b)

/** Keeps a place in memory only, for a list in a dialog. */
export function usePlaceInMemory(): KeptPlace {
  const current = shallowRef(firstPlace)
  return { current, move: (place) => (current.value = place) }
}

/**
 * Keeps the place of a list in the URL, so that a link, a reload and Back restore it. `part` names the list on a page whose filters are not
 * those of the list.
 */
export function usePlace(part = ''): KeptPlace {
  const route = useRoute()
  const router = useRouter()
  const base = route.matched[0]?.path
  const stateName = part ? `${part}_cursors` : 'cursors'
  const read = () => readPlace(route.query, (router.options.history.state as Record<string, unknown> | undefined)?.[stateName], part)
  const current = shallowRef(read())
  let timer: ReturnType<typeof setTimeout> | undefined
  let leaving = false

  /** Returns whether the URL is that of the page, and stays so: a change of it would end the way to another page. */
  const isShown = () => !leaving && route.matched[0]?.path === base
  function write(how: 'push' | 'replace'): void {
    const query = writePlace(route.query, current.value, part)
    const isWritten = Object.values(namesOf(part)).every((name) => query[name] === route.query[name])
    if (isShown() && !isWritten) void router[how]({ query, hash: route.hash, state: { [stateName]: [...current.value.cursors] } })
  }
  function move(place: Place, how: 'push' | 'replace' | 'later'): void {
    current.value = place
    clearTimeout(timer)
    if (how === 'later') timer = setTimeout(() => write('replace'), laterMs)
    else write(how)
  }
  watch(
    () => route.query,
    () => {
      if (!isShown()) return
      clearTimeout(timer)
      const found = read()
      if (!isSame(found, current.value)) current.value = found
      // The URL must not name a page that is not shown.
      write('replace')
    },
    { immediate: true },
  )
  const ends = [router.beforeEach((to) => void (leaving = to.matched[0]?.path !== base)), router.afterEach(() => (leaving = false))]
  onScopeDispose(() => {
    clearTimeout(timer)
    for (const end of ends) end()
  })
  return { current, move }
}
