import { computed, onScopeDispose, shallowRef, watch } from 'vue'

/** Rows that are made in one task. */
export const sliceRows = 16

/**
 * Returns the rows to draw, and whether these are all `rows`. Of many new rows, each task draws a slice, so that the page handles input in between.
 * Rows that are drawn stay. `onSlice`: called before a slice that is not the last.
 */
export function useSlices<Row extends { id: number }>(rows: () => readonly Row[], onSlice: () => void) {
  const shown = shallowRef<readonly Row[]>([])
  const isWhole = computed(() => shown.value.length === rows().length)
  let timer: ReturnType<typeof setTimeout> | undefined

  function draw(): void {
    const drawn = new Set(shown.value.map((row) => row.id))
    let room = sliceRows
    const next = rows().filter((row) => drawn.has(row.id) || room-- > 0)
    if (next.length < rows().length) {
      onSlice()
      timer = setTimeout(draw)
    }
    shown.value = next
  }
  watch(
    rows,
    () => {
      clearTimeout(timer)
      draw()
    },
    { immediate: true },
  )
  onScopeDispose(() => clearTimeout(timer))
  return { shown, isWhole }
}
