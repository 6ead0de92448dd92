import type { VueWrapper } from '@vue/test-utils'
import { ElMessage } from 'element-plus/es'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { Router } from 'vue-router'
import { showLanguage } from '../src/app/i18n'
import { answer, openApp, settle } from './app'

type Serve = (url: string, init?: RequestInit) => Response | Promise<Response>

/** The console that a case has opened. */
export interface Opened {
  wrapper: VueWrapper
  router: Router
}

/** Serves each case of a file or of a part of it with `serve`, and removes what the case has opened. Returns how a case opens a page, once. */
export function useConsole(serve: Serve = answer): (path: string) => Promise<Opened> {
  let wrapper: VueWrapper | null = null
  beforeEach(async () => {
    vi.stubGlobal('fetch', vi.fn(serve))
    await showLanguage('en')
  })
  afterEach(() => {
    vi.useRealTimers()
    wrapper?.unmount()
    wrapper = null
    // At most four are shown at a time.
    ElMessage.closeAll()
    document.body.innerHTML = ''
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })
  return async (path) => {
    const opened = await openApp(path)
    wrapper = opened.wrapper
    expect(opened.errors).toEqual([])
    return opened
  }
}

/** Presses the last shown button with this text. */
export async function press(text: string, within = 'body'): Promise<void> {
  const found = [...document.querySelectorAll<HTMLButtonElement>(`${within} button`)].filter((each) => each.textContent?.trim() === text).at(-1)
  if (!found) throw new Error(`no button ${text}`)
  found.click()
  await settle()
}

/** Types a text into the first field that this selector finds, in place of its own. */
export async function type(selector: string, text: string): Promise<void> {
  const field = document.querySelector<HTMLInputElement | HTMLTextAreaElement>(selector)
  if (!field) throw new Error(`no field ${selector}`)
  field.value = text
  field.dispatchEvent(new Event('input'))
  await settle()
}

/** Chooses all rows of the list. */
export async function selectAllRows(): Promise<void> {
  document.querySelector<HTMLInputElement>('thead input[type=checkbox]')?.click()
  await settle()
}
