import assert from 'node:assert/strict'
import { until } from '../support/programs.mjs'
import { test } from '../support/runner.mjs'
import { run, silentS } from '../support/seed.mjs'
import { visit } from '../support/visitor.mjs'

test('log: goes on after a long silence of its job', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = await run(world, 'silent check', {}, false)
    await visitor.signIn('admin', world.adminPassword, `/runs/${id}/log`)
    await page.getByText('first', { exact: true }).waitFor()
    const begin = Date.now()
    await page.getByText('second', { exact: true }).waitFor({ timeout: (silentS + 30) * 1000 })
    assert.ok(Date.now() - begin > 20000, 'the job was not silent')
    await page.getByText('third', { exact: true }).waitFor({ timeout: 30000 })
    await until(async () => /End of the log/.test(await page.locator('.foot').last().innerText()), 'the log has ended')
  }), { aside: true })
