import type { RouteLocationRaw, Router } from 'vue-router'
import { copyText } from './clipboard'
import { t } from './i18n'
import { tellDone } from './notices'

/** Returns the address of a page of the console, with its host. */
export const addressOf = (router: Router, path: string) => new URL(router.resolve(path).href, location.href).href

/** Returns whether a click or a key asks for a new tab or window: Ctrl, Command or Shift is held. */
const asksForTab = (event?: Event) => (event instanceof MouseEvent || event instanceof KeyboardEvent) && (event.ctrlKey || event.metaKey || event.shiftKey)

/** Opens a page in place, or in a new tab if the event asks for one, as a link does. For places that cannot be links: points of charts, entries of menus, rows. */
export function follow(router: Router, to: RouteLocationRaw, event?: Event): void {
  if (asksForTab(event)) window.open(router.resolve(to).href, '_blank', 'noopener')
  else void router.push(to)
}

/** Copies an address, by default that of the page with its filters. */
export async function copyLink(address = location.href): Promise<void> {
  if (await copyText(address)) tellDone(t('act.link_copied', { address }))
}
