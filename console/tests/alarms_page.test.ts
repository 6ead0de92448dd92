import type { VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { showLanguage } from '../src/app/i18n'
import { answer, json, openApp } from './app'

let wrapper: VueWrapper | null = null

beforeEach(async () => {
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string, init?: RequestInit) => {
      const { pathname } = new URL(url, 'http://server')
      if (pathname === '/api/v1/alarms/channels') return json({ items: [{ name: 'ops', kind: 'webhook', place: 'https://hooks.example.org/', sender: null }] })
      return pathname === '/api/v1/alarms/rules' ? json({ detail: 'the rules are locked' }, 503, { 'Retry-After': '60' }) : answer(url, init)
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

it('the page Alarms shows channels and open alarms when the rules cannot be read', async () => {
  wrapper = (await openApp('/alarms')).wrapper
  await vi.waitFor(() => expect(wrapper!.text()).toContain('Could not be read: the rules are locked'), 15000)
  expect(wrapper.text()).toContain('hooks.example.org')
  expect(wrapper.find('section.open').exists()).toBe(true)
  expect(wrapper.text()).not.toContain('No file declares a rule')
})
