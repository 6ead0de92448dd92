import { watch } from 'vue'
import type { UserSettings } from '../../types/api'
import { call } from '../api/client'
import { ApiError } from '../api/problem'
import { i18n, languageOf, showLanguage } from './i18n'
import { tellError } from './notices'
import { settings, type Settings } from './settings'

/** Time without a further change after which a change is saved. */
export const saveAfterMs = 400
const serverLanguages = { en: 'en', 'zh-CN': 'zh_CN', 'zh-TW': 'zh_TC' } as const

/** Returns what the server keeps of the settings. */
export function savedPart(value: Settings): UserSettings {
  const language = languageOf(value.language)
  return {
    language: language && serverLanguages[language],
    zone: value.zone,
    theme: value.theme,
    start_page: value.startPage,
    refresh_s: value.refreshS || null,
    keys: value.keys,
  }
}

/** Returns the settings that the user has chosen in any browser. */
export function chosenSettings(found: UserSettings): Partial<Settings> {
  const all = {
    language: found.language && languageOf(found.language),
    zone: found.zone,
    theme: found.theme,
    startPage: found.start_page,
    refreshS: found.refresh_s,
    keys: found.keys,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined)) as Partial<Settings>
}

const textOf = () => JSON.stringify(savedPart(settings))
/** What the server has, as far as this tab knows; null: it was not asked yet. */
let known: string | null = null
let timer: ReturnType<typeof setTimeout> | undefined

async function save(): Promise<void> {
  const text = textOf()
  if (text === known) return
  try {
    await call('PUT /users/me/settings', { body: JSON.parse(text) as UserSettings })
    known = text
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    tellError(error)
  }
}

/** Reads the settings of the user who has signed in, and applies them. Those of the browser hold until then, and where the user chose none. */
export async function loadUserSettings(): Promise<void> {
  const before = textOf()
  let found: UserSettings
  try {
    found = await call('GET /users/me/settings', { signIn: false, repeat: false })
  } catch (error) {
    if (error instanceof ApiError) return
    throw error
  }
  const isUntouched = textOf() === before
  if (isUntouched) Object.assign(settings, chosenSettings(found))
  known = isUntouched ? textOf() : before
  if (!isUntouched) await save()
  const language = languageOf(settings.language)
  if (language && language !== i18n.global.locale.value) await showLanguage(language)
}

/** Saves each change that the user makes from now on. */
export function followUserSettings(): void {
  watch(textOf, (text) => {
    if (known === null || text === known) return
    clearTimeout(timer)
    timer = setTimeout(() => void save(), saveAfterMs)
  })
}
