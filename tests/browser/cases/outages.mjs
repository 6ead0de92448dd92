import assert from 'node:assert/strict'
import { pause, until } from '../support/programs.mjs'
import { test } from '../support/runner.mjs'
import { visit } from '../support/visitor.mjs'

test('outage: for 20 seconds the page says that the server is gone, keeps what is typed, and goes on by itself', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['to be edited']
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}/edit`)
    const author = page.locator('.el-drawer').getByLabel('Author', { exact: true })
    await author.fill('typed before the outage')
    const save = async () => {
      await page.locator('.el-drawer').getByRole('button', { name: 'Save' }).click()
      await page.locator('.el-dialog').getByRole('button', { name: 'Save', exact: true }).click()
    }
    const other = await visitor.context.newPage()
    visitor.watch(other)
    await other.goto(visitor.url('/nodes'))
    await other.locator('table').waitFor()
    visitor.expect(/request failed: .*ERR_(CONNECTION|EMPTY|SOCKET)/)
    visitor.expect(/status 503: /)
    await world.server.stop()
    const stoppedMs = Date.now()
    for (const each of [page, other]) await each.getByText('The server does not answer. Nothing that you typed is lost.').waitFor({ timeout: 30000 })
    await save()
    await page.getByText('The server does not answer', { exact: true }).first().waitFor()
    await pause(Math.max(0, 20000 - (Date.now() - stoppedMs)))
    await world.server.start()
    for (const each of [page, other]) await each.locator('.banner').waitFor({ state: 'detached', timeout: 30000 })
    assert.equal(await author.inputValue(), 'typed before the outage')
    // Edits are not sent again without the user.
    assert.notEqual((await world.admin.get(`/jobs/${id}`)).author, 'typed before the outage')
    await save()
    await page.getByText('The job is saved').waitFor()
    assert.equal((await world.admin.get(`/jobs/${id}`)).author, 'typed before the outage')
    await until(async () => /alive/.test(await other.locator('table').innerText()), 'the node is alive again')
    await pause(500)
  }), { alone: true })

test('outage: a manual run that is asked for meanwhile begins once', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin, pay } = world
    const { id } = await admin.post('/jobs', { group: pay, name: 'asked for in an outage', author: 'ann', handler: 'quick' })
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}`)
    await page.getByRole('button', { name: 'Run once' }).click()
    const dialog = page.locator('.el-dialog')
    await dialog.locator('textarea').first().waitFor()
    await visitor.settle()
    const keys = []
    page.on('request', (request) => request.url().endsWith(`/jobs/${id}/trigger`) && keys.push(request.headers()['idempotency-key']))
    visitor.expect(/request failed: .*ERR_(CONNECTION|EMPTY|SOCKET)/)
    visitor.expect(/status 503: /)
    await world.server.stop()
    await dialog.getByRole('button', { name: 'Run', exact: true }).click()
    await until(() => keys.length >= 2, 'the request is repeated')
    await world.server.start()
    await dialog.getByRole('link', { name: /^Run \d+$/ }).waitFor({ timeout: 45000 })
    assert.equal(new Set(keys).size, 1, 'the repetitions have the key of the first request')
    assert.equal((await admin.get(`/runs?job=${id}&limit=10`)).items.length, 1)
    await page.locator('.banner').waitFor({ state: 'detached', timeout: 30000 })
    await pause(500)
  }), { alone: true })
