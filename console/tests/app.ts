import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { createMemoryHistory, type Router } from 'vue-router'
import App from '../src/App.vue'
import { i18n } from '../src/app/i18n'
import { makeRouter } from '../src/app/router'
import { useSession } from '../src/app/session'
import { answerOf, operationOf } from './example'

export const session = { user: 1, name: 'admin', admin: true, rights: [], by: 'session', must_change_password: false, csrf_token: 't' }
export const about = { product: 'Ringmaster', languages: ['en'], language: 'en', demo: false, version: '1', mode: 'native', now_ms: Date.now(), schedule_zone: 'UTC', features: { glue: true, mail: true, links: true, keep_logs: true }, retention: { days: 30, audit_days: 0 } }
/** Settings of a user who has chosen none. */
export const userSettings = { language: null, zone: null, theme: null, start_page: null, refresh_s: null, keys: null }
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) => new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } })

/** Requests and parameters that the API's document does not know. */
export const unknownRequests: string[] = []

/** Answers as the API's document says. */
export async function answer(url: string, init?: RequestInit): Promise<Response> {
  const { pathname, searchParams } = new URL(url, 'http://server')
  const method = init?.method ?? 'GET'
  if (pathname === '/api/v1/session') return json(session)
  if (pathname === '/api/v1/about') return json(about)
  if (pathname === '/api/v1/users/me/settings') return method === 'GET' ? json(userSettings) : new Response(null, { status: 204 })
  const operation = operationOf(method, pathname)
  if (!operation) {
    unknownRequests.push(`${method} ${pathname}`)
    return new Response(null, { status: 404 })
  }
  const known = new Set((operation.parameters ?? []).filter((each) => each.in === 'query').map((each) => each.name))
  for (const name of searchParams.keys()) if (!known.has(name)) unknownRequests.push(`${method} ${pathname}?${name}`)
  if (pathname.endsWith('/log')) return json({ run: 1, from_line: 1, to_line: 2, content: 'one\n<b>two</b>\n', end: true, kept: false })
  return answerOf(operation)
}

/** Waits until the page has drawn what it read. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    await flushPromises()
    await new Promise((done) => setTimeout(done, 5))
  }
}

/** Opens a page of the whole console. Errors of components are collected in `errors`. */
export async function openApp(path: string): Promise<{ wrapper: VueWrapper; router: Router; errors: unknown[] }> {
  const pinia = createPinia()
  setActivePinia(pinia)
  await useSession().loadAbout()
  const router = makeRouter(createMemoryHistory())
  void router.push(path)
  await router.isReady()
  const errors: unknown[] = []
  const wrapper = mount(App, { attachTo: document.body, global: { plugins: [pinia, i18n, router], config: { errorHandler: (error: unknown) => void errors.push(error) } } })
  await settle()
  return { wrapper, router, errors }
}
