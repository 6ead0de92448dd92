// Starts and ends the programs under test: the server and executors of the ringmaster binary. Each has its own process, a log file, and
// a folder below one temporary folder.
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Generous for sanitizers and a busy machine. Tests never wait this long when they succeed.
export const deadlineMs = 60000

export const pause = (ms) => new Promise((done) => setTimeout(done, ms))

/** Returns the result of the condition once it is true; `what` names it in the error. */
export async function until(condition, what, limitMs = deadlineMs, everyMs = 100) {
  const end = Date.now() + limitMs
  for (;;) {
    const value = await condition()
    if (value) return value
    if (Date.now() > end) throw new Error(`not within ${limitMs / 1000} s: ${what}`)
    await pause(everyMs)
  }
}

// However the tests end, their programs end with them.
const running = new Set()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))
for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143]]) process.on(signal, () => process.exit(code))

/** A running program whose output goes to a file. */
class Program {
  constructor(binary, words, folder, name) {
    this.log = join(folder, `${name}.log`)
    const sink = openSync(this.log, 'a')
    const kept = Object.entries(process.env).filter(([key]) => !key.startsWith('RINGMASTER_'))
    this.child = spawn(binary, words, { stdio: ['ignore', sink, sink], cwd: folder, env: { ...Object.fromEntries(kept), TZ: 'UTC' } })
    closeSync(sink)
    running.add(this.child)
    this.ended = new Promise((done) => this.child.once('exit', done)).then(() => running.delete(this.child))
  }

  text() {
    return readFileSync(this.log, 'utf8')
  }

  async line(pattern) {
    return until(() => {
      if (this.child.exitCode !== null) throw new Error(`the program ended with code ${this.child.exitCode}:\n${this.text()}`)
      return pattern.exec(this.text())
    }, `a log line like ${pattern}`)
  }

  async stop() {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGTERM')
    const forced = setTimeout(() => this.child.kill('SIGKILL'), 20000)
    await this.ended
    clearTimeout(forced)
  }
}

/** Starts a program whose output goes to a log file of this name. */
export const startProgram = (binary, words, folder, name) => new Program(binary, words, folder, name)

/** The server of a test. It keeps its port when it is started again. */
export class Server {
  constructor(binary, folder, settings) {
    Object.assign(this, { binary, folder, settings, starts: 0, port: 0 })
    this.data = join(folder, 'data')
  }

  async start() {
    const settings = [`data_dir=${this.data}`, `server.listen=127.0.0.1:${this.port}`, ...this.settings]
    this.starts += 1
    this.program = new Program(this.binary, ['serve', ...settings.flatMap((each) => ['--set', each])], this.folder, `serve-${this.starts}`)
    this.address = (await this.program.line(/serving on (http:\/\/[^\s"]+)/))[1]
    this.port = Number(new URL(this.address).port)
    await until(() => fetch(`${this.address}/readyz`).then((answer) => answer.ok, () => false), 'the server is ready')
  }

  stop() {
    return this.program.stop()
  }

  /** Returns a value of the file that the first start wrote. */
  secret(name) {
    return new RegExp(`^${name} = (.+)$`, 'm').exec(readFileSync(join(this.data, 'initial-secrets'), 'utf8'))[1]
  }

  /** Changes the database as a Java admin might have left it. */
  sql(statement) {
    const code = 'import sqlite3, sys\nwith sqlite3.connect(sys.argv[1], timeout=20) as db: db.execute(sys.argv[2])'
    const done = spawnSync('python3', ['-c', code, join(this.data, 'ringmaster.db'), statement], { encoding: 'utf8' })
    if (done.status !== 0) throw new Error(done.stderr)
  }
}

/** Starts an executor with these [[command]] tables, and waits until an admin has accepted its registration. */
export async function startExecutor(server, name, appName, commands) {
  const folder = join(server.folder, name)
  const config = join(server.folder, `${name}.toml`)
  writeFileSync(
    config,
    `data_dir = "${folder}"\n[executor]\nadmins = ["${server.address}/xxl-job-admin"]\napp_name = "${appName}"\nport = 0\nscripts = true\n` +
      `[security]\naccess_token = "${server.secret('access_token')}"\n${commands}`,
  )
  const program = new Program(server.binary, ['executor', '--config', config], server.folder, name)
  await program.line(/registration of \S+ accepted by/)
  return { program, folder, stop: () => program.stop() }
}
