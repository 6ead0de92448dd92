import { beforeEach, describe, expect, it } from 'vitest'
import { showLanguage, t } from '../src/app/i18n'
import { isolated } from '../src/app/isolate'

beforeEach(() => showLanguage('en'))

describe('a text of a user in a sentence', () => {
  it('stays unchanged unless it can turn the words around it', () => {
    for (const text of ['', 'report', 'Nightly 🌙 import', '每日报表', 'a\u200bb', 'Ünïcode']) expect(isolated(text)).toBe(text)
    for (const text of ['a\u202eb', 'مهمة', 'אבג abc', '\u200f!']) expect(isolated(text)).toBe(`\u2068${text}\u2069`)
  })
  it('cannot end its isolation, nor leave one open', () => {
    expect(isolated('a\u2069\u202eb')).toBe('\u2068a\u202eb\u2069')
    expect(isolated('a\u2067b\u2066c')).toBe('\u2068a\u2067b\u2066c\u2069\u2069\u2069')
    expect(isolated('a\u2067b\u2069c')).toBe('\u2068a\u2067b\u2069c\u2069')
  })
  it('is isolated in each text of the console', () => {
    expect(t('keys.deleted', { name: 'x\u202ey' })).toBe(t('keys.deleted', { name: 'NAME' }).replace('NAME', '\u2068x\u202ey\u2069'))
    expect(t('list.page', { page: 3 })).toBe('Page 3')
    expect(t('list.total', { total: 2 }, 2)).toContain('2')
  })
})
