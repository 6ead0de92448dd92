import { describe, expect, it, vi } from 'vitest'
import JobTimeline from '../src/jobs/JobTimeline.vue'
import type { Job } from '../types/api'
import { answer, json, settle } from './app'
import { useConsole } from './console'
import { example } from './example'

const job: Job = { ...(example('Job') as Job), id: 1, group: 1, children: [] }
const open = useConsole((url, init) => {
  const { pathname } = new URL(url, 'http://server')
  if (pathname === '/api/v1/jobs/1') return json(job)
  const part = /\/jobs\/1\/(timeline|changes)$/.exec(pathname)?.[1]
  return part ? json({ detail: `the ${part} cannot be read` }, 400) : answer(url, init)
})

describe('the page of a job', () => {
  it('shows why the timeline and the changes cannot be read, not that there are none', async () => {
    const { wrapper } = await open('/jobs/1')
    await vi.waitFor(() => expect(wrapper.text()).toContain('the timeline cannot be read'), 15000)
    expect(wrapper.text()).not.toContain('No run in the last 24 hours')
    const details = document.querySelector<HTMLDetailsElement>('details.panel')!
    details.open = true
    details.dispatchEvent(new Event('toggle'))
    await vi.waitFor(() => expect(wrapper.text()).toContain('the changes cannot be read'), 15000)
    expect(wrapper.text()).not.toContain('No change was recorded')
  })
  it('pauses the timeline with its other parts', async () => {
    const { wrapper } = await open('/jobs/1')
    await vi.waitFor(() => expect(wrapper.findComponent(JobTimeline).exists()).toBe(true), 15000)
    await wrapper.find('.live button').trigger('click')
    await settle()
    expect(wrapper.findComponent(JobTimeline).props('paused')).toBe(true)
  })
})
