import { defineStore } from 'pinia'
import { computed, nextTick, ref, shallowRef } from 'vue'
import type { Session, SignIn } from '../../types/api'
import { call, lastAnswer, useSessionAccess } from '../api/client'
import type { About } from '../api/operations'
import { ApiError } from '../api/problem'
import { noteServerClock } from './clock'
import { openSignIn } from './leave'
import { loadUserSettings } from './user_settings'

export type Right = 'viewer' | 'operator' | 'editor'
const ranks: Record<Right, number> = { viewer: 1, operator: 2, editor: 3 }

/** Returns whether the session's user has `right` in `group`; without a group: in any group. */
export function mayDo(session: Session | null, right: Right, group?: number): boolean {
  if (!session) return false
  if (session.admin) return true
  return session.rights.some((each) => (group === undefined || each.group === group) && ranks[each.right] >= ranks[right])
}

export const useSession = defineStore('session', () => {
  const current = shallowRef<Session | null>(null)
  const about = shallowRef<About | null>(null)
  const dialogOpen = ref(false)
  /** The dialog was opened before the session has ended. */
  const askedEarly = ref(false)
  /** The user is leaving: no page is shown until the sign-in page is loaded. */
  const leaving = ref(false)
  /** Time at which the session was read; answers that came later may have extended it. */
  const readMs = ref(0)
  let waiting: { promise: Promise<boolean>; end: (same: boolean) => void } | null = null

  const isAdmin = computed(() => current.value?.admin ?? false)
  const glue = computed(() => about.value?.features?.glue ?? false)

  async function loadAbout(): Promise<void> {
    try {
      about.value = await call('GET /about', { signIn: false, repeat: false })
      noteServerClock(about.value.now_ms, about.value.schedule_zone)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }

  function take(read: Session): Session {
    readMs.value = lastAnswer.ms
    current.value = read
    return read
  }

  /** Reads the session; null if no user is signed in. */
  async function load(): Promise<Session | null> {
    // The server tells its version only to users.
    if (about.value && !about.value.version) return (current.value = null)
    try {
      take(await call('GET /session', { signIn: false }))
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      current.value = null
    }
    if (current.value && !current.value.must_change_password) void loadUserSettings()
    return current.value
  }

  /** Opens a session: with a name and a password, or with the token of a one-time link. */
  async function signIn(how: SignIn): Promise<Session> {
    const before = current.value
    const opened = take(await call('POST /session', { body: how, signIn: false }))
    await Promise.all([loadAbout(), opened.must_change_password ? null : loadUserSettings()])
    if (before && before.user !== opened.user) location.reload()
    return opened
  }

  /** Ends the session, also one that has ended already, and leaves. */
  async function signOut(): Promise<void> {
    try {
      await call('DELETE /session', { signIn: false })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
    }
    await leave()
  }

  /** Leaves for the sign-in page after the session has ended. `query`: of that page. */
  async function leave(query?: Record<string, string>): Promise<void> {
    leaving.value = true
    current.value = null
    // The pages end first: they read nothing more, and ask nothing before they are unloaded.
    await nextTick()
    openSignIn(query)
  }

  /** Reads the session of the same user again, with its present end. Returns false if that failed. */
  async function readAgain(): Promise<boolean> {
    const before = current.value
    const now = await call('GET /session', { repeat: false }).catch(() => null)
    if (!now || !before || current.value?.user !== now.user) return false
    take(now)
    return true
  }

  function signInAgain(): Promise<boolean> {
    if (!current.value) return Promise.resolve(false)
    // A request that needs the session finds that it has ended.
    if (waiting) askedEarly.value = false
    if (!waiting) {
      let end: (same: boolean) => void = () => {}
      const promise = new Promise<boolean>((done) => (end = done))
      waiting = { promise, end }
      dialogOpen.value = true
    }
    return waiting.promise
  }

  function endSignInAgain(same: boolean): void {
    dialogOpen.value = false
    askedEarly.value = false
    waiting?.end(same)
    waiting = null
  }

  async function renewToken(): Promise<boolean> {
    const before = current.value
    const now = await call('GET /session', { signIn: false, repeat: false }).catch(() => null)
    if (!now || !before || now.user !== before.user || now.csrf_token === before.csrf_token) return false
    take(now)
    return true
  }

  useSessionAccess({ csrfToken: () => current.value?.csrf_token ?? null, signInAgain, renewToken })

  const may = (right: Right, group?: number) => mayDo(current.value, right, group)
  /** Asks for a new sign-in before the session has ended. */
  function askToSignIn(): void {
    askedEarly.value = true
    void signInAgain()
  }

  return { current, about, dialogOpen, askedEarly, leaving, readMs, isAdmin, glue, load, loadAbout, readAgain, signIn, signOut, leave, askToSignIn, endSignInAgain, may }
})
