// Takes a picture of each page in both themes and two widths:
//   npm run screenshots -- FOLDER [--ringmaster BINARY] [--console DIST] [--language zh-CN] [--only WORD]
import { fileURLToPath } from 'node:url'
import { resolve } from 'node:path'
import { pagesOf } from './support/sights.mjs'
import { run } from './support/seed.mjs'
import { Visitor } from './support/visitor.mjs'
import { pause } from './support/programs.mjs'
import { readArguments, withWorld } from './support/world.mjs'

const sizes = { 1440: 900, 360: 740 }

const { options, rest } = readArguments(process.argv.slice(2))
if (rest.length !== 1) {
  console.error('npm run screenshots -- FOLDER [--ringmaster BINARY] [--console DIST] [--language LANGUAGE] [--only WORD]')
  process.exit(2)
}
const binary = options.ringmaster ?? fileURLToPath(new URL('../../build/release/apps/ringmaster', import.meta.url))

/** States of pages that a path alone does not open. */
const opened = {
  job_new: async (page) => page.getByRole('button', { name: /Generator|生成/ }).click(),
  users: async (page) => page.locator('main').getByRole('button').filter({ hasText: /Add a user|新增|添加/ }).first().click(),
}

async function takeAll(world) {
  for (let i = 0; i < 3; i += 1) for (const name of ['report', 'import rates']) await run(world, name)
  await run(world, 'newsletter', { addresses: ['http://127.0.0.1:9/'] })
  for (let i = 0; i < 2; i += 1) await run(world, 'export ledger', {}, false)
  for (const theme of ['light', 'dark'])
    for (const [width, height] of Object.entries(sizes)) {
      const settings = { theme, ...(options.language ? { language: options.language } : {}) }
      const visitor = await Visitor.open(world, { settings, viewport: { width: Number(width), height }, deviceScaleFactor: 1 })
      const save = async (name) => visitor.shot([name, options.language, theme, width].filter(Boolean).join('-'))
      await visitor.page.goto(visitor.url('/sign-in'))
      await visitor.page.locator('input[name=name]').waitFor()
      await save('sign_in')
      await visitor.signIn('admin', world.adminPassword)
      for (const { name, path } of pagesOf(world).filter((each) => !options.only || each.name.includes(options.only))) {
        await visitor.go(path)
        // Charts draw, drawers slide in.
        await pause(600)
        await save(name)
        if (!opened[name]) continue
        await opened[name](visitor.page)
        await pause(600)
        await save(`${name}_open`)
      }
      for (const each of visitor.unexpected()) console.log(each)
      await visitor.close()
    }
}

await withWorld(binary, { ...options, shots: resolve(rest[0]) }, takeAll)
