import { computed, nextTick, onBeforeUnmount, onMounted, ref, type Ref, type ShallowRef } from 'vue'
import { visibleText } from './ansi'
import { cellsOf, type LogBlocks, type LogRow } from './log_blocks'
import { pause } from './log_reader'

const lineHeight = 18
/** Browsers limit heights: beyond this one the position is scaled. */
const scrollMax = 15_000_000

export interface ShownRows {
  blocks: ShallowRef<LogBlocks>
  version: Ref<number>
  /** Indexes of the rows that are shown; null: all. */
  only: Ref<number[] | null>
  following: Ref<boolean>
  /** The scroll box, and 20 characters of its font. */
  box: Readonly<Ref<HTMLElement | null>>
  ruler: Readonly<Ref<HTMLElement | null>>
  /** The user has scrolled to the end. */
  reachedEnd(): void
  /** The user has scrolled close to the first row. */
  nearTop(): void
}
export interface VisibleRow {
  index: number
  /** Index among all rows. */
  real: number
  row: LogRow
  /** False: the row above is an earlier part of the same line. */
  first: boolean
  top: number
  height: number
}

/** Positions of the rows of a log, of which only the visible ones are drawn, and scrolling among them. */
export function useLogRows({ blocks, version, only, following, box, ruler, reachedEnd, nearTop }: ShownRows) {
  const wrap = ref(false)
  const scrollTop = ref(0)
  const viewHeight = ref(400)
  const columns = ref(120)

  const digits = computed(() => (void version.value, String(Math.max(blocks.value.lastLine, 1)).length))
  const rowCount = computed(() => (void version.value, only.value ? only.value.length : blocks.value.count))
  const realOf = (index: number) => (only.value ? (only.value[index] ?? -1) : index)
  const rowAt = (index: number) => blocks.value.row(realOf(index))

  /** Heights of all rows in wrap mode, as sums, so that the scroll bar never jumps. */
  const sums = computed<Float64Array | null>(() => {
    if (!wrap.value) return null
    const count = rowCount.value
    const result = new Float64Array(count + 1)
    for (let i = 0; i < count; i += 1) {
      const cells = cellsOf(visibleText(rowAt(i)?.text ?? ''))
      result[i + 1] = (result[i] ?? 0) + Math.max(1, Math.ceil(cells / columns.value)) * lineHeight
    }
    return result
  })
  const topOf = (index: number) => (sums.value ? (sums.value[index] ?? 0) : index * lineHeight)
  const fullHeight = computed(() => topOf(rowCount.value))
  const barHeight = computed(() => Math.min(fullHeight.value, scrollMax))
  const scale = computed(() => (fullHeight.value <= scrollMax ? 1 : (fullHeight.value - viewHeight.value) / (scrollMax - viewHeight.value)))
  const position = computed(() => scrollTop.value * scale.value)

  function indexAt(top: number): number {
    const heights = sums.value
    if (!heights) return Math.floor(top / lineHeight)
    let low = 0
    let high = rowCount.value
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((heights[middle] ?? 0) <= top) low = middle
      else high = middle - 1
    }
    return low
  }
  const visible = computed<VisibleRow[]>(() => {
    const first = Math.max(0, indexAt(position.value) - 10)
    const last = Math.min(rowCount.value, indexAt(position.value + viewHeight.value) + 12)
    const rows: VisibleRow[] = []
    for (let index = first; index < last; index += 1) {
      const row = rowAt(index)
      if (!row) continue
      const top = topOf(index) - position.value + scrollTop.value
      rows.push({ index, real: realOf(index), row, first: index === 0 || rowAt(index - 1)?.line !== row.line, top, height: topOf(index + 1) - topOf(index) })
    }
    return rows
  })

  function scrolled(): void {
    const element = box.value
    if (!element) return
    const up = element.scrollTop < scrollTop.value - 2
    scrollTop.value = element.scrollTop
    const atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 4
    if (up && !atEnd) following.value = false
    if (atEnd) reachedEnd()
    // Not at a jump to a line, whose first steps may be near the top.
    if (up && position.value < 4 * viewHeight.value) nearTop()
  }
  /** Returns true if the user sees the last rows, or soon will. */
  const isNearEnd = () => !only.value && position.value + 4 * viewHeight.value >= fullHeight.value
  /** Scrolls to a position, once the box is high enough: rows that were just added may be drawn later. */
  async function scrollTo(wanted: () => number): Promise<void> {
    await nextTick()
    for (let tries = 0; tries < 5 && box.value; tries += 1) {
      const top = Math.max(0, Math.min(wanted(), barHeight.value - box.value.clientHeight))
      box.value.scrollTop = top
      if (box.value.scrollTop >= top - 2) return
      await pause(20)
    }
  }
  async function toEnd(): Promise<void> {
    await scrollTo(() => Infinity)
    reachedEnd()
  }
  const toIndex = (index: number) => scrollTo(() => (topOf(index) - viewHeight.value / 3) / scale.value)
  /** Moves the box up by rows that were removed above, so that the shown rows stay. */
  function skipRows(dropped: number): void {
    if (box.value) box.value.scrollTop -= (dropped * lineHeight) / scale.value
  }
  /** Adds rows above, whose number `add` returns, and keeps the shown rows in their place. */
  async function addAbove(add: () => Promise<number>): Promise<void> {
    const added = await add()
    if (!added) return
    const place = position.value
    await nextTick()
    if (box.value) box.value.scrollTop = (place + topOf(added)) / scale.value
  }
  /** Wraps long lines or not, and keeps the shown line. */
  async function turnWrap(): Promise<void> {
    const line = rowAt(indexAt(position.value))?.line ?? 0
    wrap.value = !wrap.value
    await nextTick()
    if (following.value) return toEnd()
    if (line && box.value && !only.value) box.value.scrollTop = topOf(blocks.value.indexOfLine(line)) / scale.value
  }

  let observer: ResizeObserver | null = null
  function measure(): void {
    if (!box.value) return
    viewHeight.value = box.value.clientHeight
    const width = ruler.value?.getBoundingClientRect().width ?? 0
    if (width > 0) columns.value = Math.max(20, Math.floor((box.value.clientWidth - 24) / (width / 20)) - digits.value - 2)
  }
  onMounted(() => {
    if (typeof ResizeObserver === 'undefined' || !box.value) return
    observer = new ResizeObserver(measure)
    observer.observe(box.value)
  })
  onBeforeUnmount(() => observer?.disconnect())
  return { wrap, digits, rowCount, barHeight, visible, scrolled, toEnd, toIndex, skipRows, addAbove, isNearEnd, turnWrap }
}
