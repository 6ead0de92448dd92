// Filters, actions of rows and dialogs of the lists, as XXL-JOB's pages have them.
import assert from 'node:assert/strict'
import { test } from '../support/runner.mjs'
import { longLines, password, run, users } from '../support/seed.mjs'
import { until } from '../support/programs.mjs'
import { visit } from '../support/visitor.mjs'

const rowOf = (page, id) => page.locator(`tr[data-row="${id}"]`)

async function openMenu(page, id) {
  await rowOf(page, id).locator('.el-dropdown button').click()
  const menu = page.getByRole('menu').filter({ visible: true })
  await menu.waitFor()
  return menu
}

test('dashboard: three figures, ranges of days, two charts and a table; a day opens its runs', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/report')
    const { total } = await world.admin.get('/jobs?limit=1')
    await page.locator('.cards', { hasText: String(total) }).waitFor()
    for (const range of ['Today', 'Yesterday', 'This month', 'Last month', 'Last 7 days', 'Last 30 days']) {
      await page.getByRole('button', { name: range }).click()
      await visitor.settle()
    }
    assert.equal(await page.locator('canvas').count(), 2)
    await page.getByText('As a table').click()
    await page.locator('details a').last().click()
    await page.waitForURL(/\/runs\?from=\d+&to=\d+/)
    await visitor.settle()
  }))

test('jobs: the menu of a row has each action of XXL-JOB', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['to Tokyo']
    await visitor.signIn('admin', world.adminPassword, '/jobs')
    let menu = await openMenu(page, id)
    const texts = (await menu.getByRole('menuitem').allInnerTexts()).map((each) => each.trim())
    assert.deepEqual(texts.map((each) => each.replace(/^(Start|Stop)$/, 'Start or stop')), ['Run once', 'Query log', 'Registered executors', 'Next times', 'Start or stop', 'Edit', 'Delete', 'Copy'])
    await menu.getByText('Next times').click()
    const dialog = page.locator('.el-dialog')
    await dialog.locator('time').nth(9).waitFor()
    assert.match(await dialog.innerText(), /Asia\/Tokyo/)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    menu = await openMenu(page, id)
    await menu.getByText('Registered executors').click()
    await dialog.getByText(/http:\/\/127\.0\.0\.1:\d+\//).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    menu = await openMenu(page, world.jobs['tidy up'])
    await menu.getByText('Script', { exact: true }).click()
    await page.waitForURL(/\/script$/)
    await visitor.settle()
  }))

test('jobs: a copy takes the script, and can be deleted', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs')
    const menu = await openMenu(page, world.jobs['tidy up'])
    await menu.getByText('Copy').click()
    const name = page.locator('.el-drawer').getByLabel('Name', { exact: true })
    await name.waitFor()
    assert.equal(await name.inputValue(), 'tidy up (copy)')
    await page.locator('.el-drawer').getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/jobs\/\d+$/)
    const id = Number(page.url().split('/').pop())
    const [copy, own] = [await world.admin.get(`/jobs/${id}`), await world.admin.get(`/jobs/${world.jobs['tidy up']}`)]
    assert.equal(copy.glue_source, own.glue_source)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/\/jobs$/)
    assert.equal((await world.admin.send('GET', `/jobs/${id}`)).status, 404)
    await visitor.settle()
  }))

test('jobs: a new job of each kind of script begins with a template', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs/new')
    const source = page.locator('.el-drawer').getByLabel('Source')
    for (const kind of ['Java', 'Shell', 'Python3', 'Python2', 'PHP', 'Nodejs', 'PowerShell']) {
      await page.locator('.el-drawer .el-form-item', { hasText: 'Kind' }).locator('.el-select').click()
      await page.getByRole('option', { name: `GLUE(${kind})` }).click()
      await until(async () => /param/i.test(await source.inputValue()), kind)
    }
    await page.locator('.el-drawer').getByRole('button', { name: 'Cancel' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Discard' }).click()
    await visitor.settle()
  }))

