import { describe, expect, it, vi } from 'vitest'
import { ApiError } from '../src/api/problem'
import { readParts, useParts } from '../src/live/parts'

const refused = (status: number, words: string, wait: number | null = null) => () => Promise.reject(new ApiError(status, 'x', words, wait))
const given = <Data>(data: Data) => () => Promise.resolve(data)

describe('the parts of a page', () => {
  it('stand for themselves: one that fails does not hide the others', async () => {
    const { found, failed } = await readParts({ runs: given([1]), plan: refused(400, 'too many jobs'), own: null })
    expect(found).toEqual({ runs: [1], plan: null, own: null })
    expect(failed).toEqual({ plan: { words: 'too many jobs', mayPass: false } })
  })
  it('have no problem when all are read', async () => {
    expect(await readParts({ runs: given(1) })).toEqual({ found: { runs: 1 }, failed: {}, retryAfterMs: null })
  })
  it('have the longest pause that the server asked for', async () => {
    const answer = await readParts({ runs: given(1), plan: refused(503, 'busy', 4000), nodes: refused(429, 'busy', 30000) })
    expect(answer.retryAfterMs).toBe(30000)
  })
  it('are not asked again after a refusal that does not pass', async () => {
    const plan = vi.fn(given(2))
    const before = { plan: { words: 'too many jobs', mayPass: false } }
    expect(await readParts({ runs: given(1), plan }, before)).toEqual({ found: { runs: 1, plan: null }, failed: before, retryAfterMs: null })
    expect(plan).not.toHaveBeenCalled()
    const busy = { plan: { words: 'busy', mayPass: true } }
    expect((await readParts({ runs: given(1), plan }, busy)).found.plan).toBe(2)
  })
  it('fail together when none is read, and for errors of the page itself', async () => {
    await expect(readParts({ runs: refused(503, 'down'), plan: refused(503, 'down'), own: null })).rejects.toThrow('down')
    await expect(readParts({ runs: refused(403, 'no'), plan: refused(503, 'down') })).rejects.toThrow('down')
    await expect(readParts({ runs: given(1), plan: () => Promise.reject(new TypeError('wrong')) })).rejects.toThrow(TypeError)
  })
})

describe('a live page of parts', () => {
  it('knows which parts were read, waits after failures, and asks refused parts again when told', async () => {
    const answers = { runs: given(1), plan: refused(400, 'too many jobs') as () => Promise<number>, nodes: refused(503, 'busy', 30000) as () => Promise<number> }
    const parts = useParts(() => ({ ...answers }))
    const { signal } = new AbortController()
    const read = async () => parts.note(await parts.read(signal))
    expect([parts.isRead('runs'), parts.leastMs()]).toEqual([false, 0])
    await read()
    expect([parts.isRead('runs'), parts.isRead('plan'), parts.isRead('nodes')]).toEqual([true, false, false])
    expect(parts.leastMs()).toBe(30000)
    answers.plan = answers.nodes = given(2)
    await read()
    expect([parts.isRead('plan'), parts.isRead('nodes'), parts.leastMs()]).toEqual([false, true, 0])
    parts.askAll()
    await read()
    expect(parts.isRead('plan')).toBe(true)
    answers.plan = refused(500, 'broken')
    await read()
    expect([parts.isRead('plan'), parts.leastMs()]).toEqual([false, 10000])
    expect(parts.readMs.value.plan).toBeGreaterThan(0)
  })
})
