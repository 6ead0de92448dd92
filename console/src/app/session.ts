import { defineStore } from 'pinia'
import { computed, nextTick, ref, shallowRef } from 'vue'
import type { Session } from '../../types/api'
import { call, useSessionAccess } from '../api/client'
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
  /** The user is leaving: no page is shown until the sign-in page is loaded. */
  const leaving = ref(false)
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

  /** Reads the session; null if no user is signed in. */
  async function load(): Promise<Session | null> {
    // The server tells its version only to users.
    if (about.value && !about.value.version) return (current.value = null)
    try {
      current.value = await call('GET /session', { signIn: false })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      current.value = null
    }
    if (current.value && !current.value.must_change_password) void loadUserSettings()
    return current.value
  }

  async function signIn(name: string, password: string, remember: boolean): Promise<Session> {
    const before = current.value
    current.value = await call('POST /session', { body: { name, password, remember }, signIn: false })
    await Promise.all([loadAbout(), current.value.must_change_password ? null : loadUserSettings()])
    if (before && before.user !== current.value.user) location.reload()
    return current.value
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

  function signInAgain(): Promise<boolean> {
    if (!current.value) return Promise.resolve(false)
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
    waiting?.end(same)
    waiting = null
  }

  async function renewToken(): Promise<boolean> {
    const before = current.value
    const now = await call('GET /session', { signIn: false, repeat: false }).catch(() => null)
    if (!now || !before || now.user !== before.user || now.csrf_token === before.csrf_token) return false
    current.value = now
    return true
  }

  useSessionAccess({ csrfToken: () => current.value?.csrf_token ?? null, signInAgain, renewToken })

  const may = (right: Right, group?: number) => mayDo(current.value, right, group)
  return { current, about, dialogOpen, leaving, isAdmin, glue, load, loadAbout, signIn, signOut, leave, endSignInAgain, may }
})
