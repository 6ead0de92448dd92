import assert from 'node:assert/strict'
import { capacity, withElastic } from '../support/elastic.mjs'
import { until } from '../support/programs.mjs'
import { test } from '../support/runner.mjs'
import { password } from '../support/seed.mjs'
import { visit } from '../support/visitor.mjs'

const rowsOf = (page, table) => page.locator(`[data-table=${table}] tbody tr`)
const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)
const once = { cron: '0 0 3 1 1 ?', item: 'north' }

async function confirm(page, action) {
  await page.locator('.el-message-box').getByRole('button', { name: action, exact: true }).click()
}

test('elastic: without a job the page says how to declare one', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword)
    await page.locator('nav').getByRole('link', { name: 'Elastic jobs', exact: true }).click()
    await page.getByText('[[elastic_job]]').waitFor()
    await page.locator('main').getByRole('link', { name: 'Hosts', exact: true }).first().click()
    await page.waitForURL(/\/elastic\/hosts$/)
    await page.getByText('No host is up.').waitFor()
    await visitor.settle()
  }))

test('elastic: a job without hosts is filtered, found, disabled, undone and run', (world) =>
  withElastic(world, once, (own) =>
    visit(own, {}, async (visitor, page) => {
      const { admin, job } = own
      const statusOf = async () => (await admin.get(`/elastic/jobs/${job.id}`)).status
      await visitor.signIn('admin', own.adminPassword, '/elastic')
      const row = rowsOf(page, 'elastic').filter({ hasText: 'sum-orders' })
      await row.getByText('3 items').waitFor()
      await row.getByText('enabled', { exact: true }).waitFor()
      assert.deepEqual(await visitor.axeFindings(), [])
      await page.getByRole('textbox', { name: 'Part of the name' }).fill('no such')
      await page.waitForURL(/\/elastic\?name=no(\+|%20)such$/)
      await row.waitFor({ state: 'detached' })
      await page.goBack()
      await row.waitFor()
      await visitor.settle()

      // The focus is in the filter, where / is text.
      await page.getByRole('button', { name: 'Search' }).click()
      await page.locator('[role=combobox]:focus').waitFor()
      await page.keyboard.type('sum-or')
      await page.getByRole('option', { name: 'sum-orders' }).click()
      await page.waitForURL(new RegExp(`/elastic/${job.id}$`))
      const items = rowsOf(page, 'elastic_items')
      await items.nth(2).getByText('north', { exact: true }).waitFor()
      assert.equal(await items.count(), 3)
      await rowsOf(page, 'elastic_plan').getByText('no host is up').waitFor()
      await visitor.settle()
      assert.deepEqual(await visitor.axeFindings(), [])

      const isItemDisabled = async () => (await admin.get(`/elastic/jobs/${job.id}/items`)).items[1].disabled
      await items.nth(1).getByRole('button', { name: 'Actions of item 1' }).click()
      await page.getByRole('menuitem', { name: 'Disable the item' }).click()
      await items.nth(1).getByText('disabled', { exact: true }).waitFor()
      assert.equal(await isItemDisabled(), true)
      await page.getByRole('button', { name: 'Undo' }).click()
      await items.nth(1).getByText('disabled', { exact: true }).waitFor({ state: 'detached' })
      assert.equal(await isItemDisabled(), false)

      await page.getByRole('button', { name: 'Disable', exact: true }).click()
      await confirm(page, 'Disable')
      await page.locator('main').getByRole('button', { name: 'Enable', exact: true }).waitFor()
      assert.equal(await statusOf(), 'disabled')
      await page.getByRole('button', { name: 'Undo' }).last().click()
      await page.locator('main').getByRole('button', { name: 'Disable', exact: true }).waitFor()
      assert.equal(await statusOf(), 'enabled')

      await page.getByRole('button', { name: 'Drain', exact: true }).click()
      await confirm(page, 'Drain')
      await page.locator('main').getByText('draining', { exact: true }).waitFor()
      assert.equal(await statusOf(), 'draining')
      await page.getByRole('button', { name: 'Restart', exact: true }).click()
      await confirm(page, 'Restart')
      await page.locator('main').getByRole('button', { name: 'Disable', exact: true }).waitFor()
      assert.equal(await statusOf(), 'enabled')

      await page.getByRole('button', { name: 'Run now', exact: true }).click()
      const dialog = page.locator('.el-dialog')
      await dialog.getByText('Another job parameter for this run').click()
      await dialog.locator('textarea').fill('week')
      assert.deepEqual(await visitor.axeFindings(), [])
      await dialog.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByText('The request is stored.').waitFor()
      await dialog.waitFor({ state: 'detached' })
      await page.locator('main details summary').click()
      await rowsOf(page, 'changes').filter({ hasText: 'run once' }).first().waitFor()
      await visitor.settle()
      await page.setViewportSize({ width: 360, height: 740 })
      await until(() => fits(page), 'the page fits the window')
    }),
  ))

