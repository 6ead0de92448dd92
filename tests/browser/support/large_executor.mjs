// An executor in this process that speaks XXL-JOB's HTTP protocol: each run succeeds at once, and has the same long log. Like a Java executor, it
// answers /log with everything from the wanted line to the end.
import { createServer } from 'node:http'

/** Bytes of a line with its end. In JSON the end has two bytes. */
const lineBytes = 100
const filler = 'the quick brown fox jumps over the lazy dog and goes on to the next line of this long, long log'
const beatMs = 30000

/** Returns the text by which a line can be found. */
export const textOfLine = (line) => `line ${String(line).padStart(9, '0')}:`

/** Returns the lines of a log as the inner part of a text in JSON. */
function escapedLines(lines) {
  const bytes = Buffer.alloc(lines * (lineBytes + 1))
  for (let line = 1; line <= lines; line += 1)
    bytes.write(`${`${textOfLine(line)} ${filler}`.slice(0, lineBytes - 1)}\\n`, (line - 1) * (lineBytes + 1), 'latin1')
  return bytes
}

async function bodyOf(request) {
  const parts = []
  for await (const part of request) parts.push(part)
  const text = Buffer.concat(parts).toString()
  return text ? JSON.parse(text) : {}
}

export class LogExecutor {
  /** Starts an executor of the group `appName`, and registers it until it is stopped. `megabytes`: size of the log. */
  static async start(server, appName, megabytes) {
    const made = new LogExecutor()
    Object.assign(made, { server, appName, token: server.secret('access_token'), lines: Math.floor((megabytes * 1e6) / lineBytes) })
    made.log = escapedLines(made.lines)
    made.http = createServer((request, response) => {
      made.answer(request, response).catch((error) => {
        console.error(`executor: ${error.message}`)
        response.destroy()
      })
    })
    await new Promise((done, failed) => made.http.once('error', failed).listen(0, '127.0.0.1', done))
    made.address = `http://127.0.0.1:${made.http.address().port}/`
    await made.register()
    made.timer = setInterval(() => void made.register().catch((error) => console.error(error.message)), beatMs)
    return made
  }

  async send(path, body) {
    const answer = await fetch(`${this.server.address}/xxl-job-admin/api/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'XXL-JOB-ACCESS-TOKEN': this.token },
      body: JSON.stringify(body),
    })
    const reply = await answer.json()
    if (reply.code !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(reply)}`)
  }

  register() {
    return this.send('registry', { registryGroup: 'EXECUTOR', registryKey: this.appName, registryValue: this.address })
  }

  report({ logId, logDateTime }) {
    return this.send('callback', [{ logId, logDateTim: logDateTime, handleCode: 200, handleMsg: '' }])
  }

  async answer(request, response) {
    const body = await bodyOf(request)
    if (request.url.endsWith('/log')) return this.answerLog(Number(body.fromLineNum) || 1, response)
    const text = JSON.stringify({ code: 200, msg: null })
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text)
    if (request.url.endsWith('/run')) await this.report(body)
  }

  answerLog(from, response) {
    const lines = this.log.subarray(Math.min(from - 1, this.lines) * (lineBytes + 1))
    const head = Buffer.from(`{"code":200,"msg":null,"content":{"fromLineNum":${from},"toLineNum":${this.lines},"isEnd":true,"logContent":"`)
    const end = Buffer.from('"}}')
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': head.length + lines.length + end.length })
    response.write(head)
    response.write(lines)
    response.end(end)
  }

  stop() {
    clearInterval(this.timer)
    this.http.closeAllConnections()
    return new Promise((done) => this.http.close(done))
  }
}
