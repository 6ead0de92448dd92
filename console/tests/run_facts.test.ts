import { describe, expect, it } from 'vitest'
import { decisiveLine, durationMs, noteOf, plainText, reasonOf, stateOf } from '../src/log/run_facts'

const run = { status: 'failed' as const, trigger_code: 500, trigger_message: '', handle_code: 0, handle_message: null as string | null, missed: null as never }

describe('trigger notes', () => {
  it('are parsed in their three forms', () => {
    expect(noteOf('rm1;cron;host;FIRST;0/1;SERIAL_EXECUTION;0;3;text; more')).toMatchObject({ kind: 'cron', node: 'host', route: 'FIRST', message: 'text; more', refused: false })
    expect(noteOf('rm2;retry@23;host;FIRST;0/3b;COVER_EARLY;5;0;http://a/,http://b/;refused: busy')).toMatchObject({ kind: 'retry', addresses: 'http://a/,http://b/', message: 'busy', refused: true, timeoutS: 5 })
    expect(noteOf('rm3;missed;host;FIRST;0/1;SERIAL_EXECUTION;0;3;2;1700000000000;1700000060000;gone')).toMatchObject({ message: 'gone' })
  })
  it('are null for messages of Java admins and broken ones', () => {
    expect(noteOf('job<br>sent')).toBeNull()
    expect(noteOf('rm1;cron;host')).toBeNull()
  })
})

describe('states of a run', () => {
  it('tell kinds of failure apart', () => {
    expect(stateOf({ ...run, handle_code: 502 })).toBe('timed_out')
    expect(stateOf({ ...run, handle_code: 500 })).toBe('failed')
    expect(stateOf(run)).toBe('not_sent')
    expect(stateOf({ ...run, trigger_message: 'rm1;cron;h;FIRST;0/1;;0;0;delivery unknown: no answer' })).toBe('unknown')
    expect(stateOf({ ...run, status: 'succeeded' })).toBe('succeeded')
  })
})

describe('reasons', () => {
  it('come from the trigger or from the executor', () => {
    expect(reasonOf({ ...run, trigger_message: 'rm1;cron;h;FIRST;0/1;;0;0;no executor is registered' })).toEqual({ code: 'not_sent', text: 'no executor is registered' })
    expect(reasonOf({ ...run, trigger_message: 'rm1;cron;h;FIRST;0/1;;0;0;refused: block strategy' })).toEqual({ code: 'refused', text: 'block strategy' })
    expect(reasonOf({ ...run, handle_code: 500, handle_message: 'scheduling center kill job. [job running, killed]' }).code).toBe('killed')
    expect(reasonOf({ ...run, handle_code: 500, handle_message: 'Manual operation, kill job:ok' })).toEqual({ code: 'killed', text: 'ok' })
    expect(reasonOf({ ...run, handle_code: 502, handle_message: 'limit' })).toEqual({ code: 'timed_out', text: 'limit' })
    expect(reasonOf({ ...run, status: 'succeeded' }).code).toBe('none')
  })
  it('name the last cause of a Java stack trace', () => {
    expect(decisiveLine('Wrapper\n\tat x\nCaused by: java.io.IOException: disk full\n\tat y')).toBe('java.io.IOException: disk full')
  })
})

describe('messages with HTML', () => {
  it('become text', () => {
    expect(plainText('a<br><span style="color:#00c0ef;" > >>>>>>>>>>>x<<<<<<<<<<< </span><br>b &lt;c&gt; &#39;')).toBe("a\n x\nb <c> '")
    expect(plainText('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>')
  })
})

describe('durations', () => {
  it('last until the result, or until now while the run is open', () => {
    expect(durationMs({ status: 'succeeded', trigger_ms: 1000, handle_ms: 3000 }, 9000)).toBe(2000)
    expect(durationMs({ status: 'running', trigger_ms: 1000, handle_ms: null }, 9000)).toBe(8000)
    expect(durationMs({ status: 'failed', trigger_ms: 1000, handle_ms: null }, 9000)).toBeNull()
  })
})
