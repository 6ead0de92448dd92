import { beforeEach, describe, expect, it } from 'vitest'
import { showLanguage } from '../src/app/i18n'
import { tooLong } from '../src/app/text_limits'
import { emptyForm, longFields } from '../src/jobs/job_form'

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