test('jobs: a manual run at a chosen address with other parameters', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs.report
    await visitor.signIn('admin', world.adminPassword, '/jobs?name=report')
    await rowOf(page, id).getByRole('button', { name: 'Run once' }).click()
    const dialog = page.locator('.el-dialog')
    await dialog.locator('textarea').first().fill('day=-2')
    await dialog.locator('.el-select').click()
    await page.getByRole('option', { name: /http:/ }).first().click()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Run', exact: true }).click()
    const link = dialog.getByRole('link', { name: /^Run \d+$/ })
    await link.waitFor()
    const made = await world.admin.get(`/runs/${(await link.innerText()).replace(/\D/g, '')}`)
    assert.equal(made.params, 'day=-2')
    await visitor.settle()
  }))

test('runs: filters by group, job, status, time and handler', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, `/runs?group=${world.pay}&job=${world.jobs['import rates']}&status=failed&handler=failing`)
    await page.locator('main tbody tr').first().waitFor()
    for (const text of await page.locator('main tbody tr').allInnerTexts()) assert.match(text, /import rates[\s\S]*failed/)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL(/\/runs$/)
    await page.getByText('Last hour').click()
    await page.waitForURL(/from=\d+/)
    await page.locator('main tbody tr', { hasText: 'succeeded' }).first().waitFor()
    await visitor.settle()
  }))

test('runs: Clear offers the nine choices of XXL-JOB and asks before it removes', (world) =>
  visit(world, {}, async (visitor, page) => {
    await run(world, 'broadcast')
    await visitor.signIn('admin', world.adminPassword, `/runs?job=${world.jobs.broadcast}`)
    await page.getByRole('button', { name: 'Clear runs' }).click()
    const dialog = page.locator('.el-dialog')
    await dialog.locator('.el-select').last().click()
    assert.equal(await page.getByRole('option', { name: /^(Older than|All)/ }).count(), 9)
    await page.getByRole('option', { name: 'All runs' }).click()
    await dialog.getByRole('button', { name: 'Clear runs' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Clear runs' }).click()
    await page.getByText(/\d+ runs removed/).waitFor()
    await until(async () => (await page.locator('main tbody tr').count()) === 0, 'no row')
    assert.equal((await world.admin.get(`/runs?job=${world.jobs.broadcast}`)).items.length, 0)
  }))

test('log: 30 000 lines are searched, wrapped, scrolled and linked without a long task', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, `/runs/${world.seen.long}/log`)
    await page.getByText(/End of the log/).waitFor()
    await page.getByLabel('Search in the log').fill(`line ${longLines - 7} of`)
    await page.getByText('1 of 1', { exact: true }).waitFor()
    await page.locator('.line.current').waitFor()
    await page.getByText('Wrap lines').click()
    await page.getByText('Matches only').click()
    await until(async () => (await page.locator('.line').count()) === 1, 'one line')
    await page.locator('.number').first().click()
    await page.waitForURL(/#L\d+$/)
    const hash = new URL(page.url()).hash
    await page.reload()
    await page.locator('.line.marked', { hasText: `line ${longLines - 7} of` }).waitFor()
    assert.equal(new URL(page.url()).hash, hash)
    const longest = await page.evaluate(async () => {
      const found = []
      const observer = new PerformanceObserver((list) => found.push(...list.getEntries().map((each) => each.duration)))
      observer.observe({ type: 'longtask' })
      const box = document.querySelector('[role=log]')
      for (let i = 0; i <= 20; i += 1) {
        box.scrollTop = (box.scrollHeight * i) / 20
        await new Promise((done) => setTimeout(done, 30))
      }
      await new Promise((done) => setTimeout(done, 100))
      return Math.max(0, ...found)
    })
    // The limit is 100 ms on a machine that does nothing else.
    assert.ok(longest < 400, `${Math.round(longest)} ms`)
    return `longest task while scrolling: ${Math.round(longest)} ms`
  }))

test('log: colours of the terminal are shown, and its codes are not', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = await run(world, 'report')
    await visitor.signIn('admin', world.adminPassword, `/runs/${id}`)
    await page.locator('.line .c1', { hasText: 'ERROR' }).waitFor()
    assert.doesNotMatch(await page.locator('[role=log]').innerText(), /\[31m/)
  }))

