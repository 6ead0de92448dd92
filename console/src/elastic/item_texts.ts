import { useI18n } from 'vue-i18n'
import type { ElasticRun } from '../../types/api'
import { durationText, timeText } from '../app/clock'
import { hookOf, type ItemBar } from './elastic_history'

/** Returns functions that write what a run of an item was. */
export function useItemTexts() {
  const { t } = useI18n()
  /** `Item 3`, or the name of a hook. */
  function itemText(item: number): string {
    const hook = hookOf(item)
    return hook ? t(`elastic.hook.${hook}`) : t('elastic.item_number', { item })
  }
  /** `takeover, attempt 2`. */
  function sourceText({ source, attempt }: Pick<ElasticRun, 'source' | 'attempt'>): string {
    const word = t(`elastic.source.${source}`)
    return attempt > 1 ? t('elastic.source_attempt', { source: word, attempt }) : word
  }
  function barText({ run, at, durationMs }: ItemBar): string {
    const parts = [
      `${t('elastic.history.run', { run: run.run })}, ${itemText(run.item)}`,
      t(`elastic.run_state.${run.state}`),
      timeText(at),
      ...(durationMs === null ? [] : [durationText(durationMs)]),
      `${t('elastic.host')} ${run.host ?? '–'}`,
      sourceText(run),
      `${t('elastic.fence')} ${run.fence}`,
    ]
    return parts.join(' · ')
  }
  return { itemText, sourceText, barText }
}
