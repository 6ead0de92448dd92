// A server of its own with one elastic job, and hosts for it: other cases count the jobs and groups of the common server.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Api } from './api.mjs'
import { Server, startProgram } from './programs.mjs'
import { Skipped } from './runner.mjs'

const appName = 'shard-worker'
export const capacity = 16

const declaration = ({ cron, item }) => `[[group]]
app_name = "${appName}"
title = "Shards"

[[elastic_job]]
group = "${appName}"
name = "sum-orders"
handler = "work"
total = 3
schedule = { cron = "${cron}" }
item_params = { 0 = "${item}", 1 = "${item}", 2 = "${item}" }
param = "day"
failover = true
description = "Sums up the orders of each region."
`

function freePort() {
  return new Promise((done) => {
    const listener = createServer().listen(0, '127.0.0.1', () => {
      const { port } = listener.address()
      listener.close(() => done(port))
    })
  })
}

function openssl(words) {
  const made = spawnSync('openssl', words, { encoding: 'utf8' })
  if (made.error) throw new Skipped('no program openssl')
  if (made.status !== 0) throw new Error(made.stderr)
}

/** Makes an authority, and certificates of a node and an executor. */
function makeCertificates(folder) {
  const file = (name) => join(folder, name)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(['req', '-x509', ...key, '-subj', '/CN=links', '-days', '60', '-keyout', file('links.key'), '-out', file('links.pem')])
  for (const [name, usage] of [['node', 'serverAuth'], ['executor', 'clientAuth']]) {
    writeFileSync(file(`${name}.ext`), `extendedKeyUsage=${usage}\n`)
    openssl(['req', ...key, '-subj', `/CN=${name}`, '-keyout', file(`${name}.key`), '-out', file(`${name}.csr`)])
    openssl(['x509', '-req', '-in', file(`${name}.csr`), '-CA', file('links.pem'), '-CAkey', file('links.key'), '-CAcreateserial', '-days', '60', '-extfile', file(`${name}.ext`), '-out', file(`${name}.pem`)])
  }
}

/** Starts a host of the job. Its log is next to its folder. */
function startHost({ world, server, folder, link }, name) {
  const home = join(folder, name)
  mkdirSync(home)
  const words = { app_name: appName, token: server.secret('access_token'), node: link, capacity, drain_ms: 2000, label: `zone-${name}`, certificate: join(folder, 'executor.pem'), key: join(folder, 'executor.key'), ca: join(folder, 'links.pem'), notes: join(folder, `${name}.notes`), data_dir: home }
  return startProgram(world.worker, Object.entries(words).map(([key, value]) => `${key}=${value}`), folder, name)
}

/**
 * Calls `action` with a world of an own server with the job, and ends it. `cron`, `item`: schedule, and parameter of each item.
 * `hosts`: names of the hosts that are started; they need `--worker`.
 */
export async function withElastic(world, { cron, item, hosts = [] }, action) {
  if (hosts.length && !world.worker) throw new Skipped('no program elastic_worker: name it with --worker')
  const folder = mkdtempSync(join(world.folder, 'elastic-'))
  const file = join(folder, 'jobs.toml')
  writeFileSync(file, declaration({ cron, item }))
  const settings = [`deploy.files=${file}`]
  const link = hosts.length ? `127.0.0.1:${await freePort()}` : ''
  if (hosts.length) {
    makeCertificates(folder)
    settings.push(`link.listen=${link}`, ...[['certificate', 'node.pem'], ['key', 'node.key'], ['ca', 'links.pem']].map(([key, name]) => `link.${key}=${join(folder, name)}`))
  }
  const server = new Server(world.server.binary, folder, settings)
  const programs = {}
  try {
    await server.start()
    const adminPassword = server.secret('admin_password')
    const admin = await new Api(server.address).signIn('admin', adminPassword)
    for (const name of hosts) programs[name] = startHost({ world, server, folder, link }, name)
    const job = (await admin.get('/elastic/jobs')).items[0]
    return await action({ ...world, server, adminPassword, admin, job, programs })
  } finally {
    await Promise.all(Object.values(programs).map((each) => each.stop()))
    await server.program?.stop()
  }
}
