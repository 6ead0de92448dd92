import assert from 'node:assert/strict'
import { until } from '../support/programs.mjs'
import { password, run, users } from '../support/seed.mjs'
import { test } from '../support/runner.mjs'
import { visit } from '../support/visitor.mjs'
import { pagesOf } from '../support/sights.mjs'

const languages = { en: 'Jobs', 'zh-CN': '任务管理', 'zh-TW': '任務管理' }
const roles = { admin: 'admin', viewer: users.viewer, operator: users.operator }

/** Opens each page; axe looks at all of them in one language, and in the others at those that differ most. */
async function openPages(world, visitor, { admin, all }) {
  const findings = []
  for (const { name, path, needsAdmin } of pagesOf(world)) {
    if (needsAdmin && !admin) continue
    await (all ? visitor.go(path) : visitor.move(path))
    const seen = await visitor.page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - window.innerWidth,
      texts: document.body.innerText,
    }))
    if (seen.wide > 0) findings.push(`${path} is ${seen.wide} px wider than the window`)
    // Keys of texts that a language lacks.
    assert.doesNotMatch(seen.texts, /\b(?:jobs|runs|run|menu|frame|form|job|now|users|executors|elastic)\.(?!toml\b)[a-z_]+\b(?!\.)/, path)
    visitor.checkFaults(path)
    if (all || ['jobs', 'run', 'edit'].includes(name)) for (const each of await visitor.axeFindings()) findings.push(`${path} ${each}`)
  }
  assert.deepEqual(findings, [])
}

const views = [['admin', 'en'], ['admin', 'zh-CN'], ['admin', 'zh-TW'], ['viewer', 'en'], ['operator', 'zh-CN'], ['viewer', 'zh-TW']]

for (const [role, language] of views) {
  const [name, jobs] = [roles[role], languages[language]]
  test(`pages: each opens for ${role} in ${language}`, (world) =>
    visit(world, { settings: { language, theme: role === 'operator' ? 'dark' : 'light' } }, async (visitor, page) => {
      const admin = role === 'admin'
      await visitor.signIn(name, admin ? world.adminPassword : password)
      await page.getByRole('link', { name: jobs, exact: true }).first().waitFor()
      assert.equal(await page.evaluate(() => document.documentElement.lang), language)
      await openPages(world, visitor, { admin, all: language === 'en' })
    }))
}

test('pages: each fits a window of 360 pixels, in the dark theme', (world) =>
  visit(world, { settings: { theme: 'dark' }, viewport: { width: 360, height: 740 } }, async (visitor) => {
    await visitor.signIn('admin', world.adminPassword)
    await openPages(world, visitor, { admin: true, all: true })
  }))

