// Rows, filters and pages of the lists, also at a given width of the window.
import assert from 'node:assert/strict'
import { test } from '../support/runner.mjs'
import { run } from '../support/seed.mjs'
import { until } from '../support/programs.mjs'
import { visit } from '../support/visitor.mjs'

const rowOf = (page, id) => page.locator(`tr[data-row="${id}"]`)

test('jobs and runs: a value that a filter does not have leaves the URL', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs?last_status=broken&q=import')
    await page.waitForURL((url) => url.searchParams.get('q') === 'import' && !url.searchParams.has('last_status'))
    await visitor.go('/runs?status=failed,broken')
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed')
    await visitor.settle()
  }))

test('runs: at 1440 pixels the column of executors shows host and port, and no row is wider than its list', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { address } = await world.admin.get(`/runs/${world.seen.failed}`)
    await visitor.signIn('admin', world.adminPassword, `/runs?address=${encodeURIComponent(address)}`)
    const code = rowOf(page, world.seen.failed).locator('code.address')
    await code.waitFor()
    assert.equal(await code.innerText(), address.replace(/^https?:\/\//, '').replace(/\/$/, ''))
    assert.ok(await code.evaluate((element) => element.scrollWidth <= element.clientWidth), 'the whole address is shown')
    const isWide = () => [...document.querySelectorAll('main, main *')].filter((each) => each.querySelector('table') && each.scrollWidth > each.clientWidth + 1).map((each) => each.className)
    assert.deepEqual(await page.evaluate(isWide), [])
    await visitor.settle()
  }))

test('jobs: at 1440 pixels a schedule has at most three lines, and the search says in full what it searches', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { id } = await world.admin.post('/jobs', { group: world.pay, name: 'in many words', author: 'ann', handler: 'quick', schedule: { type: 'CRON', conf: '0 0/7 8-18 ? 1-6 MON-FRI' }, time_zone: 'America/Argentina/Buenos_Aires' })
    await visitor.signIn('admin', world.adminPassword, '/jobs')
    const schedule = rowOf(page, id).locator('.schedule')
    await schedule.waitFor()
    const { lines, width } = await schedule.evaluate((element) => ({ lines: element.clientHeight / parseFloat(getComputedStyle(element).lineHeight), width: element.clientWidth }))
    assert.ok(lines < 3.5 && width >= 150, `${lines} lines, ${width} px`)
    assert.match(await schedule.getAttribute('title'), /0 0\/7 8-18 \? 1-6 MON-FRI\nAmerica\/Argentina\/Buenos_Aires$/)
    await page.locator('.filters').getByLabel('Id, name, handler, author or key').fill('')
    const isCut = () => [...document.querySelectorAll('[data-table=jobs]')].some((each) => each.scrollWidth > each.clientWidth + 1)
    assert.ok(!(await page.evaluate(isCut)), 'the table is wider than its place')
    const search = page.getByPlaceholder('Id, name, handler…')
    assert.ok(await search.evaluate((element) => element.scrollWidth <= element.clientWidth), 'the placeholder is cut')
    await visitor.settle()
    await world.admin.ask('DELETE', `/jobs/${id}`)
  }))

test('runs: a run that its executor refused is refused in its list and on its page, and found by "not sent or refused"', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin } = world
    const made = (world.jobs['without handler'] = (await admin.post('/jobs', { group: world.pay, name: 'without handler', author: 'ann', handler: 'no such handler' })).id)
    const id = await run(world, 'without handler')
    assert.equal((await admin.get(`/runs/${id}`)).reason.code, 'handler_not_found')
    await visitor.signIn('admin', world.adminPassword, `/runs?job=${made}&status=not_sent`)
    await rowOf(page, id).getByText('refused', { exact: true }).waitFor()
    await page.locator('.filters').getByText('not sent or refused').first().waitFor()
    await visitor.go(`/runs/${id}`)
    await page.locator('.verdict').getByText('The executor refused the run.').waitFor()
    await page.locator('main').getByText('refused', { exact: true }).first().waitFor()
    await visitor.settle()
    await admin.ask('DELETE', `/jobs/${made}`)
  }))

