import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter, type Router } from 'vue-router'
import { follow } from '../src/app/links'
import { i18n, showLanguage } from '../src/app/i18n'
import FailureList from '../src/now/FailureList.vue'
import type { Run } from '../types/api'
import { example } from './example'

let router: Router
beforeEach(async () => {
  await showLanguage('en')
  const component = { template: '<p />' }
  router = createRouter({ history: createMemoryHistory('/console/'), routes: [{ path: '/:rest(.*)*', component }] })
  await router.push('/')
})

describe('a place that leads to a page', () => {
  it('opens it in place, by a click or Enter', async () => {
    follow(router, '/runs?job=1', new MouseEvent('click'))
    await flushPromises()
    expect(router.currentRoute.value.fullPath).toBe('/runs?job=1')
    follow(router, '/jobs', new KeyboardEvent('keydown', { key: 'Enter' }))
    await flushPromises()
    expect(router.currentRoute.value.fullPath).toBe('/jobs')
    follow(router, '/runs')
    await flushPromises()
    expect(router.currentRoute.value.fullPath).toBe('/runs')
  })
  it.each(['ctrlKey', 'metaKey', 'shiftKey'])('opens it in a new tab with %s, and stays', async (key) => {
    const opened = vi.spyOn(window, 'open').mockReturnValue(null)
    follow(router, { path: '/runs', query: { status: 'failed' } }, new MouseEvent('click', { [key]: true }))
    follow(router, '/jobs/1', new KeyboardEvent('keydown', { key: 'Enter', [key]: true }))
    await flushPromises()
    expect(opened.mock.calls.map(([url, target, features]) => [String(url).replace(/^\/console/, ''), target, features])).toEqual([
      ['/runs?status=failed', '_blank', 'noopener'],
      ['/jobs/1', '_blank', 'noopener'],
    ])
    expect(router.currentRoute.value.fullPath).toBe('/')
    opened.mockRestore()
  })
})

describe('the list of failures', () => {
  const run = (id: number, job: number) => ({ ...(example('Run') as Run), id, job, job_name: `job ${job}`, status: 'failed', trigger_ms: Date.now() }) as Run
  it('has a link with an address in each entry, and one to all of its runs', async () => {
    const list = mount(FailureList, { props: { runs: [run(9, 1), run(8, 2), run(7, 1)], sinceMs: 5 }, global: { plugins: [i18n, router] } })
    expect(list.findAll('li').map((entry) => entry.findAll('a').map((link) => link.attributes('href')?.replace(/^\/console/, '')))).toEqual([
      ['/runs/9', '/runs?status=failed&job=1&from=5'],
      ['/runs/8'],
    ])
    // The browser opens a tab, which jsdom cannot: the page does not change.
    list.find('ul').element.addEventListener('click', (event) => event.preventDefault())
    await list.find('li a').trigger('click', { ctrlKey: true })
    await flushPromises()
    expect(router.currentRoute.value.fullPath).toBe('/')
    await list.find('li a').trigger('click')
    await flushPromises()
    expect(router.currentRoute.value.fullPath).toBe('/runs/9')
  })
})
