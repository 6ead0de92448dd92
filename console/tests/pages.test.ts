import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryHistory } from 'vue-router'
import App from '../src/App.vue'
import { i18n, showLanguage } from '../src/app/i18n'
import { makeRouter } from '../src/app/router'
import { useSession } from '../src/app/session'
import { answerOf, operationOf } from './example'

const session = { user: 1, name: 'admin', admin: true, rights: [], by: 'session', must_change_password: false, csrf_token: 't' }
const about = { product: 'Ringmaster', languages: ['en'], language: 'en', demo: false, version: '1', mode: 'native', now_ms: Date.now(), schedule_zone: 'UTC', features: { glue: true, mail: true, links: true, keep_logs: true }, retention: { days: 30, audit_days: 0 } }
const json = (body: unknown) => new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } })

const unknown: string[] = []
const problems: string[] = []
let wrapper: VueWrapper | null = null

/** Answers as the API's document says; a request that the document does not know fails the test. */
async function answer(url: string, init?: RequestInit): Promise<Response> {
  const { pathname, searchParams } = new URL(url, 'http://server')
  const method = init?.method ?? 'GET'
  if (pathname === '/api/v1/session') return json(session)
  if (pathname === '/api/v1/about') return json(about)
  const operation = operationOf(method, pathname)
  if (!operation) {
    unknown.push(`${method} ${pathname}`)
    return new Response(null, { status: 404 })
  }
  const known = new Set((operation.parameters ?? []).filter((each) => each.in === 'query').map((each) => each.name))
  for (const name of searchParams.keys()) if (!known.has(name)) unknown.push(`${method} ${pathname}?${name}`)
  if (pathname.endsWith('/log')) return json({ run: 1, from_line: 1, to_line: 2, content: 'one\n<b>two</b>\n', end: true, kept: false })
  return answerOf(operation)
}

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
  const pinia = createPinia()
  setActivePinia(pinia)
  await useSession().loadAbout()
  const router = makeRouter(createMemoryHistory())
  void router.push(path)
  await router.isReady()
  const errors: unknown[] = []
  wrapper = mount(App, { attachTo: document.body, global: { plugins: [pinia, i18n, router], config: { errorHandler: (error: unknown) => void errors.push(error) } } })
  for (let round = 0; round < 6; round += 1) {
    await flushPromises()
    await new Promise((done) => setTimeout(done, 5))
  }
  expect(errors).toEqual([])
  return wrapper
}

vi.mock('../src/charts/chart', () => ({ token: () => '#000000', makeChart: () => ({ on() {}, resize() {}, dispose() {}, setOption() {} }) }))
vi.mock('../src/script/editor', () => ({ makeEditor: () => ({ put() {}, focus() {}, end() {} }), makeDifference: () => ({ put() {}, focus() {}, end() {} }) }))

const paths = ['/', '/report', '/jobs', '/jobs?group=1&name=a', '/jobs/new', '/jobs/new?from=1', '/jobs/1', '/jobs/1/edit', '/jobs/1/script', '/runs', '/runs?status=failed&job=1', '/runs/1', '/runs/1/log', '/executors', '/forecast', '/users', '/keys?user=1', '/sessions', '/sessions?user=1', '/audit', '/alarms', '/declared', '/nodes', '/me', '/help', '/sign-in', '/no/such/page']

describe('pages', () => {
  it.each(paths)('%s is shown without warnings, by documented requests alone', async (path) => {
    const page = await open(path)
    expect(page.text().length).toBeGreaterThan(10)
    expect(unknown).toEqual([])
    expect(problems).toEqual([])
    // Keys without a text would be shown as they are.
    expect(page.text()).not.toMatch(/\b(jobs|runs|run|job|act|menu|list|log)\.[a-z_]+\.?[a-z_]*\b(?!\.toml)/)
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
