import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { ref, shallowRef } from 'vue'
import { markedTokens, plainStyle, styleAfter, tokensOf, visibleText } from '../src/log/ansi'
import { cellsOf, hashOfLines, LogBlocks, linesOfHash } from '../src/log/log_blocks'
import { useLogRows } from '../src/log/log_rows'
import { daysRange, isLastNight, lastNight } from '../src/log/ranges'

const esc = '\u001b'

describe('tokens of a line', () => {
  it('have colours and weight', () => {
    const { tokens, end } = tokensOf(`a${esc}[1;31mred${esc}[0m b`)
    expect(tokens).toEqual([
      { text: 'a', color: null, bold: false },
      { text: 'red', color: 1, bold: true },
      { text: ' b', color: null, bold: false },
    ])
    expect(end).toEqual(plainStyle)
  })
  it('continue the style of the line before', () => {
    const style = styleAfter(`${esc}[32mgreen`, plainStyle)
    expect(tokensOf('still', style).tokens[0]?.color).toBe(2)
  })
  it('leave out other escape sequences', () => {
    expect(visibleText(`${esc}[2Kx${esc}]0;title\u0007y${esc}[38;5;9mz${esc}[48;2;1;2;3m!`)).toBe('xyz!')
    expect(tokensOf(`${esc}[38;5;9mz`).tokens[0]?.color).toBe(9)
  })
  it('show the bold marks of XXL-JOB, and any other HTML as text', () => {
    expect(tokensOf('<b>x</b><script>alert(1)</script>').tokens).toEqual([
      { text: 'x', color: null, bold: true },
      { text: '<script>alert(1)</script>', color: null, bold: false },
    ])
  })
  it('are split where a searched text is', () => {
    const { tokens } = tokensOf(`er${esc}[31mror er`)
    expect(markedTokens(tokens, 'ERROR').map(({ text, hit }) => [text, hit])).toEqual([['er', true], ['ror', true], [' er', false]])
    expect(markedTokens(tokens, 'er').filter((token) => token.hit)).toHaveLength(2)
  })
})

describe('blocks of a log', () => {
  it('number lines and continue after the last one', () => {
    const log = new LogBlocks()
    log.append(1, 2, 'one\ntwo\n')
    log.append(3, 3, 'three\n')
    expect([log.count, log.firstLine, log.lastLine]).toEqual([3, 1, 3])
    expect(log.row(2)).toMatchObject({ line: 3, text: 'three' })
  })
  it('ignore a part that does not follow, and an empty one', () => {
    const log = new LogBlocks()
    log.append(1, 1, 'one\n')
    log.append(1, 1, 'one\n')
    log.append(5, 5, 'five\n')
    log.append(2, 1, '')
    expect(log.count).toBe(1)
  })
  it('show a line with <br> as several rows of one number', () => {
    const log = new LogBlocks()
    log.append(1, 2, '<br>--- start ---<br>--- param:\nnext\n')
    expect([0, 1, 2].map((index) => log.row(index)?.line)).toEqual([1, 1, 2])
    expect(log.row(0)?.text).toBe('--- start ---')
    expect(log.indexOfLine(2)).toBe(2)
  })
  it('drop the oldest blocks', () => {
    const log = new LogBlocks(2)
    const text = Array.from({ length: 3500 }, (_, i) => `line ${i + 1}`).join('\n') + '\n'
    expect(log.append(1, 3500, text)).toBe(2000)
    expect([log.count, log.firstLine, log.lastLine]).toEqual([1500, 2001, 3500])
    expect(log.row(0)?.text).toBe('line 2001')
    expect(log.row(1499)?.text).toBe('line 3500')
    expect(log.row(log.indexOfLine(3000))?.line).toBe(3000)
  })
  const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join('')
  it('take earlier lines in front, and drop the last blocks for them', () => {
    const log = new LogBlocks(3)
    log.clear(5001)
    log.append(5001, 7000, numbered(5001, 7000))
    expect(log.prepend(1, 10, numbered(1, 10))).toBe(0)
    expect(log.prepend(4401, 5000, numbered(4401, 5000))).toBe(600)
    expect([log.firstLine, log.lastLine, log.count]).toEqual([4401, 7000, 2600])
    for (const index of [0, 1, 599, 600, 1599, 1600, 2599]) expect(log.row(index)?.line).toBe(4401 + index)
    expect([log.row(-1), log.row(2600)]).toEqual([undefined, undefined])
    expect(log.prepend(3401, 4400, numbered(3401, 4400))).toBe(1000)
    expect([log.firstLine, log.lastLine, log.count]).toEqual([3401, 6000, 2600])
    expect(log.indexOfLine(5500)).toBe(2099)
    // The lines that were dropped can be added again.
    expect(log.append(6001, 6500, numbered(6001, 6500))).toBe(600)
    expect([log.firstLine, log.lastLine, log.row(log.count - 1)?.text]).toEqual([4001, 6500, 'line 6500'])
    expect(log.wholeLines().join('')).toBe(numbered(4001, 6500))
  })
  it('never show a part of a line with <br> after blocks were dropped', () => {
    const log = new LogBlocks(1)
    log.append(1, 2, `${'x<br>'.repeat(999)}x\na<br>b\n`)
    expect([log.firstLine, log.count]).toEqual([2, 2])
    const front = new LogBlocks(1)
    front.clear(2)
    front.append(2, 2, 'x<br>'.repeat(599) + 'x\n')
    front.prepend(1, 1, 'y<br>'.repeat(599) + 'y\n')
    expect([front.firstLine, front.lastLine]).toEqual([1, 1])
  })
  it('are searched without regard to case', () => {
    const log = new LogBlocks()
    log.append(1, 3, `an ${esc}[31mErr${esc}[0mor\nfine\nERROR\n`)
    expect(log.search('error')).toEqual([0, 2])
    expect(log.search('')).toEqual([])
  })
  it('give the texts of lines without escapes', () => {
    const log = new LogBlocks()
    log.append(1, 3, `${esc}[31ma${esc}[0m\nb\nc\n`)
    expect(log.texts().join('')).toBe('a\nb\nc\n')
    expect(log.texts(2, 2).join('')).toBe('b\n')
  })
  it('give whole lines as they were read', () => {
    const log = new LogBlocks()
    const read = `time <br>--- start ---<br>--- Param:\n${esc}[31ma${esc}[0m\n\n<br>\nend\n`
    log.append(1, 5, read)
    expect(log.wholeLines().join('')).toBe(read)
  })
})

