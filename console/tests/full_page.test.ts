import { describe, expect, it } from 'vitest'
import type { Page } from '../src/api/operations'
import { patienceMs, readFullPage } from '../src/live/full_page'
import type { PageOfList } from '../src/live/list'

const answer = (items: number[], next: string | null, searched: number | null): Page<number> => ({ items, next, total: items.length, total_is_capped: next !== null, searched_to_ms: searched })

/** A server with these answers, and what it was asked. */
function server(answers: Page<number>[]) {
  const asked: PageOfList[] = []
  return { asked, read: (page: PageOfList) => Promise.resolve((asked.push(page), answers[asked.length - 1]!)) }
}

describe('a page of a list that is searched in parts', () => {
  it('is one answer if that is full or the whole list', async () => {
    const full = server([answer([9, 8], '8', null)])
    expect((await readFullPage(full.read, { limit: 2 })).parts).toBe(1)
    const whole = server([answer([9], null, null)])
    expect((await readFullPage(whole.read, { limit: 2 })).items).toEqual([9])
    expect([full.asked.length, whole.asked.length]).toEqual([1, 1])
  })
  it('is made of parts until it is full', async () => {
    const { asked, read } = server([answer([9], '7', 700), answer([], '5', 500), answer([4, 3], '3', null)])
    const page = await readFullPage(read, { limit: 3, cursor: '10' })
    expect(page).toEqual({ items: [9, 4, 3], next: '3', total: 1, total_is_capped: true, searched_to_ms: null, parts: 3 })
    expect(asked).toEqual([{ limit: 3, cursor: '10' }, { limit: 2, cursor: '7' }, { limit: 2, cursor: '5' }])
  })
  it('is made of answers that are not full, if the list has no other mark of a part', async () => {
    const { read } = server([answer([9], '7', null), answer([4, 3], '3', null)])
    expect((await readFullPage(read, { limit: 3 }, Date.now, () => true)).items).toEqual([9, 4, 3])
  })
  it('ends where the time ends, and says how far the search went', async () => {
    let now = 0
    const { asked, read } = server([answer([], '7', 700), answer([], '5', 500)])
    const page = await readFullPage((part) => ((now += patienceMs / 2), read(part)), { limit: 3 }, () => now)
    expect(asked.length).toBe(2)
    expect([page.next, page.searched_to_ms]).toEqual(['5', 500])
  })
})
