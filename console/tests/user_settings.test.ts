import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { firstPage } from '../src/app/router'
import { settings, settingsOf } from '../src/app/settings'
import { chosenSettings, followUserSettings, loadUserSettings, readAgainMs, saveAfterMs, savedPart } from '../src/app/user_settings'
import { intervalMs } from '../src/live/poll'
import { json, userSettings } from './app'

let answer: object
let sent: unknown[]
/** Readings that the server refuses. */
let refusals: number
/** Runs before the server answers. */
let meanwhile: () => void

beforeEach(() => {
  Object.assign(settings, settingsOf(null))
  answer = userSettings
  sent = []
  refusals = 0
  meanwhile = () => undefined
  vi.useFakeTimers()
  vi.stubGlobal(
    'fetch',
    vi.fn(async (_: string, init?: RequestInit) => {
      if (init?.method !== 'PUT') {
        meanwhile()
        return refusals-- > 0 ? json({}, 503) : json(answer)
      }
      sent.push(JSON.parse(String(init.body)))
      return new Response(null, { status: 204 })
    }),
  )
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
followUserSettings()

describe('settings of a user', () => {
  it('are written in the words of the server and read back', () => {
    const all = { ...settingsOf(null), language: 'zh-TW', theme: 'dark' as const, zone: 'utc' as const, startPage: '/runs', refreshS: 30, keys: false }
    const saved = { language: 'zh_TC' as const, zone: 'utc' as const, theme: 'dark' as const, start_page: '/runs', refresh_s: 30, keys: false }
    expect(savedPart(all)).toEqual(saved)
    expect(chosenSettings(saved)).toEqual({ language: 'zh-TW', zone: 'utc', theme: 'dark', startPage: '/runs', refreshS: 30, keys: false })
    expect(chosenSettings(userSettings)).toEqual({})
  })
  it('replace those of the browser, which stay where the user chose none', async () => {
    Object.assign(settings, { theme: 'light', zone: 'server' })
    answer = { ...userSettings, theme: 'dark' }
    await loadUserSettings()
    expect(settings).toMatchObject({ theme: 'dark', zone: 'server' })
    await vi.advanceTimersByTimeAsync(saveAfterMs)
    expect(sent).toEqual([])
  })
  it('are saved once after several changes, and not for what the browser alone keeps', async () => {
    await loadUserSettings()
    settings.pageSize = 100
    await vi.advanceTimersByTimeAsync(saveAfterMs)
    expect(sent).toEqual([])
    settings.theme = 'dark'
    await vi.advanceTimersByTimeAsync(saveAfterMs / 2)
    settings.refreshS = 10
    await vi.advanceTimersByTimeAsync(saveAfterMs)
    expect(sent).toEqual([expect.objectContaining({ theme: 'dark', refresh_s: 10 })])
  })
  it('that change before the answer are kept and saved', async () => {
    answer = { ...userSettings, theme: 'dark', zone: 'utc' }
    meanwhile = () => (settings.theme = 'light')
    await loadUserSettings()
    expect(settings).toMatchObject({ theme: 'light', zone: 'utc' })
    expect(sent).toEqual([expect.objectContaining({ theme: 'light', zone: 'utc' })])
  })
  it('take back an interval that was taken back in another browser', async () => {
    answer = { ...userSettings, theme: 'dark', refresh_s: 30 }
    await loadUserSettings()
    expect(settings.refreshS).toBe(30)
    answer = { ...userSettings, theme: 'dark' }
    await loadUserSettings()
    expect(settings.refreshS).toBe(0)
    await vi.advanceTimersByTimeAsync(saveAfterMs)
    expect(sent).toEqual([])
  })
  it('are read again after a failure; what was changed meanwhile is saved', async () => {
    answer = { ...userSettings, theme: 'dark', zone: 'utc', refresh_s: 30 }
    refusals = 2
    await vi.advanceTimersByTimeAsync(saveAfterMs)
    sent = []
    // A new tab, which does not know yet what the server has.
    vi.resetModules()
    const tab = await import('../src/app/user_settings')
    const { settings: own } = await import('../src/app/settings')
    Object.assign(own, settingsOf(null))
    tab.followUserSettings()
    await tab.loadUserSettings()
    own.theme = 'light'
    await vi.advanceTimersByTimeAsync(readAgainMs)
    expect(own).toMatchObject({ theme: 'light', refreshS: 0 })
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(readAgainMs)
    expect(own).toMatchObject({ theme: 'light', zone: 'utc', refreshS: 30 })
    expect(sent).toEqual([expect.objectContaining({ theme: 'light', zone: 'utc', refresh_s: 30 })])
  })
})

describe('the start page', () => {
  it('opens after signing in, unless another page was wanted', () => {
    settings.startPage = '/runs?status=failed'
    expect(firstPage('/')).toBe('/runs?status=failed')
    expect(firstPage(undefined)).toBe('/runs?status=failed')
    expect(firstPage('/jobs')).toBe('/jobs')
    settings.startPage = '//evil.example'
    expect(firstPage('/')).toBe('/')
  })
})

describe('the interval of live pages', () => {
  it('is chosen by the user or the page, and a page that is read once stays so', () => {
    expect([0, 3000].map((ms) => intervalMs(ms))).toEqual([0, 3000])
    settings.refreshS = 60
    expect([0, 3000].map((ms) => intervalMs(ms))).toEqual([0, 60000])
  })
  it('gets no longer for what ends soon, and no shorter for what changes rarely', () => {
    settings.refreshS = 300
    expect([1000, 3000, 60000].map((ms) => intervalMs(ms))).toEqual([1000, 300000, 300000])
    settings.refreshS = 2
    expect([1000, 3000, 60000].map((ms) => intervalMs(ms))).toEqual([1000, 2000, 60000])
  })
  it('is never shorter than the least interval of what is read', () => {
    settings.refreshS = 2
    expect(intervalMs(3000, 15000)).toBe(15000)
    expect(intervalMs(0, 15000)).toBe(0)
    settings.refreshS = 60
    expect(intervalMs(3000, 15000)).toBe(60000)
  })
})
