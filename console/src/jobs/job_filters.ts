import type { JobFilter } from '../../types/api'
import { isSet, type FilterValues } from '../live/filters'
import { glueTypes, scheduleTypes } from './choices'

/** Orders of the list of jobs; the usual one is newest first. */
export const jobOrders = ['id', 'name', '-name', 'next', '-next', 'last', '-last', 'updated', '-updated'] as const

/** Statuses of a job's last run. */
export const lastStatuses = ['pending', 'running', 'succeeded', 'failed', 'missed'] as const

/** Filters and order of the page Jobs, as in its URL and in the request. */
export const jobFilters = {
  q: 'text',
  group: 'number',
  running: 'flag',
  last_status: { several: lastStatuses },
  type: scheduleTypes,
  glue_type: glueTypes,
  declared: 'flag',
  source: 'text',
  name: 'text',
  handler: 'text',
  author: 'text',
  sort: jobOrders,
} as const
export type JobFilterValues = FilterValues<typeof jobFilters>

/** Filters that the page shows only when asked. */
const furtherFilters = ['type', 'glue_type', 'declared', 'source', 'name', 'handler', 'author'] as const

/** Returns the filters that are set, without the order: an action on all jobs that match takes the same ones. */
export function filterOf(values: JobFilterValues): JobFilter {
  const named = { ...values, last_status: values.last_status.join(',') }
  return Object.fromEntries(Object.entries(named).filter(([name, value]) => name !== 'sort' && isSet(value)))
}
/** Returns the number of filters that are set among those that are shown only when asked. */
export const furtherCount = (values: JobFilterValues) => furtherFilters.filter((name) => isSet(values[name])).length
/** Returns the last part of the key of an order's text. */
export const orderText = (order: string) => (order.startsWith('-') ? `${order.slice(1)}_down` : order)
