import { computed, onScopeDispose, reactive, watch } from 'vue'
import { useRoute, useRouter, type LocationQuery, type LocationQueryRaw } from 'vue-router'
import { firstPlace, writePlace } from './place'

/** A list is one of these values, `several` any number of them, written with commas. */
export type FilterKind = 'text' | 'number' | 'flag' | readonly string[] | { readonly several: readonly string[] }
export type FilterSpec = Record<string, FilterKind>
export type FilterValue<Kind extends FilterKind> = Kind extends 'text'
  ? string
  : Kind extends 'number'
    ? number | undefined
    : Kind extends 'flag'
      ? boolean | undefined
      : Kind extends readonly (infer Choice)[]
        ? Choice | ''
        : Kind extends { readonly several: readonly (infer Choice)[] }
          ? Choice[]
          : never
export type FilterValues<Spec extends FilterSpec> = { -readonly [Name in keyof Spec]: FilterValue<Spec[Name]> }

/** Returns whether a filter has a value. */
export const isSet = (value: unknown) => value !== undefined && value !== null && String(value) !== ''

/** Reads filters from a query. Values that are invalid count as absent. */
export function readFilters<Spec extends FilterSpec>(spec: Spec, query: LocationQuery): FilterValues<Spec> {
  const result: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(spec)) {
    const sent = query[name]
    const text = (Array.isArray(sent) ? sent[0] : sent) ?? ''
    if (kind === 'text') result[name] = text
    else if (kind === 'number') result[name] = /^\d{1,15}$/.test(text) ? Number(text) : undefined
    else if (kind === 'flag') result[name] = text === 'true' ? true : text === 'false' ? false : undefined
    else if ('several' in kind) result[name] = [...new Set(text.split(','))].filter((each) => kind.several.includes(each))
    else result[name] = kind.includes(text) ? text : ''
  }
  return result as FilterValues<Spec>
}

/** Writes filters into a query: absent ones are left out, members of other parts are kept. */
export function writeFilters<Spec extends FilterSpec>(spec: Spec, values: FilterValues<Spec>, query: LocationQuery): LocationQueryRaw {
  const result: LocationQueryRaw = {}
  for (const [name, value] of Object.entries(query)) if (!(name in spec)) result[name] = value
  for (const name of Object.keys(spec)) {
    const value = values[name]
    if (isSet(value)) result[name] = String(value)
  }
  return result
}

/** Returns whether a query has a value of a filter that the filters do not have: one that is invalid, or written in another way. */
export function hasStray<Spec extends FilterSpec>(spec: Spec, values: FilterValues<Spec>, query: LocationQuery): boolean {
  return Object.keys(spec).some((name) => query[name] !== undefined && query[name] !== (isSet(values[name]) ? String(values[name]) : ''))
}

/** Filters of a page, kept in its URL, so that a link and Back restore them. A change of them leads to the first page of the list. */
export function useFilters<Spec extends FilterSpec>(spec: Spec) {
  const route = useRoute()
  const router = useRouter()
  const base = route.matched[0]?.path
  const isShown = () => route.matched[0]?.path === base
  const values = reactive(readFilters(spec, route.query)) as FilterValues<Spec>
  const text = computed(() => JSON.stringify(values))
  const any = computed(() => Object.values(values).some(isSet))

  watch(
    () => route.query,
    (query) => {
      if (!isShown()) return
      Object.assign(values, readFilters(spec, query))
      // The URL must not name a filter that is not applied.
      if (hasStray(spec, values, query)) void router.replace({ query: writeFilters(spec, values, query), hash: route.hash })
    },
    { immediate: true },
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(text, () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (!isShown()) return
      const query = writeFilters(spec, values, route.query)
      if (JSON.stringify(query) !== JSON.stringify(writeFilters(spec, readFilters(spec, route.query), route.query))) void router.push({ query: writePlace(query, firstPlace) })
    }, 300)
  })
  // A change that is not in the URL yet must not end the way to another page.
  const forget = router.beforeEach((to) => {
    if (to.matched[0]?.path !== base) clearTimeout(timer)
  })
  onScopeDispose(() => {
    clearTimeout(timer)
    forget()
  })
  const clear = () => Object.assign(values, readFilters(spec, {}))
  return { values, text, any, clear }
}
