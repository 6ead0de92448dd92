import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lineOptions, pieOptions } from '../src/charts/options'

type Triple = [number, number, number]
type Matrix = [Triple, Triple, Triple]

const css = readFileSync(join(process.cwd(), 'src/styles/colours.css'), 'utf8')
const themes: [string, string][] = [
  ['light', css.slice(css.indexOf(':root'), css.indexOf('html.dark'))],
  ['dark', css.slice(css.indexOf('html.dark'))],
]
const token = (theme: string, name: string) => new RegExp(`--rm-${name}: (#[0-9a-f]{6})`).exec(theme)?.[1] ?? ''
const states = ['success', 'failure', 'running', 'warning', 'neutral']

/**
 * Matrices for linear RGB of G. M. Machado, M. M. Oliveira, L. A. F. Fernandes: A Physiologically-based Model for Simulation of Color Vision
 * Deficiency, IEEE Transactions on Visualization and Computer Graphics 15 (2009), severity 1.0.
 */
const sights: Record<string, Matrix> = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
}
const times = (matrix: Matrix, [x, y, z]: Triple): Triple => matrix.map(([a, b, c]) => a * x + b * y + c * z) as Triple

const linear = (hex: string): Triple =>
  [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as Triple
const luminance = (hex: string) => times([[0.2126, 0.7152, 0.0722], [0, 0, 0], [0, 0, 0]], linear(hex))[0]
function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

/** Returns L*, a*, b* (CIE 1976, D65) of a colour as this sight sees it. */
function labOf(hex: string, sight: Matrix): Triple {
  const seen = times(sight, linear(hex)).map((value) => Math.min(1, Math.max(0, value))) as Triple
  const [x, y, z] = times([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]], seen)
  const f = (value: number) => (value > 216 / 24389 ? Math.cbrt(value) : ((24389 / 27) * value + 16) / 116)
  const [fx, fy, fz] = [f(x / 0.95047), f(y), f(z / 1.08883)]
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)]
}

const rad = (degrees: number) => (degrees * Math.PI) / 180
const angle = (a: number, b: number) => (a === 0 && b === 0 ? 0 : ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360)

/** Returns the CIEDE2000 distance. */
function distance([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2
  const stretch = 1.5 - 0.5 * Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7))
  const [c1, c2] = [Math.hypot(a1 * stretch, b1), Math.hypot(a2 * stretch, b2)]
  const [h1, h2] = [angle(a1 * stretch, b1), angle(a2 * stretch, b2)]
  const turn = c1 * c2 === 0 ? 0 : ((h2 - h1 + 540) % 360) - 180
  const [l, c, h] = [(l1 + l2) / 2, (c1 + c2) / 2, c1 * c2 === 0 ? h1 + h2 : (h1 + turn / 2 + 360) % 360]
  const hueWeight = 1 - 0.17 * Math.cos(rad(h - 30)) + 0.24 * Math.cos(rad(2 * h)) + 0.32 * Math.cos(rad(3 * h + 6)) - 0.2 * Math.cos(rad(4 * h - 63))
  const dl = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2))
  const dc = (c2 - c1) / (1 + 0.045 * c)
  const dh = (2 * Math.sqrt(c1 * c2) * Math.sin(rad(turn / 2))) / (1 + 0.015 * c * hueWeight)
  const rotation = -Math.sin(rad(60 * Math.exp(-(((h - 275) / 25) ** 2)))) * 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7))
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rotation * dc * dh)
}

describe('the distance of colours', () => {
  // Pairs 1, 7 and 25 of the test data of G. Sharma, W. Wu, E. N. Dalal: The CIEDE2000 Color-Difference Formula (2005).
  it('is that of CIEDE2000', () => {
    expect(distance([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 4)
    expect(distance([50, 0, 0], [50, -1, 2])).toBeCloseTo(2.3669, 4)
    expect(distance([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387])).toBeCloseTo(1.2644, 4)
  })
})

describe.each(themes)('colours of states in the %s theme', (_, theme) => {
  it('have the contrast of WCAG AA, and 5 to 1 on panels', () => {
    for (const state of states) {
      expect(contrast(token(theme, `state-${state}`), token(theme, 'bg-0')), state).toBeGreaterThanOrEqual(4.5)
      expect(contrast(token(theme, `state-${state}`), token(theme, 'bg-1')), state).toBeGreaterThanOrEqual(5)
    }
  })
  it.each(Object.entries(sights))('differ with %s', (name, sight) => {
    for (const [index, one] of states.entries())
      for (const other of states.slice(index + 1)) {
        const between = distance(labOf(token(theme, `state-${one}`), sight), labOf(token(theme, `state-${other}`), sight))
        expect(between, `${one} and ${other}, ${name}`).toBeGreaterThanOrEqual(11.9)
      }
  })
})

/** Returns the tokens of all text in these options of a chart: of `textStyle`, labels, and names of hidden series. */
function textTokens(options: unknown, within = ''): string[] {
  if (typeof options !== 'object' || options === null) return []
  return Object.entries(options).flatMap(([key, value]) => {
    const isText = (key === 'color' && /^(textStyle|axisLabel|label)$/.test(within)) || key === 'inactiveColor'
    return isText ? [String(value)] : textTokens(value, Array.isArray(options) ? within : key)
  })
}

describe.each(themes)('texts in the %s theme', (_, theme) => {
  const textMin = 4.5
  it('have the contrast of WCAG AA on the page and on panels', () => {
    for (const text of ['text-1', 'text-2', 'text-3'])
      for (const ground of ['bg-0', 'bg-1']) expect(contrast(token(theme, text), token(theme, ground)), `${text} on ${ground}`).toBeGreaterThanOrEqual(textMin)
  })
  const name = (asked: string) => asked
  const charts: [string, object, number][] = [
    ['lines', lineOptions(name, 32, ['10:00'], {}), 6],
    ['ring', pieOptions(name, [{ name: 'failed', value: 1, itemStyle: { color: '--rm-state-failure' } }]), 5],
  ]
  it.each(charts)('of a chart of %s have it on the panel and in the tooltip', (_kind, options, count) => {
    const found = textTokens(options)
    expect(found).toHaveLength(count)
    const { backgroundColor } = (options as { tooltip: { backgroundColor: string } }).tooltip
    expect(backgroundColor).toBe('--rm-bg-1')
    for (const each of found) expect(contrast(token(theme, each.replace('--rm-', '')), token(theme, 'bg-1')), each).toBeGreaterThanOrEqual(textMin)
  })
  it('of a chart name a colour of the theme wherever the library would take its own', () => {
    const lines = lineOptions(name, 32, [], {})
    for (const part of [lines.textStyle, lines.tooltip.textStyle, lines.legend.textStyle, lines.xAxis.axisLabel, lines.yAxis.axisLabel, pieOptions(name, []).legend.textStyle, pieOptions(name, []).series[0]!.label])
      expect(part.color).toMatch(/^--rm-text-[123]$/)
  })
})
