// Jobs and runs of a large installation: jobs as a declared file, runs straight in the file of SQLite while no server uses it.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'

export const appName = 'large-jobs'
export const logAppName = 'large-log'
export const logHandler = 'long-log'

const days = 7
const chunkRows = 250000

/** Returns the name of a job, counted from 0. Names sort like their numbers. */
export const nameOfJob = (number) => `job ${String(number).padStart(6, '0')} of the night`

/** Returns a cron that fires once a year, two to ten months from now: no job fires during the measurement. */
function cronOf(number, month) {
  return `${number % 60} ${(number * 7) % 60} ${number % 24} ${1 + (number % 28)} ${1 + ((month + 2 + (number % 9)) % 12)} ?`
}

/** Writes a declared file with `jobs` scheduled jobs, and one job whose log is read. */
export function writeJobs(path, jobs) {
  const month = new Date().getUTCMonth()
  const parts = [appName, logAppName].map((name) => `[[group]]\napp_name = "${name}"\ntitle = "${name}"\n`)
  parts.push(`[[job]]\ngroup = "${logAppName}"\nkey = "log"\nname = "Long log"\nhandler = "${logHandler}"\n`)
  for (let i = 0; i < jobs; i += 1)
    parts.push(
      `[[job]]\ngroup = "${appName}"\nkey = "job-${i}"\nname = "${nameOfJob(i)}"\nauthor = "ann"\nhandler = "work"\n` +
        `schedule = { cron = "${cronOf(i, month)}" }\nmisfire = "do_nothing"\n`,
    )
  writeFileSync(path, parts.join('\n'))
  return path
}

/**
 * Returns the statements that insert finished runs of the last seven days, the last of them now. One of a hundred has failed, and its
 * alarm is decided. The index is built at the end, which is faster than row by row.
 */
export function insertRuns(rows) {
  const statements = ['PRAGMA synchronous = OFF', 'PRAGMA cache_size = -200000', 'DROP INDEX I_jobid']
  const time = `datetime('now', '-' || ((${rows} - n) * ${days * 86400} / ${rows}) || ' seconds')`
  for (let done = 0; done < rows; done += chunkRows)
    statements.push(
      `WITH RECURSIVE
  own(job_group, first, jobs) AS (SELECT g.id, MIN(j.id), COUNT(*) FROM xxl_job_group g JOIN xxl_job_info j ON j.job_group = g.id WHERE g.app_name = '${appName}'),
  some(n) AS (VALUES (${done + 1}) UNION ALL SELECT n + 1 FROM some WHERE n < ${Math.min(rows, done + chunkRows)})
INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, executor_param, executor_sharding_param, executor_fail_retry_count,
  trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status)
SELECT job_group, first + n % jobs, 'http://127.0.0.1:9/', 'work', '', NULL, 0,
  ${time}, 200, '1|large|0|ROUND|SERIAL_EXECUTION|0|0|http://127.0.0.1:9/|200', ${time},
  CASE n % 100 WHEN 0 THEN 500 ELSE 200 END, CASE n % 100 WHEN 0 THEN 'no such account' ELSE '' END, CASE n % 100 WHEN 0 THEN 1 ELSE 0 END
FROM some, own`,
    )
  statements.push('CREATE INDEX I_jobid ON xxl_job_log (job_id)', 'PRAGMA wal_checkpoint(TRUNCATE)')
  return `${statements.join(';\n')};\n`
}

/** Runs statements with the program sqlite3. */
export function runSqlite(file, statements) {
  return new Promise((done, failed) => {
    const child = spawn('sqlite3', ['-bail', file], { stdio: ['pipe', 'ignore', 'pipe'] })
    const kill = () => child.kill('SIGKILL')
    process.on('exit', kill)
    let problem = ''
    child.stderr.on('data', (bytes) => (problem += bytes))
    child.on('error', failed)
    child.on('close', (code) => {
      process.off('exit', kill)
      if (code === 0) done()
      else failed(new Error(`sqlite3 ended with code ${code}: ${problem}`))
    })
    // The reason why it ended early is in `problem`.
    child.stdin.on('error', () => undefined)
    child.stdin.end(statements)
  })
}
