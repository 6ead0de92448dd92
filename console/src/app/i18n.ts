import type { Language as ElementLanguage } from 'element-plus/es/locale'
import english from 'element-plus/es/locale/lang/en'
import { nextTick, shallowRef } from 'vue'
import { createI18n } from 'vue-i18n'
import type { Language } from '../api/operations'
import { isolatedValues } from './isolate'
import { settings } from './settings'

export const languages: Language[] = ['en', 'zh-CN', 'zh-TW']
export const languageNames: Record<Language, string> = { en: 'English', 'zh-CN': '简体中文', 'zh-TW': '繁體中文' }

export const i18n = createI18n({ legacy: false, locale: 'en', fallbackLocale: [], messages: {}, flatJson: true, missingWarn: true })
// Texts of the console contain names and other texts of users, which must not change the direction of its words.
const translate = i18n.global.t as (...given: unknown[]) => string
i18n.global.t = ((...given: unknown[]) => translate(...given.map(isolatedValues))) as typeof i18n.global.t
export const t = i18n.global.t
export const elementLanguage = shallowRef<ElementLanguage>()

const texts: Record<Language, () => Promise<{ default: Record<string, string> }>> = {
  en: () => import('../texts/en.json'),
  'zh-CN': () => import('../texts/zh-CN.json'),
  'zh-TW': () => import('../texts/zh-TW.json'),
}
const elementTexts: Record<Language, () => Promise<{ default: ElementLanguage }>> = {
  // Part of Element Plus itself.
  en: () => Promise.resolve({ default: english }),
  'zh-CN': () => import('element-plus/es/locale/lang/zh-cn'),
  'zh-TW': () => import('element-plus/es/locale/lang/zh-tw'),
}

/** Returns the language that `name` means: of a browser (zh-Hant-HK), of the server (zh_TC), or of the settings. */
export function languageOf(name: string): Language | null {
  const text = name.toLowerCase().replace('_', '-')
  if (text.startsWith('zh')) return /hant|tw|tc|hk|mo/.test(text) ? 'zh-TW' : 'zh-CN'
  return text.startsWith('en') ? 'en' : null
}

/** Returns the user's choice, else the server's language, else one of the browser's. */
export function chosenLanguage(ofServer: string | undefined): Language {
  const candidates = [settings.language, ofServer ?? '', ...navigator.languages]
  return candidates.map(languageOf).find((found) => found !== null) ?? 'en'
}

export async function showLanguage(language: Language): Promise<void> {
  const [own, ofElements] = await Promise.all([texts[language](), elementTexts[language]()])
  i18n.global.setLocaleMessage(language, own.default)
  i18n.global.locale.value = language
  elementLanguage.value = ofElements.default
  document.documentElement.lang = language
  await nextTick()
}
