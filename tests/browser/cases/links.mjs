// Cases about links to pages, and about states of pages in their addresses.
import assert from 'node:assert/strict'
import { until } from '../support/programs.mjs'
import { test } from '../support/runner.mjs'
import { run } from '../support/seed.mjs'
import { visit } from '../support/visitor.mjs'

const withCtrl = { modifiers: ['ControlOrMeta'] }

/** Does what opens a new tab, checks the tab's path, and that this page stays. */
async function opensTab(visitor, path, action) {
  const before = visitor.path()
  const [tab] = await Promise.all([visitor.context.waitForEvent('page'), action()])
  await tab.waitForURL(path)
  await tab.locator('nav').waitFor()
  await tab.close()
  assert.equal(visitor.path(), before)
}

test('links: with Ctrl, a figure, a failure, an entry of a menu and a row open in new tabs', (world) =>
  visit(world, {}, async (visitor, page) => {
    await run(world, 'import rates')
    await visitor.signIn('admin', world.adminPassword)
    await opensTab(visitor, /\/console\/jobs$/, () => page.locator('.cards a[href$="/console/jobs"]').click(withCtrl))
    // The whole entry is a link, also where its reason stands.
    const entry = page.locator('ul.entries li', { hasText: 'import rates' }).filter({ has: page.locator('a.one[href*="/runs/"]') }).first()
    await entry.waitFor()
    const { height } = await entry.boundingBox()
    const reason = entry.locator('.reason')
    assert.equal(await reason.getAttribute('title'), await reason.textContent())
    const place = { position: { x: 40, y: height - 10 } }
    await opensTab(visitor, /\/console\/runs\/\d+$/, () => entry.click({ ...place, ...withCtrl }))
    await entry.click(place)
    await page.waitForURL(/\/console\/runs\/\d+$/)
    await visitor.move('/jobs?name=report')
    await page.locator(`tr[data-row="${world.jobs.report}"] .el-dropdown button`).click()
    const menu = page.getByRole('menu').filter({ visible: true })
    await menu.waitFor()
    await opensTab(visitor, new RegExp(`/console/runs\\?job=${world.jobs.report}$`), () => menu.getByText('Query log').click(withCtrl))
    await menu.waitFor({ state: 'hidden' })
    await page.keyboard.press('j')
    await page.locator('main tbody tr:focus').waitFor()
    await opensTab(visitor, /\/console\/jobs\/\d+$/, () => page.keyboard.press('ControlOrMeta+Enter'))
    await visitor.settle()
  }))

test('job: the zoom of the timeline is in the address; Back and a copied link restore it', (world) =>
  visit(world, {}, async (visitor, page) => {
    const path = `/console/jobs/${world.jobs['poll inbox']}`
    await visitor.signIn('admin', world.adminPassword, path.replace('/console', ''))
    const heading = page.locator('section', { has: page.locator('.strip') }).locator('h2')
    const zoomIn = page.getByRole('button', { name: 'Zoom in (+)' })
    await heading.getByText('Last 24 hours and next times').waitFor()
    assert.equal(visitor.path(), path)
    await zoomIn.click()
    await page.waitForURL(/\/jobs\/\d+\?from=\d+&to=\d+$/)
    await visitor.settle()
    const link = page.url()
    const near = await heading.innerText()
    assert.doesNotMatch(near, /Last 24 hours/)
    await zoomIn.click()
    await page.waitForURL((url) => url.href !== link)
    await until(async () => (await heading.innerText()) !== near, 'a shorter time')
    await page.goBack()
    await page.waitForURL((url) => url.href === link)
    await until(async () => (await heading.innerText()) === near, 'the time before')
    await page.goBack()
    await page.waitForURL(/\/jobs\/\d+$/)
    await heading.getByText('Last 24 hours and next times').waitFor()
    await visitor.settle()
    await page.goto(link)
    await until(async () => (await heading.count()) === 1 && (await heading.innerText()) === near, 'the time of the link')
    await page.getByRole('button', { name: 'Last 24 hours' }).click()
    await page.waitForURL(/\/jobs\/\d+$/)
    await visitor.settle()
  }))

test('forecast: the rows of the heat map are in the address, unless they are the usual ones', (world) =>
  visit(world, {}, async (visitor, page) => {
    await world.admin.post(`/jobs/${world.jobs['poll inbox']}/start`).catch(() => undefined)
    await visitor.signIn('admin', world.adminPassword, '/forecast')
    const isChosen = (name) => page.getByRole('radio', { name, exact: true }).isChecked()
    await page.getByText('By weekday', { exact: true }).click()
    await page.waitForURL(/\/forecast\?by=weekday$/)
    await page.reload()
    await page.getByText('By weekday', { exact: true }).waitFor()
    assert.ok(await isChosen('By weekday'))
    await page.getByText('By day', { exact: true }).click()
    await page.waitForURL(/\/forecast$/)
    await page.goBack()
    await page.waitForURL(/\/forecast\?by=weekday$/)
    await until(() => isChosen('By weekday'), 'the rows before')
    await visitor.settle()
  }))
