import { watch } from 'vue'
import type { UserSettings } from '../../types/api'
import { call } from '../api/client'
import { ApiError } from '../api/problem'
import { i18n, languageOf, showLanguage } from './i18n'
import { tellError } from './notices'
import { settings, type Settings } from './settings'

/** Time without a further change after which a change is saved. */
export const saveAfterMs = 400
/** Time after which settings that could not be read are read again. */
export const readAgainMs = 10000
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

/** Names at the server of the settings that it keeps. */
const savedNames = { language: 'language', zone: 'zone', theme: 'theme', startPage: 'start_page', refreshS: 'refresh_s', keys: 'keys' } as const

/** Returns the settings that the user has chosen in any browser. A browser saves all settings at once: beside others, no interval means that of each page. */
export function chosenSettings(found: UserSettings): Partial<Settings> {
  const isChosen = Object.values(found).some((value) => value !== null && value !== undefined)
  const all = {
    language: found.language && languageOf(found.language),
    zone: found.zone,
    theme: found.theme,
    startPage: found.start_page,
    refreshS: isChosen ? (found.refresh_s ?? 0) : null,
    keys: found.keys,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined)) as Partial<Settings>
}

const textOf = () => JSON.stringify(savedPart(settings))
/** What the server has, as far as this tab knows; null: it was not asked yet. */
let known: string | null = null
/** The settings at the first reading, as long as none has succeeded. */
let first: string | null = null
let readTimer: ReturnType<typeof setTimeout> | undefined
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

/** Applies what the server has, except for settings that differ from `before`: the user has changed them since then. Returns whether there are any. */
function apply(found: UserSettings, before: UserSettings): boolean {
  const now = savedPart(settings)
  const isUnchanged = (name: keyof UserSettings) => now[name] === before[name]
  const chosen = Object.entries(chosenSettings(found)).filter(([name]) => isUnchanged(savedNames[name as keyof typeof savedNames]))
  Object.assign(settings, Object.fromEntries(chosen))
  return !Object.values(savedNames).every(isUnchanged)
}

/**
 * Reads the settings of the user who has signed in, and applies them. Those of the browser hold until then, and where the user chose none.
 * A reading that fails is repeated later; changes that the user makes meanwhile are saved after it.
 */
export async function loadUserSettings(): Promise<void> {
  clearTimeout(readTimer)
  const before = (first ??= textOf())
  let found: UserSettings
  try {
    found = await call('GET /users/me/settings', { signIn: false, repeat: false })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (!error.mayPass) first = null
    else readTimer = setTimeout(() => void loadUserSettings(), Math.max(readAgainMs, error.retryAfterMs ?? 0))
    return
  }
  const hasChanges = apply(found, JSON.parse(before) as UserSettings)
  first = null
  known = hasChanges ? before : textOf()
  if (hasChanges) await save()
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