test('users: a user is found, changed and deleted', (world) =>
  visit(world, {}, async (visitor, page) => {
    await world.admin.post('/users', { name: 'temporary', password, admin: false, rights: [] })
    await visitor.signIn('admin', world.adminPassword, '/users')
    await page.locator('.filters').getByLabel('User name').fill('tempor')
    await until(async () => (await page.locator('main tbody tr').count()) === 1, 'one row')
    await page.locator('main tbody tr').getByRole('button', { name: 'Edit' }).click()
    const dialog = page.locator('.el-dialog')
    await dialog.getByRole('radiogroup', { name: 'Mail & newsletters' }).getByText('viewer').click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.locator('main tbody tr').getByText('Mail & newsletters: viewer').waitFor()
    await page.locator('main tbody tr').getByRole('button', { name: 'Delete' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('User temporary is deleted').waitFor()
    await visitor.settle()
  }))

test('forecast: what fires next is listed by time', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, `/forecast?job=${world.jobs.newsletter}`)
    await page.getByText('What fires from').waitFor()
    await visitor.go('/forecast')
    await page.locator('main tbody tr', { hasText: 'poll inbox' }).first().waitFor()
  }))

test('runs: a run shows its other attempts, their reasons and the user', (world) =>
  visit(world, {}, async (visitor, page) => {
    const made = await world.admin.post('/jobs', { group: world.pay, name: 'tried twice', author: 'ann', handler: 'failing', retry_count: 1 })
    world.jobs['tried twice'] = made.id
    const first = await run(world, 'tried twice')
    const related = await until(async () => {
      const found = await world.admin.get(`/runs/${first}/related`)
      return found.retries[0]?.status === 'failed' ? found : null
    }, 'the retry has failed')
    await visitor.signIn('admin', world.adminPassword, `/runs/${first}`)
    const panel = page.locator('.related')
    await panel.getByText('Other attempts').waitFor()
    assert.match(await panel.innerText(), /Ended with exit code 3/)
    assert.match(await page.locator('dl.facts').first().innerText(), /(manual|API)\s+admin/)
    await panel.getByRole('link', { name: String(related.retries[0].id), exact: true }).click()
    await page.waitForURL(new RegExp(`/runs/${related.retries[0].id}$`))
    await panel.getByRole('link', { name: String(first), exact: true }).waitFor()
    assert.match(await panel.innerText(), /Asked for by\s+admin/)
    await world.admin.ask('DELETE', `/jobs/${made.id}`)
  }))

test('runs: a finer status is a filter', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/runs?status=timed_out')
    await page.getByText('No match').or(page.locator('main tbody tr', { hasText: 'timed out' })).first().waitFor()
    const { items } = await world.admin.get('/runs?status=timed_out,killed&limit=50')
    for (const each of items) assert.ok(['timed_out', 'killed'].includes(each.reason.code), each.reason.code)
  }))

test('lists: the choice of columns is made by keyboard, stays after a reload, and keeps the first column', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs')
    const heads = () => page.locator('main thead th[scope=col] span').allInnerTexts()
    const before = await heads()
    assert.ok(before.some((each) => /Schedule/i.test(each)))
    await page.getByRole('button', { name: 'Columns' }).focus()
    await page.keyboard.press('Enter')
    const group = page.getByRole('group', { name: 'Columns' })
    assert.ok(await group.getByLabel('Job', { exact: true }).isDisabled())
    await group.getByLabel('Schedule', { exact: true }).focus()
    await page.keyboard.press('Space')
    await until(async () => (await heads()).length === before.length - 1, 'one column less')
    assert.deepEqual(await visitor.axeFindings(), [])
    await page.keyboard.press('Escape')
    await page.reload()
    await page.locator('main tbody tr').first().waitFor()
    assert.ok(!(await heads()).some((each) => /Schedule/i.test(each)))
    await visitor.settle()
  }))

