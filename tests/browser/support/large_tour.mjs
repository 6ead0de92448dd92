// Steps of a user of a large installation.
import { textOfLine } from './large_executor.mjs'
import { nameOfJob } from './large_seed.mjs'
import { goals } from './large_steps.mjs'

const pageRows = 50
/** Number of jobs that the server sorts, and a text in the names of the first so many. */
const sortedMax = 10000
const sortedText = 'job 00'
const rows = { selector: 'main tbody tr[data-row]' }
const row = { selector: 'main tbody tr[data-row]:first-child' }
const empty = { selector: 'main .el-empty' }

const nextButton = (page) => page.locator('main .foot').getByRole('button', { name: 'Next', exact: true })
const chip = (page, name) => page.locator('main .chips').getByRole('button', { name, exact: true })
const firstRow = (page) => page.locator(row.selector).textContent()

/** First load of the page Now with an empty cache, in a session that exists. */
export async function loadNow(steps, { page, visitor }) {
  const charts = /\/assets\/chart-[^/]*\.js/
  const open = () => page.goto(visitor.url('/'), { waitUntil: 'commit' })
  const load = await steps.measure('Now: first load', open, { shown: [{ selector: '.cards strong', text: '^\\s*\\d' }] }, { goal: { ms: goals.loadMs } })
  // Faults of the page are noted; its size is known all the same.
  await visitor.settle().catch(() => undefined)
  load.kb = steps.transferredKb(charts)
  if (load.kb > goals.loadKb) (load.missed ??= []).push('kb')
}

export async function walkJobs(steps, { page, visitor, jobs }) {
  await steps.measure('Jobs: first page', () => steps.move('/jobs'), { request: '/jobs\\?', shown: [{ ...rows, count: Math.min(jobs, pageRows) }] })
  await visitor.settle()
  let before = await firstRow(page)
  await steps.measure('Jobs: second page', () => nextButton(page).click(), { request: '/jobs\\?.*cursor=', shown: [{ ...row, not: before }] })
  await visitor.settle()

  // The list has no button for its last page: the request of its next page is led there.
  const last = Math.floor((jobs - 1) / pageRows) * pageRows
  const followed = /\/api\/v1\/jobs\?.*cursor=p\d+/
  await page.route(followed, (route) => route.continue({ url: route.request().url().replace(/cursor=p\d+/, `cursor=p${last}`) }))
  before = await firstRow(page)
  await steps.measure('Jobs: last page', () => nextButton(page).click(), { request: '/jobs\\?.*cursor=', shown: [{ ...row, not: before }, { ...rows, count: jobs - last }] })
  await visitor.settle()
  await page.unroute(followed)

  await page.locator('main .foot').getByRole('button', { name: 'First', exact: true }).click()
  await visitor.settle()
  const text = page.locator('main .filters').getByLabel('Id, name, handler, author or key', { exact: true })
  await text.click()
  await steps.measure('Jobs: filter by text', () => page.keyboard.type(nameOfJob(jobs - 2)), { request: '/jobs\\?.*q=', shown: [{ ...rows, count: 1 }] })
  await visitor.settle()
  await steps.measure('Jobs: filter without a match', () => page.keyboard.type('x'), { request: '/jobs\\?(.*&)?q=[^&]*x(&|$)', shown: [empty] })
  await page.locator('main .filters').getByRole('button', { name: 'Clear filters' }).click()
  await page.locator(row.selector).waitFor()
  await visitor.settle()
  await sortJobs(steps, { page, visitor, jobs })
}