test('pages: a viewer sees no action that is not permitted, and a link there names the missing permission', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn(users.viewer, password, '/jobs')
    const menu = await page.locator('nav').innerText()
    for (const entry of ['Users', 'Audit log', 'Declared files']) assert.ok(!menu.includes(entry), entry)
    assert.equal(await page.getByRole('button', { name: 'Run once' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Add a job' }).count(), 0)
    assert.ok(!(await page.locator('table').innerText()).includes('newsletter'), 'a job of another group is shown')
    await page.goto(visitor.url('/users'))
    await page.getByText('You need the permission of an administrator').waitFor()
    const save = page.locator('.el-drawer').getByRole('button', { name: 'Save', exact: true })
    await visitor.go(`/jobs/${world.jobs.report}/edit`)
    await page.getByText('You need the permission editor in Payments').waitFor()
    assert.equal(await save.count(), 0)
    const foreignRun = await run(world, 'newsletter')
    visitor.expect(/status 40[34]: GET .*\/(jobs\/\d+|runs\/\d+|runs)$/)
    await page.goto(visitor.url(`/jobs/${world.jobs.newsletter}/edit`))
    await page.getByText('You need the permission editor in a group').waitFor()
    assert.deepEqual([await save.count(), await page.locator('.el-drawer form').count()], [0, 0])
    for (const path of [`/jobs/${world.jobs.newsletter}`, `/runs/${foreignRun}`]) {
      await page.goto(visitor.url(path))
      await page.getByText('You need the permission viewer in a group').waitFor()
      assert.ok(!(await page.locator('main').innerText()).includes('needs the permission'))
    }
  }))

test('pages: language and theme are chosen on the page and remembered, also in another browser', async (world) => {
  // A user of this case alone: the settings are those of the user in every browser.
  await world.admin.post('/users', { name: 'sofia', password, admin: false, rights: [{ group: world.pay, right: 'viewer' }] })
  await visit(world, {}, async (visitor, page) => {
    await visitor.signIn('sofia', password)
    await page.getByLabel('Language, theme, time zone').click()
    await page.locator('.el-popover .el-select').nth(0).click()
    await page.getByRole('option', { name: '简体中文' }).click()
    await page.getByRole('link', { name: '任务管理' }).first().waitFor()
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT' && /"dark"/.test(answer.request().postData() ?? ''))
    await page.locator('.el-popover .el-select').nth(1).click()
    await page.getByRole('option', { name: '深色' }).click()
    await page.locator('html.dark').waitFor()
    assert.equal((await saved).status(), 204)
    await page.reload()
    await page.getByRole('link', { name: '任务管理' }).first().waitFor()
    assert.ok(await page.evaluate(() => document.documentElement.classList.contains('dark')))
    await visitor.settle()
  })
  await visit(world, {}, async (visitor, page) => {
    await visitor.signIn('sofia', password)
    await page.getByRole('link', { name: '任务管理' }).first().waitFor()
    await page.locator('html.dark').waitFor()
  })
})

test('pages: keys open pages, search, help and rows', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword)
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.waitForURL(/\/console\/runs$/)
    await visitor.settle()
    await page.keyboard.press('j')
    await page.keyboard.press('l')
    await page.waitForURL(/\/runs\/\d+\/log$/)
    await page.keyboard.press('?')
    await page.getByText('Search everything').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Search everything').waitFor({ state: 'hidden' })
    await page.keyboard.press('g')
    await page.keyboard.press('j')
    await page.waitForURL(/\/console\/jobs$/)
    await visitor.settle()
    assert.equal(visitor.clicks, 0)
  }))

test('pages: old bookmarks lead to the new pages, with and without /xxl-job-admin', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword)
    const { jobs, pay } = world
    const { items } = await world.admin.get(`/runs?job=${jobs['long log']}&limit=1`)
    const ways = {
      '/': '/',
      '/index': '/',
      '/dashboard': '/',
      '/jobinfo': '/jobs',
      [`/jobinfo?jobGroup=${pay}`]: `/jobs?group=${pay}`,
      [`/joblog?jobId=${jobs.report}`]: `/runs?job=${jobs.report}`,
      '/joblog?jobId=0': '/runs',
      [`/joblog?jobGroup=${pay}`]: `/runs?group=${pay}`,
      [`/joblog/logDetailPage?id=${items[0].id}`]: `/runs/${items[0].id}/log`,
      [`/jobcode?jobId=${jobs['tidy up']}`]: `/jobs/${jobs['tidy up']}/script`,
      '/jobgroup': '/executors',
      '/user': '/users',
      '/help': '/help',
      '/toLogin': '/sign-in',
      '/auth/login': '/sign-in',
    }
    for (const prefix of ['', '/xxl-job-admin'])
      // The prefix is handled in one place: some of the ways show it.
      for (const [former, now] of Object.entries(ways).filter((_, index) => !prefix || index % 3 === 2)) {
        await page.goto(world.server.address + prefix + former)
        await visitor.settle()
        assert.equal(visitor.path(), `${prefix}/console${now}`, former)
      }
  }))

test('pages: the console below /xxl-job-admin stays there', (world) =>
  visit(world, { prefix: '/xxl-job-admin' }, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword)
    for (const [link, path] of [['Jobs', '/jobs'], ['Runs', '/runs'], ['Executors', '/executors'], ['Users', '/users']]) {
      await page.locator('nav').getByRole('link', { name: link, exact: true }).click()
      await visitor.settle()
      assert.equal(visitor.path(), `/xxl-job-admin/console${path}`)
    }
    await visitor.go(`/runs/1/log`)
    await page.locator('[role=log]').waitFor()
  }))

test('pages: a path that does not exist says so', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/no/such/page')
    await page.getByText('This page does not exist').waitFor()
  }))

