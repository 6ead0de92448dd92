import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Api } from '../support/api.mjs'
import { Server, startExecutor, until } from '../support/programs.mjs'
import { test } from '../support/runner.mjs'
import { password, run, runEnded, users } from '../support/seed.mjs'
import { visit } from '../support/visitor.mjs'

const drawerField = (page, label) => page.locator('.el-drawer').getByLabel(label, { exact: true })
const save = (page) => page.locator('.el-drawer').getByRole('button', { name: 'Save' }).click()
/** Saves an edit of a job, after a look at what it changes. */
async function saveEdit(page) {
  await save(page)
  await page.locator('.el-dialog').getByRole('button', { name: 'Save', exact: true }).click()
}

test('edit: an editor adds a job in the drawer, runs it, and reads its log', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn(users.editor, password, '/jobs')
    await page.getByRole('button', { name: 'Add a job' }).click()
    await page.locator('.el-drawer form').waitFor()
    await save(page)
    await page.getByText('Required').first().waitFor()
    await drawerField(page, 'Name').fill('first own job')
    await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 4 * * *')
    await page.getByText('five fields').waitFor()
    visitor.expect(/status 400: GET .*\/schedule\/preview/)
    await page.getByRole('button', { name: 'Put 0 seconds in front' }).click()
    await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 0 4 * * ?')
    await page.locator('.el-drawer .preview time').first().waitFor()
    await drawerField(page, 'JobHandler').fill('quick')
    await drawerField(page, 'Parameters').fill('own parameters')
    assert.deepEqual(await visitor.axeFindings(), [])
    await save(page)
    await page.waitForURL(/\/jobs\/\d+$/)
    await page.getByRole('button', { name: 'Run once' }).click()
    await page.locator('.el-dialog').getByRole('button', { name: 'Run', exact: true }).click()
    await page.locator('.el-dialog').getByRole('link', { name: /^Run \d+$/ }).click()
    await page.getByText('batch 10 of own parameters').first().waitFor()
    await page.locator('.verdict.succeeded').waitFor()
    await visitor.settle()
  }))

test('edit: the cron generator and the text follow each other', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs/new')
    const cron = page.getByRole('textbox', { name: 'Cron expression' })
    await cron.fill('0 0 4 * * ?')
    await page.getByRole('button', { name: 'Generator' }).click()
    await page.locator('.el-tabs__item', { hasText: 'Weekday' }).click()
    await page.locator('.modes').getByText('Nth weekday').click()
    assert.equal(await cron.inputValue(), '0 0 4 ? * 2#1')
    await page.locator('.cron').getByText('Monday to Friday 08:00').click()
    assert.equal(await cron.inputValue(), '0 0 8 ? * 2-6')
    visitor.expect(/status 400: GET .*\/schedule\/preview/)
    await cron.fill('0 0 x * * ?')
    await page.locator('.preview [role=alert]').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Discard the changes').waitFor()
    await page.locator('.el-message-box').getByRole('button', { name: 'Discard' }).click()
    await page.locator('.el-drawer').waitFor({ state: 'hidden' })
    await visitor.settle()
  }))

test('edit: two editors of one job: the second one sees both changes and merges them', (world) =>
  visit(world, {}, async (one, page) => {
    const id = world.jobs['two editors']
    await one.signIn('admin', world.adminPassword, `/jobs/${id}/edit`)
    await drawerField(page, 'Name').waitFor()
    await visit(world, {}, async (two, other) => {
      await two.signIn(users.editor, password, `/jobs/${id}/edit`)
      await drawerField(other, 'Author').fill('edda')
      await drawerField(other, 'Parameters').fill('a=2')
      await saveEdit(other)
      await other.getByText('The job is saved').waitFor()
      await two.settle()
    })
    one.expect(/status 412: PUT/)
    await drawerField(page, 'Parameters').fill('a=3')
    await drawerField(page, 'Purpose').fill('typed by the first')
    await saveEdit(page)
    await page.getByText('The job was changed meanwhile').waitFor()
    assert.deepEqual(await one.axeFindings(), [])
    const rows = page.locator('table.conflict tbody tr')
    await rows.first().waitFor()
    assert.equal(await rows.count(), 3)
    assert.match(await page.locator('table.conflict').innerText(), /a=1[\s\S]*a=2[\s\S]*a=3/)
    await page.getByText('Another user changed this job').waitFor()
    // One side of each field is marked; the choice moves the mark.
    const saved = () => page.locator('table.conflict .saved').allInnerTexts()
    assert.equal((await saved()).length, 3)
    assert.ok((await saved()).some((text) => /a=2[\s\S]*will be saved/.test(text)))
    await page.locator('table.conflict').getByText('a=3').click()
    assert.ok((await saved()).some((text) => /a=3[\s\S]*will be saved/.test(text)))
    await page.getByRole('button', { name: 'Merge and save' }).click()
    await page.getByText('The job is saved').waitFor()
    const { author, params, description } = await world.admin.get(`/jobs/${id}`)
    assert.deepEqual({ author, params, description }, { author: 'edda', params: 'a=3', description: 'typed by the first' })
    await one.settle()
  }))

test('edit: a session that ends during an edit is renewed on the page, and the edit is saved', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['two editors']
    await visitor.signIn(users.editor, password, `/jobs/${id}/edit`)
    await drawerField(page, 'Author').fill('after the session')
    // The session ends in another tab.
    const answer = await page.evaluate(async () => {
      const { csrf_token: token } = await (await fetch('/api/v1/session')).json()
      return (await fetch('/api/v1/session', { method: 'DELETE', headers: { 'X-CSRF-Token': token } })).status
    })
    assert.equal(answer, 204)
    visitor.expect(/status 401: /)
    await saveEdit(page)
    await page.getByText('Your session has ended').waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    await page.locator('.el-dialog input[name=password]').fill(password)
    await page.keyboard.press('Enter')
    await page.getByText('The job is saved').waitFor()
    assert.equal((await world.admin.get(`/jobs/${id}`)).author, 'after the session')
    await visitor.settle()
  }))

