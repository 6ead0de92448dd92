import type { Router } from 'vue-router'
import { copyText } from './clipboard'
import { t } from './i18n'
import { tellDone } from './notices'

/** Returns the address of a page of the console, with its host. */
export const addressOf = (router: Router, path: string) => new URL(router.resolve(path).href, location.href).href

/** Copies an address, by default that of the page with its filters. */
export async function copyLink(address = location.href): Promise<void> {
  if (await copyText(address)) tellDone(t('act.link_copied', { address }))
}
