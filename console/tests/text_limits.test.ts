import { beforeEach, describe, expect, it } from 'vitest'
import { showLanguage } from '../src/app/i18n'
import { tooLong } from '../src/app/text_limits'
import { emptyForm, longFields, outOfRange } from '../src/jobs/job_form'

beforeEach(() => showLanguage('en'))

describe('a text that is too long', () => {
  it('is counted in characters, as the server counts, without spaces around it', () => {
    expect([tooLong('🌙'.repeat(255), 255), tooLong(` ${'a'.repeat(255)} `, 255), tooLong('', 1)]).toEqual(['', '', ''])
    expect(tooLong('a'.repeat(256), 255)).toBe('Too long: 256 characters, at most 255')
  })
  it('is said at its field of a job, if the field is sent', () => {
    const form = { ...emptyForm(1), name: 'a'.repeat(256), author: 'b'.repeat(64), description: 'c'.repeat(1001), handler: 'd'.repeat(256), cron: 'e'.repeat(129) }
    expect(Object.keys(longFields(form)).sort()).toEqual(['cron', 'description', 'handler', 'name'])
    expect(Object.keys(longFields({ ...form, glue_type: 'GLUE_SHELL', type: 'NONE' })).sort()).toEqual(['description', 'name'])
    expect(longFields(emptyForm(1))).toEqual({})
  })
})

describe('a number out of its range', () => {
  it('is said at its field, and never replaced', () => {
    expect(outOfRange(emptyForm(1))).toEqual({})
    expect(outOfRange({ ...emptyForm(1), timeout_s: -5, retry_count: 9999999 })).toEqual({
      timeout_s: '-5 is out of range: enter a whole number from 0 to 2147483647',
      retry_count: '9999999 is out of range: enter a whole number from 0 to 1000',
    })
    const rate = { ...emptyForm(1), type: 'FIX_RATE' as const }
    for (const each of [0, -3, 1.5]) expect(Object.keys(outOfRange({ ...rate, rate: each }))).toEqual(['rate'])
    expect(Object.keys(outOfRange({ ...rate, rate: 9, rateUnit: 'ms' }))).toEqual(['rate'])
    expect(outOfRange({ ...rate, rate: 9 })).toEqual({})
    expect(outOfRange({ ...rate, type: 'NONE', rate: -1, jitter_ms: -1 })).toEqual({})
    expect(outOfRange({ ...rate, rate: undefined, timeout_s: undefined })).toEqual({})
  })
})
