import type { VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { showLanguage } from '../src/app/i18n'
import { answer, json, openApp, session, unknownRequests as unknown } from './app'

const problems: string[] = []
let wrapper: VueWrapper | null = null

beforeEach(async () => {
  unknown.length = 0
  problems.length = 0
  vi.stubGlobal('fetch', vi.fn(answer))
  vi.spyOn(console, 'warn').mockImplementation((...words) => void problems.push(words.join(' ')))
  vi.spyOn(console, 'error').mockImplementation((...words) => void problems.push(words.join(' ')))
  await showLanguage('en')
})
afterEach(() => {
  wrapper?.unmount()
  wrapper = null
  document.body.innerHTML = ''
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

async function open(path: string): Promise<VueWrapper> {
  const opened = await openApp(path)
  wrapper = opened.wrapper
  expect(opened.errors).toEqual([])
  return opened.wrapper
}

vi.mock('echarts/core', () => ({ use() {}, init: () => ({ on() {}, resize() {}, dispose() {}, setOption() {} }) }))
vi.mock('../src/script/editor', () => ({ makeEditor: () => ({ put() {}, focus() {}, end() {} }), makeDifference: () => ({ put() {}, focus() {}, end() {} }) }))

const paths = ['/', '/report', '/jobs', '/jobs?group=1&name=a', '/jobs/new', '/jobs/new?from=1', '/jobs/1', '/jobs/1/edit', '/jobs/1/script', '/elastic', '/elastic?status=disabled&group=1', '/elastic/1', '/elastic/1?without=id', '/elastic/1/history', '/elastic/1/history?item=0&state=lost&from=1', '/elastic/hosts', '/runs', '/runs?status=failed&job=1', '/runs?status=unknown', '/runs/1', '/runs/1/log', '/executors', '/forecast', '/users', '/keys?user=1', '/sessions', '/sessions?user=1', '/audit', '/alarms', '/declared', '/nodes', '/doctor', '/me', '/help', '/sign-in', '/no/such/page']

describe('pages', () => {
  it.each(paths)('%s is shown without warnings, by documented requests alone', async (path) => {
    const page = await open(path)
    expect(page.text().length).toBeGreaterThan(10)
    expect(unknown).toEqual([])
    expect(problems).toEqual([])
    // Keys without a text would be shown as they are.
    expect(page.text()).not.toMatch(/\b(jobs|runs|run|job|act|menu|list|log|elastic)\.[a-z_]+\.?[a-z_]*\b(?!\.toml)/)
  })
  it('show the log as text', async () => {
    const page = await open('/runs/1/log')
    expect(page.text()).toContain('one')
    expect(page.find('.box .bold').text()).toBe('two')
  })
  it('hide the menu of administrators from others', async () => {
    vi.stubGlobal('fetch', vi.fn((url: string, init?: RequestInit) => (url.endsWith('/session') ? Promise.resolve(json({ ...session, admin: false, rights: [{ group: 1, right: 'viewer' }] })) : answer(url, init))))
    const page = await open('/users')
    expect(page.find('nav').text()).not.toContain('Audit log')
    expect(page.find('main').text()).toContain('permission of an administrator')
  })
})
