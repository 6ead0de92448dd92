import { plainStyle, styleAfter, visibleText, type AnsiStyle } from './ansi'

/** A row of the viewer. A line with XXL-JOB's `<br>` is several rows with one number. */
export interface LogRow {
  line: number
  text: string
  start: AnsiStyle
  /** The line as it was read, if it is several rows: at the first of them; '' at the others. */
  whole?: string
}

export const blockRows = 1000

/** Returns the rows of a line: several for XXL-JOB's `<br>`. The style is that at its beginning. */
function rowsOf(number: number, line: string, start: AnsiStyle): { rows: LogRow[]; end: AnsiStyle } {
  const pieces = line.includes('<') ? line.split(/<br\s*\/?>/i) : [line]
  while (pieces.length > 1 && pieces[0] === '') pieces.shift()
  while (pieces.length > 1 && pieces[pieces.length - 1] === '') pieces.pop()
  let style = start
  const rows = pieces.map((text, index) => {
    const row: LogRow = { line: number, text, start: style }
    if (text !== line) row.whole = index === 0 ? line : ''
    style = styleAfter(text, style)
    return row
  })
  return { rows, end: style }
}

const linesOf = (content: string) => content.replace(/\r?\n$/, '').split(/\r?\n/)

/** Rows of consecutive lines of a log, in blocks. Beyond `blocksMax` blocks are dropped at the other end. */
export class LogBlocks {
  private blocks: LogRow[][] = []
  private style: AnsiStyle = plainStyle
  private last = 0
  private rows = 0
  /** Free places at the front of the first block. All blocks between the first and the last one are full. */
  private offset = 0

  constructor(private readonly blocksMax = 64) {}

  get count(): number {
    return this.rows
  }
  /** Number of the first loaded line; 0 without lines. */
  get firstLine(): number {
    return this.blocks[0]?.[0]?.line ?? 0
  }
  /** Number of the last loaded line; the next part begins after it. */
  get lastLine(): number {
    return this.last
  }

  clear(beforeLine = 1): void {
    this.blocks = []
    this.rows = 0
    this.offset = 0
    this.style = plainStyle
    this.last = beforeLine - 1
  }

  /** Adds a part of the log. Parts that do not follow the last line are ignored. Returns the number of rows that were dropped. */
  append(fromLine: number, toLine: number, content: string): number {
    const steps = this.appendInSteps(fromLine, toLine, content)
    let step = steps.next()
    while (!step.done) step = steps.next()
    return step.value
  }

  /** As `append`, in steps of a few milliseconds each, so that a long part does not block the page. */
  *appendInSteps(fromLine: number, toLine: number, content: string): Generator<void, number> {
    if (toLine < fromLine || fromLine !== this.last + 1) return 0
    for (const [index, line] of linesOf(content).entries()) {
      const { rows, end } = rowsOf(Math.min(fromLine + index, toLine), line, this.style)
      for (const row of rows) this.push(row)
      this.style = end
      if (index % 4000 === 3999) yield
    }
    this.last = toLine
    return this.dropFront()
  }

  private push(row: LogRow): void {
    const end = this.blocks[this.blocks.length - 1]
    const used = (end?.length ?? 0) + (this.blocks.length === 1 ? this.offset : 0)
    if (end && used < blockRows) end.push(row)
    else this.blocks.push([row])
    this.rows += 1
  }

  /** Adds lines before the first one. Lines that do not end there are ignored. Returns the number of rows that were added. */
  prepend(fromLine: number, toLine: number, content: string): number {
    if (!this.blocks.length || toLine < fromLine || toLine !== this.firstLine - 1) return 0
    const added: LogRow[] = []
    let style = plainStyle
    for (const [index, line] of linesOf(content).entries()) {
      const { rows, end } = rowsOf(Math.min(fromLine + index, toLine), line, style)
      added.push(...rows)
      style = end
    }
    for (const row of added.reverse()) {
      if (this.offset === 0) {
        this.blocks.unshift([])
        this.offset = blockRows
      }
      this.blocks[0]?.unshift(row)
      this.offset -= 1
    }
    this.rows += added.length
    this.dropBack()
    return added.length
  }