test('elastic: an editor adds, changes, copies and deletes a job; a declared one belongs to its file', (world) =>
  withElastic(world, once, (own) =>
    visit(own, { permissions: ['clipboard-read', 'clipboard-write'] }, async (visitor, page) => {
      const { admin, job } = own
      const drawer = page.locator('.el-drawer')
      const field = (label) => drawer.getByLabel(label, { exact: true })
      const save = () => drawer.getByRole('button', { name: 'Save', exact: true }).click()
      const named = async (name) => (await admin.get(`/elastic/jobs?name=${encodeURIComponent(name)}`)).items
      await visitor.signIn('admin', own.adminPassword, `/elastic?group=${job.group}`)
      await page.getByRole('button', { name: 'Add an elastic job' }).click()
      await drawer.locator('form').waitFor()
      await page.locator('.el-drawer form input:focus').waitFor()
      await save()
      await drawer.getByText('Required').first().waitFor()
      await field('Name').fill('totals')
      await field('Handler').fill('work')
      await field('Number of items').fill('2')
      await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 0 4 1 1 ?')
      await drawer.locator('.preview time').first().waitFor()
      const pairs = drawer.getByRole('group', { name: 'Parameters of the items' })
      await pairs.getByRole('button', { name: 'Add', exact: true }).click()
      await pairs.getByLabel('Parameter', { exact: true }).fill('north, west')
      await drawer.getByText('Takeover if a host is lost').click()
      await drawer.getByRole('button', { name: 'Show the plan' }).click()
      await drawer.getByText('no host is up').waitFor()
      await visitor.settle()
      assert.deepEqual(await visitor.axeFindings(), [])
      await save()
      await page.waitForURL(/\/elastic\/\d+$/)
      const [made] = await named('totals')
      const stored = await admin.get(`/elastic/jobs/${made.id}`)
      assert.deepEqual([stored.total, stored.options.failover, JSON.parse(stored.options.item_params)], [2, true, { 0: 'north, west' }])
      await rowsOf(page, 'elastic_items').nth(0).getByText('north, west').waitFor()

      await page.locator('main').getByRole('button', { name: 'Edit', exact: true }).click()
      await drawer.locator('form').waitFor()
      await field('Number of items').fill('4')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Escape')
      await page.getByText('Discard the changes').waitFor()
      await page.locator('.el-message-box').getByRole('button', { name: 'Cancel' }).click()
      await save()
      await page.getByText('The elastic job is saved').waitFor()
      await drawer.waitFor({ state: 'detached' })
      await rowsOf(page, 'elastic_items').nth(3).waitFor()

      await page.locator('main').locator('button', { hasText: /^Copy$/ }).click()
      await drawer.locator('form').waitFor()
      assert.equal(await field('Name').inputValue(), 'totals (copy)')
      visitor.expect(/status 409: POST .*\/elastic\/jobs/)
      await field('Name').fill('totals')
      await save()
      await drawer.locator('.is-error').getByText('there is an elastic job totals already').waitFor()
      await field('Name').fill('totals 2')
      await save()
      await page.getByRole('heading', { name: 'totals 2' }).waitFor()
      await page.locator('main').getByRole('button', { name: 'Delete', exact: true }).click()
      await confirm(page, 'Delete')
      await page.waitForURL(/\/elastic$/)
      assert.equal((await named('totals')).length, 1)

      await visitor.go(`/elastic/${job.id}`)
      await page.locator('main').getByRole('button', { name: 'Copy as TOML', exact: true }).click()
      await page.getByText('The declaration is copied').waitFor()
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^\[\[elastic_job\]\]\ngroup = "shard-worker"\nname = "sum-orders"\n/)
      assert.equal(await page.locator('main').getByRole('button', { name: 'Delete', exact: true }).count(), 0)
      await page.locator('main').getByRole('button', { name: 'Edit', exact: true }).click()
      await drawer.getByText('This object comes from the source deploy').waitFor()
      assert.ok(await drawer.getByRole('button', { name: 'Save', exact: true }).isDisabled())
      await visitor.settle()
    }),
  ))

