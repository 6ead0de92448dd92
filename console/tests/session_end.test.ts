import type { VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { noteAnswer } from '../src/api/client'
import { serverNow } from '../src/app/clock'
import { showLanguage } from '../src/app/i18n'
import { stepBeforeEnd, warnBeforeMs } from '../src/app/session_end'
import { answer, json, openApp, session, settle } from './app'

describe('before the end of a session', () => {
  const hour = 3_600_000
  it('the console waits, an hour at most', () => {
    expect(stepBeforeEnd(10 * hour, 0, true)).toEqual({ do: 'wait', ms: hour })
    expect(stepBeforeEnd(warnBeforeMs + 7, 0, true)).toEqual({ do: 'wait', ms: 7 })
  })
  it('it reads a session that may have been extended, and warns of one that was not', () => {
    expect(stepBeforeEnd(warnBeforeMs, 0, true)).toEqual({ do: 'read' })
    expect(stepBeforeEnd(warnBeforeMs, 0, false)).toEqual({ do: 'warn' })
  })
  it('it does nothing about a session without an end, or after the end', () => {
    expect(stepBeforeEnd(null, 0, false)).toEqual({ do: 'nothing' })
    expect(stepBeforeEnd(undefined, 0, false)).toEqual({ do: 'nothing' })
    expect(stepBeforeEnd(5, 5, false)).toEqual({ do: 'nothing' })
    expect(stepBeforeEnd(5, 5, true)).toEqual({ do: 'read' })
  })
})

describe('pages', () => {
  let wrapper: VueWrapper | null = null
  let endsMs: number
  const bodies: unknown[] = []
  beforeEach(async () => {
    bodies.length = 0
    vi.stubGlobal(
      'fetch',
      vi.fn((url: string, init?: RequestInit) => {
        const isSession = url.endsWith('/api/v1/session')
        if (isSession && init?.method === 'POST') bodies.push(JSON.parse(String(init.body)))
        return isSession ? Promise.resolve(json({ ...session, expires_ms: endsMs })) : answer(url, init)
      }),
    )
    await showLanguage('en')
  })
  afterEach(() => {
    vi.useRealTimers()
    wrapper?.unmount()
    document.body.innerHTML = ''
    vi.unstubAllGlobals()
  })

  it('warn shortly before the end; a longer session needs no warning', async () => {
    endsMs = Date.now() + 120_000
    wrapper = (await openApp('/help')).wrapper
    await vi.waitFor(() => expect(wrapper?.text()).toContain('Your session ends at'))
    endsMs += 12 * 3_600_000
    await wrapper.findAll('.banner button')[0]?.trigger('click')
    await settle()
    expect(wrapper.text()).not.toContain('Your session ends at')
  })
  it('take the warning back after another tab has extended the session', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    endsMs = serverNow() + 120_000
    wrapper = (await openApp('/help')).wrapper
    await vi.waitFor(() => expect(wrapper?.text()).toContain('Your session ends at'))
    endsMs += 12 * 3_600_000
    noteAnswer(Date.now() + 15_000)
    await vi.advanceTimersByTimeAsync(31_000)
    await vi.waitFor(() => expect(wrapper?.text()).not.toContain('Your session ends at'))
  })
  it('ask for a new sign-in if the session cannot last longer', async () => {
    endsMs = Date.now() + 120_000
    wrapper = (await openApp('/help')).wrapper
    await vi.waitFor(() => expect(wrapper?.text()).toContain('Your session ends at'))
    await wrapper.findAll('.banner button')[0]?.trigger('click')
    await vi.waitFor(() => expect(document.querySelector('.el-dialog')?.textContent).toContain('Sign in again'))
  })
  it('sign in with the token of a link and forget it', async () => {
    endsMs = Date.now() + 12 * 3_600_000
    const opened = await openApp('/sign-in#one_time=abc-DEF_1')
    wrapper = opened.wrapper
    await vi.waitFor(() => expect(bodies).toEqual([{ one_time: 'abc-DEF_1' }]))
    await vi.waitFor(() => expect(opened.router.currentRoute.value.fullPath).toBe('/'))
  })
  it('sign in with a link that is opened where the sign-in page is shown already', async () => {
    endsMs = Date.now() + 12 * 3_600_000
    const opened = await openApp('/sign-in')
    wrapper = opened.wrapper
    await opened.router.push('/sign-in#one_time=second')
    await vi.waitFor(() => expect(bodies).toEqual([{ one_time: 'second' }]))
    await vi.waitFor(() => expect(opened.router.currentRoute.value.fullPath).toBe('/'))
  })
})
