// Groups, jobs, users and runs that the tests see; all runs are real ones of `ringmaster executor`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Api } from './api.mjs'
import { startExecutor, until } from './programs.mjs'

export const password = 'a long password'
export const users = { viewer: 'vera', operator: 'oscar', editor: 'edda', first: 'frida' }

/** Longest silence of the job "silent check": longer than two requests wait for output. */
export const silentS = 70

const declared = `[[group]]
app_name = "pay-worker"
title = "Payments"

[[group]]
app_name = "mail-worker"
title = "Mail & newsletters"

[[job]]
group = "pay-worker"
key = "settle-day"
name = "Settle the day"
author = "ann"
handler = "quick"
schedule = { cron = "0 0 1 * * ?" }
params = "day=-1"
misfire = "fire_once_now"
children = ["settle-report"]

[[job]]
group = "pay-worker"
key = "settle-report"
name = "Report of the settlement"
author = "ann"
handler = "quick"

[[job]]
group = "mail-worker"
key = "digest"
name = "Send the digest"
author = "ben"
handler = "quick"
schedule = { cron = "0 30 7 ? * 2-6" }
misfire = "do_nothing"
`

const output = String.raw`for i in 1 2 3 4 5 6 7 8 9 10; do echo \"2026-01-01 INFO batch $i of $JOB_PARAM\"; done; printf '\\033[31mERROR\\033[0m one row was skipped\\n'`
const command = (name, script) => `\n[[command]]\nname = "${name}"\nprogram = "/bin/sh"\narguments = ["-c", "${script}"]\n`
export const commands =
  command('quick', output) +
  command('failing', "echo 'connecting to the ledger'; echo 'no such account: 4711' >&2; exit 3") +
  command('slow', 'for i in $(seq 1 60); do echo \\"row $i\\"; sleep 1; done') +
  command('silent', `echo first; sleep ${silentS}; echo second; sleep 2; echo third`) +
  command('long', 'seq -f \\"line %.0f of a long log: the quick brown fox jumps over the lazy dog\\" 1 30000')

export const longLines = 30000

/** Lines of the corpus of markup that clients may send. */
export const corpus = readFileSync(new URL('../../data/xss_corpus.txt', import.meta.url), 'utf8').trim().split('\n').map((line) => JSON.parse(line))

export const hardNames = {
  emoji: 'Nightly 🌙 import 👩‍💻 done ✅',
  rtl: 'مهمة الليل: تسوية الحسابات',
  mixed: 'אבג abc 123 <b>fett</b>',
  long: 'w'.repeat(255),
  words: 'A name of many words that goes on and on '.repeat(7).slice(0, 255).trim(),
}

const cron = (conf) => ({ type: 'CRON', conf })

/** Starts both executors, and stores what the tests need. Returns ids of jobs by name. */
export async function seed(world) {
  const { server } = world
  const admin = await new Api(server.address).signIn('admin', world.adminPassword)
  world.admin = admin
  const groups = Object.fromEntries((await admin.get('/groups?limit=100')).items.map((each) => [each.app_name, each.id]))
  const [pay, mail] = [groups['pay-worker'], groups['mail-worker']]
  Object.assign(world, { pay, mail })

  world.executors = {
    pay: await startExecutor(server, 'pay-executor', 'pay-worker', commands),
    mail: await startExecutor(server, 'mail-executor', 'mail-worker', commands),
  }
  const right = (name, value) => admin.post('/users', { name, password, admin: false, rights: [{ group: pay, right: value }] })
  await right(users.viewer, 'viewer')
  await right(users.operator, 'operator')
  await right(users.editor, 'editor')
  await right(users.first, 'viewer')

  const jobs = {}
  const add = async (name, more, group = pay) => {
    const { id } = await admin.post('/jobs', { group, name, author: 'ann', handler: 'quick', ...more })
    jobs[name] = id
    return id
  }
  await add('report', { schedule: cron('0 0 2 * * ?'), description: 'Sums up the day for the accountants.' })
  await add('import rates', { handler: 'failing', schedule: cron('0 0/30 * * * ?'), params: 'bank=ecb', alarm_email: 'ops@example.org' })
  await add('export ledger', { handler: 'slow', block: 'DISCARD_LATER', timeout_s: 3600 })
  await add('silent check', { handler: 'silent' })
  await add('long log', { handler: 'long' })
  await add('poll inbox', { schedule: { type: 'FIX_RATE', conf: '60' } })
  await add('to be edited', { schedule: cron('0 0 3 * * ?') })
  await add('two editors', { schedule: cron('0 0 3 * * ?'), params: 'a=1' })
  await add('broadcast', { route: 'SHARDING_BROADCAST' })
  await add('to Tokyo', { schedule: cron('0 0 9 ? * 2-6'), time_zone: 'Asia/Tokyo', jitter_ms: 30000 })
  await add('newsletter', { schedule: cron('0 15 6 ? * 7') }, mail)
  await add('tidy up', { glue_type: 'GLUE_SHELL', handler: '', glue_source: '#!/bin/bash\n', glue_remark: 'empty script' })
  await admin.ask('PUT', `/jobs/${jobs['tidy up']}/source`, { source: '#!/bin/bash\necho "first version"\n', remark: 'first version' })
  for (const [kind, name] of Object.entries(hardNames)) jobs[kind] = await add(name, { params: name, description: name.slice(0, 200) })
  for (const id of [jobs.report, jobs['import rates'], jobs['poll inbox'], jobs['to be edited'], jobs['to Tokyo'], jobs.newsletter])
    await admin.post(`/jobs/${id}/start`)
  world.jobs = jobs

  for (const name of ['report', 'import rates', 'broadcast', hardNames.emoji]) await run(world, name)
  world.seen = { failed: await run(world, 'import rates'), long: await run(world, 'long log') }
  await admin.post('/keys', { name: 'deploy pipeline', expires_ms: Date.now() + 90 * 86400000 })
  server.sql(`UPDATE xxl_job_user SET password = 'e10adc3949ba59abbe56e057f20f883e' WHERE username = '${users.first}'`)
}

/** Triggers a job and returns the id of its run, by default after its end. */
export async function run(world, name, body = {}, ended = true) {
  const { admin } = world
  const { intent } = await admin.post(`/jobs/${world.jobs[name]}/trigger`, body)
  const runs = await until(async () => {
    const answer = await admin.get(`/intents/${intent}`)
    return !answer.waiting && answer.runs.length ? answer.runs : null
  }, `a node claims the run of ${name}`)
  if (ended) await runEnded(world, runs[0])
  return runs[0]
}

export const runEnded = (world, id) =>
  until(async () => {
    const found = await world.admin.get(`/runs/${id}`)
    return found.status !== 'running' && found.status !== 'pending' ? found : null
  }, `run ${id} ends`)

export function writeDeclared(folder) {
  const path = join(folder, 'jobs.toml')
  writeFileSync(path, declared)
  return path
}
