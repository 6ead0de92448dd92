// Texts of users, however hostile, are shown as text.
import assert from 'node:assert/strict'
import { until } from '../support/programs.mjs'
import { test } from '../support/runner.mjs'
import { corpus, hardNames, run } from '../support/seed.mjs'
import { visit } from '../support/visitor.mjs'

/** Elements that only markup in a text could have made. */
const strangers = () =>
  [...document.querySelectorAll('script:not([src]), main img, main iframe, main object, main embed, main style, main base, main meta, main form[action], main video, main marquee, main math, svg[onload], main a[href^="javascript" i]')]
    .concat([...document.querySelectorAll('*')].filter((each) => [...each.attributes].some(({ name }) => /^on/i.test(name))))
    .map((each) => each.outerHTML.slice(0, 200))

async function checkPage(visitor, page, path, texts) {
  await visitor.go(path)
  assert.deepEqual(await page.evaluate(strangers), [], path)
  const shown = await page.evaluate(() => document.body.innerText)
  const flat = (text) => text.replace(/\s+/g, ' ').trim()
  for (const text of texts) assert.ok(flat(shown).includes(flat(text)), `${path} does not show ${text}`)
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
