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

/** Rows of a log in blocks, without gaps. The oldest blocks are dropped beyond `blocksMax`. */
export class LogBlocks {
  private blocks: LogRow[][] = []
  private style: AnsiStyle = plainStyle
  private last = 0
  private rows = 0

  constructor(private readonly blocksMax = 256) {}

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
    const lines = content.replace(/\r?\n$/, '').split(/\r?\n/)
    for (const [index, line] of lines.entries()) {
      this.addLine(Math.min(fromLine + index, toLine), line)
      if (index % 4000 === 3999) yield
    }
    this.last = toLine
    let dropped = 0
    while (this.blocks.length > this.blocksMax) dropped += this.blocks.shift()?.length ?? 0
    this.rows -= dropped
    return dropped
  }

  private addLine(number: number, line: string): void {
    const pieces = line.includes('<') ? line.split(/<br\s*\/?>/i) : [line]
    while (pieces.length > 1 && pieces[0] === '') pieces.shift()
    while (pieces.length > 1 && pieces[pieces.length - 1] === '') pieces.pop()
    for (const [index, text] of pieces.entries()) {
      const end = this.blocks[this.blocks.length - 1]
      const row: LogRow = { line: number, text, start: this.style }
      if (text !== line) row.whole = index === 0 ? line : ''
      if (end && end.length < blockRows) end.push(row)
      else this.blocks.push([row])
      this.style = styleAfter(text, this.style)
      this.rows += 1
    }
  }

  row(index: number): LogRow | undefined {
    // All blocks but the last one are full.
    return this.blocks[Math.floor(index / blockRows)]?.[index % blockRows]
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
