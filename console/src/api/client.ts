import { apiBase } from './prefix'
import type { AnswerOf, BodyOf, OperationName, QueryOf } from './operations'
import { ApiError, problemOf } from './problem'

export interface CallOptions<Name extends OperationName> {
  /** Value of the part of the path in braces. */
  id?: number | string
  /** Value of `{version}` in the path. */
  version?: number
  /** Value of `{name}` in a path that also has `{id}`. */
  name?: string
  query?: QueryOf<Name>
  body?: BodyOf<Name>
  ifMatch?: string
  ifNoneMatch?: string
  /** Requests with the same key are one run; such a request is repeated when the server does not answer. */
  idempotencyKey?: string
  signal?: AbortSignal
  /** Repeats a GET that got no answer. Live pages repeat by themselves. */
  repeat?: boolean
  /** Opens the sign-in dialog when the session has ended. */
  signIn?: boolean
  timeoutMs?: number
}

export interface Answer<Name extends OperationName> {
  /** Absent: 304. */
  data: AnswerOf<Name> | undefined
  etag: string | null
  status: number
}

/** What the client needs from the session. */
export interface SessionAccess {
  csrfToken(): string | null
  /** Asks the user to sign in again; false: another user signed in, or the user gave up. */
  signInAgain(): Promise<boolean>
  /** Reads the session again; true if its token differs. */
  renewToken(): Promise<boolean>
}

export interface ConnectionListener {
  answered(): void
  absent(error: ApiError): void
}

/** Time of the last answer to a request with the session, also of another tab that shares a poll. */
export const lastAnswer = { ms: 0 }
export const noteAnswer = (atMs: number) => void (lastAnswer.ms = Math.max(lastAnswer.ms, atMs))

let session: SessionAccess | null = null
let connection: ConnectionListener | null = null
export const useSessionAccess = (access: SessionAccess) => void (session = access)
export const useConnectionListener = (listener: ConnectionListener) => void (connection = listener)

const repeatAfterMs = [1000, 2000, 5000, 10000]
const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

/** Returns a key for Idempotency-Key. crypto.randomUUID is absent on pages without TLS. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function urlOf(path: string, id?: number | string, query?: object, version?: number, name?: string): string {
  const own: Record<string, number | string | undefined> = { version, name: name ?? id }
  const filled = path.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent((part in own ? own[part] : id) ?? ''))
  const sent = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null && value !== '') sent.set(name, String(value))
  const text = sent.toString()
  return apiBase + filled + (text ? `?${text}` : '')
}

async function send<Name extends OperationName>(name: Name, options: CallOptions<Name>): Promise<Response> {
  const [method = 'GET', path = ''] = name.split(' ')
  const headers: Record<string, string> = { Accept: 'application/json, application/problem+json, */*' }
  // The language that the page shows, which need not be the browser's.
  if (document.documentElement.lang) headers['Accept-Language'] = document.documentElement.lang
  if (options.body !== undefined) headers['Content-Type'] = 'application/json'
  if (options.ifMatch) headers['If-Match'] = options.ifMatch
  if (options.ifNoneMatch) headers['If-None-Match'] = options.ifNoneMatch
  if (options.idempotencyKey) headers['Idempotency-Key'] = options.idempotencyKey
  const token = method === 'GET' || name === 'POST /session' ? null : session?.csrfToken()
  if (token) headers['X-CSRF-Token'] = token
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), options.timeoutMs ?? 30000)
  const stop = () => timeout.abort()
  options.signal?.addEventListener('abort', stop)
  try {
    return await fetch(urlOf(path, options.id, options.query as object | undefined, options.version, options.name), {
      method,
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      credentials: 'same-origin',
      cache: 'no-store',
      signal: timeout.signal,
    })
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new ApiError(0, 'no_answer', '')
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', stop)
  }
}

/** Sends once; signs in again or renews the CSRF token if the server asks for it, and then sends a second time. */
async function attempt<Name extends OperationName>(name: Name, options: CallOptions<Name>): Promise<Response> {
  const answer = await send(name, options)
  if (answer.status === 401 && options.signIn !== false && session) {
    if (await session.signInAgain()) return send(name, options)
  }
  if (answer.status === 403 && !name.startsWith('GET ') && session && (await session.renewToken())) return send(name, options)
  return answer
}

/** Calls an operation and returns its answer with the ETag. Errors: ApiError. */
export async function callWithTag<Name extends OperationName>(name: Name, options: CallOptions<Name> = {}): Promise<Answer<Name>> {
  const mayRepeat = (name.startsWith('GET ') && options.repeat !== false) || options.idempotencyKey !== undefined
  for (let round = 0; ; round += 1) {
    let problem: ApiError
    try {
      const answer = await attempt(name, options)
      if (answer.ok || answer.status === 304) {
        const data = await dataOf<Name>(answer)
        connection?.answered()
        noteAnswer(Date.now())
        return { data, etag: answer.headers.get('ETag'), status: answer.status }
      }
      problem = await problemOf(answer)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      problem = error
    }
    if (problem.isAbsence) connection?.absent(problem)
    else connection?.answered()
    const waitMs = repeatAfterMs[round]
    if (!(problem.isAbsence || problem.status === 503) || !mayRepeat || waitMs === undefined || options.signal?.aborted) throw problem
    await pause(problem.retryAfterMs ?? waitMs)
  }
}

async function dataOf<Name extends OperationName>(answer: Response): Promise<AnswerOf<Name> | undefined> {
  if (answer.status === 204 || answer.status === 304) return undefined
  const isJson = (answer.headers.get('Content-Type') ?? '').includes('json')
  try {
    return (isJson ? await answer.json() : await answer.text()) as AnswerOf<Name>
  } catch {
    // The connection ended within the answer.
    throw new ApiError(0, 'no_answer', '')
  }
}

/** Calls an operation and returns its answer. Errors: ApiError. */
export async function call<Name extends OperationName>(name: Name, options: CallOptions<Name> = {}): Promise<AnswerOf<Name>> {
  return (await callWithTag(name, options)).data as AnswerOf<Name>
}
