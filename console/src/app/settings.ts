import { reactive, watch } from 'vue'

export type Theme = 'auto' | 'light' | 'dark'
export type ShownZone = 'viewer' | 'server' | 'utc'

export interface Settings {
  language: string
  theme: Theme
  zone: ShownZone
  /** Single keys act as shortcuts. */
  keys: boolean
  pageSize: number
  /** Path that opens after signing in. */
  startPage: string
  /** Seconds between two readings of a live page; 0: chosen by the page. */
  refreshS: number
  /** Keys of the columns that are hidden, by list. */
  hiddenColumns: Record<string, string[]>
}

const place = 'ringmaster.settings'
const usual: Settings = { language: '', theme: 'auto', zone: 'viewer', keys: true, pageSize: 50, startPage: '/', refreshS: 0, hiddenColumns: {} }

function columnsOf(saved: unknown): Record<string, string[]> {
  const lists = Object.entries((saved ?? {}) as Record<string, unknown>)
  return Object.fromEntries(lists.filter((list): list is [string, string[]] => Array.isArray(list[1]) && list[1].every((key) => typeof key === 'string')))
}

/** Returns the settings in `text`; members that are absent or of another type get the usual value. */
export function settingsOf(text: string | null): Settings {
  const result: Record<string, unknown> = { ...usual }
  try {
    const saved = JSON.parse(text ?? '{}') as Record<string, unknown> | null
    for (const [name, value] of Object.entries(usual)) if (saved && typeof saved[name] === typeof value) result[name] = saved[name]
  } catch {
    return { ...usual }
  }
  result.hiddenColumns = columnsOf(result.hiddenColumns)
  return result as unknown as Settings
}

function read(): string | null {
  try {
    return localStorage.getItem(place)
  } catch {
    return null
  }
}

export const settings = reactive(settingsOf(read()))

watch(settings, (value) => {
  try {
    localStorage.setItem(place, JSON.stringify(value))
  } catch {
    // The browser stores nothing for this site: the settings last as long as the page.
  }
})
