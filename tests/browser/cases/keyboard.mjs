// Tasks of an operator's day without a pointer.
import assert from 'node:assert/strict'
import { until } from '../support/programs.mjs'
import { test } from '../support/runner.mjs'
import { failuresShown, night, rowIds, search, tabTo } from '../support/steps.mjs'
import { visit } from '../support/visitor.mjs'

function taskByKeys(number, name, action, options = {}) {
  test(`task ${number} by keyboard: ${name}`, (world) =>
    visit(world, options, async (visitor, page) => {
      await visitor.signIn('admin', world.adminPassword)
      await action(world, visitor, page)
      await visitor.settle()
      assert.equal(visitor.clicks, 0)
    }),
  )
}

/** Adds a started job with this cron, and returns its id. */
async function addJob({ admin, pay }, name, conf) {
  const { id } = await admin.post('/jobs', { group: pay, name, author: 'ann', handler: 'quick', schedule: { type: 'CRON', conf } })
  await admin.post(`/jobs/${id}/start`)
  return id
}

taskByKeys(1, 'disable a job', async (world, visitor, page) => {
  const id = await addJob(world, 'stopped by keys', '0 0 4 1 1 ?')
  await search(page, 'stopped by keys')
  await page.getByRole('combobox', { name: 'Search' }).waitFor({ state: 'hidden' })
  await page.locator('.el-switch').waitFor()
  await page.keyboard.press('s')
  await page.locator('.el-message-box').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Job stopped by keys is stopped').waitFor()
  assert.equal((await world.admin.get(`/jobs/${id}`)).running, false)
  // The page reads its job again by itself.
  await visitor.move('/help')
  await world.admin.ask('DELETE', `/jobs/${id}`)
})