test('edit: a declared job names its source and cannot be changed', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { items } = await world.admin.get('/jobs?name=Settle&limit=1')
    await visitor.signIn('admin', world.adminPassword, `/jobs/${items[0].id}/edit`)
    await page.getByText('This object comes from the source deploy').waitFor()
    assert.ok(await page.locator('.el-drawer').getByRole('button', { name: 'Save' }).isDisabled())
  }))

test('edit: a draft outlives a reload of the page', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['two editors']
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}/edit`)
    await drawerField(page, 'Purpose').fill('typed before the reload')
    await page.reload()
    await page.getByText('What you typed before is restored').waitFor()
    assert.equal(await drawerField(page, 'Purpose').inputValue(), 'typed before the reload')
  }))

test('bulk: stop several jobs, with the reason of each failure', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs?name=to')
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    await page.locator('.bulk').getByRole('button', { name: 'Stop' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Stop' }).click()
    await page.getByText(/\d+ of \d+ stopped/).first().waitFor()
    await visitor.settle()
    const { items } = await world.admin.get('/jobs?name=to&limit=50')
    assert.ok(items.length > 0 && items.every((each) => !each.running))
  }))

test('filters: they are in the URL, and Back undoes them', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/jobs')
    const count = () => page.locator('main tbody tr').count()
    const all = await count()
    await page.locator('.filters').getByLabel('Id, name, handler, author or key').fill('newsletter')
    await page.waitForURL(/q=newsletter/)
    await until(async () => (await count()) === 1, 'one row')
    await page.goBack()
    await until(async () => (await count()) === all, 'all rows')
    assert.equal(await page.locator('.filters').getByLabel('Id, name, handler, author or key').inputValue(), '')
    await visitor.settle()
  }))

test('executors: a group is added, changed and deleted; the addresses of a group are shown', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/executors')
    await page.getByRole('button', { name: 'Add a group' }).click()
    const dialog = page.locator('.el-dialog')
    await dialog.getByLabel('AppName').fill('stock-worker')
    await dialog.getByLabel('Title').fill('Stock')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const row = page.locator('tr', { hasText: 'stock-worker' })
    await row.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Title').fill('Stock of goods')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Stock of goods').waitFor()
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'hidden' })
    await page.locator('tr', { hasText: 'pay-worker' }).getByRole('button', { name: '1 online' }).click()
    await dialog.getByText(/http:\/\/127\.0\.0\.1:\d+\//).waitFor()
    await visitor.settle()
  }))

test('keys: an API key is shown once and can be deleted', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn(users.viewer, password, '/keys')
    await page.getByRole('button', { name: 'Create an API key' }).first().click()
    await page.locator('.el-dialog').getByLabel('Name').fill('laptop')
    await page.locator('.el-dialog').getByRole('button', { name: 'Create an API key' }).click()
    await page.getByText('Copy the key now').waitFor()
    const key = /rmk_\S+/.exec(await page.locator('.el-dialog').innerText())[0]
    const answer = await fetch(`${world.server.address}/api/v1/session`, { headers: { Authorization: `Bearer ${key}` } })
    assert.equal((await answer.json()).name, users.viewer)
    await page.locator('.el-dialog').getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.locator('tr', { hasText: 'laptop' }).getByRole('button', { name: 'Delete' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('API key laptop is deleted').waitFor()
    await visitor.settle()
  }))

test('sessions: another one is ended by its user, and an administrator sees all', (world) =>
  visit(world, {}, async (visitor, page) => {
    const signIn = () => fetch(`${world.server.address}/api/v1/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: users.viewer, password }),
    })
    const cookieOf = (answer) => answer.headers.get('set-cookie').split(';')[0]
    const statusWith = async (cookie) => (await fetch(`${world.server.address}/api/v1/session`, { headers: { Cookie: cookie } })).status
    const others = [cookieOf(await signIn()), cookieOf(await signIn())]
    await visitor.signIn(users.viewer, password, '/me')
    const table = page.locator('.sessions')
    await table.getByText('this browser').waitFor()
    await table.getByRole('button', { name: 'Sign out', exact: true }).first().click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('Sessions ended: 1').waitFor()
    assert.deepEqual((await Promise.all(others.map(statusWith))).sort(), [200, 401])
    await table.getByRole('button', { name: 'Sign out all others' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Sign out all others' }).click()
    await page.locator('.sessions tbody tr').nth(1).waitFor({ state: 'detached' })
    assert.deepEqual(await Promise.all(others.map(statusWith)), [401, 401])
    await visitor.settle()
    const { items } = await world.admin.get('/sessions')
    assert.ok(items.some((each) => each.user_name === users.viewer))
  }))

test('alarms: a test of a channel shows why its message was not delivered', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/alarms')
    const row = page.locator('tr', { hasText: '127.0.0.1:9' })
    await row.getByRole('button', { name: 'Test' }).click()
    await row.getByText(/^Not delivered: \S/).waitFor()
    visitor.expect(/status 429: POST .*\/alarms\/channels\/mail\/test$/)
    await row.getByRole('button', { name: 'Test' }).click()
    await row.getByText('try again in').waitFor()
    await visitor.settle()
  }))

