import { useI18n } from 'vue-i18n'

/** Returns a function that finds the text of a key. `other`: for a key without a text, e.g. that of a value that another program wrote. */
export function useKnown() {
  const { t, te } = useI18n()
  return (key: string, other: string): string => (te(key) ? t(key) : other)
}
