import { describe, expect, it } from 'vitest'
import type { Job, JobDraft } from '../types/api'
import { changedBy } from '../src/jobs/bulk_jobs'
import { figuresOf, percentile } from '../src/jobs/durations'
import { outcomeOf } from '../src/jobs/job_actions'
import { compareDrafts, draftOf, emptyForm, formOf, mergeDrafts, newJobOf } from '../src/jobs/job_form'
import { example } from './example'

const job = { ...(example('Job') as Job), schedule: { type: 'CRON', conf: '0 0 2 * * ?' }, interval_ms: null, glue_type: 'BEAN', time_zone: 'Asia/Tokyo' } as Job

describe('the form of a job', () => {
  it('sends each member that PUT knows', () => {
    const draft = draftOf(formOf(job))
    const known = Object.keys(draft).sort()
    expect(known).toContain('on_unknown')
    expect(draft.schedule).toEqual({ type: 'CRON', conf: '0 0 2 * * ?' })
    expect(draft.time_zone).toBe('Asia/Tokyo')
  })
  it('gives back what was read', () => {
    const draft = draftOf(formOf(job)) as unknown as Record<string, unknown>
    for (const name of ['handler', 'params', 'timeout_s', 'retry_count', 'children', 'keep_logs', 'alarm_on', 'group'] as const) expect(draft[name]).toEqual(job[name])
  })
  it('sends seconds or milliseconds of a rate, never both', () => {
    const form = { ...emptyForm(1), name: 'n', handler: 'h', type: 'FIX_RATE' as const, rate: 30 }
    expect(draftOf(form)).toMatchObject({ schedule: { type: 'FIX_RATE', conf: '30' }, interval_ms: null })
    expect(draftOf({ ...form, rateUnit: 'ms' })).toMatchObject({ schedule: { type: 'FIX_RATE', conf: null }, interval_ms: 30 })
  })
  it('sends a source only for scripts', () => {
    expect(newJobOf({ ...emptyForm(1), glue_source: 'x' })).not.toHaveProperty('glue_source')
    expect(newJobOf({ ...emptyForm(1), glue_type: 'GLUE_SHELL', glue_source: 'x' })).toMatchObject({ glue_source: 'x', glue_type: 'GLUE_SHELL' })
  })
})

describe('two users edit one job', () => {
  const opened = draftOf(formOf(job))
  const now: JobDraft = { ...opened, name: 'by ann', timeout_s: 9, handler: 'same' }
  const own: JobDraft = { ...opened, name: 'mine', params: 'p', handler: 'same' }
  it('shows changes of both sides and conflicts', () => {
    const found = compareDrafts(opened, now, own)
    expect(found.map((each) => [each.name, each.conflict]).sort()).toEqual([
      ['handler', false],
      ['name', true],
      ['params', false],
      ['timeout_s', false],
    ])
  })
  it('merges changes of one side and takes the chosen side of a conflict', () => {
    expect(mergeDrafts(opened, now, own, new Set())).toMatchObject({ name: 'by ann', timeout_s: 9, params: 'p', handler: 'same' })
    expect(mergeDrafts(opened, now, own, new Set(['name']))).toMatchObject({ name: 'mine', timeout_s: 9, params: 'p' })
  })
})

describe('a look before saving', () => {
  it('names the changed fields alone', () => {
    const opened = draftOf(formOf(job))
    const own: JobDraft = { ...opened, params: 'p', children: [4] }
    expect(compareDrafts(opened, opened, opened)).toEqual([])
    expect(compareDrafts(opened, opened, own).map((each) => [each.name, each.opened, each.own, each.conflict])).toEqual([
      ['params', opened.params, 'p', false],
      ['children', opened.children, [4], false],
    ])
  })
})

describe('undoing a start or stop of many', () => {
  it('changes back the jobs that had the other state, and no job that failed or is not known', () => {
    const before = [{ id: 1, running: true }, { id: 2, running: false }, { id: 3, running: true }]
    expect(changedBy(false, [1, 2, 4], before)).toEqual([1])
    expect(changedBy(true, [1, 2, 3], before)).toEqual([2])
  })
})

describe('figures', () => {
  it('count ended runs', () => {
    const run = (status: 'succeeded' | 'failed' | 'running', ms: number | null) => ({ status, trigger_ms: 0, handle_ms: ms })
    expect(figuresOf([run('succeeded', 100), run('failed', 300), run('running', null)])).toEqual({ ended: 2, succeeded: 1, success: 50, p50: 100, p95: 300 })
    expect(figuresOf([])).toMatchObject({ ended: 0, success: null, p50: null })
    expect(percentile([1, 2, 3, 4], 0.5)).toBe(2)
  })
  it('of a bulk action name what failed', () => {
    const problem = { type: 'urn:ringmaster:forbidden', title: '', status: 403, detail: 'no' }
    expect(outcomeOf([{ items: [{ id: 1, status: 200 }, { id: 2, status: 403, problem }] }])).toEqual({ done: [1], failed: [{ id: 2, detail: 'no' }] })
  })
})
