import { onScopeDispose } from 'vue'
import { settings } from './settings'

export type KeyAction = () => unknown
export type KeyMap = Record<string, KeyAction>

/** Returns whether keys typed into `target` are text. */
export function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.closest('[data-takes-text]') !== null
}

/** Finds the action of a key, or of a sequence of two keys such as "g j". */
export class KeySequences {
  private before = ''
  private beforeMs = 0

  actionOf(map: KeyMap, key: string, nowMs: number): KeyAction | undefined {
    const sequence = this.before && nowMs - this.beforeMs < 1500 ? `${this.before} ${key}` : key
    const isPrefix = Object.keys(map).some((name) => name.startsWith(`${key} `))
    const found = map[sequence] ?? map[key]
    this.before = isPrefix && sequence === key ? key : ''
    this.beforeMs = nowMs
    return found
  }
}

/** Shortcuts, and whether they apply at present. */
const maps: { map: KeyMap; applies: () => boolean }[] = []
let listening = false
const sequences = new KeySequences()

function dialogIsOpen(): boolean {
  return [...document.querySelectorAll('[aria-modal="true"]')].some((each) => each.checkVisibility?.() ?? false)
}

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || !settings.keys) return
  if (takesText(event.target) || dialogIsOpen()) return
  const action = sequences.actionOf(Object.assign({}, ...maps.filter((each) => each.applies()).map((each) => each.map)) as KeyMap, event.key, Date.now())
  if (!action) return
  event.preventDefault()
  action()
}

/** Adds shortcuts as long as the calling component exists; `applies` is asked at each key. */
export function useKeys(map: KeyMap, applies = () => true): void {
  if (!listening) {
    document.addEventListener('keydown', pressed)
    listening = true
  }
  const own = { map, applies }
  maps.push(own)
  onScopeDispose(() => void maps.splice(maps.indexOf(own), 1))
}
