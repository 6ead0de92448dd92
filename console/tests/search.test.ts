import type { VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Router } from 'vue-router'
import type { ElasticJobRow, FoundObjects } from '../types/api'
import { showLanguage } from '../src/app/i18n'
import { answer, json, openApp, settle } from './app'
import { example } from './example'

type FoundRun = FoundObjects['runs'][number]
const run = (id: number): FoundRun => ({ ...(example('ShortRun') as FoundRun), id, job_name: 'nightly', status: 'succeeded', reason: null })
const none: FoundObjects = { jobs: [], groups: [], runs: [], users: [], truncated: false }
let found: FoundObjects
let elastic: ElasticJobRow[]
let asked: string[]
let refused = false
let release: (() => void) | null
let wrapper: VueWrapper
let router: Router

async function serve(url: string, init?: RequestInit): Promise<Response> {
  const { pathname, searchParams } = new URL(url, 'http://server')
  if (pathname === '/api/v1/elastic/jobs') return json({ items: elastic, next: null, total: elastic.length, total_is_capped: false })
  if (pathname !== '/api/v1/search') return answer(url, init)
  if (refused) return json({ type: 'urn:ringmaster:unavailable', title: 'Unavailable', status: 503, detail: 'the store is busy' }, 503)
  asked.push(searchParams.get('q') ?? '')
  const now = found
  if (release) await new Promise<void>((done) => (release = done))
  return json(now)
}

const input = () => document.querySelector<HTMLInputElement>('[role=combobox]')!
const options = () => [...document.querySelectorAll('#search-hits > li')].map((each) => each.firstElementChild?.textContent)
const press = (key: string) => input().dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
/** Pages are loaded when they are opened. */
const opened = (path: string) => vi.waitFor(() => expect(router.currentRoute.value.fullPath).toBe(path), 15000)
function type(text: string): void {
  input().value = text
  input().dispatchEvent(new Event('input'))
}

beforeEach(async () => {
  found = none
  elastic = []
  asked = []
  refused = false
  release = null
  vi.stubGlobal('fetch', vi.fn(serve))
  await showLanguage('en')
  ;({ wrapper, router } = await openApp('/help'))
  document.dispatchEvent(new KeyboardEvent('keydown', { key: '/' }))
  await vi.waitFor(() => expect(input()).not.toBeNull())
})
afterEach(() => {
  wrapper.unmount()
  document.body.innerHTML = ''
  vi.unstubAllGlobals()
})

