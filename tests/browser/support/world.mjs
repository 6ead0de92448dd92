// Shared by all cases: one server with two executors, one browser.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Server } from './programs.mjs'
import { seed, writeDeclared } from './seed.mjs'
import { openBrowser } from './visitor.mjs'

/** Thrown when the binary under test has no console. */
export class NoConsole extends Error {}

/** Calls `action` with a seeded server and a browser, and ends both. `--console FOLDER` shows that build in place of the binary's. */
export async function withWorld(binary, options, action) {
  const folder = mkdtempSync(join(tmpdir(), 'ringmaster-browser-'))
  const server = new Server(resolve(binary), folder, [
    `deploy.files=${writeDeclared(folder)}`,
    'security.glue=true',
    // No mail server listens there.
    'mail.host=127.0.0.1',
    'mail.port=9',
    'mail.from=ringmaster@example.org',
  ])
  const world = { server, folder, ...options }
  try {
    await server.start()
    const page = await fetch(`${server.address}/console/`, { headers: { Accept: 'text/html' } })
    world.consoleHeaders = Object.fromEntries([...page.headers].filter(([name]) => /policy|options|referrer|cross-origin/.test(name)))
    if (!page.ok && !world.console) throw new NoConsole('the binary was built without the web console')
    world.adminPassword = server.secret('admin_password')
    await seed(world)
    world.browser = await openBrowser()
    return await action(world)
  } finally {
    await world.browser?.close()
    await Promise.all(Object.values(world.executors ?? {}).map((each) => each.stop()))
    await server.stop()
    if (!process.env.KEEP_FOLDER) rmSync(folder, { recursive: true, force: true })
  }
}

/** Splits `--name value` pairs from words. */
export function readArguments(words) {
  const options = {}
  const rest = []
  for (let i = 0; i < words.length; i += 1)
    if (words[i].startsWith('--')) options[words[i].slice(2)] = words[(i += 1)]
    else rest.push(words[i])
  for (const name of ['console', 'failures', 'shots', 'worker']) if (options[name]) options[name] = resolve(options[name])
  return { options, rest }
}
