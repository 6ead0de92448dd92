import type { VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Executor, GroupRow } from '../types/api'
import { showLanguage } from '../src/app/i18n'
import { suggestedTitle } from '../src/executors/group_form'
import { appsWithoutGroup, byTrouble, groupsByTrouble, type RefusedExecutor } from '../src/executors/trouble'
import { answer, json, openApp, session, settle } from './app'

const executor = (address: string, state: Executor['state']): Executor => ({ group: 1, app_name: 'mail-worker', address, state, last_beat_ms: null, link: false, family: null, unreachable_ms: null })
const groupRow = (id: number, app_name: string, more: Partial<GroupRow>): GroupRow => ({ id, app_name, title: app_name, address_type: 'automatic', addresses: ['http://stale/'], updated_ms: null, source: null, jobs: 0, online: 1, late: 0, gone: 0, known: 1, has_token: false, ...more })
const refusal = (reason: RefusedExecutor['reason'], app_name: string | null): RefusedExecutor => ({ reason, app_name, address: 'http://10.0.0.3:9999/', remote: '10.0.0.3', first_ms: 1, last_ms: 2, times: 3 })

describe('executors', () => {
  it('in trouble come first, in their order', () => {
    const sorted = byTrouble([executor('a', 'online'), executor('b', 'gone'), executor('c', 'entered'), executor('d', 'late'), executor('e', 'gone')])
    expect(sorted.map((each) => each.address)).toEqual(['d', 'b', 'e', 'c', 'a'])
  })
  it('order their groups: none online, then some gone, then the others; entered addresses are no trouble', () => {
    const groups = [groupRow(1, 'fine', {}), groupRow(2, 'entered', { address_type: 'manual', online: 0, known: 2 }), groupRow(3, 'partly', { gone: 1 }), groupRow(4, 'down', { online: 0 }), groupRow(5, 'unread', { online: null, late: null, gone: null, known: null })]
    expect(groupsByTrouble(groups).map((each) => each.id)).toEqual([4, 3, 1, 2, 5])
  })
  it('without a group name it once, if a group can have that name', () => {
    const refused = [refusal('unknown_app', 'stock-worker'), refusal('unknown_app', 'stock-worker'), refusal('wrong_token', 'pay-worker'), refusal('unknown_app', null), refusal('unknown_app', 'abc'), refusal('unknown_app', 'x'.repeat(65)), refusal('unknown_app', '任务程序')]
    expect(appsWithoutGroup(refused)).toEqual(['stock-worker', '任务程序'])
  })
  it('suggest a title for their group', () => {
    expect(['pay-worker', 'stock.goods_2', '任务程序', '----'].map(suggestedTitle)).toEqual(['Pay worker', 'Stock goods 2', '任务程序', '----'])
  })
})

let wrapper: VueWrapper | null = null
let groups: GroupRow[] = []
let refused: RefusedExecutor[] = []
let isAdmin = true
const posted: unknown[] = []
const asked: string[] = []
const pageOf = (items: unknown[]) => json({ items, next: null, total: items.length, total_is_capped: false })

