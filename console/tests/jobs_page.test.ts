import { describe, expect, it, vi } from 'vitest'
import { answer } from './app'
import { useConsole } from './console'

const asked: URLSearchParams[] = []
const open = useConsole((url, init) => {
  const { pathname, searchParams } = new URL(url, 'http://server')
  if (pathname === '/api/v1/jobs') asked.push(searchParams)
  return answer(url, init)
})

describe('the page of jobs', () => {
  it('drops a status that its filter does not have from the URL, and keeps the others', async () => {
    const { router } = await open('/jobs?last_status=broken&q=night')
    await vi.waitFor(() => expect(router.currentRoute.value.query).toEqual({ q: 'night' }), 15000)
    expect(asked.at(-1)?.has('last_status')).toBe(false)
  })
  it('says what the chosen status is the status of', async () => {
    const { wrapper } = await open('/jobs?last_status=failed')
    await vi.waitFor(() => expect(wrapper.find('.filters').text()).toContain('last run: failed'), 15000)
    expect(asked.at(-1)?.get('last_status')).toBe('failed')
  })
  it('has the whole schedule in the title of what its column may cut', async () => {
    const { wrapper } = await open('/jobs')
    await vi.waitFor(() => expect(wrapper.find('.schedule').exists()).toBe(true), 15000)
    const shown = wrapper.find('.schedule')
    for (const part of shown.findAll('.clamp, code')) expect(shown.attributes('title')).toContain(part.text())
  })
})
