/** Parts of the options of charts that all of them share. They load no part of the library. */

type TokenOf = (name: string) => string

/** Returns the options of every chart, with the tooltip of its items or of a place on its axis. */
export const chartOptions = (token: TokenOf, trigger: 'item' | 'axis') => ({
  aria: { enabled: true },
  animation: false,
  textStyle: { color: token('--rm-text-2') },
  tooltip: { trigger, renderMode: 'richText' },
})

/** Returns the options of a chart of lines over named places. `top`: pixels above the lines. */
export const lineOptions = (token: TokenOf, top: number, places: string[], yAxis: object) => ({
  ...chartOptions(token, 'axis'),
  legend: { top: 0, textStyle: { color: token('--rm-text-2') } },
  grid: { left: 52, right: 16, top, bottom: 28 },
  xAxis: { type: 'category', data: places, axisLine: { lineStyle: { color: token('--rm-line') } } },
  yAxis: { type: 'value', ...yAxis, splitLine: { lineStyle: { color: token('--rm-line') } } },
})
