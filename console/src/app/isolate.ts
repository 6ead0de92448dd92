/** Characters that change the direction of the text around them, and letters that are written from right to left. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const [firstStrong, popIsolate] = ['\u2068', '\u2069']

/** Returns a text of a user so that it cannot change the direction of the words around it in a sentence. A text in an element of its own does not need this. */
export function isolated(text: string): string {
  if (!turning.test(text)) return text
  let depth = 0
  let inner = ''
  for (const sign of text) {
    if (sign === popIsolate && depth === 0) continue
    if (sign === popIsolate) depth -= 1
    else if (sign >= '\u2066' && sign <= firstStrong) depth += 1
    inner += sign
  }
  return firstStrong + inner + popIsolate.repeat(depth + 1)
}

/** Returns the parameters of a text; those that are texts are isolated. */
export function isolatedValues(values: unknown): unknown {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return values
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? isolated(value) : value]))
}
