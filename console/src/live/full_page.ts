import type { Page } from '../api/operations'
import type { PageOfList } from './list'

/** Time in which further parts are asked for. */
export const patienceMs = 3000

/**
 * Reads a page of a list that the server searches in parts: asks on while the page is not full, the list has not ended, and there is
 * time. `parts` is the number of answers. `isPart`: an answer that is not full is a part; default: it says how far it was searched.
 */
export async function readFullPage<Row>(read: (page: PageOfList) => Promise<Page<Row>>, page: PageOfList, clock = Date.now, isPart = (answer: Page<Row>) => answer.searched_to_ms != null): Promise<Page<Row>> {
  const until = clock() + patienceMs
  const first = await read(page)
  let last = first
  const items = [...first.items]
  let parts = 1
  while (items.length < page.limit && last.next && isPart(last) && clock() < until) {
    last = await read({ limit: page.limit - items.length, cursor: last.next })
    items.push(...last.items)
    parts += 1
  }
  return { ...last, items, total: first.total, total_is_capped: first.total_is_capped, parts }
}
