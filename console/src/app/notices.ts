import 'element-plus/theme-chalk/base.css'
import 'element-plus/theme-chalk/el-message.css'
import 'element-plus/theme-chalk/el-message-box.css'
import 'element-plus/theme-chalk/el-button.css'
import 'element-plus/theme-chalk/el-input.css'
import 'element-plus/theme-chalk/el-overlay.css'
import { ElMessage, ElMessageBox } from 'element-plus/es'
import { h } from 'vue'
import { ApiError } from '../api/problem'
import { t } from './i18n'

/** Returns the server's words, or words of the console if there was no answer. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiError) {
    if (error.status === 0) return t('errors.no_answer')
    if (error.kind === 'not_permitted') return t('errors.not_permitted', { missing: error.message })
    return error.message
  }
  return error instanceof Error ? error.message : String(error)
}

export const tellDone = (text: string) => void ElMessage({ message: text, type: 'success', grouping: true })
export const tellWarning = (text: string) => void ElMessage({ message: text, type: 'warning', duration: 6000, showClose: true, grouping: true })
export const tellError = (error: unknown) => void ElMessage({ message: wordsOf(error), type: 'error', duration: 6000, showClose: true, grouping: true })

export const undoMs = 8000
let undo: (() => void) | null = null

/** Tells what was done, with a button that undoes it, for 8 s. A later notice takes over the key of the button. */
export function tellWithUndo(text: string, action: () => Promise<void>): void {
  const once = () => {
    handler.close()
    void action()
  }
  const button = h('button', { type: 'button', class: 'undo', onClick: once }, t('undo.action'))
  const handler = ElMessage({
    message: h('span', null, [h('span', null, text), button]),
    type: 'success',
    duration: undoMs,
    customClass: 'with-undo',
    onClose: () => undo === once && (undo = null),
  })
  undo = once
}
/** Undoes what the last notice offers, as its button does. */
export const undoLast = () => undo?.()

/** Returns the focus of a closed dialog to the element that had it before, unless another one has taken it. */
function focusAgain(before: Element | null): void {
  const now = document.activeElement
  const isLost = !now || now === document.body || now.closest('.el-message-box') !== null
  if (isLost && before instanceof HTMLElement && before.isConnected) before.focus()
}

/** Asks for a confirmation. Returns false if the user declines. */
export async function confirmed(title: string, text: string, action: string, dangerous = false): Promise<boolean> {
  const before = document.activeElement
  try {
    await ElMessageBox.confirm(text, title, {
      confirmButtonText: action,
      cancelButtonText: t('act.cancel'),
      type: dangerous ? 'warning' : undefined,
      confirmButtonClass: dangerous ? 'el-button--danger' : '',
    })
    return true
  } catch {
    return false
  } finally {
    focusAgain(before)
  }
}

/** Asks for a confirmation by typing `wanted`. */
export async function confirmedByTyping(title: string, text: string, action: string, wanted: string): Promise<boolean> {
  const before = document.activeElement
  try {
    const request = t('confirm.type_it', { wanted })
    await ElMessageBox.prompt(`${text} ${request}`, title, {
      confirmButtonText: action,
      cancelButtonText: t('act.cancel'),
      type: 'warning',
      inputValidator: (value: string) => value.trim() === wanted || request,
    })
    return true
  } catch {
    return false
  } finally {
    focusAgain(before)
  }
}

/** Runs an action; shows its error. Returns whether it was done. */
export async function attempt(action: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await action()
    if (done) tellDone(done)
    return true
  } catch (error) {
    tellError(error)
    return false
  }
}