test('keys: c copies the link of the page, and that of the current row', (world) =>
  visit(world, { permissions: ['clipboard-read', 'clipboard-write'] }, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs?name=report')
    await page.locator('main tbody tr').first().waitFor()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await page.keyboard.press('c')
    await page.getByText('Link copied').first().waitFor()
    assert.equal(await copied(), visitor.url('/jobs?name=report'))
    await page.keyboard.press('j')
    await page.keyboard.press('c')
    await until(async () => (await copied()) === visitor.url(`/jobs/${world.jobs.report}`), 'the link of the row')
  }))

test('forecast: the heat map counts each hour, opens its firings, and the collisions are listed', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin, jobs } = world
    await admin.post(`/jobs/${jobs['poll inbox']}/start`).catch(() => undefined)
    // Whole hours ahead, so that none begins during the test.
    const from = Math.ceil(Date.now() / 3600000) * 3600000 + 3600000
    const to = from + 3 * 3600000
    const { items } = await admin.get(`/schedule/forecast?from_ms=${from}&to_ms=${to}&limit=500`)
    await visitor.signIn('admin', world.adminPassword, `/forecast?from=${from}&to=${to}`)
    const cells = page.locator('td button[aria-pressed]')
    await cells.first().waitFor()
    const counts = (await cells.allInnerTexts()).map(Number)
    assert.equal(counts.reduce((sum, each) => sum + each, 0), items.length)
    assert.ok(counts.every((each) => each >= 60), `each hour has the 60 firings of "poll inbox": ${counts}`)
    assert.deepEqual(await visitor.axeFindings(), [])
    await cells.nth(1).click()
    await page.waitForURL(/cell=/)
    await page.getByText(`: ${counts[1]} firings`).first().waitFor()
    await page.getByText('By weekday').click()
    await page.waitForURL(/by=weekday/)
    assert.equal((await cells.allInnerTexts()).map(Number).reduce((sum, each) => sum + each, 0), items.length)
    await page.getByRole('heading', { name: /^Collisions/ }).waitFor()
    await visitor.settle()
  }))

test('doctor: the checks of the node show a problem with its remedy first, and send nothing', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/')
    await page.locator('nav').getByRole('link', { name: 'Doctor' }).click()
    await page.getByRole('heading', { name: 'Doctor', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Check now' }).click()
    const parts = page.locator('main section.part')
    // No mail server listens at the address of the configuration.
    const failed = parts.first().locator('li', { hasText: 'alarm channel' })
    await failed.getByText(/^mail through 127\.0\.0\.1: /).waitFor()
    await failed.getByText('Remedy:').waitFor()
    await page.locator('main .part.ok li', { hasText: 'schema' }).waitFor()
    assert.match(await parts.first().getByRole('heading').innerText(), /^Failed \(\d+\)$/)
    const report = await world.admin.get('/doctor')
    assert.equal(report.state, 'done')
    // The page shows findings while the checks go on.
    await page.locator('main li').nth(report.findings.length - 1).waitFor()
    assert.equal(await page.locator('main li').count(), report.findings.length)
    assert.deepEqual(await visitor.axeFindings(), [])
    await visitor.settle()
  }))

test('doctor: the page is for administrators', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn(users.viewer, password, '/doctor')
    await page.getByText('permission of an administrator').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Doctor' }).count(), 0)
    await visitor.settle()
  }))

test('forecast: a cron is compared with what is scheduled now', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin } = world
    const add = async (name, conf) => {
      const { id } = await admin.post('/jobs', { group: world.pay, name, author: 'ann', handler: 'quick', schedule: { type: 'CRON', conf } })
      await admin.post(`/jobs/${id}/start`)
      return id
    }
    const fixed = await add('settles at four', '13 7 4 * * ?')
    const moved = await add('may be moved', '13 7 5 * * ?')
    await visitor.signIn('admin', world.adminPassword, `/forecast?job=${moved}`)
    await page.getByText('What if a job had another cron?').click()
    await page.locator('.what-if .after li').first().waitFor()
    assert.equal(await page.locator('.what-if').getByRole('link', { name: 'settles at four' }).count(), 0)
    await page.getByRole('textbox', { name: 'Cron expression' }).fill('13 7 4 * * ?')
    await page.locator('.what-if .after').getByRole('link', { name: 'settles at four' }).first().waitFor()
    assert.match(await page.locator('.what-if .after').innerText(), /collides with others: \d+/)
    assert.equal(await page.locator('.what-if .before').getByRole('link', { name: 'settles at four' }).count(), 0)
    assert.deepEqual(await visitor.axeFindings(), [])
    assert.equal((await admin.get(`/jobs/${moved}`)).schedule.conf, '13 7 5 * * ?')
    await visitor.settle()
    for (const id of [fixed, moved]) await admin.ask('DELETE', `/jobs/${id}`)
  }))

