// The ten tasks of an operator's day. Clicks are counted, typing and keys are free.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Api } from '../support/api.mjs'
import { startExecutor, until } from '../support/programs.mjs'
import { test } from '../support/runner.mjs'
import { commands, longLines, password, run, runEnded } from '../support/seed.mjs'
import { failuresShown, night, rowIds, search } from '../support/steps.mjs'
import { visit } from '../support/visitor.mjs'

const clicksMax = 4

/** `max`: clicks that the task may take. */
function task(number, name, action, { max = clicksMax, ...options } = {}) {
  test(`task ${number}: ${name}`, (world) =>
    visit(world, options, async (visitor, page) => {
      await visitor.signIn('admin', world.adminPassword)
      visitor.clicks = 0
      await action(world, visitor, page)
      await visitor.settle()
      const { clicks } = visitor
      assert.ok(clicks <= max, `${clicks} clicks`)
      return `clicks: ${clicks}`
    }),
  )
}

task(1, 'disable a job', async (world, visitor, page) => {
  await search(page, 'report')
  await page.locator('.el-switch').click()
  await page.locator('.el-message-box').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Job report is stopped').waitFor()
  assert.equal((await world.admin.get(`/jobs/${world.jobs.report}`)).running, false)
})

/** Shows the failures of the last night; three clicks. */
async function lastNight(world, visitor, page) {
  await page.locator('nav').getByRole('link', { name: 'Runs' }).click()
  await page.locator('.chips').getByText('Last night').click()
  await page.locator('.chips').getByText('failed', { exact: true }).click()
  await page.waitForURL(/status=failed/)
  await visitor.settle()
}

task(2, 'find the failures of the last night', async (world, visitor, page) => {
  await lastNight(world, visitor, page)
  const items = await failuresShown(world, page)
  assert.ok(items.length >= 2)
  for (const reason of await page.locator('main tbody .reason').allInnerTexts()) assert.match(reason, /ended with exit code 3|Killed|not sent/i)
  await page.reload()
  await page.locator('main tbody tr').first().waitFor()
  assert.deepEqual(await rowIds(page), items.map((each) => each.id))
}, night)

task(3, 'rerun a failed run with other parameters', async (world, visitor, page) => {
  await lastNight(world, visitor, page)
  const row = page.locator('tbody tr', { hasText: 'import rates' }).first()
  await row.getByRole('button', { name: 'Run again' }).click()
  const text = page.locator('.el-dialog textarea').first()
  await text.waitFor()
  assert.equal(await text.inputValue(), 'bank=ecb')
  await text.focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('bank=fed')
  await page.keyboard.press('Control+Enter')
  const link = page.locator('.el-dialog').getByRole('link', { name: /^Run \d+$/ })
  await link.waitFor()
  const id = Number((await link.innerText()).replace(/\D/g, ''))
  assert.equal((await runEnded(world, id)).params, 'bank=fed')
}, night)

test('task 4 and 5: read a live log, and kill its run', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = await run(world, 'export ledger', {}, false)
    await visitor.signIn('admin', world.adminPassword)
    await until(async () => {
      if (await page.locator(`a[href$="/runs/${id}/log"]`).count()) return true
      await visitor.settle()
      return false
    }, 'the run is on the page Now')
    visitor.clicks = 0
    await page.locator('.cards a', { hasText: 'running' }).click()
    await page.locator(`tr[data-row="${id}"]`).getByRole('link', { name: 'Log' }).or(page.locator(`tr[data-row="${id}"]`).getByRole('button', { name: 'Log' })).click()
    const lines = async () => Number(/(\d+) lines/.exec(await page.locator('.foot').innerText())?.[1] ?? 0)
    await until(async () => (await lines()) >= 3, 'lines')
    const before = await lines()
    await until(async () => (await lines()) > before + 1, 'more lines, without an action')
    await page.getByText(`row ${before}`, { exact: true }).first().waitFor()
    const toRead = visitor.clicks
    await page.getByRole('button', { name: 'Kill' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Kill' }).click()
    const ended = await runEnded(world, id)
    assert.equal(ended.status, 'failed')
    await page.locator('.tag', { hasText: 'killed' }).first().waitFor()
    const { clicks } = visitor
    await page.getByRole('link', { name: 'Details of the run' }).click()
    await page.locator('.verdict', { hasText: 'Killed by' }).waitFor()
    assert.ok(clicks <= clicksMax, `${clicks} clicks`)
    return `clicks: task 4: ${toRead}, task 5: ${clicks}`
  }))

