import { computed } from 'vue'
import type { ElasticHost } from '../../types/api'
import { call } from '../api/client'
import { t } from '../app/i18n'
import { attempt, confirmed, tellDone } from '../app/notices'
import { useSession } from '../app/session'

export type HostAction = 'enable' | 'disable' | 'drain' | 'remove'

/** Returns the actions that a host in this state offers: only one that is down can be removed. */
export function hostActions(host: Pick<ElasticHost, 'mode' | 'state'>): HostAction[] {
  const actions: HostAction[] = []
  if (host.mode !== 'enabled') actions.push('enable')
  if (host.mode !== 'disabled') actions.push('disable')
  if (host.mode !== 'draining') actions.push('drain')
  if (host.state !== 'up') actions.push('remove')
  return actions
}

const send = {
  enable: (id: string) => call('POST /elastic/hosts/{name}/enable', { id }),
  disable: (id: string) => call('POST /elastic/hosts/{name}/disable', { id }),
  drain: (id: string) => call('POST /elastic/hosts/{name}/drain', { id }),
  remove: (id: string) => call('POST /elastic/hosts/{name}/remove', { id }),
} satisfies Record<HostAction, (id: string) => Promise<unknown>>

/** Orders of administrators about hosts. `refresh` reads the page again. */
export function useHostOrders(refresh: () => Promise<void>) {
  const session = useSession()
  const isAdmin = computed(() => session.isAdmin)
  /** All but enabling a host ask for a confirmation. */
  async function order(host: string, action: HostAction): Promise<void> {
    const word = t(`elastic.host_order.${action}`)
    if (!isAdmin.value || (action !== 'enable' && !(await confirmed(word, t(`elastic.host_question.${action}`, { host }), word, action !== 'disable')))) return
    await attempt(async () => {
      await send[action](host)
      tellDone(t(`elastic.host_done.${action}`, { host }))
    })
    await refresh()
  }
  return { isAdmin, order }
}