test('users and executors: rows show sign-ins, sessions and keys, and the numbers of jobs and executors', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin } = world
    await visitor.signIn('admin', world.adminPassword, '/users?name=admin')
    const user = (await admin.get('/users?name=admin')).items[0]
    assert.ok(user.sessions >= 2 && user.last_sign_in_ms > Date.now() - 3600000, JSON.stringify(user))
    const row = rowOf(page, user.id)
    await row.getByRole('link', { name: /^API keys: \d+$/ }).waitFor()
    await row.getByRole('link', { name: /^Sessions: \d+$/ }).click()
    await page.waitForURL(/\/sessions\?user=/)
    await visitor.settle()
    await visitor.go('/executors')
    const group = (await admin.get('/groups?q=pay-worker&counts=true')).items[0]
    assert.ok(group.online >= 1 && group.known >= group.online && group.has_token === false, JSON.stringify(group))
    const list = page.getByRole('table', { name: 'Executors', exact: true })
    await list.locator('tr', { hasText: 'pay-worker' }).getByRole('button', { name: `${group.online} online` }).waitFor()
    assert.ok(group.known >= group.online + group.late + group.gone, JSON.stringify(group))
    await list.locator('tr', { hasText: 'pay-worker' }).getByRole('link', { name: `Jobs of the group: ${group.jobs}` }).waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
  }))

test('runs: several states, kind, address and text are filters in the URL; a long address is cut with its whole text as title', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { address } = await world.admin.get(`/runs/${world.seen.failed}`)
    const rows = page.locator('main tbody tr')
    await visitor.signIn('admin', world.adminPassword, `/runs?status=failed,lost&kind=manual,api&address=${encodeURIComponent(address)}`)
    await rowOf(page, world.seen.failed).waitFor()
    const code = rowOf(page, world.seen.failed).locator('code.address')
    assert.equal(await code.getAttribute('title'), address)
    assert.equal(await code.evaluate((element) => getComputedStyle(element).textOverflow), 'ellipsis')
    assert.deepEqual(await visitor.axeFindings(), [])
    await page.getByRole('textbox', { name: 'Text in messages' }).fill('no such words in any message')
    await page.waitForURL(/q=no\+such|q=no%20such/)
    await page.getByText('No match').first().waitFor()
    await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL(/\/runs$/)
    await rows.first().waitFor()
    await page.goBack()
    await page.waitForURL(/kind=manual.*q=no|q=no.*kind=manual/)
    await page.getByText('No match').first().waitFor()
    await page.goBack()
    await page.waitForURL((url) => url.searchParams.get('kind') === 'manual,api' && !url.searchParams.has('q'))
    await rowOf(page, world.seen.failed).waitFor()
    await visitor.settle()
  }))

test('runs: the chip of long runs asks for open runs by their age', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/runs')
    const chip = page.locator('.chips').getByText('Running > 1 h')
    const sent = page.waitForRequest((request) => {
      const { pathname, searchParams } = new URL(request.url())
      return pathname.endsWith('/api/v1/runs') && searchParams.get('status') === 'running' && searchParams.get('min_duration_ms') === '3600000'
    })
    await chip.click()
    await sent
    await page.waitForURL(/status=running&took=3600000/)
    await page.getByText('No match').first().waitFor()
    const { total } = await world.admin.get('/runs?status=running&min_duration_ms=3600000&limit=1')
    assert.equal(total, 0)
    await chip.click()
    await page.waitForURL(/\/runs$/)
    await visitor.settle()
  }))

