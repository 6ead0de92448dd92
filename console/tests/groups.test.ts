import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useGroups } from '../src/app/groups'
import { json } from './app'

let asked: { counts: boolean; answer: () => void }[]
beforeEach(() => {
  asked = []
  setActivePinia(createPinia())
  vi.stubGlobal(
    'fetch',
    vi.fn(
      (url: string) =>
        new Promise<Response>((done) => {
          const counts = url.includes('counts=true')
          asked.push({ counts, answer: () => done(json({ items: [{ id: 1, app_name: 'pay', title: 'Payments', jobs: counts ? 3 : null }], next: null, total: 1, total_is_capped: false })) })
        }),
    ),
  )
})
afterEach(() => vi.unstubAllGlobals())

describe('a reading of groups', () => {
  it('with counts is not answered by one without', async () => {
    const groups = useGroups()
    const plain = groups.load()
    const counted = groups.load(true, true)
    expect(asked.map((each) => each.counts)).toEqual([false, true])
    asked[1]?.answer()
    await counted
    asked[0]?.answer()
    await plain
    expect(groups.all[0]?.jobs).toBe(3)
  })
  it('without counts is answered by one with counts', async () => {
    const groups = useGroups()
    const counted = groups.load(true, true)
    const plain = groups.load(true)
    expect(asked).toHaveLength(1)
    asked[0]?.answer()
    await Promise.all([counted, plain])
    expect(groups.title(1)).toBe('Payments')
  })
})
