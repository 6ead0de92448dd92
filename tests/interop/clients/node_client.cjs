// An executor made of `xxl-job` (npm) and Express, as in its documentation.
// node_client.cjs FOLDER_OF_MODULES '{"admin", "app", "port", "token", "folder", "base", "route", "logs"}'

const fs = require('node:fs')
const load = require('node:module').createRequire(process.argv[2] + '/')
const express = load('express')
const { createXxlJobExecutor } = load('xxl-job')

const options = JSON.parse(process.argv[3])
process.chdir(options.folder)

// Records that a run began; returns its parameter.
function journal(run) {
  const entry = {
    log_id: run.logId, job_id: run.jobId, handler: run.executorHandler, param: run.executorParams,
    shard_index: run.broadcastIndex, shard_total: run.broadcastTotal, port: options.port, ms: Date.now(),
  }
  fs.appendFileSync('journal', JSON.stringify(entry) + '\n')
  return run.executorParams
}

const pause = ms => new Promise(done => setTimeout(done, ms))

// A handler that returned after its run was ended would end the next run of its job, so it never does.
async function sleep(run, ms) {
  for (const end = Date.now() + ms; Date.now() < end;)
    await (run.isKill() ? new Promise(() => {}) : pause(20))
}

const handlers = new Map(Object.entries({
  echo: async (_logger, run) => journal(run),
  failing: async (_logger, run) => {
    throw new Error(`failed on purpose: ${journal(run)}`)
  },
  slow: async (_logger, run) => {
    const param = journal(run)
    await sleep(run, Number(param))
    return `slept ${param}`
  },
  shard: async (_logger, run) => {
    journal(run)
    return `${run.broadcastIndex}/${run.broadcastTotal}`
  },
  // Writes line by line; the parameter is the number of milliseconds between lines.
  logging: async (logger, run) => {
    const param = journal(run)
    for (let line = 1; line <= 5; ++line) {
      logger.info(`line ${line} of this run`)
      await sleep(run, Number(param))
    }
    return 'logged 5'
  },
  object: async (_logger, run) => ({ rows: [Number(journal(run))] }),
  nothing: async (_logger, run) => {
    journal(run)
  },
}))

const app = express()
app.use(express.json())
const executor = createXxlJobExecutor({
  app,
  jobHandlers: handlers,
  accessToken: options.token,
  executorKey: options.app,
  scheduleCenterUrl: options.admin,
  route: options.route,
  logStorage: options.logs,
  ...(options.base ? { baseUrl: options.base } : { ip: '127.0.0.1', port: options.port }),
})
app.listen(options.port, '127.0.0.1', () => executor.initialization())
process.on('SIGTERM', () => executor.cancel().finally(() => process.exit(0)))
