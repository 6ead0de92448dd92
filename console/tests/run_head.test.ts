import { describe, expect, it } from 'vitest'
import { sameExecutor } from '../src/log/run_head'

describe('a rerun', () => {
  it('goes to the executor of the run, or to the group for a shard of a broadcast', () => {
    expect(sameExecutor({ address: 'http://a/', shard_total: null })).toEqual(['http://a/'])
    expect(sameExecutor({ address: 'http://a/', shard_total: 1 })).toEqual(['http://a/'])
    expect(sameExecutor({ address: 'http://a/', shard_total: 2 })).toEqual([])
    expect(sameExecutor({ address: null, shard_total: null })).toEqual([])
  })
})
