import { onScopeDispose } from 'vue'
import { takesText } from './keyboard'

/** Receives the keys that were meant for an input. */
export interface KeyReceiver {
  input: () => HTMLElement | null
  /** A character, or Backspace. */
  type(key: string): void
  enter(event: KeyboardEvent): void
}

/** Returns whether a key is text of its own: no shortcut, and none that ends or chooses something. */
const isText = (event: KeyboardEvent) => event.key === 'Backspace' || [...event.key].length === 1

/**
 * Hands the keys typed outside of an input to it as long as the calling component exists: an input takes the focus some time after its dialog was asked for,
 * and no key is lost or taken for a shortcut until then. Buttons and other fields keep the keys that press them.
 */
export function useTypedElsewhere(receiver: KeyReceiver): void {
  function pressed(event: KeyboardEvent): void {
    const input = receiver.input()
    const { target } = event
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || takesText(target)) return
    const onControl = target instanceof HTMLElement && input !== null && target.closest('button, a') !== null
    if (event.key === 'Enter' ? onControl : !isText(event) || (onControl && event.key === ' ')) return
    event.preventDefault()
    event.stopImmediatePropagation()
    input?.focus()
    if (event.key === 'Enter') receiver.enter(event)
    else receiver.type(event.key)
  }
  document.addEventListener('keydown', pressed, true)
  onScopeDispose(() => document.removeEventListener('keydown', pressed, true))
}
