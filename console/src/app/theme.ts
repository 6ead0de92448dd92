import { ref, watchEffect } from 'vue'
import { settings } from './settings'

const wanted = matchMedia('(prefers-color-scheme: dark)')
const browserIsDark = ref(wanted.matches)
wanted.addEventListener('change', (event) => (browserIsDark.value = event.matches))

export const isDark = ref(false)

export function followTheme(): void {
  watchEffect(() => {
    isDark.value = settings.theme === 'dark' || (settings.theme === 'auto' && browserIsDark.value)
    document.documentElement.classList.toggle('dark', isDark.value)
  })
}
