import { reactive } from 'vue'
import { apiBase } from '../api/prefix'
import { useConnectionListener } from '../api/client'

/** Whether the server answers. The banner shows it, and live pages wait for it. */
export const connection = reactive({ gone: false, detail: '', nextTryMs: 0, tries: 0 })

const waitsMs = [1000, 2000, 5000, 10000]
let timer: ReturnType<typeof setTimeout> | undefined
const returned = new Set<() => void>()

/** Calls `then` when the server answers again. Returns a function that ends it. */
export function whenBack(then: () => void): () => void {
  returned.add(then)
  return () => void returned.delete(then)
}

function answered(): void {
  if (!connection.gone) return
  clearTimeout(timer)
  Object.assign(connection, { gone: false, detail: '', tries: 0 })
  for (const each of returned) each()
}

function plan(): void {
  const waitMs = waitsMs[Math.min(connection.tries, waitsMs.length - 1)] ?? 10000
  connection.tries += 1
  connection.nextTryMs = Date.now() + waitMs
  clearTimeout(timer)
  timer = setTimeout(tryNow, waitMs)
}

export async function tryNow(): Promise<void> {
  clearTimeout(timer)
  try {
    const answer = await fetch(`${apiBase}/about`, { cache: 'no-store', credentials: 'same-origin' })
    if (answer.status < 500) return answered()
  } catch {
    // No answer: the next try follows.
  }
  plan()
}

export function watchConnection(): void {
  useConnectionListener({
    answered,
    absent(error) {
      connection.detail = error.message
      if (connection.gone) return
      connection.gone = true
      plan()
    },
  })
}
