import { onScopeDispose, reactive, watch } from 'vue'
import { whenBack } from '../app/connection'
import { useSession } from '../app/session'
import { settings } from '../app/settings'
import { sharePoll, type PollSource, type PollState } from './shared_poll'
import { tabChannel } from './tab_channel'

export interface Live extends PollState {
  refresh(): Promise<void>
}

/** Tabs with another build of the console may need other answers. */
const build = import.meta.url

/** Polls of at least this interval read what changes rarely or costs much. */
const slowMs = 30000
/** Polls of at most this interval follow something that ends soon. */
const quickMs = 1000

/**
 * Returns the interval of a poll: the one that the user has chosen, or that of its page, but at least `leastMs`. A page that is read only once
 * stays so. A slow poll gets no faster, a quick one no slower.
 */
export function intervalMs(ofPage: number, leastMs = 0): number {
  return ofPage <= 0 ? ofPage : Math.max(leastMs, chosenMs(ofPage))
}
function chosenMs(ofPage: number): number {
  if (settings.refreshS <= 0) return ofPage
  const chosen = settings.refreshS * 1000
  if (ofPage >= slowMs) return Math.max(ofPage, chosen)
  return ofPage <= quickMs ? Math.min(ofPage, chosen) : chosen
}

/** Reads now and then again and again, as long as the tab is visible and not paused. Tabs of one browser that show the same share one poll. */
export function useLive<Data>(source: PollSource<Data>): Live {
  const session = useSession()
  const key = () => (session.current && source.key() ? `${build} ${session.current.user} ${source.key()}` : '')
  const state = reactive<PollState>({ loading: false, first: true, error: null, updatedMs: 0, paused: false })
  const poll = sharePoll(state as PollState, { ...source, key, everyMs: () => intervalMs(source.everyMs(), source.leastMs?.()) }, { channel: tabChannel(), isHidden: () => document.hidden, random: Math.random })
  const live = Object.assign(state, { refresh: poll.refresh }) as Live

  document.addEventListener('visibilitychange', poll.seen)
  const forget = whenBack(() => void poll.refresh())
  watch(() => live.paused, poll.turned)
  watch(() => settings.refreshS, poll.turned)
  onScopeDispose(() => {
    poll.end()
    document.removeEventListener('visibilitychange', poll.seen)
    forget()
  })
  void poll.refresh()
  return live
}
