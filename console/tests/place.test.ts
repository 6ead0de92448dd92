import type { VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LocationQuery, Router } from 'vue-router'
import { showLanguage } from '../src/app/i18n'
import { firstPlace, formerPlace, hasFormer, laterPlace, readPlace, writePlace } from '../src/live/place'
import { answer, json, openApp, settle } from './app'

describe('the place of a list in its URL', () => {
  it('survives writing and reading, with the cursors of the pages before', () => {
    const place = laterPlace(laterPlace(firstPlace, 'p50'), 'k71.b&c')
    const query = writePlace({ q: 'a' }, place)
    expect(query).toEqual({ q: 'a', page: '3', cursor: 'k71.b&c' })
    expect(readPlace(query as Record<string, string>, place.cursors)).toEqual(place)
    expect([formerPlace(place).cursors, formerPlace(formerPlace(place))]).toEqual([['p50'], firstPlace])
    expect(writePlace({ ...query }, firstPlace)).toEqual({ q: 'a' })
  })
  it('is that of a link without the cursors of the pages before', () => {
    const place = readPlace({ page: '7', cursor: 'p300' }, undefined)
    expect(place).toEqual({ page: 6, cursors: ['p300'] })
    expect([hasFormer(place), hasFormer(laterPlace(place, 'p350')), hasFormer(readPlace({ page: '2', cursor: 'p50' }, null)), hasFormer(firstPlace)]).toEqual([false, true, true, false])
  })
  it('is the first page if it is invalid, and takes no foreign state', () => {
    for (const query of [{}, { page: '4' }, { page: '4', cursor: '' }, { page: '4', cursor: 'p'.repeat(2000) }]) expect(readPlace(query as LocationQuery, ['p1'])).toBe(firstPlace)
    for (const page of ['0', '1', '-3', 'x', '9'.repeat(20)]) expect(readPlace({ page, cursor: 'p50' }, undefined).page).toBe(1)
    for (const state of [['p1'], 'p50', [1, 2], [{}], ['p1', 'p2', 'p50']]) expect(readPlace({ page: '2', cursor: 'p50' }, state)).toEqual({ page: 1, cursors: ['p50'] })
  })
  it('remembers a bounded number of cursors', () => {
    let place = firstPlace
    for (let page = 1; page <= 500; page += 1) place = laterPlace(place, `p${page}`)
    expect([place.page, place.cursors.length, place.cursors.at(-1)]).toEqual([500, 100, 'p500'])
  })
  it('is apart from that of another list of the page', () => {
    const query = writePlace({ page: '2', cursor: 'p50' }, laterPlace(firstPlace, 'p9'), 'changes')
    expect(query).toEqual({ page: '2', cursor: 'p50', changes_page: '2', changes_cursor: 'p9' })
    expect(readPlace({ page: '2', cursor: 'p50' }, undefined, 'changes')).toBe(firstPlace)
  })
})

let wrapper: VueWrapper | null = null
let asked: (string | null)[] = []
let changesAsked: (string | null)[] = []
/** Answers by cursor; '': the first page. */
let answers: Record<string, Record<string, unknown> | null> = {}
const row = (id: number) => ({ id, job: 1, job_name: 'x', group: 1, group_title: 'g', status: 'succeeded', trigger_ms: 1, kind: 'cron', address: null, reason: null })
const page = (ids: number[], next: string | null) => ({ items: ids.map(row), next, total: 9, total_is_capped: false, searched_to_ms: null })

async function open(path: string): Promise<Router> {
  const app = await openApp(path)
  wrapper = app.wrapper
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0), 15000)
  await settle()
  return app.router
}
const press = (text: string) => wrapper!.findAll('.foot button').find((each) => each.text() === text)!.trigger('click')
const isPressable = (text: string) => wrapper!.findAll('.foot button').find((each) => each.text() === text)!.attributes('disabled') === undefined
const rows = () => wrapper!.findAll('tbody tr').map((each) => Number(each.attributes('data-row')))
const shows = (...ids: number[]) => vi.waitFor(() => expect(rows()).toEqual(ids), 5000)

