import { beforeEach, describe, expect, it, vi } from 'vitest'
import { serverNow } from '../src/app/clock'
import { addTask, failuresByReason, partsOf } from '../src/live/bulk'
import type { Job, Run, Task } from '../types/api'
import { answer, json } from './app'
import { press, selectAllRows, type, useConsole } from './console'
import { example } from './example'

const job = (id: number) => ({ ...(example('Job') as Job), id, name: `job ${id}`, group: 1, running: true, source: null, schedule: { type: 'CRON', conf: '0 0 2 * * ?' } }) as Job
const run = (id: number) => ({ ...(example('Run') as Run), id, job: 7, job_name: 'settle', group: 1, status: 'failed', params: 'a=1', address: 'http://10.0.0.3:9999/', handle_code: 500, missed: null }) as Run
const ended = (more: Partial<Task>): Task => ({ id: 9, action: 'stop', state: 'done', done: 0, total: 0, failed: 0, problems: [], ...more })

let sent: { path: string; body: Record<string, unknown>; key: string | undefined }[]
let answers: Record<string, () => Response>

async function serve(url: string, init?: RequestInit): Promise<Response> {
  const path = new URL(url, 'http://server').pathname.replace('/api/v1', '')
  if ((init?.method ?? 'GET') !== 'GET') sent.push({ path, body: JSON.parse(String(init?.body ?? '{}')), key: (init?.headers as Record<string, string>)['Idempotency-Key'] })
  return answers[path]?.() ?? answer(url, init)
}
beforeEach(() => {
  sent = []
  answers = {
    '/groups': () => json({ items: [{ id: 1, app_name: 'pay', title: 'Payments', address_type: 'manual', addresses: ['http://10.0.0.3:9999/'], updated_ms: null, source: null }], next: null, total: 1, total_is_capped: false }),
    '/jobs': () => json({ items: [1, 2, 3].map(job), next: 'p3', total: 60, total_is_capped: false }),
    '/runs': () => json({ items: [71, 72].map(run), next: null, total: 2, total_is_capped: false }),
  }
  for (const path of ['/jobs/stop', '/jobs/delete', '/jobs/trigger', '/runs/kill', '/runs/rerun']) answers[path] = () => json({ task: 9 }, 202)
})
const open = useConsole(serve)

async function openSelected(path: string): Promise<void> {
  await open(path)
  await selectAllRows()
}
const selectedRows = () => [...document.querySelectorAll<HTMLElement>('tbody tr.selected')].map((row) => Number(row.dataset.row))

