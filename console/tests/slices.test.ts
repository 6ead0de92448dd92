import { effectScope, nextTick, shallowRef } from 'vue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sliceRows, useSlices } from '../src/live/slices'

const rowsOf = (from: number, count: number, text = '') => Array.from({ length: count }, (_, index) => ({ id: from + index, text }))
const scope = effectScope()
let slices = 0

function open(count: number) {
  const rows = shallowRef(rowsOf(1, count))
  const drawn = scope.run(() => useSlices(() => rows.value, () => (slices += 1)))
  if (!drawn) throw new Error('the scope has ended')
  return { rows, ids: () => drawn.shown.value.map((row) => row.id), ...drawn }
}
const wait = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  vi.useFakeTimers()
  slices = 0
})
afterEach(() => vi.useRealTimers())

describe('rows of a table', () => {
  it('are drawn at once if they are few', () => {
    const { shown, isWhole } = open(sliceRows)
    expect([shown.value.length, isWhole.value, slices, vi.getTimerCount()]).toEqual([sliceRows, true, 0, 0])
    expect(open(0).isWhole.value).toBe(true)
  })
  it('are drawn in slices if they are many, each in its own task', async () => {
    const { shown, isWhole } = open(2 * sliceRows + 1)
    const counts = [shown.value.length]
    while (!isWhole.value && counts.length < 9) {
      await vi.advanceTimersToNextTimerAsync()
      counts.push(shown.value.length)
    }
    expect(counts).toEqual([sliceRows, 2 * sliceRows, 2 * sliceRows + 1])
    expect([slices, vi.getTimerCount()]).toEqual([2, 0])
  })
  it('stay while new ones are drawn, in the order of the list and with their last values', async () => {
    const { rows, shown, ids, isWhole } = open(3)
    rows.value = [...rowsOf(101, sliceRows + 2), ...rowsOf(2, 2, 'later')]
    await nextTick()
    expect(ids()).toEqual([...rowsOf(101, sliceRows).map((row) => row.id), 2, 3])
    expect(shown.value.at(-1)?.text).toBe('later')
    expect(isWhole.value).toBe(false)
    await wait()
    expect(ids()).toEqual(rows.value.map((row) => row.id))
  })
  it('are those of the last answer if one comes between slices', async () => {
    const { rows, ids } = open(2 * sliceRows)
    rows.value = rowsOf(sliceRows, 2 * sliceRows)
    await nextTick()
    expect(ids()).toEqual(rowsOf(sliceRows, sliceRows + 1).map((row) => row.id))
    rows.value = []
    await nextTick()
    expect([ids(), vi.getTimerCount()]).toEqual([[], 0])
  })
  it('are drawn no further after the end of the table', () => {
    open(9 * sliceRows)
    scope.stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})
