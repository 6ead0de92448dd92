import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { call, callWithTag, newIdempotencyKey, urlOf, useConnectionListener, useSessionAccess } from '../src/api/client'
import { prefixOf } from '../src/api/prefix'
import { ApiError, retryAfterMs } from '../src/api/problem'
import { showLanguage } from '../src/app/i18n'

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': status < 400 ? 'application/json' : 'application/problem+json', ...headers } })
const problem = (status: number, kind: string) => json(status, { type: `urn:ringmaster:${kind}`, title: kind, status, detail: `words of ${kind}` })

let sent: { url: string; init: RequestInit }[]
let answers: (Response | Error)[]
const access = { csrfToken: () => 'token', signInAgain: vi.fn(async () => true), renewToken: vi.fn(async () => false) }
const listener = { answered: vi.fn(), absent: vi.fn() }

beforeEach(() => {
  sent = []
  answers = []
  vi.useFakeTimers()
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    sent.push({ url, init })
    const answer = answers.shift()
    if (!answer || answer instanceof Error) throw answer ?? new TypeError('network')
    return answer
  })
  access.signInAgain.mockClear()
  access.renewToken.mockClear().mockResolvedValue(false)
  listener.absent.mockClear()
  useSessionAccess(access)
  useConnectionListener(listener)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
const headersOf = (index: number) => sent[index]?.init.headers as Record<string, string>

describe('requests', () => {
  it('fill the path and leave out absent parameters', () => {
    expect(urlOf('/jobs/{id}', 7)).toBe('/api/v1/jobs/7')
    expect(urlOf('/alarms/channels/{name}/test', 'on $& call/告')).toBe('/api/v1/alarms/channels/on%20%24%26%20call%2F%E5%91%8A/test')
    expect(urlOf('/elastic/jobs/{id}/hosts/{name}/enable', 7, undefined, undefined, 'a/b')).toBe('/api/v1/elastic/jobs/7/hosts/a%2Fb/enable')
    expect(urlOf('/jobs/{id}/sources/{version}', 7, undefined, 3)).toBe('/api/v1/jobs/7/sources/3')
    expect(urlOf('/jobs', undefined, { group: 1, name: 'a&b', handler: '', author: undefined })).toBe('/api/v1/jobs?group=1&name=a%26b')
  })
  it('carry the CSRF token only if they change something', async () => {
    answers = [json(200, {}), json(200, {})]
    await call('GET /nodes')
    await call('POST /jobs/{id}/start', { id: 1 })
    expect(headersOf(0)['X-CSRF-Token']).toBeUndefined()
    expect(headersOf(1)['X-CSRF-Token']).toBe('token')
  })
  it('ask for words in the language that the page shows', async () => {
    answers = [json(200, {}), json(200, {})]
    await showLanguage('zh-TW')
    await call('GET /nodes')
    await showLanguage('en')
    await call('GET /nodes')
    expect([0, 1].map((index) => headersOf(index)['Accept-Language'])).toEqual(['zh-TW', 'en'])
  })
  it('carry If-Match and return the ETag', async () => {
    answers = [json(200, { id: 1 }, { ETag: '"a"' }), json(200, {})]
    expect((await callWithTag('GET /jobs/{id}', { id: 1 })).etag).toBe('"a"')
    await call('PUT /jobs/{id}', { id: 1, body: { group: 1, name: 'x' }, ifMatch: '"a"' })
    expect(headersOf(1)['If-Match']).toBe('"a"')
  })
})

describe('refusals', () => {
  it('have the server\'s words and are not repeated', async () => {
    answers = [problem(409, 'conflict')]
    await expect(call('POST /jobs', { body: { group: 1, name: 'x' } })).rejects.toMatchObject({ status: 409, kind: 'conflict', message: 'words of conflict' })
    expect(sent).toHaveLength(1)
  })
  it('of a session that ended are repeated after signing in', async () => {
    answers = [problem(401, 'not_signed_in'), json(200, { id: 1 })]
    await call('GET /jobs/{id}', { id: 1 })
    expect(access.signInAgain).toHaveBeenCalledTimes(1)
    expect(sent).toHaveLength(2)
  })
  it('of the sign-in itself open no dialog', async () => {
    answers = [problem(401, 'not_signed_in')]
    await expect(call('POST /session', { body: { name: 'a', password: 'b' }, signIn: false })).rejects.toBeInstanceOf(ApiError)
    expect(access.signInAgain).not.toHaveBeenCalled()
  })
  it('of an old CSRF token are repeated with the new one', async () => {
    access.renewToken.mockResolvedValue(true)
    answers = [problem(403, 'forbidden'), json(200, {})]
    await call('POST /jobs/{id}/stop', { id: 1 })
    expect(sent).toHaveLength(2)
  })
})

describe('a server without an answer', () => {
  const settle = async <T>(promise: Promise<T>) => {
    const caught = promise.catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    return caught
  }
  it('is asked again for GETs', async () => {
    answers = [new TypeError(), problem(503, 'unavailable'), json(200, { items: [] })]
    expect(await settle(call('GET /nodes'))).toEqual({ items: [] })
    expect(sent).toHaveLength(3)
    // The second answer came from the server itself.
    expect(listener.absent).toHaveBeenCalledTimes(1)
  })
  it('is not asked again for writes', async () => {
    expect(await settle(call('POST /jobs/{id}/start', { id: 1 }))).toMatchObject({ status: 0 })
    expect(sent).toHaveLength(1)
  })
  it('is asked again for triggers, with one Idempotency-Key', async () => {
    answers = [new TypeError(), json(202, { job: 1, intent: 2 })]
    const key = newIdempotencyKey()
    expect(await settle(call('POST /jobs/{id}/trigger', { id: 1, body: {}, idempotencyKey: key }))).toEqual({ job: 1, intent: 2 })
    expect([headersOf(0)['Idempotency-Key'], headersOf(1)['Idempotency-Key']]).toEqual([key, key])
  })
})

describe('Retry-After', () => {
  it('is seconds or a date', () => {
    expect(retryAfterMs('3', 0)).toBe(3000)
    expect(retryAfterMs('Thu, 01 Jan 1970 00:00:05 GMT', 1000)).toBe(4000)
    expect(retryAfterMs('soon', 0)).toBeNull()
    expect(retryAfterMs(null, 0)).toBeNull()
  })
})

describe('the prefix', () => {
  it('is empty until the server writes it', () => {
    const page = (content: string) => new DOMParser().parseFromString(`<meta name="ringmaster-prefix" content="${content}">`, 'text/html')
    expect(prefixOf(page('%RINGMASTER_PREFIX%'))).toBe('')
    expect(prefixOf(page(''))).toBe('')
    expect(prefixOf(page('/xxl-job-admin'))).toBe('/xxl-job-admin')
  })
})