task(6, 'change a cron expression and check its next times', async (world, visitor, page) => {
  await page.locator('nav').getByRole('link', { name: 'Jobs', exact: true }).click()
  await page.locator('tbody tr', { hasText: 'to be edited' }).locator('a[href*="field=cron"]').click()
  const cron = page.getByRole('textbox', { name: 'Cron expression' })
  // The field has the focus: what is typed goes there.
  await until(() => cron.evaluate((field) => field === document.activeElement), 'the cron has the focus')
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('0 45 5 ? * 1')
  const id = world.jobs['to be edited']
  const { next_ms: next } = await world.admin.get(`/schedule/preview?type=CRON&conf=${encodeURIComponent('0 45 5 ? * 1')}&count=10`)
  await page.locator(`.el-drawer time[datetime="${new Date(next[0]).toISOString()}"]`).waitFor()
  const shown = await page.locator('.el-drawer .preview time').evaluateAll((times) => times.map((each) => Date.parse(each.dateTime)))
  assert.deepEqual(shown, next)
  await page.keyboard.press('Enter')
  await page.locator('.el-dialog', { hasText: '0 45 5 ? * 1' }).getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The job is saved').waitFor()
  assert.equal((await world.admin.get(`/jobs/${id}`)).schedule.conf, '0 45 5 ? * 1')
}, { max: 3 })

task(7, 'add a user with permissions in one group', async (world, visitor, page) => {
  await page.locator('nav').getByRole('link', { name: 'Users' }).click()
  await page.getByRole('button', { name: 'Add a user' }).click()
  await page.getByRole('textbox', { name: 'User name' }).last().fill('nina')
  await page.locator('.el-dialog input[type=password]').fill(password)
  await page.getByRole('radiogroup', { name: 'Payments' }).getByText('operator').click()
  await page.locator('.el-dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('User nina is saved').waitFor()
  await page.locator('tr', { hasText: 'nina' }).getByText('Payments: operator').waitFor()
  const nina = await new Api(world.server.address).signIn('nina', password)
  assert.equal((await nina.send('GET', `/jobs/${world.jobs.report}`)).status, 200)
  assert.equal((await nina.send('GET', `/jobs/${world.jobs.newsletter}`)).status, 403)
})

task(8, 'see which executors are down', async (world, visitor, page) => {
  await world.executors.mail.stop()
  await page.locator('nav').getByRole('link', { name: 'Executors' }).click()
  const row = page.locator('tr', { hasText: 'mail-worker' })
  await row.getByText('No executor is online').waitFor({ timeout: 95000 })
  await page.getByRole('table', { name: 'Late and gone executors' }).locator('tr', { hasText: 'mail-worker' }).getByText('gone', { exact: true }).waitFor()
  await page.locator('tr', { hasText: 'pay-worker' }).getByText('1 online').waitFor()
  world.executors.mail = await startExecutor(world.server, 'mail-executor-again', 'mail-worker', commands)
  await row.getByText('1 online').waitFor()
})

task(9, 'edit a script and return to its former version', async (world, visitor, page) => {
  const id = world.jobs['tidy up']
  await page.locator('nav').getByRole('link', { name: 'Jobs', exact: true }).click()
  await page.locator(`tr[data-row="${id}"]`).getByRole('link', { name: 'script', exact: true }).click()
  // The editor has the focus: what is typed goes there.
  await page.locator('.editor .cm-editor.cm-focused').waitFor()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('echo "second version"\n')
  await page.keyboard.press('Control+s')
  await page.getByText('The new version is saved').waitFor()
  const stored = await world.admin.get(`/jobs/${id}`)
  assert.match(stored.glue_source, /second version/)
  assert.equal(stored.glue_remark, 'Edited in the console')
  // Back again: one press on the version, one on "Restore".
  const { items } = await world.admin.get(`/jobs/${id}/sources?bodies=false`)
  const first = items.find((each) => each.remark === 'first version')
  await page.locator('.versions').getByRole('button', { name: `Version ${first.id} ·` }).click()
  await until(async () => (await page.getByRole('textbox', { name: 'Remark' }).inputValue()) === `Back to version ${first.id}`, 'the remark is filled in')
  await page.getByRole('button', { name: 'Restore' }).click()
  await until(async () => !/second/.test((await world.admin.get(`/jobs/${id}`)).glue_source), 'the first version is the current one')
  assert.equal((await world.admin.get(`/jobs/${id}`)).glue_remark, `Back to version ${first.id}`)
  const made = await run(world, 'tidy up')
  const { content } = await world.admin.get(`/runs/${made}/log?from_line=1`)
  assert.match(content, /first version/)
  assert.doesNotMatch(content, /second version/)
  const newest = (await world.admin.get(`/jobs/${id}/sources?bodies=false`)).items[0].id
  await visitor.settle()
  await visitor.move(`/runs/${made}`)
  await page.getByRole('link', { name: new RegExp(`^Version ${newest} of `) }).waitFor()
}, { max: 4 })

task(10, 'download a log', async (world, visitor, page) => {
  const id = world.seen.long
  await page.locator('nav').getByRole('link', { name: 'Runs' }).click()
  await page.locator(`tr[data-row="${id}"]`).getByText('Log', { exact: true }).click()
  await page.getByText(/End of the log/).waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
  const saved = readFileSync(await download.path(), 'utf8')
  const folder = join(world.executors.pay.folder, 'joblogs')
  const file = readdirSync(folder, { recursive: true }).find((each) => basename(each) === `${id}.log`)
  assert.equal(saved, readFileSync(join(folder, file), 'utf8'))
  assert.ok(saved.split('\n').length > longLines)
})
