import type { VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { showLanguage } from '../src/app/i18n'
import { answer, json, openApp, settle } from './app'
import { example } from './example'

let wrapper: VueWrapper | null = null
let asked: URLSearchParams[] = []
/** Members of the page of runs. */
let page: Record<string, unknown> = {}

beforeEach(async () => {
  asked = []
  page = { items: [], next: null, total: 0, total_is_capped: false, searched_to_ms: null }
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string, init?: RequestInit) => {
      const { pathname, searchParams } = new URL(url, 'http://server')
      if (pathname !== '/api/v1/runs') return answer(url, init)
      asked.push(searchParams)
      return json(page)
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
const open = async (path: string) => {
  wrapper = (await openApp(path)).wrapper
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0), 15000)
  await settle()
}
const button = (text: string) => wrapper!.findAll('main button').find((each) => each.text() === text)

describe('the page of runs', () => {
  it('asks for what its link says', async () => {
    await open('/runs?status=failed,lost&kind=retry&took=60000&address=http%3A%2F%2Fa%3A1&q=disk&group=3')
    expect(Object.fromEntries(asked[0]!)).toMatchObject({ status: 'failed,lost', kind: 'retry', min_duration_ms: '60000', address: 'http://a:1', q: 'disk', group: '3' })
  })
  it('sends no empty filter', async () => {
    await open('/runs?q=%20')
    expect([...asked[0]!.keys()].filter((name) => name !== 'limit')).toEqual([])
  })
  it('has a chip for runs that take long, which is switched off again', async () => {
    await open('/runs')
    await button('Running > 1 h')!.trigger('click')
    await vi.waitFor(() => expect(Object.fromEntries(asked[asked.length - 1]!)).toMatchObject({ status: 'running', min_duration_ms: '3600000' }), 5000)
    expect(button('Running > 1 h')!.attributes('aria-pressed')).toBe('true')
    expect(button('running')!.attributes('aria-pressed')).toBe('false')
    await button('Running > 1 h')!.trigger('click')
    await vi.waitFor(() => expect(asked[asked.length - 1]!.has('status')).toBe(false), 5000)
    expect(asked[asked.length - 1]!.has('min_duration_ms')).toBe(false)
  })
  it('has chips that clear the duration of another chip', async () => {
    await open('/runs?status=running&took=3600000')
    await button('failed')!.trigger('click')
    await vi.waitFor(() => expect(asked[asked.length - 1]!.get('status')).toBe('failed'), 5000)
    expect(asked[asked.length - 1]!.has('min_duration_ms')).toBe(false)
    expect(button('failed')!.attributes('aria-pressed')).toBe('true')
  })
  it('marks the chip of the last night while its range is chosen', async () => {
    await open('/runs')
    await button('Last night')!.trigger('click')
    await vi.waitFor(() => expect(asked[asked.length - 1]!.has('to_ms')).toBe(true), 5000)
    expect(button('Last night')!.attributes('aria-pressed')).toBe('true')
    await button('Last night')!.trigger('click')
    await vi.waitFor(() => expect(asked[asked.length - 1]!.has('from_ms')).toBe(false), 5000)
    expect(button('Last night')!.attributes('aria-pressed')).toBe('false')
  })
  it('says that nothing failed only if all failures are asked for', async () => {
    await open('/runs?status=failed&from=1700000000000')
    await vi.waitFor(() => expect(wrapper!.text()).toContain('Nothing failed'), 5000)
    wrapper!.unmount()
    await open('/runs?status=failed&q=disk')
    await vi.waitFor(() => expect(wrapper!.text()).toContain('No match'), 5000)
    expect(wrapper!.text()).not.toContain('Nothing failed')
  })
  it('says how far a search came, and continues it', async () => {
    page = { ...page, next: 'p400', total_is_capped: true, searched_to_ms: 1700000000000 }
    await open('/runs?q=disk')
    await vi.waitFor(() => expect(wrapper!.text()).toContain('Searched back to'), 5000)
    expect(wrapper!.text()).toContain('No match so far')
    page = { ...page, next: null, total_is_capped: false, searched_to_ms: null }
    await button('Continue searching')!.trigger('click')
    await vi.waitFor(() => expect(asked[asked.length - 1]!.get('cursor')).toBe('p400'), 5000)
    await vi.waitFor(() => expect(wrapper!.text()).not.toContain('Searched back to'), 5000)
  })
  it('shows a long address in its title', async () => {
    const address = `http://${'executor-'.repeat(20)}:9999/`
    page = { ...page, items: [{ ...(example('Run') as object), id: 7, address }], total: 1 }
    await open('/runs')
    await vi.waitFor(() => expect(wrapper!.find('code.address').attributes('title')).toBe(address), 5000)
    expect(wrapper!.find('code.address').text()).toBe(`${'executor-'.repeat(20)}:9999`)
  })
})