describe('all jobs that match a filter', () => {
  it('are stopped by a task; only those that failed stay selected', async () => {
    answers['/tasks/9'] = () => json(ended({ done: 58, total: 60, failed: 2, problems: [{ id: 2, code: 'not_found', detail: 'gone' }, { id: 50, code: 'not_found', detail: 'gone' }] }))
    await openSelected('/jobs?name=job&group=1')
    await press('Select all 60 that match', '.bulk')
    expect(document.querySelector('.bulk')?.textContent).toContain('All 60 that match are selected')
    await press('Stop', '.bulk')
    expect(document.querySelector('.el-message-box')?.textContent).toContain('Stop 60 jobs? Groups: Payments.')
    await press('Stop', '.el-message-box')
    expect(sent).toEqual([{ path: '/jobs/stop', body: { filter: { group: 1, name: 'job' }, expect: 60 }, key: undefined }])
    expect(document.querySelector('.el-dialog')?.textContent).toContain('58 of 60 stopped')
    expect(document.querySelector('.el-dialog section')?.textContent).toContain('2 gone')
    expect(selectedRows()).toEqual([2])
    answers['/jobs/stop'] = () => json({ items: [{ id: 2, status: 200 }, { id: 50, status: 200 }] })
    await press('Retry the 2 that failed', '.el-dialog')
    expect(sent.at(-1)?.body).toEqual({ ids: [2, 50] })
  })
  it('are not touched if their number changed; the new number is shown', async () => {
    answers['/jobs/stop'] = () => json({ type: 'urn:ringmaster:conflict', title: 'Conflict', status: 409, detail: '57 objects', count: 57 }, 409)
    await openSelected('/jobs')
    await press('Select all 60 that match', '.bulk')
    await press('Stop', '.bulk')
    await press('Stop', '.el-message-box')
    expect(document.body.textContent).toContain('Meanwhile 57 match the filter')
    expect(document.querySelector('.bulk')?.textContent).toContain('All 57 that match are selected')
  })
  it('are run after their number has changed', async () => {
    answers['/tasks/9'] = () => json(ended({ action: 'trigger', done: 57, total: 57 }))
    const begin = answers['/jobs/trigger']!
    answers['/jobs/trigger'] = () => json({ type: 'urn:ringmaster:conflict', title: 'Conflict', status: 409, detail: '57 objects', count: 57 }, 409)
    await openSelected('/jobs')
    await press('Select all 60 that match', '.bulk')
    await press('Run once', '.bulk')
    await press('Run', '.el-dialog')
    expect(document.querySelector('.el-dialog')?.textContent).toContain('Meanwhile 57 match the filter')
    answers['/jobs/trigger'] = begin
    await press('Run', '.el-dialog')
    expect(sent.map((each) => each.body.expect)).toEqual([60, 57])
    expect(sent[1]?.key).not.toBe(sent[0]?.key)
    expect(document.body.textContent).toContain('57 of 57 triggered')
  })
  it('are run with one dialog', async () => {
    answers['/tasks/9'] = () => json(ended({ action: 'trigger', done: 60, total: 60 }))
    await openSelected('/jobs')
    await press('Select all 60 that match', '.bulk')
    await press('Run once', '.bulk')
    await press('Run', '.el-dialog')
    expect(sent[0]?.body).toMatchObject({ expect: 60 })
    expect(sent[0]?.key).toBeTruthy()
    expect(document.body.textContent).toContain('60 of 60 triggered')
  })
})

describe('a removal of jobs', () => {
  it('needs the number typed for more than 20', async () => {
    answers['/tasks/9'] = () => json(ended({ action: 'delete', done: 60, total: 60 }))
    await openSelected('/jobs')
    await press('Select all 60 that match', '.bulk')
    await press('Delete', '.bulk')
    await press('Delete', '.el-message-box')
    expect(sent).toEqual([])
    await type('.el-message-box input', '60')
    await press('Delete', '.el-message-box')
    expect(sent[0]).toMatchObject({ path: '/jobs/delete', body: { expect: 60 } })
    expect(document.body.textContent).toContain('60 of 60 deleted')
    expect(document.querySelector('.bulk')).toBeNull()
  })
  it('is one task for selected jobs, and can be aborted', async () => {
    let state: Task['state'] = 'running'
    answers['/tasks/9'] = () => json(ended({ action: 'delete', state, done: 1, total: 3 }))
    answers['/tasks/9/abort'] = () => {
      state = 'aborted'
      return json(ended({ state }))
    }
    await openSelected('/jobs')
    await press('Delete', '.bulk')
    await press('Delete', '.el-message-box')
    expect(sent[0]?.body).toEqual({ ids: [1, 2, 3] })
    expect(document.querySelector('.bulk [role=status]')?.textContent).toBe('1 of 3…')
    await press('Abort', '.bulk')
    await vi.waitFor(() => expect(document.body.textContent).toContain('The action was aborted. 1 of 3 deleted'))
  })
})