describe('the search', () => {
  it('finds elastic jobs, after the jobs', async () => {
    found = { ...none, jobs: [{ id: 3, group: 1, name: 'sum', handler: 'h', key: null }] }
    elastic = [{ ...(example('ElasticJobRow') as ElasticJobRow), id: 8, name: 'sum-orders' }]
    type('sum')
    await vi.waitFor(() => expect(options()).toEqual(['sum', 'sum-orders']))
    press('ArrowDown')
    press('Enter')
    await opened('/elastic/8')
  })
  it('asks once for all kinds of objects, and leads to each', async () => {
    found = { jobs: [{ id: 3, group: 1, name: 'settle', handler: 'h', key: null }], groups: [{ id: 5, app_name: 'pay', title: 'Settlements' }], runs: [], users: [{ id: 2, name: 'settler & co', admin: false }], truncated: false }
    type('settle')
    await vi.waitFor(() => expect(options()).toEqual(['settle', 'Settlements', 'settler & co']))
    expect(asked).toEqual(['settle'])
    expect(input().getAttribute('aria-activedescendant')).toBe('search-hit-0')
    press('ArrowUp')
    press('ArrowUp')
    await settle()
    expect(input().getAttribute('aria-activedescendant')).toBe('search-hit-1')
    press('ArrowDown')
    press('Enter')
    await opened('/users?name=settler%20%26%20co')
  })
  it('opens what Enter means, also when the answer comes later', async () => {
    found = { ...none, runs: [run(70), run(701)] }
    type('70')
    press('Enter')
    await opened('/runs/70')
    expect(asked).toEqual(['70'])
  })
  it('puts the run of this id before jobs that have the digits in their name', async () => {
    found = { ...none, jobs: [{ id: 3, group: 1, name: 'since 70', handler: '', key: null }], runs: [run(70)] }
    type('70')
    await vi.waitFor(() => expect(options()).toEqual(['Run 70', 'since 70']))
    found = { ...found, jobs: [{ id: 7, group: 1, name: 'seven', handler: '', key: null }], runs: [run(7)] }
    type('7')
    await vi.waitFor(() => expect(options()).toEqual(['seven', 'Run 7']))
  })
  it('shows why it failed, not that there is nothing', async () => {
    refused = true
    type('settle')
    await vi.waitFor(() => expect(document.body.textContent).toContain('the store is busy'))
    expect(document.body.textContent).not.toContain('Nothing found')
  })
  it('opens nothing with the Enter that ends the input of a character', async () => {
    found = { ...none, runs: [run(70)] }
    type('70')
    await vi.waitFor(() => expect(options()).toEqual(['Run 70']))
    input().dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }))
    await settle()
    expect(router.currentRoute.value.fullPath).toBe('/help')
  })
  it('drops an answer to an earlier text', async () => {
    release = () => undefined
    found = { ...none, jobs: [{ id: 3, group: 1, name: 'old', handler: '', key: null }] }
    type('o')
    await vi.waitFor(() => expect(asked).toEqual(['o']))
    const late = release
    release = null
    found = { ...none, jobs: [{ id: 4, group: 1, name: 'one', handler: '', key: null }] }
    type('on')
    await vi.waitFor(() => expect(options()).toContain('one'))
    late()
    await settle()
    expect(options()).not.toContain('old')
  })
  it('says how many there are, that some may be missing, and that there are none', async () => {
    found = { ...none, jobs: [{ id: 3, group: 1, name: 'zz', handler: '', key: null }], truncated: true }
    type('zz')
    await vi.waitFor(() => expect(document.querySelector('#search-hits ~ [role=status]')?.textContent).toBe('Matches: 1'))
    expect(document.body.textContent).toContain('may be missing')
    found = none
    type('zzz')
    await vi.waitFor(() => expect(document.querySelector('#search-hits ~ [role=status]')?.textContent).toBe('Nothing found'))
    expect(input().getAttribute('aria-expanded')).toBe('false')
  })
  it('finds pages without the server, and sends no more than the server takes', async () => {
    type('audi')
    await vi.waitFor(() => expect(options()).toEqual(['Audit log']))
    type('x'.repeat(130))
    await vi.waitFor(() => expect(asked.at(-1)).toHaveLength(100))
    type('  ')
    await settle()
    expect(asked).toHaveLength(1)
  })
  it('takes keys that are typed before its input has the focus, and none that press a button', async () => {
    const outside = (key: string, target: EventTarget = document.body) => target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    input().blur()
    for (const key of ['t', 's', 'x', 'Backspace', '7']) outside(key)
    await settle()
    expect([input().value, document.activeElement === input()]).toEqual(['ts7', true])
    const other = document.body.appendChild(document.createElement('input'))
    expect(outside('p', other)).toBe(true)
    const close = document.querySelector<HTMLElement>('.el-dialog__headerbtn')!
    expect([outside(' ', close), outside('Enter', close)]).toEqual([true, true])
    expect(input().value).toBe('ts7')
  })
  it('opens again at once after it was closed, and is empty then', async () => {
    type('old')
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape', bubbles: true }))
    await vi.waitFor(() => expect(document.querySelector('[role=combobox]')).toBeNull(), 500)
    document.dispatchEvent(new KeyboardEvent('keydown', { key: '/' }))
    await vi.waitFor(() => expect(input()?.value).toBe(''))
  })
})