beforeEach(async () => {
  groups = [groupRow(1, 'pay-worker', {}), groupRow(2, 'mail-worker', { online: 0, gone: 1, known: 1 })]
  refused = [refusal('unknown_app', 'stock-worker'), refusal('wrong_token', 'pay-worker')]
  isAdmin = true
  posted.length = asked.length = 0
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string, init?: RequestInit) => {
      const { pathname, searchParams, search } = new URL(url, 'http://server')
      const path = pathname.replace('/api/v1', '')
      if (path === '/session') return json({ ...session, admin: isAdmin, rights: isAdmin ? [] : [{ group: 1, right: 'editor' }] })
      if (path === '/groups' && init?.method === 'POST') {
        posted.push(JSON.parse(String(init.body)))
        return json({ id: 3 }, 201)
      }
      if (path === '/groups') return pageOf(groups)
      if (path === '/executors/refused') return json({ items: refused })
      if (path === '/jobs' && !groups.length) return pageOf([])
      if (path !== '/executors') return answer(url, init)
      asked.push(search)
      const all = [executor('http://pay/', 'online'), executor('http://mail/', 'gone')]
      return pageOf(all.filter((each) => !searchParams.get('state') || each.state === searchParams.get('state')))
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
async function open(path: string) {
  const opened = await openApp(path)
  wrapper = opened.wrapper
  expect(opened.errors).toEqual([])
  return opened
}
const tables = () => wrapper!.findAll('main table').map((each) => each.text())
const field = (label: string) => [...document.querySelectorAll<HTMLLabelElement>('.el-dialog label')].find((each) => each.textContent?.includes(label))?.querySelector('input')

describe('the page Executors', () => {
  it('shows trouble first, and counts the executors that are online, not registered addresses', async () => {
    await open('/executors')
    const [down, refusals, list] = tables()
    expect(down).toContain('http://mail/')
    expect(down).not.toContain('http://pay/')
    expect(refusals).toContain('stock-worker')
    expect(list).toMatch(/mail-worker.*No executor is online.*1 gone.*pay-worker.*1 online/s)
  })
  it('has its filters in the URL, and asks the server for them', async () => {
    const { router } = await open('/executors?q=mail&state=gone')
    expect(asked.at(-1)).toMatch(/state=gone.*q=mail|q=mail.*state=gone/)
    expect(tables()).toHaveLength(1)
    await router.push('/executors?state=refused')
    await vi.waitFor(() => expect(tables().join()).toContain('Wrong access token'), 5000)
    expect(tables()).toHaveLength(1)
    await router.push('/executors?state=odd')
    await settle()
    expect(router.currentRoute.value.query).toEqual({})
  })
  it('does not know refused executors of others than administrators', async () => {
    isAdmin = false
    const { router } = await open('/executors?state=refused')
    await settle()
    expect(router.currentRoute.value.query).toEqual({})
    expect(tables().join()).not.toContain('stock-worker')
  })
  it('adds the group of a refused executor', async () => {
    await open('/executors')
    const [button] = wrapper!.findAll('main button').filter((each) => each.text() === 'Add this group')
    await button!.trigger('click')
    await settle()
    expect([field('AppName')?.value, field('Title')?.value]).toEqual(['stock-worker', 'Stock worker'])
    document.querySelector<HTMLButtonElement>('.el-dialog__footer .el-button--primary')?.click()
    await settle()
    expect(posted).toEqual([{ app_name: 'stock-worker', title: 'Stock worker', address_type: 'automatic' }])
    expect(document.querySelector('.el-dialog')).toBeNull()
  })
  it('opens the form of a link once', async () => {
    const { router } = await open('/executors?state=gone&add=stock-worker')
    await settle()
    expect(field('AppName')?.value).toBe('stock-worker')
    expect(router.currentRoute.value.query).toEqual({ state: 'gone' })
  })
})

describe('the page Jobs without a group', () => {
  it('leads to the group that an executor waits for', async () => {
    groups = []
    await open('/jobs')
    await vi.waitFor(() => expect(wrapper!.find('main .waiting').exists()).toBe(true), 5000)
    expect(wrapper!.find('main .waiting').text()).toContain('An executor registers with the AppName stock-worker')
    expect(wrapper!.find('main .waiting a').attributes('href')).toMatch(/\/executors\?add=stock-worker$/)
  })
  it('says how to begin, when no executor registers', async () => {
    groups = []
    refused = []
    await open('/jobs')
    await vi.waitFor(() => expect(wrapper!.find('main .waiting').exists()).toBe(true), 5000)
    expect(wrapper!.find('main .waiting').text()).toContain('No group yet')
    expect(wrapper!.find('main .waiting a').attributes('href')).toMatch(/\/executors\?add=$/)
  })
  it('leads from the form of a job to the first group', async () => {
    groups = []
    await open('/jobs/new')
    await vi.waitFor(() => expect(document.querySelector('.el-drawer a[href*="add="]')?.textContent).toBe('Add a group'), 8000)
  })
  it('names the access token of executors, and where it is', async () => {
    groups = []
    refused = []
    await open('/executors')
    await vi.waitFor(() => expect(wrapper!.find('main').text()).toMatch(/access token[^]*security\.access_token[^]*initial-secrets/), 5000)
  })
})
