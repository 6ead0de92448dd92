import { describe, expect, it, vi } from 'vitest'
import type { ElasticJob } from '../types/api'
import '../src/elastic/ElasticForm.vue'
import { elasticDraftOf, elasticFormOf, elasticProblems, emptyElasticForm, refusedElasticField } from '../src/elastic/elastic_form'
import { isOtherProp, propProblems, sentProps, withProp } from '../src/elastic/elastic_props'
import { about, answer, json, session } from './app'
import { press, type, useConsole } from './console'
import { example } from './example'

const empty = emptyElasticForm(1)

describe('the properties of an elastic job', () => {
  it('of another type are not sent, and a type without code has its handler', () => {
    const props = [{ name: 'script.command.line', value: 'a.sh' }, { name: 'http.uri', value: 'http://a' }, { name: 'custom.x', value: null }]
    const script = { ...empty, kind: 'script', handler: 'sum', props }
    expect(sentProps(script)).toEqual({ 'script.command.line': 'a.sh', 'custom.x': null })
    expect(elasticDraftOf(script)).toMatchObject({ type: 'script', handler: 'SCRIPT', props: { 'script.command.line': 'a.sh' } })
    expect(elasticDraftOf({ ...script, kind: 'http' })).toMatchObject({ handler: 'HTTP', props: { 'http.uri': 'http://a', 'custom.x': null } })
    expect(elasticDraftOf({ ...script, kind: 'simple' })).toMatchObject({ handler: 'sum', props: { 'custom.x': null } })
  })
  it('of a stored script leave the handler to the type', () => {
    const job = { ...(example('ElasticJob') as ElasticJob), type: 'script', handler: 'SCRIPT', props: { 'script.command.line': null } }
    job.options = { ...job.options, item_params: '' }
    const form = elasticFormOf(job)
    expect(form.handler).toBe('')
    expect(elasticProblems({ ...form, name: 'a', cron: '* * * * * ?' }, 'all').handler).toBe(undefined)
    expect(elasticProblems({ ...form, kind: 'simple' }, 'all').handler).not.toBe(undefined)
  })
  it('keep a stored secret, unless another value or its removal is sent', () => {
    const kept = new Set(['dingtalk.secret'])
    const pairs = [{ name: 'dingtalk.secret', value: null }]
    expect(withProp(pairs, 'dingtalk.secret', 'new', kept)).toEqual([{ name: 'dingtalk.secret', value: 'new' }])
    for (const same of ['', '******']) expect(withProp([{ name: 'dingtalk.secret', value: 'new' }], 'dingtalk.secret', same, kept)).toEqual(pairs)
    expect(withProp([], 'dingtalk.secret', 'x', kept)).toEqual([{ name: 'dingtalk.secret', value: 'x' }])
    expect(withProp([{ name: 'email.to', value: 'a' }], 'email.to', '', kept)).toEqual([])
  })
  it('that have a field are not among the others', () => {
    expect(isOtherProp({ kind: 'simple', error_handler: 'LOG' }, 'email.to')).toBe(true)
    expect(isOtherProp({ kind: 'simple', error_handler: 'email' }, 'email.to')).toBe(false)
    expect(isOtherProp({ kind: 'http', error_handler: '' }, 'http.uri')).toBe(false)
    expect(isOtherProp({ kind: 'simple', error_handler: '' }, 'custom.http.uri')).toBe(true)
  })
  it('are needed, or numbers', () => {
    const form = { ...empty, kind: 'http', error_handler: 'EMAIL', props: [{ name: 'http.read.timeout.milliseconds', value: '5 s' }] }
    expect(Object.keys(propProblems(form, 'at once'))).toEqual(['http.read.timeout.milliseconds'])
    expect(Object.keys(propProblems(form, 'all')).sort()).toEqual(['email.to', 'http.read.timeout.milliseconds', 'http.uri'])
    expect(propProblems({ ...empty, kind: 'script', props: [{ name: 'script.command.line', value: null }] }, 'all')).toEqual({})
  })
  it('keep their name in a refusal', () => {
    expect(refusedElasticField({ message: 'props.http.uri: has no value', errors: [] }, empty)).toEqual({ name: 'props', text: 'http.uri: has no value' })
    expect(refusedElasticField({ message: 'props: http.uri: missing', errors: [] }, empty)).toEqual({ name: 'props', text: 'http.uri: missing' })
  })
})

