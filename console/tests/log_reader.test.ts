import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ref } from 'vue'
import { useLogReader } from '../src/log/log_reader'
import { findLine } from '../src/log/log_search'

/** A log of numbered lines, answered as the server does. */
const server = { lines: 20000, finished: true, asked: [] as string[], failures: 0 }

function answer(url: string): object {
  const { pathname, searchParams } = new URL(url, 'http://server')
  const number = (name: string) => Number(searchParams.get(name) ?? NaN)
  server.asked.push(searchParams.toString())
  if (pathname.endsWith('/search')) {
    const hits = [3000, 9000, 15000].filter((line) => line >= (number('from_line') || 1))
    return { matches: hits.slice(0, 1).map((line) => ({ line, column: 1, length: 1, text: 'x' })), next_line: hits.length > 1 ? (hits[0] ?? 0) + 1 : null, scanned_to: 20000, partial_reason: null }
  }
  const tail = number('tail')
  const from = tail ? Math.max(1, server.lines - tail + 1) : number('from_line')
  const to = Math.min(server.lines, from + Math.min(number('max_lines') || 5000, 5000) - 1)
  let content = ''
  for (let line = from; line <= to; line += 1) content += `line ${line}\n`
  const more = to < server.lines
  return { run: 7, from_line: from, to_line: Math.max(to, from - 1), content, end: server.finished && !more, kept: false, more, cut: false, bytes: null, lines: server.lines, partial_reason: null }
}

beforeEach(() => {
  server.asked = []
  vi.stubGlobal('fetch', async (url: string) => {
    const body = answer(String(url))
    if (server.failures > 0) {
      server.failures -= 1
      throw new TypeError('the network is down')
    }
    return new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } })
  })
})
afterEach(() => vi.unstubAllGlobals())

function reading(wantsLater: () => boolean) {
  let ends = 0
  const reader = useLogReader(() => 7, ref(false), { wantsLater, added: () => undefined, ended: () => void (ends += 1) })
  return { reader, ends: () => ends }
}

describe('reader of a log', () => {
  it('reads the end first, and earlier lines on demand', async () => {
    const { reader, ends } = reading(() => true)
    reader.begin()
    await vi.waitFor(() => expect(reader.ended.value).toBe(true))
    expect(server.asked).toEqual(['tail=5000'])
    expect([reader.blocks.value.firstLine, reader.blocks.value.lastLine, ends()]).toEqual([15001, 20000, 1])
    expect(await reader.loadEarlier()).toBe(1000)
    expect([reader.blocks.value.firstLine, reader.blocks.value.row(0)?.text]).toEqual([14001, 'line 14001'])
    reader.stop()
  })
  it('reads around a line, and what follows only when it is wanted', async () => {
    let wants = false
    const { reader } = reading(() => wants)
    reader.begin(9000)
    await vi.waitFor(() => expect(reader.blocks.value.lastLine).toBe(13499))
    expect([reader.blocks.value.firstLine, reader.moreAfter.value, reader.ended.value]).toEqual([8500, true, false])
    wants = true
    await vi.waitFor(() => expect(reader.ended.value).toBe(true))
    expect(reader.blocks.value.lastLine).toBe(20000)
    expect(server.asked).toEqual(['from_line=8500', 'from_line=13500&wait_s=30', 'from_line=18500&wait_s=30'])
    reader.stop()
  })
  it.each([[0, 'tail=5000'], [9000, 'from_line=8500']])('asks for the first lines again after a failure (line %i)', async (line, query) => {
    server.failures = 1
    const { reader } = reading(() => false)
    reader.begin(line)
    await vi.waitFor(() => expect(reader.problem.value).not.toBe(''))
    expect(reader.loading.value).toBe(false)
    await vi.waitFor(() => expect(reader.blocks.value.count).toBe(5000), { timeout: 5000 })
    expect(server.asked).toEqual([query, query])
    expect([reader.blocks.value.firstLine, reader.problem.value]).toEqual([line ? 8500 : 15001, ''])
    reader.stop()
  })
  it('keeps a bounded number of rows, and reads dropped ones again', async () => {
    server.lines = 100000
    const { reader } = reading(() => true)
    reader.begin(1)
    await vi.waitFor(() => expect(reader.ended.value).toBe(true), { timeout: 10000 })
    expect(reader.blocks.value.count).toBeLessThanOrEqual(64000)
    expect(reader.blocks.value.lastLine).toBe(100000)
    const first = reader.blocks.value.firstLine
    await reader.loadEarlier()
    expect(reader.blocks.value.firstLine).toBe(first - 1000)
    expect(reader.blocks.value.count).toBeLessThanOrEqual(64000)
    await vi.waitFor(() => expect(reader.ended.value).toBe(true))
    expect(reader.blocks.value.lastLine).toBe(100000)
    reader.stop()
    server.lines = 20000
  })
})

describe('search in the whole log', () => {
  it('finds the first and the last line of a range', async () => {
    const goesOn = () => true
    expect(await findLine(7, 'x', { from: 1, to: Infinity }, 'first', goesOn)).toBe(3000)
    expect(await findLine(7, 'x', { from: 3001, to: 14000 }, 'last', goesOn)).toBe(9000)
    expect(await findLine(7, 'x', { from: 1, to: 14000 }, 'last', goesOn)).toBe(9000)
    expect(await findLine(7, 'x', { from: 1, to: 2999 }, 'first', goesOn)).toBeNull()
    expect(await findLine(7, 'x', { from: 1, to: Infinity }, 'first', () => false)).toBeNull()
  })
  it('does not ask for texts that the server refuses', async () => {
    expect(await findLine(7, '日'.repeat(86), { from: 1, to: Infinity }, 'first', () => true)).toBeNull()
    expect(server.asked).toEqual([])
  })
})
