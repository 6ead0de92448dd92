/** Parts of the options of charts that all of them share. They load no part of the library. All text has a colour of the theme: the library's own do not suit the dark one. */

type TokenOf = (name: string) => string

/** Returns the options of every chart, with the tooltip of its items or of a place on its axis. */
export const chartOptions = (token: TokenOf, trigger: 'item' | 'axis') => ({
  aria: { enabled: true },
  animation: false,
  textStyle: { color: token('--rm-text-2') },
  tooltip: { trigger, renderMode: 'richText', backgroundColor: token('--rm-bg-1'), borderColor: token('--rm-line'), textStyle: { color: token('--rm-text-1') } },
})

/** Returns the options of the names of series. `inactiveColor`: of those that a click has hidden. */
const legendOptions = (token: TokenOf) => ({ textStyle: { color: token('--rm-text-2') }, inactiveColor: token('--rm-text-3'), inactiveBorderColor: token('--rm-text-3') })

/** Returns the options of a chart of lines over named places. `top`: pixels above the lines. */
export const lineOptions = (token: TokenOf, top: number, places: string[], yAxis: object) => ({
  ...chartOptions(token, 'axis'),
  legend: { top: 0, ...legendOptions(token) },
  grid: { left: 52, right: 16, top, bottom: 28 },
  xAxis: { type: 'category', data: places, axisLine: { lineStyle: { color: token('--rm-line') } }, axisLabel: { color: token('--rm-text-2') } },
  yAxis: { type: 'value', ...yAxis, splitLine: { lineStyle: { color: token('--rm-line') } }, axisLabel: { color: token('--rm-text-2') } },
})

/** Returns the options of a ring of parts. */
export const pieOptions = (token: TokenOf, data: { name: string; value: number; itemStyle: { color: string } }[]) => ({
  ...chartOptions(token, 'item'),
  legend: legendOptions(token),
  // No equal parts where nothing ran.
  series: [{ type: 'pie', radius: ['32%', '56%'], stillShowZeroSum: false, label: { color: token('--rm-text-1'), formatter: '{c}' }, data }],
})
