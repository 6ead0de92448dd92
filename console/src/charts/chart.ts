import { LineChart, PieChart } from 'echarts/charts'
import { GridComponent, LegendComponent, TooltipComponent, AriaComponent } from 'echarts/components'
import { init, use, type ECharts, type EChartsCoreOption } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

// The canvas renderer and tooltips as rich text write no style attributes, which the CSP refuses.
use([LineChart, PieChart, GridComponent, LegendComponent, TooltipComponent, AriaComponent, CanvasRenderer])

export type { ECharts, EChartsCoreOption }

/** Returns the value of a token of the theme. */
export const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

export const makeChart = (element: HTMLElement): ECharts => init(element, undefined, { renderer: 'canvas' })
