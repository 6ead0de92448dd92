import { computed, onScopeDispose, ref, watch } from 'vue'
import { lastAnswer } from '../api/client'
import { serverNow } from './clock'
import { useSession } from './session'

export const warnBeforeMs = 5 * 60_000
/** Time between two looks while the warning is shown: another tab may extend the session. */
const lookAgainMs = 30_000
/** Longest wait of one timer; browsers end longer ones than 24 days at once. */
const waitMaxMs = 3_600_000

export type Step = { do: 'wait'; ms: number } | { do: 'read' } | { do: 'warn' } | { do: 'nothing' }

/**
 * Returns what to do about the end of a session. `expiresMs`: its end when it was read; null: it has none.
 * `isUsed`: the server has answered much later, and may have extended it. The session is read again only then: an idle page must not keep its session alive.
 */
export function stepBeforeEnd(expiresMs: number | null | undefined, nowMs: number, isUsed: boolean): Step {
  if (!expiresMs) return { do: 'nothing' }
  if (expiresMs <= nowMs) return { do: isUsed ? 'read' : 'nothing' }
  const restMs = expiresMs - nowMs - warnBeforeMs
  if (restMs > 0) return { do: 'wait', ms: Math.min(restMs, waitMaxMs) }
  return { do: isUsed ? 'read' : 'warn' }
}

/** Follows the end of the session. `endsMs`: time of an end that is to be told; null: none. */
export function useSessionEnd() {
  const session = useSession()
  const endsMs = ref<number | null>(null)
  /** The user does not want to see the warning about this end. */
  const dismissedMs = ref<number | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined

  /** A use extends a session at most once a minute, or once in a tenth of its lifetime. */
  const mayBeExtended = (expiresMs: number | null | undefined) => lastAnswer.ms - session.readMs > Math.min(60000, ((expiresMs ?? 0) - session.readMs) / 10)

  async function look(): Promise<void> {
    clearTimeout(timer)
    const expiresMs = session.current?.expires_ms
    const step = stepBeforeEnd(expiresMs, serverNow(), mayBeExtended(expiresMs))
    // The warning stays while the session is read.
    if (step.do !== 'read') endsMs.value = step.do === 'warn' ? (expiresMs ?? null) : null
    if (step.do === 'wait') timer = setTimeout(() => void look(), step.ms)
    else if (step.do === 'warn') timer = setTimeout(() => void look(), Math.min(lookAgainMs, Math.max(0, (expiresMs ?? 0) - serverNow())))
    else if (step.do === 'read' && !document.hidden) {
      // The session is watched: another look follows if it was read.
      if (!(await session.readAgain())) timer = setTimeout(() => void look(), lookAgainMs)
    }
  }
  const seen = () => !document.hidden && void look()
  document.addEventListener('visibilitychange', seen)
  watch(() => session.current, look, { immediate: true })
  onScopeDispose(() => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', seen)
  })

  /** Extends the session by a use of it; asks for a new sign-in if it cannot last longer. */
  async function stay(): Promise<void> {
    const before = session.current?.expires_ms ?? 0
    if (!(await session.readAgain())) return
    if ((session.current?.expires_ms ?? Infinity) - before < 60_000) session.askToSignIn()
  }
  const shownMs = computed(() => (endsMs.value !== null && endsMs.value !== dismissedMs.value ? endsMs.value : null))
  return { endsMs: shownMs, stay, dismiss: () => (dismissedMs.value = endsMs.value) }
}
