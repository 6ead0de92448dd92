import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Run } from '../types/api'
import { useSession } from '../src/app/session'
import { useRunHead } from '../src/log/run_head'
import { answer, json, session, settle } from './app'
import { useConsole } from './console'
import { example } from './example'

describe('a rerun', () => {
  it('has the parameters of the run, and leaves the executor to the route strategy', () => {
    const run = { ...(example('Run') as Run), id: 7, job: 1, job_name: 'report', group: 2, status: 'failed', params: 'a=1', address: 'http://a/' } as Run
    let head!: ReturnType<typeof useRunHead>
    const setup = () => {
      useSession().current = session as never
      head = useRunHead(async () => undefined)
      return () => null
    }
    mount({ setup }, { global: { plugins: [createPinia()] } }).unmount()
    head.repeat(run)
    expect(head.rerunOf.value).toEqual({ jobs: [{ id: 1, name: 'report', group: 2, params: 'a=1' }], params: 'a=1' })
  })
})

/** Answer of the server to a kill, and the run from then on. */
let killed: Response
let after: Partial<Run>
let asked = false
const open = useConsole((url, init) => {
  const { pathname } = new URL(url, 'http://server')
  if (pathname === '/api/v1/runs/7/kill') {
    asked = true
    return killed
  }
  const run = { ...(example('Run') as Run), id: 7, status: 'running', reason: null, handle_code: 0, trigger_code: 200 }
  if (pathname === '/api/v1/runs/7') return json({ ...run, ...(asked ? after : {}) })
  return answer(url, init)
})
beforeEach(() => {
  asked = false
})

describe('a kill', () => {
  const reason = (code: string) => ({ code, params: { text: '' } }) as Run['reason']
  it.each([
    ['the run is killed', json({ message: '' }), { status: 'failed', reason: reason('killed') }, 'Run 7 is killed.'],
    ['the executor has words', json({ message: 'job thread killed' }), { status: 'failed', reason: reason('killed') }, 'Run 7 is killed. The executor answered: job thread killed'],
    ['another result was first', json({ message: '' }), { status: 'succeeded' }, 'Run 7 has ended: succeeded.'],
    ['the run goes on', json({ message: '' }), {}, 'The executor agreed to end run 7, but the run is still running.'],
    ['the executor refuses', json({ type: 'urn:ringmaster:invalid_argument', detail: 'no such job thread' }, 400), {}, 'Run 7 was not killed: no such job thread'],
  ] as [string, Response, Partial<Run>, string][])('tells how the run is after it: %s', async (_, reply, then, told) => {
    killed = reply
    after = then
    await open('/runs/7')
    const button = (within: string) => [...document.querySelectorAll<HTMLButtonElement>(`${within} button`)].find((each) => each.textContent?.trim() === 'Kill')
    button('main')?.click()
    await settle()
    button('.el-message-box')?.click()
    await settle()
    expect([...document.querySelectorAll('.el-message')].map((each) => each.textContent)).toEqual([told])
  })
})