test('declared files: a dropped file is checked first, then applied', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/declared')
    const text = '[[group]]\napp_name = "file-worker"\n\n[[job]]\ngroup = "file-worker"\nkey = "hello"\nhandler = "quick"\n'
    await page.locator('input[type=file]').setInputFiles({ name: 'extra.toml', mimeType: 'text/plain', buffer: Buffer.from(text) })
    await page.getByText('Changes that would be made: 2').waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Changes made: 2').waitFor()
    visitor.expect(/status 400: POST .*\/apply/)
    await page.locator('input[type=file]').setInputFiles({ name: 'bad.toml', mimeType: 'text/plain', buffer: Buffer.from('[[job]]\nkey = 1\n') })
    await page.locator('main [role=alert]').waitFor()
    await page.getByText(/bad\.toml:\d+/).first().waitFor()
  }))

test('audit: a change has its user, and the value before and after', (world) =>
  visit(world, {}, async (visitor, page) => {
    await world.admin.post(`/jobs/${world.jobs['to Tokyo']}/stop`).catch(() => undefined)
    await visitor.signIn('admin', world.adminPassword, '/audit')
    await page.locator('main tbody tr', { hasText: 'admin' }).first().waitFor()
    await page.locator('main tbody tr', { hasText: 'edda' }).filter({ has: page.locator('ins') }).first().waitFor()
  }))

test('edit: before an edit is saved, a dialog shows each changed field before and after', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['two editors']
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}/edit`)
    await drawerField(page, 'Purpose').fill('seen before it was saved')
    await save(page)
    const table = page.locator('.el-dialog table.conflict')
    await table.waitFor()
    assert.equal(await table.locator('tbody tr').count(), 1)
    assert.match(await table.innerText(), /Purpose[\s\S]*seen before it was saved/)
    assert.deepEqual(await visitor.axeFindings(), [])
    // The way back keeps what was typed.
    await page.getByRole('button', { name: 'Back to the form' }).click()
    assert.equal(await drawerField(page, 'Purpose').inputValue(), 'seen before it was saved')
    await saveEdit(page)
    await page.getByText('The job is saved').waitFor()
    assert.equal((await world.admin.get(`/jobs/${id}`)).description, 'seen before it was saved')
    await visitor.settle()
  }))

test('edit: two editors of one script: the second one sees both versions and decides', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['tidy up']
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}/script`)
    await page.locator('.editor .cm-content').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('echo "mine"\n')
    const before = (await world.admin.get(`/jobs/${id}`)).glue_source
    await world.admin.ask('PUT', `/jobs/${id}/source`, { source: '#!/bin/bash\necho "theirs"\n', remark: 'of the other user' })
    visitor.expect(/status 412: PUT .*\/source$/)
    await page.getByRole('textbox', { name: 'Remark' }).fill('my own version')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.locator('.el-dialog')
    await dialog.locator('.look .cm-content', { hasText: 'mine' }).first().waitFor()
    await dialog.getByText('You saved a version in another window').waitFor()
    await dialog.locator('.look .cm-content', { hasText: 'theirs' }).first().waitFor()
    await dialog.getByText(/Now · admin · .* · of the other user/).waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    assert.match((await world.admin.get(`/jobs/${id}`)).glue_source, /theirs/)
    await dialog.getByRole('button', { name: 'Save mine' }).click()
    await page.getByText('The new version is saved').waitFor()
    assert.match((await world.admin.get(`/jobs/${id}`)).glue_source, /mine/)
    await world.admin.ask('PUT', `/jobs/${id}/source`, { source: before, remark: 'as before the test' })
    await visitor.settle()
  }))

test('undo: a stop is undone from its notice, for one job and for many', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin, jobs } = world
    await admin.post(`/jobs/${jobs.newsletter}/start`).catch(() => undefined)
    const isOn = async () => (await admin.get(`/jobs/${jobs.newsletter}`)).running
    await visitor.signIn('admin', world.adminPassword, `/jobs/${jobs.newsletter}`)
    await page.locator('.el-switch').click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Job newsletter is stopped').waitFor()
    assert.equal(await isOn(), false)
    await page.locator('.el-message').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Job newsletter is started').waitFor()
    assert.equal(await isOn(), true)
    await visitor.move('/jobs')
    await page.locator('.filters').getByLabel('Id, name, handler, author or key').fill('newsletter')
    await until(async () => (await page.locator('main tbody tr').count()) === 1, 'one row')
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    await page.locator('.bulk').getByRole('button', { name: 'Stop' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Stop' }).click()
    await page.locator('.el-message.with-undo').waitFor()
    assert.equal(await isOn(), false)
    await page.keyboard.press('u')
    await until(isOn, 'the job is started again')
    await visitor.settle()
  }))

test('declared files: sources show their objects, and whether the files of the server differ', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin } = world
    await admin.post('/apply', { source: 'elsewhere', files: [{ name: 'elsewhere.toml', text: '[[group]]\napp_name = "elsewhere-worker"\n' }] })
    await visitor.signIn('admin', world.adminPassword, '/declared')
    const row = (source) => page.locator('main tbody tr', { hasText: source }).first()
    await row('deploy').getByText('Groups: 2, jobs: 3, alarms: 0').waitFor()
    await row('deploy').getByText('jobs.toml').waitFor()
    const drift = await admin.get('/declared/deploy/drift')
    const different = drift.changes.filter((each) => each.kind !== 'unchanged').length + drift.warnings.length
    await row('deploy').getByText(different ? `${different} differences` : 'No difference').waitFor()
    await row('elsewhere').getByText('The files are not on this server.').waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    const chosen = page.waitForEvent('filechooser')
    await row('elsewhere').getByRole('button', { name: 'Compare files' }).click()
    await (await chosen).setFiles({ name: 'elsewhere.toml', mimeType: 'text/plain', buffer: Buffer.from('[[group]]\napp_name = "elsewhere-worker"\ntitle = "Renamed"\n') })
    await page.getByText('Changes that would be made: 1').waitFor()
    await page.getByText('title: "elsewhere-worker" -> "Renamed"').waitFor()
    await visitor.settle()
  }))

