// Measures the console of a large installation in Chromium: large.mjs [--jobs N] [--runs N] [--log-mb N] [--json] RINGMASTER
// Needs sqlite3, and 3 GB in TMPDIR for 10 million runs. Exit codes: 0 all goals are met, 1 not, 2 wrong arguments.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Api } from './support/api.mjs'
import { LogExecutor } from './support/large_executor.mjs'
import { appName, insertRuns, logAppName, logHandler, runSqlite, writeJobs } from './support/large_seed.mjs'
import { Steps } from './support/large_steps.mjs'
import { loadNow, readLog, walkJobs, walkRuns } from './support/large_tour.mjs'
import { pause, Server, until } from './support/programs.mjs'
import { run } from './support/seed.mjs'
import { openBrowser, Visitor } from './support/visitor.mjs'
import { readArguments } from './support/world.mjs'

const usual = { jobs: 100000, runs: 10000000, 'log-mb': 100 }
/** Times for the apply of all jobs, and after the end of a run until its log counts as complete. */
const applyMs = 600000
const logRestMs = 5000

function readOptions(words) {
  const { options, rest } = readArguments(words.filter((word) => word !== '--json'))
  const sizes = Object.fromEntries(Object.entries({ ...usual, ...options }).map(([name, value]) => [name, Number(value)]))
  const isKnown = Object.keys(sizes).every((name) => name in usual)
  const isRight = Object.values(sizes).every((value) => Number.isInteger(value) && value > 0)
  // The tour needs several pages of rows; a node copies logs of up to 256 MiB.
  const isLarge = sizes.jobs >= 200 && sizes.runs >= 20000 && sizes['log-mb'] >= 2 && sizes['log-mb'] <= 250
  return rest.length === 1 && isKnown && isRight && isLarge ? { binary: rest[0], sizes, json: words.includes('--json') } : null
}

async function timed(what, action) {
  const begin = Date.now()
  const result = await action()
  console.error(`${what}: ${((Date.now() - begin) / 1000).toFixed(1)} s`)
  return result
}

const signIn = (server) => new Api(server.address).signIn('admin', server.secret('admin_password'))

/** Starts a server with an empty database, and fills it. Ends with a server that runs and applies no files. */
async function fill(server, folder, sizes) {
  const { settings } = server
  server.settings = [...settings, `deploy.files=${writeJobs(join(folder, 'jobs.toml'), sizes.jobs)}`]
  await timed(`${sizes.jobs} jobs`, async () => {
    await server.start()
    // An apply under way may hold the writer.
    const admin = await until(() => signIn(server).catch(() => null), 'an administrator signs in')
    await until(async () => (await admin.get('/jobs?limit=1')).total === sizes.jobs + 1, 'all jobs are applied', applyMs, 500)
  })
  await server.stop()
  server.settings = settings
  const file = join(server.data, 'ringmaster.db')
  await timed(`${sizes.runs} runs`, () => runSqlite(file, insertRuns(sizes.runs)))
  console.error(`database: ${(statSync(file).size / 1e6).toFixed(0)} MB`)
  await timed('start', () => server.start())
}

/** Returns the ids of a finished run with a long log, and of a job with many runs. */
async function findObjects(admin) {
  await until(async () => (await admin.get('/executors')).items.some((each) => each.app_name === logAppName && each.state === 'online'), 'the executor is online')
  const jobs = { log: (await admin.get(`/jobs?handler=${logHandler}&limit=1`)).items[0].id }
  const group = (await admin.get('/groups?limit=100')).items.find((each) => each.app_name === appName).id
  return { run: await run({ admin, jobs }, 'log'), job: (await admin.get(`/runs?group=${group}&limit=1`)).items[0].job }
}

/** Opens a window with the session of `admin` and an empty cache. */
async function openWindow(world, admin) {
  const visitor = await Visitor.open(world)
  const cookies = admin.cookie.split('; ').map((each) => {
    const [name, ...value] = each.split('=')
    return { name, value: value.join('='), url: world.server.address }
  })
  await visitor.context.addCookies(cookies)
  return visitor
}

async function measure({ server, sizes, browser }, executor) {
  const admin = await signIn(server)
  const objects = await findObjects(admin)
  await pause(logRestMs)
  const visitor = await openWindow({ server, browser }, admin)
  const steps = await Steps.watch(visitor)
  const scene = { visitor, page: visitor.page, jobs: sizes.jobs + 1, lines: executor.lines, ...objects }
  for (const part of [loadNow, walkJobs, walkRuns, readLog])
    await part(steps, scene).catch((error) => steps.rows.push({ name: part.name, problem: String(error.message).split('\n')[0] }))
  const faults = [...new Set(visitor.unexpected())]
  await visitor.close()
  return { steps, faults }
}

async function main({ binary, sizes, json }) {
  const folder = mkdtempSync(join(tmpdir(), 'ringmaster-large-'))
  // Also after a signal: by then the programs of the test are killed.
  if (!process.env.KEEP_FOLDER) process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const server = new Server(resolve(binary), folder, ['retention.days=0'])
  let executor
  let browser
  try {
    await fill(server, folder, sizes)
    executor = await LogExecutor.start(server, logAppName, sizes['log-mb'])
    browser = await openBrowser()
    const { steps, faults } = await measure({ server, sizes, browser }, executor)
    if (json) console.log(JSON.stringify({ ...sizes, steps: steps.rows, faults }))
    else console.log([steps.table(), ...faults.map((each) => `fault: ${each}`)].join('\n'))
    return steps.isGood() && !faults.length
  } finally {
    await browser?.close()
    await executor?.stop()
    if (server.program) await server.stop()
  }
}

const options = readOptions(process.argv.slice(2))
if (!options) {
  console.error('large.mjs [--jobs 100000] [--runs 10000000] [--log-mb 100] [--json] RINGMASTER')
  process.exit(2)
}
try {
  process.exitCode = (await main(options)) ? 0 : 1
} catch (error) {
  console.error(error.stack)
  process.exitCode = 1
}