test('dashboard: two days are shown by hour, of one job with its median duration; an hour opens its runs', (world) =>
  visit(world, {}, async (visitor, page) => {
    const job = world.jobs['import rates']
    // The run may be of yesterday if the tests run around midnight.
    const run = await world.admin.get(`/runs/${world.seen.failed}`)
    const begin = run.trigger_ms - (run.trigger_ms % 3600000)
    await visitor.signIn('admin', world.adminPassword, `/report?from=${begin}&to=${begin + 3600000}&group=${world.pay}&job=${job}`)
    await page.getByRole('heading', { name: 'Runs by hour' }).waitFor()
    await page.getByText('As a table').click()
    await page.getByText('Median duration').waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    const listed = async (status) => (await world.admin.get(`/runs?job=${job}&from_ms=${begin}&to_ms=${begin + 3599999}&limit=1${status && `&status=${status}`}`)).total
    const row = page.locator('details tbody tr').filter({ has: page.locator(`a[href*="from=${begin}&"]`) })
    assert.equal(await row.count(), 1)
    const [, total, succeeded, failed, running] = (await row.locator('td').allInnerTexts()).map(Number)
    assert.deepEqual([total, succeeded, failed, running], [await listed(''), await listed('succeeded'), await listed('failed'), await listed('pending,running')])
    assert.ok(failed > 0)
    await page.locator('details tbody a').last().click()
    await page.waitForURL(/\/runs\?from=\d+&to=\d+&group=\d+&job=\d+/)
    await visitor.settle()
  }))

test('jobs: the schedule in words, the last run, order by the heads of columns, and further filters', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin } = world
    const made = []
    for (const [name, conf] of [['sorted b', '0 0 4 * * ?'], ['sorted a', '0 0 5 * * ?'], ['sorted c', '0 0 3 * * ?']]) {
      const { id } = await admin.post('/jobs', { group: world.pay, name, author: 'ann', handler: 'quick', schedule: { type: 'CRON', conf }, time_zone: 'Asia/Tokyo' })
      made.push(id)
    }
    await visitor.signIn('admin', world.adminPassword, '/jobs?q=sorted')
    const names = async () => (await page.locator('main tbody tr a.name').allInnerTexts()).map((each) => each.slice(-1)).join('')
    await until(async () => (await names()) === 'cab', 'the newest job first')
    const first = rowOf(page, made[0])
    await first.getByText('At 04:00').waitFor()
    await first.getByText('Asia/Tokyo').waitFor()

    const head = page.getByRole('columnheader', { name: 'Job', exact: true })
    await head.getByRole('button').focus()
    await page.keyboard.press('Enter')
    await until(async () => (await names()) === 'abc', 'by name')
    await page.waitForURL(/sort=name/)
    assert.equal(await head.getAttribute('aria-sort'), 'ascending')
    await page.keyboard.press('Enter')
    await until(async () => (await names()) === 'cba', 'by name, descending')
    assert.equal(await head.getAttribute('aria-sort'), 'descending')
    await page.reload()
    await until(async () => (await names()) === 'cba', 'the order stays')

    await page.getByRole('button', { name: 'More filters' }).click()
    await page.goto(visitor.url('/jobs?q=sorted&type=FIX_RATE'))
    await page.getByText('No match').waitFor()
    await page.getByRole('button', { name: 'More filters (1)' }).waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])

    const { intent } = await admin.post(`/jobs/${made[1]}/trigger`, {})
    const run = await until(async () => (await admin.get(`/intents/${intent}`)).runs[0], 'a run')
    await until(async () => (await admin.get(`/runs/${run}`)).status === 'succeeded', 'its result')
    await visitor.go('/jobs?q=sorted&sort=name')
    const link = rowOf(page, made[1]).locator(`a[href$="/runs/${run}"]`)
    await link.getByText('Succeeded').waitFor()
    await visitor.settle()
    for (const id of made) await admin.ask('DELETE', `/jobs/${id}`)
  }))