test('jobs: a viewer copies a job as TOML', (world) =>
  visit(world, { permissions: ['clipboard-read', 'clipboard-write'] }, async (visitor, page) => {
    await visitor.signIn(users.viewer, password, `/jobs/${world.jobs['import rates']}`)
    await page.getByRole('button', { name: 'Copy as TOML' }).click()
    await page.getByText('The declaration is copied').waitFor()
    const text = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(text, /\[\[job\]\]\ngroup = "pay-worker"\nkey = "import-rates"\nname = "import rates"\n/)
    assert.match(text, /schedule = \{ cron = "0 0\/30 \* \* \* \?" \}/)
    assert.match(text, /params = "bank=ecb"/)
    await visitor.settle()
  }))

test('script: the texts of versions are read when they are used', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['tidy up']
    const asked = []
    page.on('request', (request) => request.url().includes(`/jobs/${id}/sources`) && asked.push(new URL(request.url()).pathname + new URL(request.url()).search))
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}/script`)
    await page.locator('.editor .cm-content').waitFor()
    assert.deepEqual(asked, [`/api/v1/jobs/${id}/sources?bodies=false`])
    const { items } = await world.admin.get(`/jobs/${id}/sources?bodies=false`)
    const first = items.at(-1)
    assert.equal(first.source, null)
    await page.locator('.versions').getByRole('button', { name: `Version ${first.id} ·` }).click()
    await page.locator('.editor .cm-content').nth(1).waitFor()
    assert.deepEqual(asked.slice(1), [`/api/v1/jobs/${id}/sources/${first.id}`])
    await visitor.settle()
  }))

test('changes: viewers see who changed a job, before and after', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['tidy up']
    const { glue_source: source } = await world.admin.get(`/jobs/${id}`)
    await world.admin.ask('PUT', `/jobs/${id}/source`, { source, remark: 'from "a" to "b"' })
    await visitor.signIn(users.viewer, password, `/jobs/${id}`)
    await page.locator('summary', { hasText: 'Changes' }).click()
    const row = page.locator('details tbody tr').first()
    await row.locator('ins', { hasText: 'from "a" to "b"' }).waitFor()
    assert.match(await row.innerText(), /admin/)
    assert.deepEqual(await visitor.axeFindings(), [])
    // Those that the server has, or that there is none.
    const { items } = await world.admin.get(`/groups/${world.pay}/changes?limit=100`)
    const title = await world.admin.get(`/groups/${world.pay}`).then((group) => group.title)
    await visitor.move('/executors')
    await page.locator('main tbody tr', { hasText: title }).first().getByRole('button', { name: 'Changes' }).click()
    const changes = page.locator('.el-dialog', { hasText: `${title}: Changes` })
    if (items.length) {
      await changes.locator('tbody tr').first().waitFor()
      assert.equal(await changes.locator('tbody tr').count(), Math.min(items.length, 50))
      const first = await changes.locator('tbody tr').first().innerText()
      assert.ok(first.includes(items[0].user_name), first)
    } else await changes.getByText('No change was recorded', { exact: true }).waitFor()
    assert.equal(await changes.locator('.bad').count(), 0)
    await visitor.settle()
  }))

test('audit: filters by action, text and time', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['tidy up']
    const { glue_source: source } = await world.admin.get(`/jobs/${id}`)
    await world.admin.ask('PUT', `/jobs/${id}/source`, { source, remark: 'searched 100%' })
    await visitor.signIn('admin', world.adminPassword, `/audit?action=source&q=searched%20100%25&from=${Date.now() - 3600000}`)
    const rows = page.locator('main tbody tr')
    await until(async () => (await rows.count()) === 1, 'one row')
    await rows.locator('ins', { hasText: 'searched 100%' }).waitFor()
    await page.locator('.filters').getByLabel('Text in a name or a change').fill('searched 1_0')
    await page.waitForURL(/q=searched\+?(%20)?1_0/)
    await page.getByText('No match').first().waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    await visitor.settle()
  }))

test('bulk: all jobs that match a filter are stopped and deleted by the server', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin, pay } = world
    const ids = []
    for (let i = 0; i < 25; i += 1) {
      const { id } = await admin.post('/jobs', { group: pay, name: `crowd ${i}`, author: 'ann', handler: 'quick', schedule: { type: 'CRON', conf: '0 0 4 1 1 ?' } })
      ids.push(id)
    }
    await admin.post('/jobs/start', { ids })
    const found = async () => (await admin.get('/jobs?name=crowd&limit=50')).items
    await visitor.signIn('admin', world.adminPassword, '/jobs?name=crowd')
    const bar = page.locator('.bulk')
    const selectAll = async () => {
      await page.locator('main tbody tr').first().getByRole('checkbox').check()
      await bar.getByRole('button', { name: 'Select all 25 that match' }).click()
      await bar.getByText('All 25 that match are selected').waitFor()
    }
    await selectAll()
    assert.deepEqual(await visitor.axeFindings(), [])
    await bar.getByRole('button', { name: 'Stop' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Stop' }).click()
    await page.getByText('25 of 25 stopped').first().waitFor()
    assert.ok((await found()).every((each) => !each.running))
    await selectAll()
    await bar.getByRole('button', { name: 'Delete' }).click()
    const question = page.locator('.el-message-box')
    await question.getByText('Delete 25 jobs?').waitFor()
    await question.getByRole('textbox').fill('25')
    await question.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('25 of 25 deleted').first().waitFor()
    assert.deepEqual(await found(), [])
    const { items } = await admin.get(`/audit?object=job&object_id=${ids[0]}&limit=10`)
    assert.equal(items[0].action, 'remove')
    await visitor.settle()
  }))

test('bulk: several runs are killed, and run again', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin, pay } = world
    const jobs = []
    for (const name of ['first of two', 'second of two']) {
      const { id } = await admin.post('/jobs', { group: pay, name, author: 'ann', handler: 'slow' })
      world.jobs[name] = id
      jobs.push(id)
      const started = await run(world, name, {}, false)
      await until(async () => (await admin.get(`/runs/${started}`)).status === 'running', 'the run has begun')
    }
    await visitor.signIn('admin', world.adminPassword, '/runs?handler=slow&status=running')
    await page.locator('main tbody tr').first().waitFor()
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    assert.deepEqual(await visitor.axeFindings(), [])
    await page.locator('.bulk').getByRole('button', { name: 'Kill' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Kill' }).click()
    await page.getByText(/(\d+) of \1 killed/).first().waitFor()
    for (const id of jobs) assert.equal((await admin.get(`/runs?job=${id}`)).items[0].status, 'failed')
    await visitor.move(`/runs?job=${jobs[0]}`)
    await page.locator('main tbody tr').first().waitFor()
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    await page.locator('.bulk').getByRole('button', { name: 'Run again' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Run again' }).click()
    await page.getByText('1 of 1 run again').first().waitFor()
    const again = await until(async () => (await admin.get(`/runs?job=${jobs[0]}&status=running`)).items[0], 'the job has a second run')
    await admin.post(`/runs/${again.id}/kill`)
    await visitor.settle()
    for (const id of jobs) await admin.ask('DELETE', `/jobs/${id}`)
    for (const name of ['first of two', 'second of two']) delete world.jobs[name]
  }))

test('run again: the dialog on the page of a run has its parameters, and the route strategy chooses the executor', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = await run(world, 'import rates', { params: 'bank=boj' })
    const { address } = await world.admin.get(`/runs/${id}`)
    await visitor.signIn('admin', world.adminPassword, `/runs/${id}`)
    await page.locator('main').getByRole('button', { name: 'Run again' }).click()
    const dialog = page.locator('.el-dialog')
    assert.equal(await dialog.locator('textarea').first().inputValue(), 'bank=boj')
    assert.ok(!(await dialog.innerText()).includes(address), 'no executor is chosen')
    await dialog.getByRole('button', { name: 'Run', exact: true }).click()
    const link = dialog.getByRole('link', { name: /^Run \d+$/ })
    await link.waitFor()
    const again = await runEnded(world, Number((await link.innerText()).replace(/\D/g, '')))
    assert.equal(again.params, 'bank=boj')
    await visitor.settle()
  }))

test('edit: the wrong characters of a cron are marked; a valid one has words, its zone, notes and collisions', (world) =>
  visit(world, {}, async (visitor, page) => {
    const made = await world.admin.post('/jobs', { group: world.pay, name: 'cron in words', author: 'ann', handler: 'quick', schedule: { type: 'CRON', conf: '0 0 4 * * ?' } })
    await visitor.signIn('admin', world.adminPassword, `/jobs/${made.id}/edit`)
    const cron = page.getByRole('textbox', { name: 'Cron expression' })
    visitor.expect(/status 400: GET .*\/schedule\/preview/)
    await cron.fill('0 0 25 * * ?')
    await page.locator('.preview mark', { hasText: '25' }).waitFor()
    assert.equal(await page.locator('.preview .marked').innerText(), '0 0 25 * * ?')
    await cron.fill('0 0/7 * * * ?')
    await page.locator('.preview .words').waitFor()
    await page.getByText('A step does not divide its range').waitFor()
    await page.getByText('Zone of the schedule').waitFor()
    await page.getByText('Collisions with other jobs').click()
    await page.locator('.what-if .after time').first().waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    await page.keyboard.press('Escape')
    await page.locator('.el-message-box').getByRole('button', { name: 'Discard' }).click()
    await page.locator('.el-drawer').waitFor({ state: 'hidden' })
    await visitor.settle()
    await world.admin.ask('DELETE', `/jobs/${made.id}`)
  }))

test('edit: a change of the same user in another window is told as such, and the drawer leads back to the page of the job', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { id } = await world.admin.post('/jobs', { group: world.pay, name: 'in two windows', author: 'ann', handler: 'quick', params: 'a=1' })
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await drawerField(page, 'Parameters').fill('a=3')
    await visit(world, {}, async (second, other) => {
      await second.signIn('admin', world.adminPassword, `/jobs/${id}/edit`)
      await drawerField(other, 'Parameters').fill('a=2')
      await saveEdit(other)
      await other.getByText('The job is saved').waitFor()
      await second.settle()
    })
    visitor.expect(/status 412: PUT/)
    await saveEdit(page)
    await page.getByText('You changed this job in another window').waitFor()
    await page.locator('table.conflict').getByText('a=3').click()
    await page.getByRole('button', { name: 'Merge and save' }).click()
    await page.getByText('The job is saved').waitFor()
    await page.waitForURL(new RegExp(`/jobs/${id}$`))
    assert.equal((await world.admin.get(`/jobs/${id}`)).params, 'a=3')
    await visitor.settle()
    await visitor.move('/help')
    await world.admin.ask('DELETE', `/jobs/${id}`)
  }))

test('edit: a pasted name that is too long is kept and said to be too long, not cut', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { id } = await world.admin.post('/jobs', { group: world.pay, name: 'to be renamed', author: 'ann', handler: 'quick' })
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}/edit`)
    const name = drawerField(page, 'Name')
    const problem = page.locator('.el-drawer').getByText('Too long: 256 characters, at most 255', { exact: true })
    await name.fill('n'.repeat(256))
    await problem.waitFor()
    assert.equal((await name.inputValue()).length, 256)
    await save(page)
    await problem.waitFor()
    assert.equal(await page.locator('.el-dialog').count(), 0, 'nothing is sent')
    assert.deepEqual(await visitor.axeFindings(), [])
    // 255 characters, of which each is two units of JavaScript.
    await name.fill('🌙'.repeat(255))
    await problem.waitFor({ state: 'detached' })
    await saveEdit(page)
    await page.getByText('The job is saved').waitFor()
    assert.equal((await world.admin.get(`/jobs/${id}`)).name, '🌙'.repeat(255))
    await visitor.settle()
    await visitor.move('/help')
    await world.admin.ask('DELETE', `/jobs/${id}`)
  }))

