import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { i18n, showLanguage } from '../src/app/i18n'
import { useGroups } from '../src/app/groups'
import { useChangeTexts } from '../src/parts/change_texts'
import type { GroupRow } from '../types/api'
import { json } from './app'
import { example } from './example'

let texts: ReturnType<typeof useChangeTexts>
beforeEach(async () => {
  vi.stubGlobal('fetch', vi.fn(async () => json({ items: [], next: null })))
  const pinia = createPinia()
  setActivePinia(pinia)
  useGroups().take([{ ...(example('GroupRow') as GroupRow), id: 1, title: 'Payments' }])
  mount({ setup: () => ((texts = useChangeTexts()), () => null) }, { global: { plugins: [pinia, i18n] } })
})
afterEach(() => vi.unstubAllGlobals())

describe('changes of the audit log', () => {
  it('name groups, permissions and choices', async () => {
    await showLanguage('en')
    expect(texts.valueText('group', '1')).toBe('Payments')
    expect(texts.valueText('groups', '1 operator, 2')).toBe('Payments: operator, 2: editor')
    expect([texts.valueText('role', 'admin'), texts.valueText('role', 'user')]).toEqual(['Administrator', 'Normal user'])
    expect(texts.valueText('alarm_on', 'failed,missed')).toBe('Failed runs, Missed instants')
    expect([texts.valueText('keep_logs', 'no'), texts.valueText('retry', '3'), texts.valueText('name', '')]).toEqual(['No', '3', '–'])
    expect([texts.fieldName('timeout'), texts.actionName('sign_in'), texts.objectName('api_key')]).toEqual(['Time limit (s)', 'signed in', 'API key'])
  })
  it('keep what is not known as it is stored', () => {
    expect([texts.fieldName('toString'), texts.actionName('later'), texts.valueText('groups', 'all'), texts.valueText('route', 'X')]).toEqual(['toString', 'later', 'all', 'X'])
  })
  it('have the words of each language', async () => {
    await showLanguage('zh-CN')
    expect([texts.fieldName('timeout'), texts.actionName('remove'), texts.valueText('groups', '1 viewer')].join()).not.toMatch(/[a-z]{4,}.*remove|timeout/)
    expect(texts.actionName('remove')).toBe('删除')
    await showLanguage('en')
  })
})