test('jobs: cards of a narrow window show words and the last run, and a list chooses the order', (world) =>
  visit(world, { viewport: { width: 360, height: 740 } }, async (visitor, page) => {
    const { admin } = world
    const made = []
    for (const name of ['narrow a', 'narrow b']) made.push((await admin.post('/jobs', { group: world.pay, name, author: 'ann', handler: 'quick', schedule: { type: 'CRON', conf: '0 0 4 * * ?' } })).id)
    const { intent } = await admin.post(`/jobs/${made[0]}/trigger`, {})
    const run = await until(async () => (await admin.get(`/intents/${intent}`)).runs[0], 'a run')
    await until(async () => (await admin.get(`/runs/${run}`)).status === 'succeeded', 'its result')
    await visitor.signIn('admin', world.adminPassword, '/jobs?q=narrow&sort=name')
    const names = async () => (await page.locator('main tbody tr a.name').allInnerTexts()).map((each) => each.slice(-1)).join('')
    await until(async () => (await names()) === 'ab', 'by name')
    await page.locator('.filters').getByText('Name, A to Z').waitFor()
    await rowOf(page, made[0]).getByText('At 04:00').waitFor()
    await rowOf(page, made[0]).locator(`a[href$="/runs/${run}"]`).getByText('Succeeded').waitFor()
    await page.locator('.filters .el-select').filter({ has: page.getByLabel('Order', { exact: true }) }).click()
    await page.getByRole('option', { name: 'Name, Z to A' }).click()
    await page.waitForURL(/sort=-name/)
    await until(async () => (await names()) === 'ba', 'by name, descending')
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'the page is wider than the window')
    assert.deepEqual(await visitor.axeFindings(), [])
    await visitor.settle()
    for (const id of made) await admin.ask('DELETE', `/jobs/${id}`)
  }))

test('now: a list that cannot be read says so in its own panel; the others are shown', (world) =>
  visit(world, {}, async (visitor, page) => {
    visitor.expect(/status 400: GET .*\/runs$/)
    const failures = /\/api\/v1\/runs\?.*status=failed/
    await page.route(failures, (route) => route.fulfill({ status: 400, contentType: 'application/problem+json', body: JSON.stringify({ type: 'about:blank', title: 'Bad request', status: 400, detail: 'the log is locked' }) }))
    await visitor.signIn('admin', world.adminPassword, '/')
    const panel = page.locator('section.panel', { has: page.getByRole('heading', { name: 'Failures of the last hour' }) })
    await panel.getByText('Could not be read: the log is locked').waitFor()
    assert.equal(await panel.getByText('Nothing failed').count(), 0)
    await page.locator('section.panel', { has: page.getByRole('heading', { name: 'Next firings' }) }).locator('li').first().waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    await page.unroute(failures)
    await page.locator('main').getByRole('button', { name: 'Read again' }).click()
    await panel.getByText('Could not be read').waitFor({ state: 'detached' })
    await visitor.settle()
  }))

test('jobs: the filter by the last run leads to the failing job, and a link keeps it', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin } = world
    const made = {}
    for (const [name, handler] of [['filtered bad', 'failing'], ['filtered good', 'quick'], ['filtered idle', 'quick']])
      made[name] = world.jobs[name] = (await admin.post('/jobs', { group: world.pay, name, author: 'ann', handler })).id
    await run(world, 'filtered bad')
    await run(world, 'filtered good')
    await visitor.signIn('admin', world.adminPassword, '/jobs?q=filtered')
    const names = async () => (await page.locator('main tbody tr a.name').allInnerTexts()).sort().join()
    await until(async () => (await names()) === 'filtered bad,filtered good,filtered idle', 'all jobs')
    const select = page.locator('.filters .el-select').filter({ has: page.getByLabel('Last run', { exact: true }) })
    await select.click()
    await page.getByRole('option', { name: 'failed', exact: true }).click()
    await page.waitForURL(/last_status=failed/)
    await until(async () => (await names()) === 'filtered bad', 'the failing job')
    await page.getByRole('option', { name: 'succeeded', exact: true }).click()
    await until(async () => (await names()) === 'filtered bad,filtered good', 'two statuses')
    await page.getByRole('option', { name: 'succeeded', exact: true }).click()
    await until(async () => (await names()) === 'filtered bad', 'one status again')
    await page.keyboard.press('Escape')
    await page.reload()
    await until(async () => (await names()) === 'filtered bad', 'the link keeps the filter')
    await select.getByText('last run: failed', { exact: true }).first().waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    await page.getByRole('link', { name: 'filtered bad', exact: true }).click()
    await page.waitForURL(new RegExp(`/jobs/${made['filtered bad']}$`))
    await page.goBack()
    await page.waitForURL(/last_status=failed/)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL(/\/jobs$/)
    await visitor.settle()
    for (const id of Object.values(made)) await admin.ask('DELETE', `/jobs/${id}`)
  }))