let unsupported: string[]
let sent: { method: string; body: Record<string, unknown> }[]
let refusal: string
const script = (): ElasticJob => {
  const job = example('ElasticJob') as ElasticJob
  const options = { ...job.options, schedule_type: 'none' as const, schedule: '', item_params: '', error_handler: 'DINGTALK', interval_ms: null, start_at_ms: null, end_at_ms: null, jitter_ms: null, time_zone: '', max_time_diff_ms: null, misfire_max_age_ms: null, timeout_ms: 2000, cancel_grace_ms: 5000, started_timeout_ms: 0, completed_timeout_ms: 0 }
  return { ...job, id: 7, group: 1, name: 'pack', type: 'script', handler: 'SCRIPT', status: 'enabled', total: 3, source: null, options, props: { 'script.command.line': null, 'dingtalk.webhook': null, 'custom.key': null } }
}
const open = useConsole(async (url, init) => {
  const path = new URL(url, 'http://server').pathname.replace('/api/v1', '')
  if (path === '/session') return json({ ...session, admin: false, rights: [{ group: 1, right: 'editor' }] })
  if (path === '/about') return json({ ...about, features: { ...about.features, elastic_unsupported: unsupported } })
  if (init?.method === 'PUT' || (init?.method === 'POST' && path === '/elastic/jobs')) {
    sent.push({ method: init.method, body: JSON.parse(String(init.body)) as Record<string, unknown> })
    if (refusal) return json({ type: 'urn:ringmaster:invalid_argument', title: '', status: 400, detail: refusal }, 400)
    return init.method === 'PUT' ? json({ id: 7, changed: true, next_ms: null }) : json({ id: 8 }, 201)
  }
  if (path === '/elastic/jobs/7') return json(script(), 200, { ETag: '"4"' })
  return answer(url, init)
})
const drawer = '.el-drawer'
const fieldOf = (label: string) => document.querySelector<HTMLElement>(`${drawer} input[aria-label="${label}"], ${drawer} textarea[aria-label="${label}"]`)
const errors = () => [...document.querySelectorAll(`${drawer} .is-error`)].map((each) => each.textContent)

describe('the form of a script job', () => {
  it('leaves secrets unchanged, and shows a refusal at the field of the property', async () => {
    unsupported = ['once_listeners']
    sent = []
    refusal = 'props: script.command.line: has an open quote'
    await open('/elastic/7')
    await press('Edit')
    expect(fieldOf('Handler')).toBe(null)
    expect(fieldOf('Command line')?.getAttribute('placeholder')).toBe('unchanged')
    expect(fieldOf('Webhook address')?.getAttribute('placeholder')).toBe('unchanged')
    expect(fieldOf('Listeners')).not.toBe(null)
    expect(fieldOf('Listeners that one host calls')).toBe(null)
    await type(`${drawer} textarea[aria-label="Command line"]`, 'pack.sh "')
    await press('Save', drawer)
    await vi.waitFor(() => expect(errors().join()).toContain('has an open quote'))
    expect(errors()).toHaveLength(1)
    refusal = ''
    await type(`${drawer} textarea[aria-label="Command line"]`, '')
    await press('Save', drawer)
    expect(sent.map((each) => each.body.props)).toEqual([
      { 'script.command.line': 'pack.sh "', 'dingtalk.webhook': null, 'custom.key': null },
      { 'script.command.line': null, 'dingtalk.webhook': null, 'custom.key': null },
    ])
    expect(sent[1]?.body).toMatchObject({ type: 'script', handler: 'SCRIPT', options: { error_handler: 'DINGTALK' } })
  }, 30000)
  it('hides properties that no node knows', async () => {
    unsupported = ['props', 'listeners', 'once_listeners', 'started_timeout', 'completed_timeout']
    await open('/elastic/7')
    await press('Edit')
    expect(fieldOf('Command line')).toBe(null)
    expect(document.body.textContent).not.toContain('Listeners and barriers')
  }, 30000)
})
