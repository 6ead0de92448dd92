import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../src/texts/en.json'
import zhCn from '../src/texts/zh-CN.json'
import zhTw from '../src/texts/zh-TW.json'

const all: Record<string, Record<string, string>> = { en, 'zh-CN': zhCn, 'zh-TW': zhTw }
const filesOf = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesOf(path) : /\.(ts|vue)$/.test(name) ? [path] : []
  })
const source = filesOf(join(process.cwd(), 'src'))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')

/** Keys that are written out, and beginnings of keys that are made from a value. */
const exact = new Set([...source.matchAll(/'([a-z][a-z_]*(?:\.[A-Za-z_0-9]+)+)'/g)].map((found) => found[1] ?? ''))
const called = new Set([...source.matchAll(/\bt\(\s*'([^']+)'/g)].map((found) => found[1] ?? ''))
for (const found of source.matchAll(/title: '([a-z_]+\.[a-z_.]+)'/g)) called.add(found[1] ?? '')
const patterns = [...source.matchAll(/\b(?:t|te|known)\(\s*`([^`]+)`/g)].map((found) => new RegExp(`^${(found[1] ?? '').replace(/\./g, '\\.').replace(/\$\{[^}]*\}/g, '[A-Za-z_]+')}$`))
const parametersOf = (text: string) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? ''))].sort()
/** Forms of a text: for one, and for any other number. */
const formsOf = (text: string) => text.split(' | ')

describe('texts', () => {
  it.each(Object.keys(all))('of %s have each key once, with the same parameters', (language) => {
    const texts = all[language] ?? {}
    expect(Object.keys(texts).sort()).toEqual(Object.keys(en).sort())
    for (const [key, text] of Object.entries(en)) {
      expect(parametersOf(texts[key] ?? ''), key).toEqual(parametersOf(text))
      expect(texts[key]?.trim(), key).not.toBe('')
    }
  })
  it('exist for each key that the source uses', () => {
    expect([...called].filter((key) => !(key in en))).toEqual([])
    for (const pattern of patterns) expect(Object.keys(en).some((key) => pattern.test(key)), String(pattern)).toBe(true)
  })
  it('are all used', () => {
    // Names of a job's fields in the dialog of two editors: job.<member>.
    const members = /^job\.(schedule|interval_ms)$/
    expect(Object.keys(en).filter((key) => !exact.has(key) && !patterns.some((pattern) => pattern.test(key)) && !members.test(key))).toEqual([])
  })
  it.each(Object.keys(all))('of %s are valid messages', (language) => {
    const texts = all[language] ?? {}
    const i18n = createI18n({ legacy: false, locale: language, messages: { [language]: { ...texts } }, flatJson: true })
    for (const [key, text] of Object.entries(texts)) {
      const parameters = Object.fromEntries(parametersOf(text).map((name) => [name, `<${name}>`]))
      const forms = formsOf(text).map((form) => form.replace(/\{(\w+)\}/g, '<$1>'))
      expect(forms.length, key).toBeLessThan(3)
      expect([1, 2].map((count) => i18n.global.t(key, { ...parameters }, count)), key).toEqual([forms[0], forms.at(-1)])
    }
  })
  it('have different words in Chinese for a started job and a run that is going on', () => {
    for (const texts of [zhCn, zhTw]) {
      expect(texts['job.state.scheduled']).not.toBe(texts['run.state.running'])
      expect([texts['now.running'], texts['now.running_now']]).toEqual([texts['run.state.running'], texts['run.state.running']])
      // A fixed rate has no cron.
      expect(texts['run.kinds.cron']).not.toMatch(/cron/i)
    }
  })
  it('use the words of the glossary', () => {
    const retired = /\b(nobody|somebody|whoever|anew|for ever|by hand|people|upkeep|wish(?:es)?|sign of life|record of changes)\b/i
    expect(Object.entries(en).filter(([, text]) => retired.test(text))).toEqual([])
  })
})
