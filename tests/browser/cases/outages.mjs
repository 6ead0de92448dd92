import assert from 'node:assert/strict'
import { pause, until } from '../support/programs.mjs'
import { test } from '../support/runner.mjs'
import { visit } from '../support/visitor.mjs'

test('outage: the page says that the server is gone, keeps what is typed, and goes on by itself', (world) =>
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
    for (const each of [page, other]) await each.getByText('The server does not answer. Nothing that you typed is lost.').waitFor({ timeout: 30000 })
    await save()
    await page.getByText('The server does not answer', { exact: true }).first().waitFor()
    await pause(3000)
    await world.server.start()
    for (const each of [page, other]) await each.locator('.banner').waitFor({ state: 'detached', timeout: 30000 })
    assert.equal(await author.inputValue(), 'typed before the outage')
    await save()
    await page.getByText('The job is saved').waitFor()
    assert.equal((await world.admin.get(`/jobs/${id}`)).author, 'typed before the outage')
    await until(async () => /alive/.test(await other.locator('table').innerText()), 'the node is alive again')
    await pause(500)
  }), { alone: true })
