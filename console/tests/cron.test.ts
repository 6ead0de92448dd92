import { describe, expect, it } from 'vitest'
import { joinCron, looksLikeFiveFields, markedText, modeOf, presets, splitCron, textOf, withField, type CronField } from '../src/jobs/cron'

describe('fields of a cron expression', () => {
  it('are six or seven', () => {
    expect(splitCron('0 0 2 * * ?')?.hour).toBe('2')
    expect(splitCron('0 0 2 * * ? 2030')?.year).toBe('2030')
    expect(splitCron('0 2 * * *')).toBeNull()
    expect(looksLikeFiveFields('0 2 * * *')).toBe(true)
    expect(looksLikeFiveFields('0 0 2 * * ?')).toBe(false)
  })
  it('are written as they were read', () => {
    const texts: [CronField, string][] = [
      ['minute', '*'],
      ['minute', '0/5'],
      ['hour', '8-18'],
      ['hour', '1,2,3'],
      ['day', 'L'],
      ['day', 'LW'],
      ['day', '15W'],
      ['week', '2#3'],
      ['week', '6L'],
      ['week', '?'],
      ['hour', '1-5,7'],
      ['day', 'L-3'],
      ['week', 'MON,8'],
    ]
    for (const [field, text] of texts) expect(textOf(modeOf(text, field), field)).toBe(text)
  })
  it('read names, with Sunday as 1', () => {
    expect(modeOf('SUN', 'week')).toEqual({ mode: 'list', values: [1] })
    expect(modeOf('MON-FRI', 'week')).toEqual({ mode: 'range', from: 2, to: 6 })
    expect(modeOf('FRI#2', 'week')).toEqual({ mode: 'nth_weekday', weekday: 6, nth: 2 })
    expect(modeOf('JAN', 'month')).toEqual({ mode: 'list', values: [1] })
  })
  it('stay a text beyond the tabs', () => {
    for (const text of ['61', '1-5/2', 'L-3', '0/0']) expect(modeOf(text, 'minute').mode).toBe('text')
    expect(modeOf('8', 'week').mode).toBe('text')
    expect(modeOf('?', 'hour').mode).toBe('text')
  })
})

describe('setting a field', () => {
  const parts = splitCron('0 0 2 * * ?')!
  it('lets exactly one of day and weekday have a value', () => {
    expect(joinCron(withField(parts, 'week', '2-6'))).toBe('0 0 2 ? * 2-6')
    expect(joinCron(withField(splitCron('0 0 2 ? * 2')!, 'day', '15'))).toBe('0 0 2 15 * ?')
    expect(joinCron(withField(splitCron('0 0 2 ? * 2')!, 'week', '?'))).toBe('0 0 2 * * ?')
  })
  it('has presets of six fields', () => {
    for (const preset of presets) {
      const found = splitCron(preset.text)!
      expect(joinCron(found)).toBe(preset.text)
      expect([found.day, found.week].filter((text) => text === '?')).toHaveLength(1)
    }
  })
})

describe('the characters of a mistake', () => {
  it('are those that the server names', () => {
    expect(markedText('0 0 25 * * ?', { position: 4, length: 2 })).toEqual({ before: '0 0 ', wrong: '25', after: ' * * ?' })
    expect(markedText('0 0 1', { position: 5, length: 0 })).toEqual({ before: '0 0 1', wrong: '', after: '' })
    expect(markedText('0 0 1', undefined)).toBeNull()
    expect(markedText('0 0 1', {})).toBeNull()
  })
})
