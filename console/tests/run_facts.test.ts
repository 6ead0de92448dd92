import { describe, expect, it } from 'vitest'
import { decisiveLine, durationMs, familyOf, reasonParts, shortAddress, stateOf, wholeAddress, type Reason, type ReasonCode } from '../src/log/run_facts'
import en from '../src/texts/en.json'
import zhCn from '../src/texts/zh-CN.json'
import zhTw from '../src/texts/zh-TW.json'
import { document_ } from './example'

const failed = (code: ReasonCode, params: Partial<Reason['params']> = {}) => ({ status: 'failed' as const, reason: { code, params: { text: '', ...params } } })
const codes = (document_.components.schemas.Run?.properties?.reason?.properties?.code?.enum ?? []) as ReasonCode[]

describe('states of a run', () => {
  it('tell kinds of failure apart', () => {
    expect(stateOf(failed('timed_out'))).toBe('timed_out')
    expect(stateOf(failed('failed'))).toBe('failed')
    expect(stateOf(failed('script_exit'))).toBe('failed')
    expect(stateOf(failed('no_answer'))).toBe('unknown')
    expect(stateOf(failed('lost'))).toBe('lost')
    expect(stateOf(failed('replaced_by_later'))).toBe('killed')
    expect(stateOf({ status: 'succeeded', reason: null })).toBe('succeeded')
  })
  it('say whether an executor answered', () => {
    const statesOf = (...reasons: ReasonCode[]) => [...new Set(reasons.map((code) => stateOf(failed(code))))]
    expect(statesOf('refused', 'handler_not_found', 'bad_token', 'bad_parameter')).toEqual(['refused'])
    expect(statesOf('blocked_discarded')).toEqual(['discarded'])
    expect(statesOf('no_executor', 'connection_refused', 'connect_timeout', 'node_died', 'not_sent')).toEqual(['not_sent'])
  })
  it('have a word and a verdict in each language, and count as failures', () => {
    for (const state of ['not_sent', 'refused', 'discarded'] as const) {
      for (const texts of [en, zhCn, zhTw]) expect([`run.state.${state}`, `run.verdict.${state}`].filter((key) => !(key in texts))).toEqual([])
      expect(familyOf(state)).toBe('failure')
    }
  })
})

describe('reasons', () => {
  it('have a text for each code of the API', () => {
    expect(codes.length).toBeGreaterThan(15)
    expect(codes.filter((code) => !(`run.reason.${code}` in en))).toEqual([])
  })
  it('have the words of the executor where these add something', () => {
    expect(reasonParts(failed('refused', { text: 'busy' }))).toMatchObject({ key: null, code: 'refused', text: 'busy' })
    expect(reasonParts(failed('lost', { text: 'Job result lost' }))).toMatchObject({ text: '' })
    expect(reasonParts(failed('script_exit', { text: 'script exit value(3) is failed', exit_code: 3 }))).toMatchObject({ params: { code: 3 }, text: '' })
    expect(reasonParts(failed('timed_out', { timeout_s: 5 }))).toMatchObject({ key: 'run.time_limit', params: { seconds: 5 } })
    expect(reasonParts(failed('handler_not_found', { handler: 'x' }))).toMatchObject({ key: 'run.handler_missing', params: { handler: 'x' } })
  })
  it('tell who ended a run', () => {
    expect(reasonParts(failed('killed', { cause: 'user', text: 'job thread killed' }))).toMatchObject({ cause: null, text: 'job thread killed' })
    expect(reasonParts(failed('killed', { cause: 'executor_stopped', before_start: true }))).toMatchObject({ cause: 'executor_stopped', beforeStart: true })
  })
  it('count missed instants, and are absent for other runs', () => {
    expect(reasonParts({ status: 'missed', reason: null, missed: { instants: 4, from_ms: 1, to_ms: 2 } })).toMatchObject({ key: 'run.missed_count', params: { count: 4 } })
    expect(reasonParts({ status: 'running', reason: null })).toBeNull()
  })
  it('name the last cause of a Java stack trace', () => {
    expect(decisiveLine('Wrapper\n\tat x\nCaused by: java.io.IOException: disk full\n\tat y')).toBe('java.io.IOException: disk full')
  })
})

describe('durations', () => {
  it('last until the result, or until now while the run is open', () => {
    expect(durationMs({ status: 'succeeded', trigger_ms: 1000, duration_ms: 2000 }, 9000)).toBe(2000)
    expect(durationMs({ status: 'running', trigger_ms: 1000, duration_ms: null }, 9000)).toBe(8000)
    expect(durationMs({ status: 'failed', trigger_ms: 1000, duration_ms: null }, 9000)).toBeNull()
  })
})

describe('addresses in columns', () => {
  it('have neither scheme nor the slash at the end', () => {
    expect(['http://10.0.0.1:9999/', 'https://[::1]:9999', 'host:1/path/', ''].map(shortAddress)).toEqual(['10.0.0.1:9999', '[::1]:9999', 'host:1/path', ''])
  })
  it('are found as they are shown', () => {
    expect(['10.0.0.1:9999', 'https://host:1', ''].map(wholeAddress)).toEqual(['http://10.0.0.1:9999', 'https://host:1', ''])
    expect(wholeAddress('ringmaster://pay-worker/a')).toBe('ringmaster://pay-worker/a')
  })
})