test('script: typing over a selection, a long difference and keys in what is only read violate no policy', (world) =>
  visit(world, { settings: { theme: 'dark' } }, async (visitor, page) => {
    const source = `import sys\n\n${Array.from({ length: 120 }, (_, line) => `def step_${line}():\n\treturn "${line}"  # a comment`).join('\n')}\n`
    const { id } = await world.admin.post('/jobs', { group: world.pay, name: 'typed over', author: 'ann', handler: '', glue_type: 'GLUE_PYTHON', glue_source: source, glue_remark: 'a long script' })
    const stored = async () => (await world.admin.get(`/jobs/${id}`)).glue_source
    await visitor.signIn('admin', world.adminPassword, '/jobs?name=typed%20over')
    await page.locator(`tr[data-row="${id}"]`).getByRole('link', { name: 'script', exact: true }).click()
    const editor = page.locator('.editor .cm-content')
    await editor.click()
    // Lines in the middle, and then all of them.
    await page.keyboard.press('Control+Home')
    for (let line = 0; line < 4; line += 1) await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.type('x = 1')
    await page.keyboard.press('Control+s')
    await page.getByText('The new version is saved').first().waitFor()
    assert.match(await stored(), /^x = 1/)
    await page.keyboard.press('Control+a')
    await page.keyboard.type('y = 2')
    visitor.checkFaults('after typing over all lines')
    // Another user saves the long script again: the dialog shows both, most of it collapsed.
    await world.admin.ask('PUT', `/jobs/${id}/source`, { source: `${source}y = 3\n`, remark: 'of the other user' })
    visitor.expect(/status 412: PUT .*\/source$/)
    await page.keyboard.press('Control+s')
    const dialog = page.locator('.el-dialog')
    const theirs = dialog.locator('.look .cm-content').first()
    await theirs.waitFor()
    await theirs.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('nothing of this is typed')
    assert.equal(await dialog.locator('.look .cm-content', { hasText: 'nothing of this' }).count(), 0)
    assert.deepEqual(await visitor.axeFindings(), [])
    await dialog.getByRole('button', { name: 'Save mine' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await until(async () => (await stored()) === 'y = 2', 'the own text is saved')
    // A version next to the text, with the long part collapsed.
    await page.locator('.versions').getByRole('button', { name: /of the other user/ }).click()
    await page.locator('.editor .cm-content').nth(1).waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    await page.getByRole('button', { name: 'Back to the editor' }).click()
    await visitor.settle()
    await visitor.move('/help')
    await world.admin.ask('DELETE', `/jobs/${id}`)
  }))

test('edit: the form suggests the handlers of the group, and says what runs a job without a schedule', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn(users.editor, password, `/jobs/new?group=${world.pay}`)
    const handler = drawerField(page, 'JobHandler')
    await handler.focus()
    const names = () => page.locator('.el-drawer datalist option').evaluateAll((options) => options.map((each) => each.value))
    await until(async () => (await names()).includes('quick'), 'suggestions')
    const offered = await names()
    for (const name of ['failing', 'quick', 'slow']) assert.ok(offered.includes(name), name)
    assert.equal(new Set(offered).size, offered.length)
    await handler.fill('of a program that is not yet here')
    await page.locator('.el-drawer').getByText('None', { exact: true }).click()
    await page.locator('.preview').getByText('the job runs only manually, through the API or as a child').waitFor()
    assert.equal(await page.locator('.el-drawer .preview time').count(), 0)
    assert.deepEqual(await visitor.axeFindings(), [])
    await page.locator('.el-drawer').getByRole('button', { name: 'Cancel' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Discard' }).click()
    await visitor.settle()
  }))

test('executors: one without a group is not online, and its group is added from its row', async (world) => {
  const before = await world.admin.get('/now')
  const stray = await startExecutor(world.server, 'stock-executor', 'stock-counter', '')
  try {
    await until(async () => (await world.admin.get('/now')).executors_without_group === 1, 'the executor without a group is counted')
    assert.equal((await world.admin.get('/now')).executors_online, before.executors_online)
    assert.match(stray.program.text(), /registration of \S+ accepted by \S+; runs come as soon as a group there has the app name stock-counter/)
    assert.doesNotMatch(stray.program.text(), /registered as/)
    await visit(world, {}, async (visitor, page) => {
      await visitor.signIn('admin', world.adminPassword)
      await page.getByRole('link', { name: '1 executor has no group and gets no runs' }).click()
      await page.waitForURL(/\/executors\?state=refused$/)
      const refused = page.getByRole('table', { name: 'Refused executors, and executors without a group' })
      const row = refused.locator('tr', { hasText: 'stock-counter' })
      await row.getByText('No group has this AppName').waitFor()
      assert.deepEqual(await visitor.axeFindings(), [])
      await row.getByRole('button', { name: 'Add this group' }).click()
      const dialog = page.locator('.el-dialog')
      assert.equal(await dialog.getByLabel('AppName').inputValue(), 'stock-counter')
      assert.equal(await dialog.getByLabel('Title').inputValue(), 'Stock counter')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await row.waitFor({ state: 'hidden' })
      await visitor.move('/executors?q=STOCK')
      const list = page.getByRole('table', { name: 'Executors', exact: true })
      await list.locator('tr', { hasText: 'stock-counter' }).getByRole('button', { name: '1 online' }).waitFor()
      assert.equal(await list.locator('tbody tr').count(), 1)
      await page.getByRole('table', { name: 'Executors that match' }).locator('tr', { hasText: 'stock-counter' }).getByText('online', { exact: true }).waitFor()
      await until(async () => (await world.admin.get('/now')).executors_online === before.executors_online + 1, 'the executor is online')
      assert.equal((await world.admin.get('/now')).executors_without_group, 0)
      // Counts of all pages mean the same.
      const rows = (await world.admin.get('/groups?counts=true&limit=500')).items
      assert.equal(rows.reduce((sum, group) => sum + group.online, 0), (await world.admin.get('/executors?state=online')).total)
      await visitor.settle()
    })
  } finally {
    await stray.stop()
    const group = (await world.admin.get('/groups?q=stock-counter')).items[0]
    if (group) await world.admin.ask('DELETE', `/groups/${group.id}`)
  }
})

test('executors: a stopped one is first, and found by state and text, which are in the URL', async (world) => {
  const { id } = await world.admin.post('/groups', { app_name: 'brief-worker', title: 'Brief' })
  const brief = await startExecutor(world.server, 'brief-executor', 'brief-worker', '')
  try {
    await until(async () => (await world.admin.get(`/executors?group=${id}&state=online`)).total === 1, 'the executor is online')
    await brief.stop()
    await visit(world, {}, async (visitor, page) => {
      await visitor.signIn('admin', world.adminPassword, '/executors')
      const list = page.getByRole('table', { name: 'Executors', exact: true })
      const row = list.locator('tr', { hasText: 'brief-worker' })
      await row.getByText('No executor is online').waitFor()
      await row.getByText('1 gone').waitFor()
      const down = page.getByRole('table', { name: 'Late and gone executors' })
      await down.locator('tr', { hasText: 'brief-worker' }).waitFor()
      assert.ok((await down.boundingBox()).y < (await list.boundingBox()).y, 'trouble is above the groups')
      const texts = await list.locator('tbody tr').allInnerTexts()
      assert.ok(texts.findIndex((text) => text.includes('brief-worker')) < texts.findIndex((text) => text.includes('1 online')), texts.join())
      await page.locator('.filters .el-select').click()
      await page.getByRole('option', { name: 'gone', exact: true }).click()
      await page.waitForURL(/state=gone/)
      await page.getByLabel('AppName, title or address').fill('BRIEF')
      await page.waitForURL(/q=BRIEF/)
      const found = page.getByRole('table', { name: 'Executors: gone' })
      await until(async () => (await found.locator('tbody tr').count()) === 1, 'one executor is found')
      await found.getByText('brief-worker').waitFor()
      assert.equal(await list.count(), 0)
      assert.deepEqual(await visitor.axeFindings(), [])
      await page.reload()
      await found.getByText('brief-worker').waitFor()
      await page.getByLabel('AppName, title or address').fill('no such executor')
      await page.getByText('No match').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await row.waitFor()
      await until(() => new URL(page.url()).search === '', 'the filters left the URL')
      await visitor.settle()
    })
  } finally {
    await brief.stop()
    await world.admin.ask('DELETE', `/groups/${id}`)
  }
})

test('executors: on an empty server the first executor leads to its group', async (world) => {
  const folder = join(world.folder, 'first-start')
  mkdirSync(folder)
  const server = new Server(world.server.binary, folder, [])
  await server.start()
  let first
  try {
    const adminPassword = server.secret('admin_password')
    const admin = await new Api(server.address).signIn('admin', adminPassword)
    await visit({ ...world, server, adminPassword }, {}, async (visitor, page) => {
      await visitor.signIn('admin', adminPassword, '/jobs')
      await page.getByText('No group yet.').waitFor()
      first = await startExecutor(server, 'first-executor', 'first-worker', '')
      await page.locator('main').getByText('An executor registers with the AppName first-worker').waitFor({ timeout: 30000 })
      assert.deepEqual(await visitor.axeFindings(), [])
      await page.getByRole('link', { name: 'Add this group: first-worker' }).click()
      const dialog = page.locator('.el-dialog')
      assert.equal(await dialog.getByLabel('Title').inputValue(), 'First worker')
      assert.doesNotMatch(page.url(), /add=/)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('table', { name: 'Executors', exact: true }).locator('tr', { hasText: 'first-worker' }).getByRole('button', { name: '1 online' }).waitFor()
      assert.equal((await admin.get('/groups')).items.length, 1)
      await visitor.settle()
    })
  } finally {
    await first?.stop()
    await server.stop()
  }
})

test('job: its next times are read again when they have passed', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { id } = await world.admin.post('/jobs', { group: world.pay, name: 'each second', author: 'ann', handler: 'quick', schedule: { type: 'CRON', conf: '* * * * * ?' } })
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}`)
    const times = () => page.locator('main .panel ol time').evaluateAll((all) => all.map((each) => Date.parse(each.dateTime)))
    await until(async () => (await times()).length > 0, 'next times')
    const last = Math.max(...(await times()))
    await until(async () => Math.min(...(await times())) > last, 'later times', 20000)
    await visitor.settle()
    await world.admin.ask('DELETE', `/jobs/${id}`)
  }))

test('edit: a refusal of the server stands next to Save, and its field is marked and in sight', (world) =>
  visit(world, { viewport: { width: 1440, height: 700 } }, async (visitor, page) => {
    const id = world.jobs['two editors']
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}/edit`)
    const field = drawerField(page, 'Alarm e-mail')
    await field.fill('not an email;;')
    await drawerField(page, 'Retries').scrollIntoViewIfNeeded()
    visitor.expect(/status 400: PUT/)
    await saveEdit(page)
    await page.locator('.el-drawer__footer [role=alert]').waitFor()
    const item = page.locator('.el-drawer .is-error', { has: page.getByLabel('Alarm e-mail', { exact: true }) })
    await item.getByText('invalid e-mail address').waitFor()
    await until(() => field.evaluate((each) => { const { top, bottom } = each.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight }), 'the field is in sight')
    assert.deepEqual(await visitor.axeFindings(), [])
    await field.fill('a@example.org')
    await item.waitFor({ state: 'detached' })
    await visitor.settle()
  }))

