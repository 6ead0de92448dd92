// Texts of users, however hostile, are shown as text.
import assert from 'node:assert/strict'
import { until } from '../support/programs.mjs'
import { test } from '../support/runner.mjs'
import { corpus, hardNames, password, run } from '../support/seed.mjs'
import { pagesOf } from '../support/sights.mjs'
import { visit } from '../support/visitor.mjs'

/** Elements that only markup in a text could have made. */
const strangers = () =>
  [...document.querySelectorAll('script:not([src]), main img, main iframe, main object, main embed, main style, main base, main meta, main form[action], main video, main marquee, main math, svg[onload], main a[href^="javascript" i]')]
    .concat([...document.querySelectorAll('*')].filter((each) => [...each.attributes].some(({ name }) => /^on/i.test(name))))
    .map((each) => each.outerHTML.slice(0, 200))

/** Opens a page, by `go` or `move`, and checks that it shows these texts, and no element of theirs. */
async function checkPage(visitor, page, path, texts, open = 'go') {
  await visitor[open](path)
  const flat = (text) => text.replace(/\s+/g, ' ').trim()
  for (const text of texts) await until(async () => flat(await page.evaluate(() => document.body.innerText)).includes(flat(text)), `${path} shows ${text}`, 10000)
  assert.deepEqual(await page.evaluate(strangers), [], path)
  visitor.checkFaults(path)
}

test('texts: markup in names, parameters, scripts and logs is shown as text', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin, pay } = world
    const known = []
    for (const [index, text] of corpus.entries()) {
      const name = `${index} ${text}`.slice(0, 255)
      const made = await admin.send('POST', '/jobs', { group: pay, name, author: text.slice(0, 64), handler: 'quick', params: text, description: text.slice(0, 1000) })
      if (made.status < 300) {
        known.push({ id: made.body.id, name, text })
        world.jobs[name] = made.body.id
      }
    }
    assert.ok(known.length > 40, `${known.length} jobs`)
    const [shown] = [known.find((each) => each.text.startsWith('<img src=x onerror'))]
    const id = await run(world, shown.name)
    await visitor.signIn('admin', world.adminPassword)
    await visitor.page.evaluate(() => localStorage.setItem('ringmaster.settings', JSON.stringify({ ...JSON.parse(localStorage.getItem('ringmaster.settings')), pageSize: 200 })))
    await checkPage(visitor, page, '/jobs', known.map((each) => each.name))
    for (const each of known.filter((_, index) => index % 12 === 0)) await checkPage(visitor, page, `/jobs/${each.id}`, [each.name])
    await checkPage(visitor, page, `/jobs/${shown.id}/edit`, [])
    await checkPage(visitor, page, '/runs', [shown.name])
    await checkPage(visitor, page, `/runs/${id}`, [shown.name, shown.text])
    await page.getByText(`batch 1 of ${shown.text}`).first().waitFor()
    await checkPage(visitor, page, `/audit?object=job`, [known.at(-1).name])
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: 'Search' }).waitFor()
    await page.keyboard.type('onerror')
    await page.getByRole('option', { name: 'onerror' }).first().waitFor()
    assert.deepEqual(await page.evaluate(strangers), [])
    await page.keyboard.press('Escape')
    for (const each of known) await admin.ask('DELETE', `/jobs/${each.id}`)
  }))

test('texts: emoji, right-to-left and 255 characters fit on each page, wide and narrow', async (world) => {
  for (const width of [1440, 360])
    await visit(world, { viewport: { width, height: 800 } }, async (visitor, page) => {
      await visitor.signIn('admin', world.adminPassword)
      for (const [kind, name] of Object.entries(hardNames)) {
        await checkPage(visitor, page, `/jobs/${world.jobs[kind]}`, [name])
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        assert.ok(wide <= 0, `${kind} at ${width}: ${wide} px too wide`)
      }
      await checkPage(visitor, page, '/jobs', Object.values(hardNames).map((each) => each.slice(0, 20)))
      await until(async () => (await page.locator('bdi, [dir=auto]').count()) > 5, 'names have their own direction')
    })
})

/** Texts of each kind that is hard to show; the names of jobs are as long as their column. */
const hardTexts = { markup: '<img src=x onerror=alert(1)> <b>bold</b>', rtl: hardNames.rtl, emoji: hardNames.emoji, long: hardNames.long }
const cut = (text, signs) => [...text].slice(0, signs).join('').trim()