  /** Drops the oldest blocks, and the rest of a line that was cut. Returns the number of rows. */
  private dropFront(): number {
    const before = this.rows
    let cut = 0
    while (this.blocks.length > this.blocksMax) {
      const block = this.blocks.shift() ?? []
      cut = block[block.length - 1]?.line ?? 0
      this.rows -= block.length
      this.offset = 0
    }
    const first = this.blocks[0]
    while (first && first.length > 1 && first[0]?.line === cut) {
      first.shift()
      this.offset += 1
      this.rows -= 1
    }
    return before - this.rows
  }

  private dropBack(): void {
    let cut = 0
    while (this.blocks.length > this.blocksMax) {
      const block = this.blocks.pop() ?? []
      cut = block[0]?.line ?? 0
      this.rows -= block.length
    }
    const end = this.blocks[this.blocks.length - 1]
    while (cut && end && end.length > 1 && end[end.length - 1]?.line === cut) {
      end.pop()
      this.rows -= 1
    }
    const row = end?.[end.length - 1]
    if (!cut || !row) return
    this.last = row.line
    this.style = styleAfter(row.text, row.start)
  }

  row(index: number): LogRow | undefined {
    const place = index + this.offset
    const block = Math.floor(place / blockRows)
    return index < 0 ? undefined : this.blocks[block]?.[(place % blockRows) - (block === 0 ? this.offset : 0)]
  }

  /** Returns the index of the first row of a line, or of the nearest one. */
  indexOfLine(line: number): number {
    let low = 0
    let high = this.rows
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.row(middle)?.line ?? 0) < line) low = middle + 1
      else high = middle
    }
    return Math.min(low, Math.max(0, this.rows - 1))
  }

  /** Returns the indexes of rows that contain a text, without regard to case. */
  search(wanted: string, max = 100000): number[] {
    const found: number[] = []
    const search = wanted.toLowerCase()
    if (!search) return found
    for (let index = 0; index < this.rows && found.length < max; index += 1)
      if (visibleText(this.row(index)?.text ?? '').toLowerCase().includes(search)) found.push(index)
    return found
  }

  /** Returns the texts of lines as they are shown, one piece a block. */
  texts(fromLine = 0, toLine = Infinity): string[] {
    const pieces: string[] = []
    for (const block of this.blocks) {
      const lines = block.filter((row) => row.line >= fromLine && row.line <= toLine).map((row) => visibleText(row.text))
      if (lines.length) pieces.push(lines.join('\n') + '\n')
    }
    return pieces
  }

  /** Returns all loaded lines as they were read, one piece a block. */
  wholeLines(): string[] {
    return this.blocks.map((block) => block.map((row) => (row.whole === undefined ? `${row.text}\n` : row.whole && `${row.whole}\n`)).join(''))
  }
}

/** Reads `#L120` or `#L120-L140`. */
export function linesOfHash(hash: string): [number, number] | null {
  const found = /^#L(\d{1,9})(?:-L(\d{1,9}))?$/.exec(hash)
  if (!found) return null
  const a = Number(found[1])
  const b = Number(found[2] ?? found[1])
  return [Math.min(a, b), Math.max(a, b)]
}

export const hashOfLines = ([from, to]: [number, number]) => (from === to ? `#L${from}` : `#L${from}-L${to}`)

/** Returns the width of a text in cells of a fixed-width font; East Asian characters take two. */
export function cellsOf(text: string): number {
  let cells = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code === 9) cells += 8 - (cells % 8)
    else cells += code >= 0x1100 && (code <= 0x115f || (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) || (code >= 0xffe0 && code <= 0xffe6) || code >= 0x1f300) ? 2 : 1
  }
  return cells
}
