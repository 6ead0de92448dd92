import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { defineComponent, h, ref } from 'vue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Page } from '../src/api/operations'
import { ApiError } from '../src/api/problem'
import { settings, settingsOf } from '../src/app/settings'
import { useList, type PageOfList } from '../src/live/list'

type Row = { id: number }
type Answer = Partial<Page<Row>> | ApiError

let asked: { filter: string; page: PageOfList }[] = []
/** Answers by filter. */
let answers: Record<string, Answer | Promise<Answer>> = {}
let end: () => void

function open() {
  const filter = ref('a')
  let list!: ReturnType<typeof useList<Row>>
  const wrapper = mount(
    defineComponent({
      setup() {
        list = useList<Row>({
          name: 'rows',
          async load(page) {
            asked.push({ filter: filter.value, page })
            const answer = await answers[filter.value]
            if (answer instanceof Error) throw answer
            return { items: [], next: null, total: 0, total_is_capped: false, ...answer } as Page<Row>
          },
          filters: () => filter.value,
          everyMs: 3000,
        })
        return () => h('i')
      },
    }),
    { global: { plugins: [createPinia()] } },
  )
  end = () => wrapper.unmount()
  return { filter, list }
}
const wait = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  vi.useFakeTimers()
  Object.assign(settings, settingsOf(null))
  asked = []
  answers = { a: { items: [{ id: 2 }, { id: 1 }], total: 9, next: 'p2' } }
})
afterEach(() => {
  end()
  vi.useRealTimers()
})

describe('a list whose later pages are not counted', () => {
  it('keeps the total of the first page until the filter changes', async () => {
    const { filter, list } = open()
    await wait()
    answers.a = { items: [{ id: 0 }], total: null }
    list.goNext()
    await wait()
    expect(list.rows.value).toEqual([{ id: 0 }])
    expect(list.total.value).toBe(9)
    answers.b = { items: [{ id: 3 }], total: null }
    filter.value = 'b'
    await wait(300)
    expect(list.total.value).toBeNull()
  })
})

describe('a list whose filter changes', () => {
  it('has no next page until the rows of the new filter are read', async () => {
    const { filter, list } = open()
    await wait()
    expect(list.next.value).toBe('p2')
    answers.b = { items: [{ id: 7 }], total: 3, next: 'q2' }
    filter.value = 'b'
    await wait()
    expect(list.next.value).toBeNull()
    list.goNext()
    await wait(300)
    expect(asked.map((each) => [each.filter, each.page.cursor])).toEqual([['a', undefined], ['b', undefined]])
    expect([list.next.value, list.total.value]).toEqual(['q2', 3])
  })
  it('takes no cursor from a late answer for the former filter', async () => {
    let finish!: (answer: Answer) => void
    answers.a = new Promise<Answer>((done) => (finish = done))
    answers.b = {}
    const { filter, list } = open()
    await wait()
    filter.value = 'b'
    await wait()
    finish({ items: [{ id: 2 }], next: 'p2', searched_to_ms: 5 })
    await wait()
    expect([list.next.value, list.searchedTo.value]).toEqual([null, null])
  })
  it('shows no rows of the former filter after the server refused the new one', async () => {
    const { filter, list } = open()
    await wait()
    answers.b = new ApiError(400, 'bad_request', 'more than 10 000 jobs match')
    filter.value = 'b'
    await wait(300)
    expect(list.live.error?.message).toContain('10 000')
    expect([list.rows.value, list.total.value, list.next.value]).toEqual([[], null, null])
    filter.value = 'a'
    await wait(300)
    expect(list.rows.value).toHaveLength(2)
  })
  it('keeps its rows through an error that may pass, and through a refusal of the same filter', async () => {
    const { list } = open()
    await wait()
    for (const status of [503, 403]) {
      answers.a = new ApiError(status, 'x', 'refused')
      await list.live.refresh()
      await wait()
      expect(list.rows.value).toHaveLength(2)
    }
  })
})

describe('a search of a part of a list', () => {
  it('is repeated every 15 seconds at most, whatever interval the user has chosen', async () => {
    settings.refreshS = 2
    answers.a = { items: [], next: 'p2', total_is_capped: true, searched_to_ms: 5 }
    open()
    await wait()
    await wait(13000)
    expect(asked).toHaveLength(1)
    await wait(4000)
    expect(asked).toHaveLength(2)
  })
})
