import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import type { OpenAlarm, OpenAlarms as OpenAlarmList, SentMessage } from '../types/api'
import { i18n, showLanguage } from '../src/app/i18n'
import OpenAlarms from '../src/parts/OpenAlarms.vue'

const alarm = (more: Partial<OpenAlarm> = {}): OpenAlarm => ({ id: 90, kind: 'failure', job: 7, job_name: 'nightly', group: 1, group_title: 'Payments', run: 70, elastic_job: null, item: null, item_run: null, since_ms: 1767225600000, state: 'taken', node: 'node-b', ...more })
const message = (more: Partial<SentMessage> = {}): SentMessage => ({ at_ms: 1767225600000, channel: 'mail', recipient: 'ann@example.org', kind: 'failure', job: 7, job_name: 'nightly', run: 70, elastic_job: null, item: null, item_run: null, count: 1, outcome: 'delivered', attempts: 1, detail: null, ...more })

function show(open: Partial<OpenAlarmList>) {
  const router = createRouter({ history: createMemoryHistory('/console/'), routes: [{ path: '/:rest(.*)*', component: { template: '<i />' } }] })
  return mount(OpenAlarms, { global: { plugins: [i18n, router, createPinia()] }, props: { open: { items: [], truncated: false, messages: [], node: 'node-a', ...open } } })
}
const linksOf = (part: { findAll: (selector: string) => { attributes: (name: string) => string | undefined }[] }) => part.findAll('a').map((each) => each.attributes('href'))

beforeEach(() => showLanguage('en'))

describe('open alarms', () => {
  it('say in words that there are none', () => {
    const part = show({ node: null })
    expect(part.find('table').exists()).toBe(false)
    expect(part.text()).toContain('No open alarms')
    expect(part.text()).toContain('This node has sent no message since it started')
    expect(part.text()).toContain('Messages of node –')
  })
  it('lead to their job and run, and name their state', () => {
    const part = show({ items: [alarm(), alarm({ id: 91, kind: 'recovery', job_name: null, group: null, group_title: null, state: 'waiting', node: null })], truncated: true }).find('.open')
    expect(linksOf(part)).toEqual(['/console/jobs/7', '/console/runs/70', '/console/jobs/7', '/console/runs/70'])
    expect(part.text()).toContain('Being sent by node node-b')
    expect(part.text()).toContain('Waiting')
    expect(part.text()).toContain('the oldest 2 are shown')
  })
  it('of an elastic job lead to its page and name item and run', () => {
    const item = alarm({ kind: 'ej_fail', job: null, run: null, elastic_job: 5, job_name: 'sums', item: 3, item_run: 24 })
    const part = show({ items: [alarm(), item, alarm({ ...item, id: 91, kind: 'ej_late', item: null, item_run: null })] }).find('.open')
    expect(linksOf(part)).toEqual(['/console/jobs/7', '/console/runs/70', '/console/elastic/5', '/console/elastic/5'])
    expect(part.text()).toContain('item 3, run 24')
    expect(part.text()).toContain('Item failed')
    expect(part.text()).toContain('Fire late')
  })
})

describe('last messages', () => {
  it('say how their last attempt ended', () => {
    const part = show({ messages: [message({ outcome: 'given_up', detail: 'no {such} user | @x', attempts: 3 }), message({ outcome: 'will_retry', detail: 'refused' }), message()] }).find('.messages')
    expect(part.text()).toContain('Not delivered, given up: no {such} user | @x')
    expect(part.text()).toContain('Not delivered, will be tried again: refused')
    expect(part.findAll('.bad')).toHaveLength(2)
    expect(part.text()).not.toContain('×')
  })
  it('of an elastic job lead to its page', () => {
    const part = show({ messages: [message({ kind: 'ej_unowned', job: null, run: null, elastic_job: 5, job_name: 'sums', item: 0 })] }).find('.messages')
    expect(linksOf(part)).toEqual(['/console/elastic/5'])
    expect(part.text()).toContain('item 0')
  })
  it('of a summary lead nowhere and have the number of alarms', () => {
    const part = show({ messages: [message({ kind: 'summary', job: null, job_name: null, run: null, recipient: null, channel: 'ops', count: 5 })] }).find('.messages')
    expect(linksOf(part)).toEqual([])
    expect(part.text()).toContain('× 5')
  })
})
