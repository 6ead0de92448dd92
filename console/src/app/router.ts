import { createRouter, createWebHistory, type Router, type RouterHistory } from 'vue-router'
import { consoleBase } from '../api/prefix'
import { ApiError } from '../api/problem'
import { connection, whenBack } from './connection'
import { t } from './i18n'
import { routes } from './pages'
import { useSession } from './session'
import { settings } from './settings'

/** Returns the path to open after signing in: one of the console, never another site. */
export function pathAfterSignIn(wanted: unknown): string {
  return typeof wanted === 'string' && /^\/(?!\/)/.test(wanted) && !wanted.startsWith('/sign-in') ? wanted : '/'
}

/** Returns the page to open after signing in: the start page, unless another one was wanted. */
export function firstPage(wanted: unknown): string {
  const path = pathAfterSignIn(wanted)
  return path === '/' ? pathAfterSignIn(settings.startPage) : path
}

/** Returns whether the document was opened by a new navigation: not by a reload or the Back button. */
function isFreshDocument(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return entry?.type === 'navigate'
}

/** Reads the session. Returns false, when the server is back, if it did not answer. */
async function loadSession(): Promise<boolean> {
  const session = useSession()
  if (!session.about) await session.loadAbout()
  try {
    await session.load()
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isAbsence) return true
    if (connection.gone)
      await new Promise<void>((back) => {
        const end = whenBack(() => {
          end()
          back()
        })
      })
    return false
  }
}

export function makeRouter(history: RouterHistory = createWebHistory(consoleBase)): Router {
  const router = createRouter({
    history,
    routes,
    scrollBehavior: (to, from, saved) => saved ?? (to.path === from.path ? false : { top: 0 }),
  })
  let loaded = false
  let isFirst = true
  router.beforeEach(async (to) => {
    const session = useSession()
    const isStart = isFirst && to.fullPath === '/' && isFreshDocument()
    isFirst = false
    while (!loaded) loaded = await loadSession()
    if (to.meta.open) return true
    if (!session.current || session.current.must_change_password) return { path: '/sign-in', query: { to: to.fullPath } }
    if (isStart && firstPage('/') !== '/') return firstPage('/')
    return true
  })
  router.afterEach((to) => {
    const title = typeof to.meta.title === 'string' ? t(to.meta.title) : ''
    document.title = title ? `${title} · Ringmaster` : 'Ringmaster'
  })
  return router
}
