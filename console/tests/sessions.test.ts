import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { endOtherSessions } from '../src/parts/sessions'
import { json } from './app'

let open: number[]
let ended: number[]
/** Runs before a session is ended. */
let meanwhile: (id: number) => void

beforeEach(() => {
  ended = []
  meanwhile = () => undefined
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string, init?: RequestInit) => {
      const { pathname, searchParams } = new URL(url, 'http://server')
      if (init?.method !== 'DELETE') {
        const ids = open.slice(0, Number(searchParams.get('limit')))
        return json({ items: ids.map((id) => ({ id, current: id === 1 })), next: null, total: open.length, total_is_capped: false })
      }
      const id = Number(pathname.split('/').at(-1))
      meanwhile(id)
      if (!open.includes(id)) return json({ type: 'urn:ringmaster:not_found', title: '', status: 404, detail: 'no session' }, 404)
      open = open.filter((each) => each !== id)
      ended.push(id)
      return new Response(null, { status: 204 })
    }),
  )
})
afterEach(() => void vi.unstubAllGlobals())

describe('signing out all others', () => {
  it('reads the list again until only the session of this browser is left', async () => {
    open = Array.from({ length: 1203 }, (_, index) => index + 1)
    expect(await endOtherSessions(7)).toBe(1202)
    expect(open).toEqual([1])
  })
  it('goes on after a session that ended meanwhile, and does not count it', async () => {
    open = [1, 2, 3, 4]
    meanwhile = (id) => id === 2 && (open = open.filter((each) => each !== 2))
    expect(await endOtherSessions()).toBe(2)
    expect(ended).toEqual([3, 4])
  })
  it('ends although other browsers sign in meanwhile', async () => {
    open = [1, 2]
    meanwhile = (id) => open.push(id + 1)
    expect(await endOtherSessions()).toBe(20)
  })
})