describe('selected runs', () => {
  it('are killed, and run again with their own parameters', async () => {
    answers['/tasks/9'] = () => json(ended({ action: 'kill', done: 2, total: 2 }))
    await openSelected('/runs')
    await press('Kill', '.bulk')
    await press('Kill', '.el-message-box')
    expect(sent[0]).toMatchObject({ path: '/runs/kill', body: { ids: [71, 72] } })
    await selectAllRows()
    await press('Run again', '.bulk')
    await press('Run again', '.el-message-box')
    expect(sent[1]).toMatchObject({ path: '/runs/rerun', body: { ids: [71, 72] } })
    expect(sent[1]?.key).toBeTruthy()
  })
  it('that are all that match end with the present, so that new runs do not change their number', async () => {
    answers['/runs'] = () => json({ items: [71, 72].map(run), next: 'p3', total: 60, total_is_capped: false })
    answers['/tasks/9'] = () => json(ended({ action: 'rerun', done: 60, total: 60 }))
    await openSelected('/runs?status=failed')
    const beforeMs = serverNow()
    await press('Select all 60 that match', '.bulk')
    await press('Run again', '.bulk')
    await type('.el-message-box input', '60')
    await press('Run again', '.el-message-box')
    const { filter, expect: number } = sent[0]?.body as { filter: { status: string; to_ms: number }; expect: number }
    expect(number).toBe(60)
    expect(filter.status).toBe('failed')
    expect(filter.to_ms).toBeGreaterThanOrEqual(beforeMs)
  })
  it('are followed after errors that may pass', async () => {
    let asked = 0
    answers['/tasks/9'] = () => ((asked += 1) === 1 ? json({ detail: 'slow down' }, 429) : json(ended({ action: 'kill', done: 2, total: 2 })))
    await openSelected('/runs')
    await press('Kill', '.bulk')
    await press('Kill', '.el-message-box')
    expect(document.querySelector('.bulk [role=status]')?.textContent).toBe('0 of 2…')
    await vi.waitFor(() => expect(document.body.textContent).toContain('2 of 2 killed'), 4000)
    expect(sent).toHaveLength(1)
  })
  it('keep the key of a rerun until its outcome is known', async () => {
    answers['/tasks/9'] = () => json({ detail: 'no such task' }, 404)
    await openSelected('/runs')
    const again = async () => {
      await press('Run again', '.bulk')
      await press('Run again', '.el-message-box')
    }
    await again()
    expect(document.body.textContent).toContain('The outcome is unknown: no such task')
    expect(selectedRows()).toEqual([71, 72])
    answers['/tasks/9'] = () => json(ended({ action: 'rerun', done: 2, total: 2 }))
    await again()
    expect(document.body.textContent).toContain('2 of 2 run again')
    expect(sent[1]).toEqual(sent[0])
    await selectAllRows()
    await again()
    expect(sent[2]?.body).toEqual(sent[0]?.body)
    expect(sent[2]?.key).not.toBe(sent[0]?.key)
  })
  it('open a dialog with the parameters of one, without an executor', async () => {
    answers['/jobs/7/trigger'] = () => json({ job: 7, intent: 5 }, 202)
    await openSelected('/runs')
    await press('Run again', 'tbody tr[data-row="71"]')
    expect(document.querySelector<HTMLTextAreaElement>('.el-dialog textarea')?.value).toBe('a=1')
    await press('Run', '.el-dialog')
    expect(sent[0]).toMatchObject({ path: '/jobs/7/trigger' })
    expect(sent[0]?.body).toEqual({ params: 'a=1' })
  })
})

describe('an action with many objects', () => {
  it('is split into parts of as many as the server takes', () => {
    expect(partsOf(Array.from({ length: 1001 }, (_, index) => index)).map((part) => part.ids.length)).toEqual([500, 500, 1])
  })
  it('adds up its parts and sorts failures by reason', () => {
    const none = { total: 5, done: 0, failures: 0, failed: [], aborted: false }
    const first = addTask(none, ended({ done: 1, failed: 1, problems: [{ id: 1, code: 'not_found', detail: 'gone' }] }))
    const both = addTask(first, ended({ done: 1, failed: 2, problems: [{ id: 2, code: 'forbidden', detail: 'no' }, { id: 3, code: 'forbidden', detail: 'no' }] }))
    expect(both).toMatchObject({ total: 5, done: 2, failures: 3 })
    expect(failuresByReason(both.failed)).toEqual([{ detail: 'no', ids: [2, 3] }, { detail: 'gone', ids: [1] }])
  })
})
