import { describe, expect, it } from 'vitest'
import { ApiError } from '../src/api/problem'
import { readParts } from '../src/live/parts'

const refused = (status: number, words: string) => Promise.reject(new ApiError(status, 'x', words))

describe('the parts of a page', () => {
  it('stand for themselves: one that fails does not hide the others', async () => {
    const { found, problem } = await readParts({ runs: Promise.resolve([1]), plan: refused(400, 'too many jobs'), own: null })
    expect(found).toEqual({ runs: [1], plan: null, own: null })
    expect(problem).toBe('too many jobs')
  })
  it('have no problem when all are read', async () => {
    expect(await readParts({ runs: Promise.resolve(1) })).toEqual({ found: { runs: 1 }, problem: '' })
  })
  it('fail together when none is read, and for errors of the page itself', async () => {
    await expect(readParts({ runs: refused(503, 'down'), plan: refused(503, 'down'), own: null })).rejects.toThrow('down')
    await expect(readParts({ runs: Promise.resolve(1), plan: Promise.reject(new TypeError('wrong')) })).rejects.toThrow(TypeError)
  })
})