test('edit: a number out of its range stays as typed, and the form says its range', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['two editors']
    const before = (await world.admin.get(`/jobs/${id}`)).timeout_s
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}/edit`)
    for (const [label, value] of [['Time limit (s)', '-5'], ['Retries', '9999999']]) {
      const field = drawerField(page, label)
      await field.fill(value)
      await field.blur()
      await page.getByText(`${value} is out of range`).waitFor()
      assert.equal(await field.inputValue(), value)
    }
    await save(page)
    assert.equal(await page.locator('table.conflict').count(), 0)
    assert.equal((await world.admin.get(`/jobs/${id}`)).timeout_s, before)
    await visitor.settle()
  }))

test('dialogs: they begin at their first field, and Escape asks before typed text is lost', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, '/users')
    const dialog = page.locator('.el-dialog').filter({ visible: true })
    const box = page.locator('.el-message-box').filter({ visible: true })
    const cases = [
      ['/users', () => page.getByRole('button', { name: 'Add a user' }).click()],
      ['/keys', () => page.getByRole('button', { name: 'Create an API key' }).first().click()],
      ['/executors', () => page.getByRole('button', { name: 'Add a group' }).click()],
      [`/jobs/${world.jobs['import rates']}`, () => page.getByRole('button', { name: 'Run once' }).click()],
    ]
    for (const [path, open] of cases) {
      await visitor.move(path)
      // Untouched, it closes at once.
      await open()
      const field = dialog.locator('form :is(input, textarea)').first()
      await until(() => field.evaluate((each) => each === document.activeElement), `the first field on ${path} has the focus`)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      assert.equal(await box.count(), 0)
      await open()
      await until(() => field.evaluate((each) => each === document.activeElement), `the first field on ${path} has the focus`)
      await page.keyboard.type('typed')
      await page.keyboard.press('Escape')
      await box.getByText('Discard the changes').waitFor()
      await box.getByRole('button', { name: 'Cancel' }).click()
      await box.waitFor({ state: 'hidden' })
      assert.match(await field.inputValue(), /typed/)
      await dialog.locator('.el-dialog__headerbtn').click()
      await box.getByRole('button', { name: 'Discard' }).click()
      await dialog.waitFor({ state: 'hidden' })
    }
    await visitor.settle()
  }))

test('script: a comparison names its sides, and Run once says that an edit is not saved', (world) =>
  visit(world, {}, async (visitor, page) => {
    const id = world.jobs['tidy up']
    await visitor.signIn('admin', world.adminPassword, `/jobs/${id}/script`)
    await page.locator('.editor .cm-editor.cm-focused').waitFor()
    const { items } = await world.admin.get(`/jobs/${id}/sources?bodies=false`)
    await page.locator('.versions').getByRole('button', { name: `Version ${items.at(-1).id} ·` }).click()
    await page.locator('.halves').getByText(`Version ${items.at(-1).id}`, { exact: true }).waitFor()
    await page.locator('.halves').getByText('Text of the editor, saved').waitFor()
    await page.getByRole('button', { name: 'Back to the editor' }).click()
    // The comparison has two texts until the editor is there.
    await page.locator('.editor .cm-mergeView').waitFor({ state: 'detached' })
    await page.locator('.editor .cm-content').focus()
    await page.keyboard.type('# not saved\n')
    await page.getByRole('button', { name: 'Run once' }).click()
    await page.locator('.el-dialog').getByText('The saved version runs').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.el-dialog').waitFor({ state: 'hidden' })
    await page.locator('.editor .cm-content').focus()
    await page.keyboard.press('Control+z')
    await visitor.settle()
  }))

test('audit: permissions, groups and actions are named in words', async (world) => {
  const { id } = await world.admin.post('/users', { name: 'audited', password, admin: false, rights: [{ group: world.pay, right: 'operator' }] })
  await visit(world, {}, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, `/audit?object=user&object_id=${id}`)
    const row = page.locator('main tbody tr').first()
    await row.getByText('Payments: operator').waitFor()
    assert.match(await row.innerText(), /added[\s\S]*Role[\s\S]*Normal user/)
    await visitor.settle()
  })
  await visit(world, { settings: { language: 'zh-CN' } }, async (visitor, page) => {
    await visitor.signIn('admin', world.adminPassword, `/audit?object=user&object_id=${id}`)
    await page.locator('main tbody tr').first().getByText('新增', { exact: true }).waitFor()
    await visitor.settle()
  })
})
