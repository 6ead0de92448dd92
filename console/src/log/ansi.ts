/** Colour and weight of a part of a line. Colours: 0 to 7 normal, 8 to 15 bright. */
export interface AnsiStyle {
  color: number | null
  bold: boolean
}
export interface Token {
  text: string
  color: number | null
  bold: boolean
}

export const plainStyle: AnsiStyle = { color: null, bold: false }
const escapes = /\u001b(?:\[([0-9;?]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g

function applied(style: AnsiStyle, codes: string): AnsiStyle {
  let { color, bold } = style
  const numbers = codes === '' ? [0] : codes.split(';').map(Number)
  for (let i = 0; i < numbers.length; i += 1) {
    const code = numbers[i] ?? 0
    if (code === 0) {
      color = null
      bold = false
    } else if (code === 1) bold = true
    else if (code === 22) bold = false
    else if (code >= 30 && code <= 37) color = code - 30
    else if (code >= 90 && code <= 97) color = code - 82
    else if (code === 39) color = null
    else if (code === 38 || code === 48) {
      const value = numbers[i + 2]
      if (code === 38 && numbers[i + 1] === 5 && value !== undefined && value < 16) color = value
      i += numbers[i + 1] === 5 ? 2 : numbers[i + 1] === 2 ? 4 : 0
    }
  }
  return { color, bold }
}

/** Splits a line into tokens. Escape sequences other than colours and bold are left out; `<b>` of XXL-JOB is bold. */
export function tokensOf(line: string, start: AnsiStyle = plainStyle): { tokens: Token[]; end: AnsiStyle } {
  const tokens: Token[] = []
  let style = start
  let marked = false
  const add = (text: string) => {
    for (const piece of text.split(/(<\/?b>)/i)) {
      if (/^<b>$/i.test(piece)) marked = true
      else if (/^<\/b>$/i.test(piece)) marked = false
      else if (piece) tokens.push({ text: piece, color: style.color, bold: style.bold || marked })
    }
  }
  let at = 0
  escapes.lastIndex = 0
  for (let found = escapes.exec(line); found; found = escapes.exec(line)) {
    add(line.slice(at, found.index))
    at = found.index + found[0].length
    if (found[2] === 'm') style = applied(style, found[1] ?? '')
  }
  add(line.slice(at))
  return { tokens, end: style }
}

/** Returns the style after a line, which the next one continues with. */
export function styleAfter(line: string, start: AnsiStyle): AnsiStyle {
  return line.includes('\u001b') ? tokensOf(line, start).end : start
}

/** Returns the text of a line without escape sequences and marks. */
export function visibleText(line: string): string {
  return line.includes('\u001b') || line.includes('<') ? tokensOf(line).tokens.map((token) => token.text).join('') : line
}

/** Splits tokens where a searched text begins and ends. */
export function markedTokens(tokens: Token[], wanted: string): (Token & { hit: boolean })[] {
  const text = tokens.map((token) => token.text).join('')
  const hits: [number, number][] = []
  if (wanted) {
    const low = text.toLowerCase()
    const search = wanted.toLowerCase()
    if (low.length === text.length)
      for (let at = low.indexOf(search); at >= 0; at = low.indexOf(search, at + search.length)) hits.push([at, at + search.length])
  }
  const result: (Token & { hit: boolean })[] = []
  let begin = 0
  for (const token of tokens) {
    const end = begin + token.text.length
    let at = begin
    for (const [from, to] of hits) {
      if (to <= at || from >= end) continue
      if (from > at) result.push({ ...token, text: text.slice(at, from), hit: false })
      result.push({ ...token, text: text.slice(Math.max(from, at), Math.min(to, end)), hit: true })
      at = Math.min(to, end)
    }
    if (at < end) result.push({ ...token, text: text.slice(at, end), hit: false })
    begin = end
  }
  return result
}
