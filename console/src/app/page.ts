import { useI18n } from 'vue-i18n'
import { useRoute, useRouter } from 'vue-router'
import { useGroups, useJobNames } from './groups'
import { useSession } from './session'

/** Returns what a page of jobs and runs needs: texts, the route, the session, and the names of groups and jobs. Reads the groups. */
export function usePage() {
  const { t, te } = useI18n()
  const groups = useGroups()
  void groups.load()
  /** Returns the text of a choice such as a route strategy; a value without a text, of another program, unchanged. */
  const choice = (kind: string, value: string | null | undefined) => (value && te(`${kind}.${value}`) ? t(`${kind}.${value}`) : value || '–')
  return { t, te, choice, route: useRoute(), router: useRouter(), session: useSession(), groups, names: useJobNames() }
}