test('elastic: a viewer sees the job of their group and no action', (world) =>
  withElastic(world, once, async (own) => {
    await own.admin.post('/users', { name: 'vito', password, admin: false, rights: [{ group: own.job.group, right: 'viewer' }] })
    await visit(own, {}, async (visitor, page) => {
      await visitor.signIn('vito', password, '/elastic')
      await rowsOf(page, 'elastic').filter({ hasText: 'sum-orders' }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Run now' }).count(), 0)
      await visitor.go(`/elastic/${own.job.id}`)
      await rowsOf(page, 'elastic_items').nth(2).waitFor()
      for (const name of ['Run now', 'Disable', 'Drain', 'Restart', 'Shut down', 'Actions of item 1']) assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
      assert.equal(await page.locator('main details').count(), 0)
    })
  }))

test('elastic: hosts, running items, the plan if a host leaves, and a takeover are shown live', (world) =>
  withElastic(world, { cron: '* * * * * ?', item: 'ms=60000', hosts: ['east', 'west'] }, (own) =>
    visit(own, {}, async (visitor, page) => {
      const { admin, job, programs } = own
      const hosts = await until(async () => {
        const { items } = await admin.get('/elastic/hosts')
        return items.length === 2 && items.every((each) => each.state === 'up') ? items : null
      }, 'both hosts are up')
      await until(async () => (await admin.get('/elastic/jobs')).items[0].items.running === 3, 'all items run')
      const [lost, other] = hosts.sort((a, b) => Number(b.labels === 'zone-east') - Number(a.labels === 'zone-east'))

      await visitor.signIn('admin', own.adminPassword, '/elastic')
      await rowsOf(page, 'elastic').getByText('3 running').waitFor()
      await page.locator('main').getByRole('link', { name: 'Hosts', exact: true }).click()
      await rowsOf(page, 'elastic_hosts').nth(1).waitFor()
      for (const { id, running } of (await admin.get('/elastic/hosts')).items) {
        const row = rowsOf(page, 'elastic_hosts').filter({ hasText: id })
        await row.getByText(`${running} / ${capacity}`).waitFor()
        await row.getByText('up', { exact: true }).waitFor()
      }
      assert.deepEqual(await visitor.axeFindings(), [])
      const lostRow = rowsOf(page, 'elastic_hosts').filter({ hasText: lost.id })
      const orderHost = async (action) => {
        await lostRow.getByRole('button', { name: `Actions of host ${lost.id}` }).click()
        await page.getByRole('menuitem', { name: action, exact: true }).click()
      }
      await orderHost('Disable')
      await confirm(page, 'Disable')
      await lostRow.getByText('disabled', { exact: true }).waitFor()
      await orderHost('Enable')
      await lostRow.getByText('disabled', { exact: true }).waitFor({ state: 'detached' })

      await visitor.go(`/elastic/${job.id}`)
      const items = rowsOf(page, 'elastic_items')
      await until(async () => (await items.filter({ hasText: 'running' }).count()) === 3, 'the page shows three running items')
      const run = async () => (await admin.get(`/elastic/jobs/${job.id}/items`)).items[0].run
      const cancelled = await run()
      await items.nth(0).getByRole('button', { name: 'Actions of item 0' }).click()
      await page.getByRole('menuitem', { name: 'Cancel the run' }).click()
      await confirm(page, 'Cancel the run')
      await until(async () => ![cancelled, null].includes(await run()), 'the next run of the item')
      await until(async () => (await items.filter({ hasText: 'running' }).count()) === 3, 'three items run again')
      const plan = page.locator('section', { has: page.locator('[data-table=elastic_plan]') }).last()
      await plan.locator('.el-select').click()
      await page.getByRole('option', { name: `Plan if ${lost.id} leaves`, exact: true }).click()
      await page.waitForURL(/\?without=/)
      const all = rowsOf(page, 'elastic_plan').filter({ hasText: other.id })
      await all.getByText('0-2', { exact: true }).waitFor()
      await all.getByText(/^\+[12]$/).waitFor()
      await visitor.settle()
      assert.deepEqual(await visitor.axeFindings(), [])

      // The host may leave between two requests of the page.
      visitor.expect(/status 404: GET .*\/plan$/)
      programs.east.child.kill('SIGKILL')
      await items.getByText('takeover', { exact: true }).first().waitFor({ timeout: 30000 })
      await until(async () => (await items.filter({ hasText: other.id }).count()) === 3, 'all items run on the other host')
      await page.getByText(`${lost.id} is not up`).waitFor({ timeout: 30000 })
      await visitor.settle()
    }),
  ))

test('elastic: the history has a timeline by item, and filters in the address', (world) =>
  withElastic(world, { cron: '* * * * * ?', item: 'ms=100', hosts: ['east'] }, (own) =>
    visit(own, {}, async (visitor, page) => {
      const { admin, job } = own
      const finished = async () => (await admin.get(`/elastic/jobs/${job.id}/history?state=finished`)).items
      await until(async () => new Set((await finished()).map((each) => each.item)).size === 3, 'each item has run')
      await visitor.signIn('admin', own.adminPassword, `/elastic/${job.id}`)
      await page.locator('main').getByRole('link', { name: 'History', exact: true }).click()
      await page.waitForURL(/\/history$/)
      const rows = rowsOf(page, 'elastic_history')
      await rows.filter({ hasText: 'Finished' }).first().waitFor()
      await until(async () => (await page.locator('.lane').count()) === 3, 'a row of the timeline for each item')
      await visitor.settle()
      assert.deepEqual(await visitor.axeFindings(), [])

      await page.locator('main').getByRole('spinbutton', { name: 'Item' }).fill('1')
      await page.keyboard.press('Tab')
      await page.waitForURL(/\?item=1$/)
      await until(async () => (await page.locator('.lane').count()) === 1, 'only the row of item 1')
      const bar = page.locator('[data-item="1"] button').first()
      const run = await bar.getAttribute('data-run')
      await bar.focus()
      await page.keyboard.press('Enter')
      await page.locator(`[data-table=elastic_history] [data-row="${run}"]:focus`).waitFor()
      await page.reload()
      await rows.first().waitFor()
      await until(async () => (await page.locator('.lane').count()) === 1, 'the filter of the address')
      await rows.first().getByRole('link', { name: '1', exact: true }).click()
      await page.waitForURL(/items_cursor=p1/)
      await rowsOf(page, 'elastic_items').nth(1).waitFor()
      await page.goBack()
      await rows.first().waitFor()
      await page.setViewportSize({ width: 360, height: 740 })
      await until(() => fits(page), 'the page fits the window')
    }),
  ))

test('elastic: a script job is edited, and its command line stays unchanged', (world) =>
  withElastic(world, once, (own) =>
    visit(own, {}, async (visitor, page) => {
      const { admin, job } = own
      const { id } = await admin.post('/elastic/jobs', { group: job.group, name: 'pack-orders', type: 'script', handler: 'SCRIPT', total: 2, props: { 'script.command.line': 'pack.sh -v' } })
      await visitor.signIn('admin', own.adminPassword, `/elastic/${id}`)
      await page.locator('main').getByRole('button', { name: 'Edit', exact: true }).click()
      const drawer = page.locator('.el-drawer')
      const line = drawer.locator('textarea[aria-label="Command line"]')
      await line.waitFor()
      assert.equal(await line.inputValue(), 'pack.sh -v')
      assert.equal(await drawer.locator('[aria-label="Handler"]').count(), 0)
      await drawer.locator('.el-form-item', { hasText: 'Error handler' }).locator('.el-select').click()
      await page.getByRole('option', { name: 'EMAIL', exact: true }).click()
      await drawer.locator('input[aria-label="Recipients"]').waitFor()
      assert.deepEqual(await visitor.axeFindings(), [])
      await drawer.getByRole('button', { name: 'Save', exact: true }).click()
      await drawer.getByText('Required').waitFor()
      await drawer.locator('input[aria-label="Recipients"]').fill('ops@example.org')
      await drawer.getByRole('button', { name: 'Save', exact: true }).click()
      await drawer.waitFor({ state: 'detached' })
      const stored = await admin.get(`/elastic/jobs/${id}`)
      assert.equal(stored.options.error_handler, 'EMAIL')
      assert.deepEqual(stored.props, { 'email.to': 'ops@example.org', 'script.command.line': 'pack.sh -v' })
      await page.locator('main').getByText('EMAIL', { exact: true }).waitFor()
      await visitor.settle()
    }),
  ))