taskByKeys(2, 'find the failures of the last night', async (world, visitor, page) => {
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.waitForURL(/\/console\/runs$/)
  await visitor.settle()
  const chip = (name) => page.locator('.chips').getByRole('button', { name, exact: true })
  await tabTo(page, chip('Last night'))
  await page.keyboard.press('Enter')
  await page.waitForURL(/from=\d+/)
  await tabTo(page, chip('failed'))
  await page.keyboard.press('Enter')
  await page.waitForURL(/status=failed/)
  await visitor.settle()
  const items = await failuresShown(world, page)
  assert.ok(items.length >= 1)
  // The rows are reached, and one is opened, by keys.
  const [first] = await rowIds(page)
  await page.keyboard.press('j')
  await page.locator(`tr[data-row="${first}"]:focus`).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/runs/${first}$`))
  await page.locator('.verdict').waitFor()
}, night)

taskByKeys(6, 'change a cron expression and check its next times', async (world, visitor, page) => {
  const conf = '0 45 5 ? * 1'
  const id = await addJob(world, 'changed by keys', '0 0 4 1 1 ?')
  await search(page, 'changed by keys')
  await page.getByRole('combobox', { name: 'Search' }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await page.keyboard.press('e')
  const cron = page.getByRole('textbox', { name: 'Cron expression' })
  await cron.waitFor()
  await tabTo(page, cron)
  await page.keyboard.press('Control+a')
  // The server may be asked for a cron that is typed in part.
  visitor.expect(/status 400: GET .*\/schedule\/preview/)
  await page.keyboard.type(conf)
  const { next_ms: next } = await world.admin.get(`/schedule/preview?type=CRON&conf=${encodeURIComponent(conf)}&count=10`)
  const shown = () => page.locator('.el-drawer .preview time').evaluateAll((times) => times.map((each) => Date.parse(each.dateTime)))
  await until(async () => String(await shown()) === String(next), 'the next times are those of the server')
  await tabTo(page, page.locator('.el-drawer').getByRole('button', { name: 'Save' }))
  await page.keyboard.press('Enter')
  const save = page.locator('.el-dialog', { hasText: conf }).getByRole('button', { name: 'Save', exact: true })
  await save.waitFor()
  await tabTo(page, save)
  await page.keyboard.press('Enter')
  await page.getByText('The job is saved').waitFor()
  assert.equal((await world.admin.get(`/jobs/${id}`)).schedule.conf, conf)
  // The edit began on the page of the job.
  await page.waitForURL(new RegExp(`/jobs/${id}$`))
  await visitor.settle()
  // The page reads its job again by itself.
  await visitor.move('/help')
  await world.admin.ask('DELETE', `/jobs/${id}`)
})

test('keyboard: the menu of a job opens at its first entry, and Escape leads back to its button', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs?name=report')
    const button = page.locator(`tr[data-row="${world.jobs.report}"]`).getByRole('button', { name: /^More actions on / })
    const isFocused = (place) => place.evaluate((element) => element === document.activeElement)
    for (const key of ['Enter', 'Space', 'ArrowDown']) {
      await tabTo(page, button)
      assert.deepEqual([await button.getAttribute('aria-haspopup'), await button.getAttribute('aria-expanded')], ['menu', 'false'])
      await page.keyboard.press(key)
      const menu = page.getByRole('menu', { name: /^More actions on / }).filter({ visible: true })
      await until(() => menu.getByRole('menuitem').first().evaluate((element) => element === document.activeElement), 'the first entry has the focus')
      assert.equal(await button.getAttribute('aria-expanded'), 'true')
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'hidden' })
      await until(() => isFocused(button), 'the button has the focus again')
      // The next round reaches the button from before.
      await page.locator('#main').focus()
    }
    assert.equal(visitor.clicks, 0)
  }))

test('keyboard: the dialog of a menu entry returns the focus to the button of the menu', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = await addJob(world, 'stopped by its menu', '0 0 4 1 1 ?')
    await visitor.signIn('admin', world.adminPassword, '/jobs?name=stopped by its menu')
    const row = page.locator(`tr[data-row="${id}"]`)
    const button = row.getByRole('button', { name: /^More actions on / })
    const box = page.locator('.el-message-box').filter({ visible: true })
    for (const key of ['Escape', 'Enter']) {
      await tabTo(page, button)
      await page.keyboard.press('Enter')
      const entry = page.getByRole('menuitem', { name: 'Stop', exact: true }).filter({ visible: true })
      await entry.waitFor()
      for (let presses = 0; presses < 12 && !(await entry.evaluate((element) => element === document.activeElement)); presses += 1) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await until(() => box.getByRole('button', { name: 'Stop', exact: true }).evaluate((element) => element === document.activeElement), 'the dialog has the focus')
      // Nothing is under way before the confirmation.
      assert.equal(await row.getByText('stopping').count(), 0)
      await page.keyboard.press(key)
      await box.waitFor({ state: 'hidden' })
      await until(() => button.evaluate((element) => element === document.activeElement), `the button has the focus again after ${key}`)
    }
    await page.getByText('Job stopped by its menu is stopped').waitFor()
    assert.equal((await world.admin.get(`/jobs/${id}`)).running, false)
    assert.equal(visitor.clicks, 0)
    await visitor.settle()
    await visitor.move('/help')
    await world.admin.ask('DELETE', `/jobs/${id}`)
  }))

test('keyboard: the search takes each key after "/", and opens again at once after Escape', (world) =>
  visit(world, { reducedMotion: 'no-preference' }, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/help')
    const input = page.getByRole('combobox', { name: 'Search' })
    // Nothing is awaited between the keys: the dialog opens meanwhile.
    await page.keyboard.type('/nightly')
    await until(async () => (await input.inputValue()).endsWith('ly'), 'the text')
    assert.equal(await input.inputValue(), 'nightly')
    await page.keyboard.press('Escape')
    await page.keyboard.type('/rates')
    await input.waitFor()
    await until(async () => (await input.inputValue()) === 'rates', 'the new text alone')
    assert.equal(await input.evaluate((field) => field === document.activeElement), true)
    await page.keyboard.press('Escape')
    await input.waitFor({ state: 'detached' })
    await visitor.settle()
  }))
