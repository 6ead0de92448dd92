import type { VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { i18n, showLanguage } from '../src/app/i18n'
import { answer, json, openApp, session } from './app'
import { example } from './example'

let wrapper: VueWrapper | null = null
/** The server cannot read failed runs. */
let broken = true

beforeEach(async () => {
  broken = true
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string, init?: RequestInit) => {
      const { pathname, searchParams } = new URL(url, 'http://server')
      if (pathname !== '/api/v1/runs') return answer(url, init)
      if (broken && searchParams.get('status') === 'failed') return json({ detail: 'the log is locked' }, 400)
      return json({ items: [], next: null, total: 0, total_is_capped: false, searched_to_ms: null })
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
const panel = (title: string) => wrapper!.findAll('section.panel').find((each) => each.find('h2').text() === title)!

describe('the page Now', () => {
  it('says in its own panel that a list could not be read, and not that it is empty', async () => {
    wrapper = (await openApp('/')).wrapper
    await vi.waitFor(() => expect(panel('Running').text()).toContain('Nothing is running'), 15000)
    const failures = panel('Failures of the last hour')
    expect(failures.text()).toContain('Could not be read: the log is locked')
    expect(failures.text()).not.toContain('Nothing failed')
    expect(panel('Running').text()).not.toContain('Could not be read')
  })
  it('has the singular for one', async () => {
    const { t } = i18n.global
    expect([0, 1, 2].map((count) => t('now.executors', count))).toEqual(['executors online', 'executor online', 'executors online'])
    expect([1, 2].map((count) => t('now.slots', { count }))).toEqual(['1 slot', '2 slots'])
    await showLanguage('zh-CN')
    expect([1, 2].map((count) => t('now.executors', count))).toEqual(['在线执行器', '在线执行器'])
  })
  it('asks a refused list again when the user does', async () => {
    wrapper = (await openApp('/')).wrapper
    await vi.waitFor(() => expect(panel('Failures of the last hour').text()).toContain('Could not be read'), 15000)
    broken = false
    await wrapper.find('main button[aria-label="Read again"]').trigger('click')
    await vi.waitFor(() => expect(panel('Failures of the last hour').text()).toContain('Nothing failed'), 5000)
  })
})

describe('executors without a group on the page Now', () => {
  const withExecutors = (online: number, withoutGroup: number, admin: boolean) =>
    vi.stubGlobal(
      'fetch',
      vi.fn(async (url: string, init?: RequestInit) => {
        const { pathname } = new URL(url, 'http://server')
        if (pathname === '/api/v1/session') return json({ ...session, admin, rights: [{ group: 1, right: 'viewer' }] })
        if (pathname !== '/api/v1/now') return answer(url, init)
        return json({ ...(example('Now') as object), executors_online: online, executors_without_group: withoutGroup })
      }),
    )
  it('are not online, and lead administrators to their list', async () => {
    withExecutors(2, 1, true)
    wrapper = (await openApp('/')).wrapper
    await vi.waitFor(() => expect(wrapper!.find('main').text()).toContain('2 executors online'), 5000)
    const link = wrapper.findAll('main a').find((each) => each.text() === '1 executor has no group and gets no runs')
    expect(link?.attributes('href')).toMatch(/\/executors\?state=refused$/)
  })
  it('are not shown to other users', async () => {
    withExecutors(2, 3, false)
    wrapper = (await openApp('/')).wrapper
    await vi.waitFor(() => expect(wrapper!.find('main').text()).toContain('2 executors online'), 5000)
    expect(wrapper.find('main').text()).not.toContain('no group')
  })
})
