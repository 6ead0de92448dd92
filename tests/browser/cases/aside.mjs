import assert from 'node:assert/strict'
import { pause, until } from '../support/programs.mjs'
import { test } from '../support/runner.mjs'
import { run, silentS } from '../support/seed.mjs'
import { visit } from '../support/visitor.mjs'

test('task 4: a live log goes on after 70 s of silence, without an action', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = await run(world, 'silent check', {}, false)
    await visitor.signIn('admin', world.adminPassword)
    await until(async () => {
      if (await page.locator(`a[href$="/runs/${id}/log"]`).count()) return true
      await visitor.settle()
      return false
    }, 'the run is on the page Now')
    visitor.clicks = 0
    await page.locator('.cards a', { hasText: 'running' }).click()
    const row = page.locator(`tr[data-row="${id}"]`)
    await row.getByRole('link', { name: 'Log' }).or(row.getByRole('button', { name: 'Log' })).click()
    await page.getByText('first', { exact: true }).waitFor()
    const { clicks } = visitor
    const begin = Date.now()
    // A page that was loaded again has no such mark.
    await page.evaluate(() => (window.isSameDocument = true))
    assert.equal(await page.getByText('second', { exact: true }).count(), 0)
    await page.getByText('second', { exact: true }).waitFor({ timeout: (silentS + 30) * 1000 })
    // The way to the log is part of the silence.
    assert.ok(Date.now() - begin > (silentS - 25) * 1000, 'the job was not silent')
    await page.getByText('third', { exact: true }).waitFor({ timeout: 30000 })
    await until(async () => /End of the log/.test(await page.locator('.foot').last().innerText()), 'the log has ended')
    assert.equal(await page.evaluate(() => window.isSameDocument), true)
    assert.equal(visitor.clicks, clicks)
    assert.ok(clicks <= 4, `${clicks} clicks`)
    return `clicks: ${clicks}`
  }), { aside: true })

test('live: two tabs of one browser share one poll', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs?name=report')
    const second = await visitor.context.newPage()
    visitor.watch(second)
    await second.goto(visitor.url('/jobs?name=report'))
    await second.locator('main tbody tr').first().waitFor()
    let asked = 0
    for (const each of [page, second]) each.on('request', (request) => (asked += /\/api\/v1\/jobs\?/.test(request.url()) ? 1 : 0))
    // The page asks every 5 s: five times alone, ten times if each tab asked.
    await pause(25000)
    assert.ok(asked >= 3 && asked <= 7, `${asked} requests in 25 s`)
    for (const each of [page, second]) assert.match(await each.locator('.live').first().innerText(), /Updated \d s ago/)
    return `requests of two tabs in 25 s: ${asked}`
  }), { aside: true })

test('alarms: an alarm whose mail cannot be sent is open, and its message is listed with the reason', (world) =>
  visit(world, {}, async (visitor, page) => {
    // The mail server of the configuration refuses connections: the message is tried again for an hour.
    await visitor.signIn('admin', world.adminPassword, '/alarms')
    const open = page.getByRole('region', { name: 'Open alarms' })
    const messages = page.getByRole('region', { name: 'Last messages' })
    const { items } = await until(async () => {
      const found = await world.admin.get('/alarms/open')
      return found.items.length && found.messages.length ? found : null
    }, 'an alarm is open')
    await page.reload()
    const row = open.locator('tbody tr').first()
    await row.getByText('import rates').waitFor()
    await row.getByText('Being sent by node').waitFor()
    const told = messages.locator('tbody tr', { hasText: 'ops@example.org' }).first()
    await told.getByText(/^Not delivered, will be tried again: \S/).waitFor()
    await visitor.settle()
    await page.setViewportSize({ width: 360, height: 740 })
    await row.waitFor()
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'the page is wider than the window')
    await row.getByRole('link', { name: `${items[0].run}`, exact: true }).click()
    await page.waitForURL(new RegExp(`/runs/${items[0].run}$`))
    await visitor.settle()
  }), { aside: true })
