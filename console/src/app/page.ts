import { useI18n } from 'vue-i18n'
import { useRoute, useRouter } from 'vue-router'
import { useGroups, useJobNames } from './groups'
import { useKnown } from './known'
import { useSession } from './session'

/** Returns what a page of jobs and runs needs: texts, the route, the session, and the names of groups and jobs. Reads the groups. */
export function usePage() {
  const { t } = useI18n()
  const known = useKnown()
  const groups = useGroups()
  void groups.load()
  /** Returns the text of a choice such as a route strategy; a value without a text, of another program, unchanged. */
  const choice = (kind: string, value: string | null | undefined) => (value ? known(`${kind}.${value}`, value) : '–')
  return { t, known, choice, route: useRoute(), router: useRouter(), session: useSession(), groups, names: useJobNames() }
}
