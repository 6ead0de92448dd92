import { confirmed } from './notices'
import { t } from './i18n'

/**
 * Returns how a form in a dialog is closed by Escape, the cross or Cancel: at once while its text is as it was when the form was opened,
 * otherwise after a question. `text`: of the fields; call `opened` when the form opens.
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
