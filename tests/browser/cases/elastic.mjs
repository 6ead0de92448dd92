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

test('elastic: a viewer sees the job of their group and no action', (world) =>
  withElastic(world, once, async (own) => {
    await own.admin.post('/users', { name: 'vito', password, admin: false, rights: [{ group: own.job.group, right: 'viewer' }] })
    await visit(own, {}, async (visitor, page) => {
      await visitor.signIn('vito', password, '/elastic')
      await rowsOf(page, 'elastic').filter({ hasText: 'sum-orders' }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Run now' }).count(), 0)
      await visitor.go(`/elastic/${own.job.id}`)
      await rowsOf(page, 'elastic_items').nth(2).waitFor()
      for (const name of ['Run now', 'Disable', 'Shut down', 'Actions of item 1']) assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
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

      await visitor.go(`/elastic/${job.id}`)
      const items = rowsOf(page, 'elastic_items')
      await until(async () => (await items.filter({ hasText: 'running' }).count()) === 3, 'the page shows three running items')
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
