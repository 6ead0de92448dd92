import './styles/base.css'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { watchConnection } from './app/connection'
import { chosenLanguage, i18n, showLanguage } from './app/i18n'
import { makeRouter } from './app/router'
import { useSession } from './app/session'
import { settings } from './app/settings'
import { followTheme } from './app/theme'
import { followUserSettings } from './app/user_settings'

async function start(): Promise<void> {
  followTheme()
  followUserSettings()
  watchConnection()
  const app = createApp(App)
  app.use(createPinia())
  const session = useSession()
  const language = settings.language ? showLanguage(chosenLanguage(undefined)) : null
  await Promise.all([session.loadAbout(), language])
  if (!language) await showLanguage(chosenLanguage(session.about?.language))
  app.use(i18n)
  app.use(makeRouter())
  app.mount('#app')
}

void start()