beforeEach(async () => {
  asked = []
  changesAsked = []
  answers = { '': page([9, 8], 'p8'), p8: page([7, 6], 'p6'), p6: page([5], null) }
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string, init?: RequestInit) => {
      const { pathname, searchParams } = new URL(url, 'http://server')
      if (/\/jobs\/\d+\/changes$/.test(pathname)) changesAsked.push(searchParams.get('cursor'))
      if (pathname !== '/api/v1/runs') return answer(url, init)
      asked.push(searchParams.get('cursor'))
      const found = answers[searchParams.get('cursor') ?? '']
      return found ? json(found) : json({ type: 'urn:ringmaster:invalid_argument', title: '', status: 400, detail: 'the parameter cursor must be the "next" value of the previous page' }, 400)
    }),
  )
  await showLanguage('en')
})
afterEach(() => {
  wrapper?.unmount()
  wrapper = null
  document.body.innerHTML = ''
  vi.unstubAllGlobals()
})

describe('a page of runs', () => {
  it('is in the URL, and Back and Forward lead to it', async () => {
    const router = await open('/runs?kind=cron')
    await press('Next')
    await shows(7, 6)
    await press('Next')
    await shows(5)
    expect(router.currentRoute.value.query).toEqual({ kind: 'cron', page: '3', cursor: 'p6' })
    router.back()
    await shows(7, 6)
    router.back()
    await shows(9, 8)
    expect(router.currentRoute.value.query).toEqual({ kind: 'cron' })
    router.go(2)
    await shows(5)
    await press('Previous')
    await shows(7, 6)
  })
  it('is shown again after its row was opened, with the way to the pages before', async () => {
    const router = await open('/runs')
    await press('Next')
    await shows(7, 6)
    await press('Next')
    await shows(5)
    await router.push('/help')
    await settle()
    asked = []
    router.back()
    await shows(5)
    expect(asked).toEqual(['p6'])
    await vi.waitFor(() => expect(wrapper!.text()).toContain('Page 3'), 5000)
    await press('Previous')
    await shows(7, 6)
  })
  it('is opened by a link, which does not know the page before', async () => {
    await open('/runs?page=3&cursor=p6')
    await shows(5)
    expect([isPressable('First'), isPressable('Previous')]).toEqual([true, false])
    await press('First')
    await shows(9, 8)
  })
  it('is the first one after a change of a filter, and Back leads to the page before', async () => {
    const router = await open('/runs?page=2&cursor=p8')
    await shows(7, 6)
    await wrapper!.findAll('.chips button').find((each) => each.text() === 'failed')!.trigger('click')
    await shows(9, 8)
    await vi.waitFor(() => expect(router.currentRoute.value.query).toEqual({ status: 'failed' }), 5000)
    router.back()
    await shows(7, 6)
    expect(asked.slice(-1)).toEqual(['p8'])
    await new Promise((done) => setTimeout(done, 700))
    expect(router.currentRoute.value.query).toEqual({ page: '2', cursor: 'p8' })
  })
  it('leaves the URL when a filter was changed and changed back', async () => {
    const router = await open('/runs?page=2&cursor=p8')
    await shows(7, 6)
    const input = wrapper!.find('input[aria-label="JobHandler"]')
    await input.setValue('a')
    await input.setValue('')
    await shows(9, 8)
    await vi.waitFor(() => expect(router.currentRoute.value.query).toEqual({}), 5000)
  })
  it('is the first one if the server refuses the cursor, or knows no row there', async () => {
    answers.p3 = page([], null)
    for (const cursor of ['broken', 'p3']) {
      const router = await open(`/runs?kind=cron&page=4&cursor=${cursor}`)
      await shows(9, 8)
      await vi.waitFor(() => expect(router.currentRoute.value.query).toEqual({ kind: 'cron' }), 5000)
      expect(wrapper!.text()).not.toContain('the parameter cursor')
      wrapper!.unmount()
    }
  })
  it('may be empty where the list was searched on', async () => {
    answers.p8 = page([], null)
    await open('/runs')
    await press('Next')
    await vi.waitFor(() => expect(wrapper!.text()).toContain('Page 2'), 5000)
    await settle()
    expect([rows(), asked]).toEqual([[], [null, 'p8']])
  })
})

describe('a page of the changes of a job', () => {
  it('is opened by a link, apart from the filters of the page', async () => {
    const router = await open('/jobs/7?changes_page=2&changes_cursor=p9')
    await vi.waitFor(() => expect(changesAsked).toEqual(['p9']), 15000)
    expect(wrapper!.find('details.panel').attributes('open')).toBeDefined()
    expect(router.currentRoute.value.query).toEqual({ changes_page: '2', changes_cursor: 'p9' })
  })
})