/** Stores a group, a started job with a failed run, a user and a key for each of these texts. */
async function storeHardTexts(world) {
  const { admin, jobs } = world
  const stored = []
  for (const [kind, text] of Object.entries(hardTexts)) {
    // Titles with elements are refused, as XXL-JOB refuses them.
    const title = cut(text.replace(/<[^>]*>/g, '&lt;b&gt;'), 64)
    const { id: group } = await admin.post('/groups', { app_name: `hard-${kind}-worker`, title, address_type: 'manual', addresses: ['http://127.0.0.1:9/'] })
    const { id: job } = await admin.post('/jobs', { group, name: text, author: cut(text, 64), handler: 'quick', params: text, description: text, schedule: { type: 'FIX_RATE', conf: '600' } })
    await admin.post(`/jobs/${job}/start`)
    jobs[`hard ${kind}`] = job
    const failed = await run(world, `hard ${kind}`)
    // Invisible characters are refused in names of users.
    const user = cut(text.replace(/\p{Cf}/gu, ''), 20)
    const { id: userId } = await admin.post('/users', { name: user, password, admin: false, rights: [{ group, right: 'viewer' }] })
    const key = cut(text, 64)
    const { id: keyId } = await admin.post('/keys', { name: key })
    stored.push({ group, title, job, name: text, failed, user, userId, key, keyId })
  }
  return stored
}
async function removeHardTexts({ admin, jobs }, stored) {
  for (const each of stored) {
    await admin.ask('DELETE', `/jobs/${each.job}`)
    await admin.ask('DELETE', `/users/${each.userId}`)
    await admin.ask('DELETE', `/keys/${each.keyId}`)
    await admin.send('DELETE', `/groups/${each.group}`)
  }
  for (const kind of Object.keys(hardTexts)) delete jobs[`hard ${kind}`]
}

test('texts: markup, right-to-left, emoji and the longest names are text on each page, wide and narrow', async (world) => {
  const stored = await storeHardTexts(world)
  const all = (member) => stored.map((each) => each[member])
  const expected = { now: all('name'), executors: all('title'), users: all('user'), keys: all('key') }
  const everywhere = pagesOf(world).map(({ name, path }) => [path, expected[name] ?? []])
  const own = ({ group, title, job, name, failed }) => [
    [`/jobs?group=${group}`, [name, title]],
    [`/jobs/${job}`, [name, title]],
    [`/jobs/${job}/edit`, []],
    [`/runs?group=${group}`, [name, title]],
    [`/runs/${failed}`, [name, title]],
    [`/forecast?group=${group}`, [name, title]],
  ]
  for (const width of [1440, 360])
    await visit(world, { viewport: { width, height: 800 } }, async (visitor, page) => {
      await visitor.signIn('admin', world.adminPassword)
      const findings = []
      // The longest one is what a narrow window is short of room for.
      const objects = stored.filter(({ name }) => width === 1440 || name === hardTexts.long)
      for (const [path, texts] of [...everywhere, ...objects.flatMap(own)]) {
        await checkPage(visitor, page, path, texts, 'move')
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        if (wide > 0) findings.push(`${path} is ${wide} px wider than ${width}`)
      }
      assert.deepEqual(findings, [])
      await visitor.move(`/jobs?group=${stored[1].group}`)
      assert.equal(await page.getByRole('link', { name: hardTexts.rtl, exact: true }).first().evaluate((link) => getComputedStyle(link).direction), 'rtl')
    })
  await removeHardTexts(world, stored)
})

/** A name that, without an isolation, turns the text after it: it has an override, and ends an isolation that it did not begin. */
const turning = 'turned \u2069\u202e abc'
/** Returns whether these words of an element are drawn from left to right, the first left of the last. */
const isStraight = (element, words) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.data.indexOf(words)
    if (at < 0) continue
    const leftOf = (index) => {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + 1)
      return range.getBoundingClientRect().left
    }
    return leftOf(at) < leftOf(at + words.length - 1)
  }
  return null
}

test('texts: a name with controls of direction does not turn the words next to it', (world) =>
  visit(world, {}, async (visitor, page) => {
    const { admin, pay, jobs } = world
    const { id } = await admin.post('/jobs', { group: pay, name: turning, author: 'x\u202eann', handler: 'quick', params: 'p\u202e abc' })
    jobs[turning] = id
    const ran = await run(world, turning)
    await visitor.signIn('admin', world.adminPassword, `/jobs?q=${id}`)
    const row = page.locator(`main tr[data-row="${id}"]`)
    await row.waitFor()
    const isIsolated = (element) => getComputedStyle(element).unicodeBidi.startsWith('isolate') && getComputedStyle(element).unicodeBidi !== 'isolate-override'
    for (const part of ['a.name', '.handler code', 'bdi']) assert.ok(await row.locator(part).first().evaluate(isIsolated), `${part} is isolated`)
    await row.getByRole('button', { name: /^More actions/ }).click()
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
    const question = page.locator('.el-message-box__message')
    await question.waitFor()
    assert.equal(await question.evaluate(isStraight, 'removed'), true, 'the question is drawn from left to right')
    assert.equal(await question.evaluate(isStraight, `(${id})`), true, 'the id is drawn from left to right')
    await page.locator('.el-message-box').getByRole('button', { name: 'Cancel' }).click()
    await visitor.go(`/runs/${ran}/log`)
    const line = page.locator('.line', { hasText: 'batch 1 of' }).first()
    await line.waitFor()
    assert.ok(await line.locator('.text').evaluate(isIsolated), 'a line of a log is isolated')
    assert.equal(await line.evaluate(isStraight, 'batch 1 of'), true)
    const [number, text] = [await line.locator('.number').boundingBox(), await line.locator('.text').boundingBox()]
    assert.ok(number.x < text.x, 'the number of the line stays at its beginning')
    await checkPage(visitor, page, `/jobs/${id}`, ['turned'])
    await visitor.settle()
    await admin.ask('DELETE', `/jobs/${id}`)
    delete jobs[turning]
  }))