test('job: the timeline shows the runs of a day, is moved through by arrows, and opens a run', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['import rates']
    const { items } = await world.admin.get(`/runs?job=${id}&limit=500`)
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}`)
    const strip = page.getByRole('group', { name: /^Runs on a time axis/ })
    await strip.locator('a').first().waitFor()
    const bars = await strip.locator('a').evaluateAll((links) => links.map((link) => Number(link.dataset.run)))
    assert.ok(bars.length > 0 && bars.every((run) => items.some((each) => each.id === run)))
    await strip.locator('.failed').first().waitFor()
    assert.ok((await strip.locator('.tick.future').count()) >= 5, 'ticks of the next times: every half hour')
    assert.deepEqual(await visitor.axeFindings(), [])
    await strip.locator('a[tabindex="0"]').focus()
    await page.keyboard.press('Home')
    assert.equal(await page.evaluate(() => Number(document.activeElement?.dataset.run)), bars[0])
    await page.getByText('As a table').first().click()
    await page.locator('details table tbody tr', { hasText: 'planned' }).first().waitFor()
    await strip.locator(`[data-run="${bars[0]}"]`).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/runs/${bars[0]}$`))
    await visitor.settle()
  }))

test('now: figures, throughput, lateness, load and grouped failures; an unchanged answer keeps them', (world) =>
  visit(world, {}, async (visitor, page) => {
    await run(world, 'import rates')
    const polls = []
    page.on('response', (response) => new URL(response.url()).pathname.endsWith('/api/v1/now') && polls.push(response.status()))
    await visitor.signIn('admin', world.adminPassword)
    await page.getByRole('heading', { name: 'Firings per second' }).waitFor()
    assert.equal(await page.locator('.cards a').count(), 6)
    const { jobs, executors_online: executors } = await world.admin.get('/now')
    const card = (path, value, name) => page.locator(`.cards a[href$="/console${path}"]`).filter({ hasText: new RegExp(`^\\s*${value}\\s*${name}\\s*$`) })
    await card('/jobs', jobs, 'jobs').waitFor()
    await card('/executors', executors, executors === 1 ? 'executor online' : 'executors online').waitFor()
    await page.getByText('As a table, by minute').click()
    await page.locator('details table tbody tr').first().waitFor()
    await page.locator('table.histogram').or(page.getByText('No run was sent in the last 15 minutes.')).waitFor()
    for (const text of ['Fast lane', 'Slow lane', '256 slots']) await page.getByText(text, { exact: true }).waitFor()
    const failures = page.getByRole('link', { name: /^Failed \d+ times$/ }).first()
    await failures.waitFor()
    await until(() => polls.length >= 3, 'polls without an action')
    assert.ok(polls.every((status) => status === 200 || status === 304), polls.join(' '))
    const again = await until(() => page.evaluate(async () => {
      const ask = (tag) => fetch(`${location.pathname.split('/console')[0]}/api/v1/now`, { cache: 'no-store', headers: tag ? { 'If-None-Match': tag } : {} })
      const first = await ask()
      return (await ask(first.headers.get('ETag'))).status === 304 ? first.headers.get('Content-Encoding') : null
    }), 'an answer that the page has already')
    assert.equal(again, 'gzip')
    assert.deepEqual(await visitor.axeFindings(), [])
    await failures.click()
    await page.waitForURL(/\/runs\?status=failed&job=\d+/)
    await visitor.go('/nodes')
    const node = page.locator('table tbody tr').first()
    await node.getByText('256', { exact: true }).waitFor()
    await node.locator('time').first().waitFor()
  }))

test('now: a viewer sees the counts of own groups', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn(users.viewer, password)
    const { total } = await world.admin.get(`/jobs?group=${world.pay}&limit=1`)
    await page.locator('.cards a', { hasText: /jobs/ }).filter({ hasText: new RegExp(`^\\s*${total}\\s*jobs`) }).waitFor()
    await page.getByRole('heading', { name: 'Lateness' }).waitFor()
  }))