test('pages: the next and the former page begin at the top of the list', (world) =>
  visit(world, { settings: { pageSize: 10 }, viewport: { width: 1440, height: 500 } }, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs')
    const top = () => page.locator('[data-table=jobs]').evaluate((element) => element.getBoundingClientRect().top)
    for (const name of ['Next', 'Previous']) {
      const button = page.locator('.foot').getByRole('button', { name, exact: true })
      await button.scrollIntoViewIfNeeded()
      assert.ok((await top()) < 0, 'the beginning of the list is out of sight')
      await button.click()
      await until(async () => (await top()) >= 48, `the beginning of the list is shown after ${name}`)
      await visitor.settle()
    }
  }))

test('pages: Back from a row, a reload and a link show the same page; a filter and a broken cursor lead to the first one', (world) =>
  visit(world, { settings: { pageSize: 10 } }, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs')
    const ids = () => page.locator('main tbody tr').evaluateAll((rows) => rows.map((row) => row.dataset.row).join())
    const foot = page.locator('.foot')
    const button = (name) => foot.getByRole('button', { name, exact: true })
    const first = await ids()
    await button('Next').click()
    await page.waitForURL((url) => url.searchParams.get('page') === '2' && url.searchParams.has('cursor'))
    await until(async () => (await ids()) !== first, 'the second page')
    await visitor.settle()
    const second = await ids()
    const isSecond = async (how) => {
      await until(async () => (await ids()) === second, `the second page after ${how}`)
      await foot.getByText('Page 2', { exact: true }).waitFor()
    }
    await page.locator('main tbody tr a.name').first().click()
    await page.waitForURL(/\/jobs\/\d+$/)
    await visitor.settle()
    await page.goBack()
    await isSecond('Back from a row')
    await page.reload()
    await isSecond('a reload')
    await button('Previous').click()
    await until(async () => (await ids()) === first, 'the first page')
    assert.equal(new URL(page.url()).searchParams.has('cursor'), false)
    await page.goBack()
    await isSecond('Back')
    const link = visitor.path()
    await page.locator('.filters').getByLabel('Id, name, handler, author or key').fill('report')
    await page.waitForURL((url) => url.searchParams.get('q') === 'report' && !url.searchParams.has('cursor') && !url.searchParams.has('page'))
    await foot.getByText('Page 1', { exact: true }).waitFor()
    await page.goBack()
    await isSecond('Back from a filter')
    visitor.expect(/status 400: GET .*\/jobs/)
    for (const cursor of ['broken', 'p999999']) {
      await page.goto(page.url().replace(/cursor=[^&]*/, `cursor=${cursor}`))
      await page.waitForURL((url) => !url.searchParams.has('cursor'))
      await until(async () => (await ids()) === first, `the first page instead of ${cursor}`)
      await page.goto(page.url().replace(/\/jobs.*/, link.replace(/^.*\/jobs/, '/jobs')))
      await isSecond('a link')
    }
    await visitor.settle()
  }))

test('bulk: at 360 pixels the bar of actions has the width of the window, not half of it', (world) =>
  visit(world, { viewport: { width: 360, height: 740 } }, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs')
    await page.locator('main tbody input[type=checkbox]').first().check()
    const bar = page.getByRole('toolbar')
    await bar.waitFor()
    const { x, width } = await bar.boundingBox()
    assert.ok(width > 260 && x >= 0 && x + width <= 360, `${x}, ${width} px`)
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'the page is wider than the window')
    await visitor.settle()
  }))

test('runs: at 360 pixels further filters are behind a button, and the first run is in sight', (world) =>
  visit(world, { viewport: { width: 360, height: 740 } }, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/runs')
    const handler = page.locator('.filters').getByLabel('JobHandler')
    assert.equal(await handler.isVisible(), false)
    const { y } = await page.locator('main tbody tr').first().boundingBox()
    assert.ok(y < 740, `the first run is at ${y} px`)
    await page.getByRole('button', { name: 'More filters' }).click()
    await handler.waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    await visitor.settle()
  }))
