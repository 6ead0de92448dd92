import { describe, expect, it } from 'vitest'
import { durationText, relativeText, timeText } from '../src/app/clock'
import { languageOf } from '../src/app/i18n'
import { KeySequences } from '../src/app/keyboard'
import { pathAfterSignIn } from '../src/app/router'
import { mayDo } from '../src/app/session'
import { settingsOf } from '../src/app/settings'

describe('permissions', () => {
  const session = { user: 2, name: 'vera', admin: false, rights: [{ group: 1, right: 'operator' as const }], by: 'session' as const, must_change_password: false, csrf_token: null, expires_ms: null }
  it('hold for their group and include lower ones', () => {
    expect(mayDo(session, 'viewer', 1)).toBe(true)
    expect(mayDo(session, 'editor', 1)).toBe(false)
    expect(mayDo(session, 'viewer', 2)).toBe(false)
    expect(mayDo(session, 'operator')).toBe(true)
    expect(mayDo({ ...session, admin: true }, 'editor', 9)).toBe(true)
    expect(mayDo(null, 'viewer')).toBe(false)
  })
})

describe('keys', () => {
  it('form sequences, and a single key stays a key', () => {
    const done: string[] = []
    const map = { 'g j': () => done.push('jobs'), j: () => done.push('row') }
    const keys = new KeySequences()
    const press = (key: string, ms: number) => keys.actionOf(map, key, ms)?.()
    press('g', 0)
    press('j', 100)
    press('j', 200)
    press('g', 300)
    press('j', 9000)
    expect(done).toEqual(['jobs', 'row', 'row'])
  })
})

describe('settings', () => {
  it('ignore members of a wrong type', () => {
    expect(settingsOf('{"theme":"dark","keys":"yes","pageSize":20}')).toMatchObject({ theme: 'dark', keys: true, pageSize: 20 })
    expect(settingsOf('{"hiddenColumns":{"jobs":["author"],"runs":"all","keys":[1]}}').hiddenColumns).toEqual({ jobs: ['author'] })
    expect(settingsOf('{"hiddenColumns":null}').hiddenColumns).toEqual({})
    expect(settingsOf('{').theme).toBe('auto')
    expect(settingsOf('null').zone).toBe('viewer')
  })
})

describe('languages', () => {
  it('are found by names of browsers and of the server', () => {
    expect(['zh_CN', 'zh_TC', 'zh-Hant-HK', 'zh', 'en-GB', 'de'].map(languageOf)).toEqual(['zh-CN', 'zh-TW', 'zh-TW', 'zh-CN', 'en', null])
  })
})

describe('the path after signing in', () => {
  it('is one of the console', () => {
    expect(pathAfterSignIn('/runs?job=7')).toBe('/runs?job=7')
    for (const bad of ['//evil.example', 'https://evil.example', '/sign-in', undefined]) expect(pathAfterSignIn(bad)).toBe('/')
  })
})

describe('times', () => {
  it('are shown in the chosen zone', () => {
    expect(timeText(Date.UTC(2026, 0, 2, 3, 4, 5), 'UTC')).toBe('2026-01-02 03:04:05')
    expect(timeText(Date.UTC(2026, 0, 2, 3, 4, 5), 'Asia/Shanghai')).toBe('2026-01-02 11:04:05')
    expect(timeText(Date.UTC(2026, 0, 2, 0, 0, 0), 'UTC')).toBe('2026-01-02 00:00:00')
  })
  it('are relative in words', () => {
    expect(relativeText(0, 180000, 'en')).toBe('3 minutes ago')
    expect(relativeText(7200000, 0, 'en')).toBe('in 2 hours')
    expect(relativeText(43170000, 0, 'en')).toBe('in 12 hours')
    expect([relativeText(150000, 0, 'en'), relativeText(0, 150000, 'en')]).toEqual(['in 3 minutes', '3 minutes ago'])
    expect([relativeText(0, 0, 'en'), relativeText(0, 400, 'en')]).toEqual(['now', 'now'])
    expect(relativeText(0, 5000000, 'en')).toBe('1 hour ago')
  })
  it('have durations', () => {
    expect([0, 12, 3000, 3200, 65000, 7500000].map(durationText)).toEqual(['< 1 s', '12 ms', '3 s', '3.2 s', '1 min 5 s', '2 h 5 min'])
  })
})