test('search: jobs, runs, groups and users are found by their names and digits, also on a phone', async (world) => {
  const run = world.seen.failed
  for (const width of [1440, 360])
    await visit(world, { viewport: { width, height: 800 } }, async (visitor, page) => {
      await visitor.signIn('admin', world.adminPassword, '/help')
      const open = async (text) => {
        await page.getByRole('button', { name: 'Search' }).click()
        await page.locator('[role=combobox]:focus').waitFor()
        await page.keyboard.type(text)
      }
      await open('import ra')
      await page.getByRole('option', { name: 'import rates' }).waitFor()
      assert.deepEqual(await visitor.axeFindings(), [])
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      assert.ok(wide <= 0, `${width}: ${wide} px too wide`)
      await page.keyboard.press('Enter')
      await page.waitForURL(new RegExp(`/jobs/${world.jobs['import rates']}$`))
      await visitor.settle()
      await open(String(run))
      await page.getByRole('option', { name: `Run ${run}` }).first().waitFor()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type('edda')
      await page.getByRole('option', { name: 'edda' }).waitFor()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type('mail-wor')
      await page.getByRole('option', { name: 'Mail & newsletters' }).waitFor()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type('no such thing')
      await page.getByRole('status').getByText('Nothing found').waitFor()
      await page.keyboard.press('Escape')
    })
  await visit(world, {}, async (visitor, page) => {
    await visitor.signIn(users.viewer, password, '/help')
    await page.keyboard.press('/')
    await page.locator('[role=combobox]:focus').waitFor()
    await page.keyboard.type('newsletter')
    await page.getByRole('status').getByText('Nothing found').waitFor()
  })
})

test('job: the timeline is zoomed by keys and buttons, and shows edits', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['poll inbox']
    const marks = () => page.locator('.strip .hour').allTextContents()
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}`)
    const strip = page.locator('.strip')
    await strip.locator('.tick').first().waitFor()
    assert.ok((await strip.locator('.edit').count()) >= 2, 'the job was added and started')
    const day = await marks()
    for (let presses = 0; presses < 4; presses += 1) {
      await page.getByRole('button', { name: 'Zoom in (+)' }).click()
      await visitor.settle()
    }
    const near = await marks()
    assert.notDeepEqual(near, day)
    assert.deepEqual(await visitor.axeFindings(), [])
    const focus = strip.locator('a[tabindex="0"]')
    await ((await focus.count()) ? focus.first() : strip).focus()
    await page.keyboard.press('-')
    await visitor.settle()
    await until(async () => (await marks()).join() !== near.join(), 'the axis has other marks')
    await page.getByRole('button', { name: 'Last 24 hours' }).click()
    await visitor.settle()
    await page.getByRole('heading', { name: 'Last 24 hours and next times' }).waitFor()
    await page.getByText('As a table').first().click()
    await page.locator('details table tbody tr', { hasText: 'Edit by admin: start' }).first().waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
  }))
test('account: settings of the user: start page, refresh interval and keys', async (world) => {
  await world.admin.post('/users', { name: 'selma', password, admin: false, rights: [{ group: world.pay, right: 'viewer' }] })
  await visit(world, {}, async (visitor, page) => {
    await visitor.signIn('selma', password, '/me')
    const form = page.locator('.settings')
    assert.deepEqual(await visitor.axeFindings(), [])
    await form.locator('.el-select').nth(3).click()
    await page.getByRole('option', { name: 'Runs', exact: true }).click()
    await form.locator('.el-select').nth(4).click()
    await page.getByRole('option', { name: 'Every 60 s' }).click()
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT' && /"keys":false/.test(answer.request().postData() ?? ''))
    await form.getByText('Single keys are shortcuts').click()
    assert.deepEqual(JSON.parse((await saved).request().postData()), { language: null, zone: 'viewer', theme: 'auto', start_page: '/runs', refresh_s: 60, keys: false })
    await visitor.settle()
  })
  await visit(world, {}, async (visitor, page) => {
    await visitor.signIn('selma', password)
    await page.waitForURL(/\/console\/runs$/)
    await visitor.settle()
    await page.keyboard.press('g')
    await page.keyboard.press('j')
    await visitor.settle()
    assert.equal(visitor.path(), '/console/runs')
  })
})

test('pages: the badge of a demo fits a window of 360 pixels in each language', async (world) => {
  for (const language of Object.keys(languages))
    await visit(world, { settings: { language }, viewport: { width: 360, height: 740 } }, async (visitor, page) => {
      await page.route(/\/api\/v1\/about$/, async (route) => {
        const answer = await route.fetch()
        await route.fulfill({ response: answer, json: { ...(await answer.json()), demo: true } })
      })
      await visitor.signIn('admin', world.adminPassword)
      await page.locator('header .demo').waitFor()
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), language)
      await visitor.settle()
    })
})