describe('links to lines', () => {
  it('name one line or a range', () => {
    expect(linesOfHash('#L12')).toEqual([12, 12])
    expect(linesOfHash('#L20-L12')).toEqual([12, 20])
    expect(linesOfHash('#x')).toBeNull()
    expect(hashOfLines([12, 20])).toBe('#L12-L20')
  })
})

describe('widths in cells', () => {
  it('count East Asian characters twice and tabs to the next stop', () => {
    expect(cellsOf('ab')).toBe(2)
    expect(cellsOf('日志')).toBe(4)
    expect(cellsOf('a\tb')).toBe(9)
  })
})

describe('ranges', () => {
  it('end the last night at 08:00, or now', () => {
    const morning = new Date(2026, 0, 10, 11, 0).getTime()
    expect(lastNight(morning)).toEqual([new Date(2026, 0, 9, 18).getTime(), new Date(2026, 0, 10, 8).getTime()])
    const early = new Date(2026, 0, 10, 3, 0).getTime()
    expect(lastNight(early)).toEqual([new Date(2026, 0, 9, 18).getTime(), early])
  })
  it('are the last night if they are all of it, or all that was over when they were chosen', () => {
    const at = (day: number, hour: number) => new Date(2026, 0, day, hour).getTime()
    expect(isLastNight(at(9, 18), at(10, 8), at(10, 9))).toBe(true)
    expect(isLastNight(at(9, 18), at(10, 3), at(10, 4))).toBe(true)
    expect([isLastNight(at(9, 18), at(10, 3), at(10, 9)), isLastNight(at(9, 18), undefined, at(10, 9)), isLastNight(at(8, 18), at(9, 8), at(10, 9))]).toEqual([false, false, false])
  })
  it('have whole days', () => {
    const now = new Date(2026, 2, 5, 11, 0).getTime()
    expect(daysRange('last_month', now)).toEqual([new Date(2026, 1, 1).getTime(), new Date(2026, 2, 1).getTime()])
    expect(daysRange('week', now)).toEqual([new Date(2026, 1, 27).getTime(), new Date(2026, 2, 6).getTime()])
  })
})

describe('rows of a log', () => {
  it('carry the number of their line once, also when only some are shown', () => {
    const log = new LogBlocks()
    log.append(1, 2, '<br>--- start ---<br>--- param:\nnext\n')
    const only = ref<number[] | null>(null)
    let rows: ReturnType<typeof useLogRows> | undefined
    const none = () => undefined
    const wrapper = mount({
      setup() {
        rows = useLogRows({ blocks: shallowRef(log), version: ref(0), only, following: ref(false), box: ref(null), ruler: ref(null), reachedEnd: none, nearTop: none })
        return none
      },
    })
    const shown = () => rows?.visible.value.map(({ row, first }) => [row.line, first])
    expect(shown()).toEqual([[1, true], [1, false], [2, true]])
    only.value = [1, 2]
    expect(shown()).toEqual([[1, true], [2, true]])
    wrapper.unmount()
  })
})
