/** Copies a text. Pages without TLS have no navigator.clipboard. Returns whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      // The browser refused: the way below may work.
    }
  }
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  area.className = 'off-screen'
  document.body.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  return done
}

/** Saves what the server answers at a path. */
export function saveFrom(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}

/** Offers a text as a file. */
export function saveText(name: string, text: string | string[], type = 'text/plain;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob(Array.isArray(text) ? text : [text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10000)
}
