// Measured steps of a user: the time from the input to the frame that shows the result, and the longest task of the page's main thread.
import { pause } from './programs.mjs'

export const goals = { taskMs: 100, loadMs: 1000, loadKb: 350, logEndMs: 2000, heapMb: 200 }

/** Time after a result in which the page may still draw and work. */
const restMs = 500
const limitMs = 60000

/** Runs in the page before its own scripts. Functions of the page, because its CSP allows none that are made from text later. */
function watchSteps() {
  const tasks = []
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()))
  observer.observe({ type: 'longtask', buffered: true })
  performance.setResourceTimingBufferSize(100000)
  // In a new document, time 0 is the begin of its navigation.
  let begun = 0
  for (const type of ['pointerdown', 'keydown']) addEventListener(type, (event) => event.isTrusted && (begun = event.timeStamp), true)

  const isShown = ({ selector, text, not, count }) => {
    const found = [...document.querySelectorAll(selector)]
    if (count !== undefined) return found.length === count
    const first = found[0]?.textContent ?? null
    return first !== null && (text === undefined || new RegExp(text).test(first)) && first !== not
  }
  const isRead = (pattern) => performance.getEntriesByType('resource').some((each) => each.startTime >= begun && each.responseEnd > 0 && new RegExp(pattern).test(each.name))
  const missing = ({ request, shown }) => (request && !isRead(request) ? `request ${request}` : shown.find((each) => !isShown(each)))

  window.measuredSteps = {
    begin: () => (begun = performance.now()),
    move(path) {
      begun = performance.now()
      history.pushState({ ...history.state, position: (history.state?.position ?? 0) + 1 }, '', path)
      dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
    },
    /** Returns the time after the last input at which all that is wanted was drawn. */
    stands: (wanted, limit) =>
      new Promise((done, failed) => {
        const look = () => {
          const lack = missing(wanted)
          if (!lack) requestAnimationFrame(() => done(performance.now() - begun))
          else if (performance.now() - begun > limit) failed(new Error(`not within ${limit / 1000} s: ${JSON.stringify(lack)}`))
          else requestAnimationFrame(look)
        }
        look()
      }),
    longest() {
      tasks.push(...observer.takeRecords())
      return Math.max(0, ...tasks.filter((each) => each.startTime + each.duration >= begun).map((each) => each.duration))
    },
  }
}

export class Steps {
  static async watch(visitor) {
    const made = new Steps()
    Object.assign(made, { visitor, page: visitor.page, rows: [], requests: [], bytes: new Map() })
    await visitor.context.addInitScript(watchSteps)
    made.devtools = await visitor.context.newCDPSession(visitor.page)
    made.devtools.on('Network.requestWillBeSent', ({ requestId, request }) => made.requests.push({ id: requestId, url: request.url }))
    made.devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => made.bytes.set(requestId, encodedDataLength))
    await made.devtools.send('Network.enable')
    return made
  }

  /** Opens a page of the console by its path, without loading the console again. */
  move(path) {
    return this.page.evaluate((to) => window.measuredSteps.move(to), new URL(this.visitor.url(path)).pathname + path.replace(/^[^?#]*/, ''))
  }

  /**
   * Does one step and notes its figures. `wanted`: `request` is a pattern of a request that must have ended, `shown` lists selectors with the
   * `text` (a pattern) or `not` (a text) of their first element, or with their `count`. `goal`: limits of the step besides the longest task.
   */
  async measure(name, act, wanted, { goal = {}, heap = false } = {}) {
    const row = { name }
    this.rows.push(row)
    try {
      await act()
      row.ms = Math.round(await this.page.evaluate(([what, limit]) => window.measuredSteps.stands(what, limit), [{ shown: [], ...wanted }, limitMs]))
      await pause(restMs)
      row.task_ms = Math.round(await this.page.evaluate(() => window.measuredSteps.longest()))
      if (heap) row.heap_mb = Math.round((await this.devtools.send('Runtime.getHeapUsage')).usedSize / 1e6)
      row.missed = missedGoals(row, goal)
    } catch (error) {
      row.problem = String(error.message).split('\n')[0].slice(0, 200)
    }
    console.error(lineOf(row))
    return row
  }

  /** Notes a step that the console does not offer. */
  leaveOut(name, reason) {
    this.rows.push({ name, left_out: reason })
  }

  /** Returns the transferred kB, with heads, of what was requested before the first request that matches `end`. */
  transferredKb(end) {
    const first = this.requests.findIndex(({ url }) => end.test(url))
    const counted = first < 0 ? this.requests : this.requests.slice(0, first)
    return Math.round(counted.reduce((sum, { id }) => sum + (this.bytes.get(id) ?? 0), 0) / 1000)
  }

  /** Returns true if each step was done and met its goals. */
  isGood() {
    return this.rows.every((row) => !row.problem && !row.missed?.length)
  }

  table() {
    const head = [['step', 32], ['ms', 8], ['longest task', 14], ['kB', 8], ['heap MB', 9]].map(([text, width], at) => (at ? text.padStart(width) : text.padEnd(width)))
    return [head.join(''), ...this.rows.map(lineOf)].join('\n')
  }
}

/** Returns the names of the figures that exceed their goals. */
export function missedGoals(row, goal) {
  const limits = { ms: goal.ms, task_ms: goals.taskMs, kb: goal.kb, heap_mb: goals.heapMb }
  return Object.keys(limits).filter((each) => limits[each] !== undefined && row[each] > limits[each])
}

function lineOf(row) {
  const cell = (value, width) => String(value ?? '').padStart(width)
  const note = row.problem ?? (row.left_out ? `left out: ${row.left_out}` : row.missed?.length ? `goal missed: ${row.missed.join(', ')}` : '')
  return `${row.name.padEnd(32)}${cell(row.ms, 8)}${cell(row.task_ms, 14)}${cell(row.kb, 8)}${cell(row.heap_mb, 9)}  ${note}`.trimEnd()
}
