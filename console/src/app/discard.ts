import { confirmed } from './notices'
import { t } from './i18n'

/**
 * Closes a form in a dialog on Escape, the cross or Cancel: at once while its fields are unchanged since the form was opened, otherwise
 * after a question. `text`: content of the fields. Call `opened` when a form opens in a component that outlives it.
 */
export function useDiscard(title: () => string, text: () => unknown, close: () => void) {
  let start = JSON.stringify(text())
  let asking = false
  return {
    opened: () => void (start = JSON.stringify(text())),
    async leave(): Promise<void> {
      if (asking) return
      asking = true
      const isSame = JSON.stringify(text()) === start
      if (isSame || (await confirmed(title(), t('form.discard'), t('form.discard_action'), true))) close()
      asking = false
    },
  }
}