test('log: line numbers are those of the log, and are not copied', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, `/runs/${world.seen.long}/log`)
    await page.getByText(/End of the log/).waitFor()
    const line = page.locator('.line', { hasText: `line ${longLines - 7} of` })
    await line.waitFor()
    const number = await line.locator('.number').getAttribute('data-number')
    const [found] = (await world.admin.get(`/runs/${world.seen.long}/log?from_line=${number}&max_lines=1`)).content.split('\n')
    assert.equal(await line.locator('.text').innerText(), found)
    const selected = await line.evaluate((element) => {
      document.getSelection().selectAllChildren(element)
      return String(document.getSelection())
    })
    assert.equal(selected.trim(), found)
    await visitor.settle()
  }))

test('node: one name on the pages Now and Nodes and of a run', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { id: node } = (await world.admin.get('/nodes')).items.find((each) => each.self)
    const own = await run(world, 'report')
    assert.equal((await world.admin.get(`/runs/${own}`)).node, node)
    await visitor.signIn('admin', world.adminPassword, `/runs/${own}`)
    for (const path of [`/runs/${own}`, '/', '/nodes']) {
      await page.goto(visitor.url(path))
      await page.locator('main').getByText(node, { exact: true }).first().waitFor()
    }
    await visitor.settle()
  }))

test('log: parts of one line carry its number once', (world) =>
  visit(world, {}, async (visitor, page) => {
    const own = await run(world, 'report')
    await visitor.signIn('admin', world.adminPassword, `/runs/${own}/log`)
    await page.getByText(/End of the log/).waitFor()
    await page.getByText("Times in the text are those of the executor's clock and zone").waitFor()
    const shown = await page.locator('.line .number').evaluateAll((all) => all.map((each) => each.dataset.number).filter(Boolean).map(Number))
    assert.deepEqual(shown, shown.map((_, index) => index + 1))
    assert.ok((await page.locator('.line').count()) > shown.length, 'a line has several parts')
    await visitor.settle()
  }))

test('runs: the question before runs are cleared says how many match', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, `/runs?job=${world.jobs.report}`)
    const { total } = await world.admin.get(`/runs?job=${world.jobs.report}&limit=1`)
    await page.getByRole('button', { name: 'Clear runs' }).or(page.getByRole('button', { name: /^Clear(?! filters)/ })).first().click()
    const dialog = page.locator('.el-dialog')
    await dialog.locator('.el-select').last().click()
    await page.getByRole('option', { name: /^All/ }).last().click()
    await dialog.locator('.el-button--danger').click()
    await page.locator('.el-message-box').getByText(`Runs that match now: ${total}.`).waitFor()
    await page.locator('.el-message-box').getByText('of job report').waitFor()
    await page.locator('.el-message-box').getByRole('button', { name: 'Cancel' }).click()
    await visitor.settle()
  }))

test('filters: a text that is not a time is named at its field, without a warning', (world) =>
  visit(world, {}, async (visitor, page) => {
    const warnings = []
    page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
    await visitor.signIn('admin', world.adminPassword, '/runs')
    const field = page.locator('.filters').getByLabel('From', { exact: true })
    await field.fill('yesterday noon')
    await page.keyboard.press('Enter')
    await page.getByText('"yesterday noon" is not a time').waitFor()
    await field.fill('2026-01-31 08:00:00')
    await page.keyboard.press('Enter')
    await page.waitForURL(/from=\d+/)
    assert.equal(await page.getByText('is not a time').count(), 0)
    assert.deepEqual(warnings, [])
    await visitor.settle()
  }))