/** Orders the list. The server refuses to sort more than `sortedMax` jobs; a text narrows them to as many. */
async function sortJobs(steps, { page, visitor, jobs }) {
  const head = (name) => page.locator('main thead').getByRole('button', { name, exact: true })
  const refused = 'Jobs: sort all is refused'
  if (jobs > sortedMax) {
    visitor.expect(/status 400: GET .*\/jobs$/)
    await steps.measure(refused, () => head('Job').click(), { request: '/jobs\\?.*sort=name', shown: [{ selector: 'main .el-alert', text: `more than ${sortedMax} jobs match` }, { ...rows, count: 0 }] })
  } else steps.leaveOut(refused, 'there are too few jobs')
  await visitor.settle()

  await steps.move(`/jobs?q=${encodeURIComponent(sortedText)}`)
  await page.locator(row.selector, { hasText: sortedText }).waitFor()
  await visitor.settle()
  // One of the jobs has another name.
  const last = Math.min(jobs - 1, sortedMax) - 1
  // Job 0 has the earliest of all crons.
  const orders = [['name', 'Job', 'name', 0], ['name, descending', 'Job', '-name', last], ['next', 'Next', 'next', 0]]
  for (const [words, column, sort, first] of orders) {
    await steps.measure(`Jobs: sort by ${words}`, () => head(column).click(), { request: `/jobs\\?.*sort=${sort}(&|$)`, shown: [{ ...row, text: nameOfJob(first) }, { ...rows, count: Math.min(jobs - 1, pageRows) }] })
    await visitor.settle()
  }
}

export async function walkRuns(steps, { page, visitor, job }) {
  await steps.measure('Runs: first page', () => steps.move('/runs'), { request: '/runs\\?', shown: [{ ...rows, count: pageRows }] })
  for (const number of ['second', 'third']) {
    await visitor.settle()
    const before = await firstRow(page)
    await steps.measure(`Runs: ${number} page`, () => nextButton(page).click(), { request: '/runs\\?.*cursor=', shown: [{ ...row, not: before }, { ...rows, count: pageRows }] })
  }
  await visitor.settle()
  await steps.measure('Runs: failed', () => chip(page, 'failed').click(), { request: '/runs\\?.*status=failed', shown: [{ ...row, text: 'failed' }] })
  await visitor.settle()
  await steps.measure('Runs: running', () => chip(page, 'running').click(), { request: '/runs\\?.*status=running', shown: [empty] })
  await visitor.settle()
  await steps.measure('Runs: of a job', () => steps.move(`/runs?job=${job}`), { request: `/runs\\?.*job=${job}`, shown: [{ selector: `${row.selector} a[href$="/jobs/${job}"]` }] })
  await visitor.settle()
  await steps.move('/runs')
  await visitor.settle()
  await steps.measure('Runs: last hour', () => chip(page, 'Last hour').click(), { request: '/runs\\?.*from_ms=', shown: [{ ...rows, count: pageRows }] })
  await visitor.settle()
  await steps.measure('Runs: failed in the last hour', () => chip(page, 'failed').click(), { request: '/runs\\?(?=.*from_ms=).*status=failed', shown: [{ ...row, text: 'failed' }] })
  await visitor.settle()
}

/** Reads the log of `run`, of which no node has a copy yet. */
export async function readLog(steps, { page, visitor, run, lines }) {
  const heap = true
  const atLine = (line) => ({ shown: [{ selector: `.line .number[data-number="${line}"]` }] })
  const atEnd = { shown: [...atLine(lines).shown, { selector: '.viewer > .foot', text: 'End of the log' }] }
  const middle = Math.floor(lines / 2)

  await steps.measure('Log: open, at its end', () => steps.move(`/runs/${run}/log`), atEnd, { goal: { ms: goals.logEndMs }, heap })
  await steps.move('/runs')
  await visitor.settle()
  await steps.measure('Log: open at line 1', () => steps.move(`/runs/${run}/log#L1`), atLine(1), { heap })
  await visitor.settle()
  await steps.measure('Log: from line 1 to the end', () => page.locator('.viewer').getByText('Follow', { exact: true }).click(), atEnd, { goal: { ms: goals.logEndMs }, heap })
  await visitor.settle()
  const search = page.getByLabel('Search in the log')
  await search.click()
  await steps.measure('Log: type a text to search', () => page.keyboard.type(textOfLine(middle)), { shown: [{ selector: '.viewer .bar', text: 'No match in the loaded lines' }] }, { heap })
  await steps.measure('Log: find it in the middle', () => page.keyboard.press('Enter'), { shown: [{ selector: `.line.current .number[data-number="${middle}"]` }] }, { heap })
  await visitor.settle()
}
