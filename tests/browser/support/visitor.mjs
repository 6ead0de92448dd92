// A browser window of one person: a context with one page, whose faults fail the test.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { pause, until } from './programs.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export const findBrowser = () => [process.env.CHROMIUM, ...browsers].find((each) => each && existsSync(each))

export function openBrowser() {
  return chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox', '--headless=new', '--disable-gpu'], handleSIGINT: false, handleSIGTERM: false })
}

/** Notes faults that only the page sees, and counts presses of the pointer. */
function watchPage(settings) {
  if (!localStorage.getItem('ringmaster.settings')) localStorage.setItem('ringmaster.settings', JSON.stringify(settings))
  document.addEventListener('securitypolicyviolation', (event) => {
    void window.noteFault(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sample} ${event.sourceFile}:${event.lineNumber}`)
  })
  document.addEventListener('pointerdown', (event) => event.isTrusted && void window.noteClick(), true)
}

/** Serves a console that was built since the binary, with the binary's headers: `--console FOLDER`. */
async function replaceConsole(context, world) {
  const types = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', html: 'text/html; charset=utf-8' }
  await context.route(/\/console(\/|$)/, async (route) => {
    const request = route.request()
    const url = new URL(request.url())
    const [, prefix, path] = /^(.*?)\/console\/?(.*)$/.exec(url.pathname)
    if (prefix.includes('/api/')) return route.continue()
    const file = path.startsWith('assets/') ? path : 'index.html'
    // After a redirect, the browser shows the binary's own page.
    if (!existsSync(join(world.console, file))) return route.continue()
    const body = readFileSync(join(world.console, file))
    const headers = world.consoleHeaders
    const text = () => body.toString().replaceAll('"./', `"${prefix}/console/`).replaceAll('%RINGMASTER_PREFIX%', prefix)
    return route.fulfill({ status: 200, headers: { ...headers, 'content-type': types[file.split('.').pop()] ?? 'application/octet-stream' }, body: file === 'index.html' ? text() : body })
  })
}

export class Visitor {
  /** Opens a window. `settings`: of the console, e.g. language and theme. */
  static async open(world, { settings = {}, prefix = '', ...options } = {}) {
    const visitor = new Visitor()
    Object.assign(visitor, { world, faults: [], allowed: [], clicks: 0, busy: new Set(), prefix })
    visitor.context = await world.browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US', timezoneId: 'Europe/Berlin', reducedMotion: 'reduce', ...options })
    visitor.context.setDefaultTimeout(15000)
    if (world.console) await replaceConsole(visitor.context, world)
    await visitor.context.exposeBinding('noteFault', (_, text) => visitor.faults.push(text))
    await visitor.context.exposeBinding('noteClick', () => (visitor.clicks += 1))
    await visitor.context.addInitScript(watchPage, settings)
    visitor.page = await visitor.context.newPage()
    visitor.watch(visitor.page)
    return visitor
  }

  watch(page) {
    const fault = (text) => this.faults.push(`${new URL(page.url()).pathname}: ${text}`)
    const isWait = (request) => /[?&]wait_s=[1-9]/.test(request.url())
    const done = (request) => this.busy.delete(request)
    page.on('request', (request) => isWait(request) || this.busy.add(request))
    page.on('requestfinished', done)
    page.on('requestfailed', (request) => {
      done(request)
      const why = request.failure()?.errorText ?? ''
      if (!why.includes('ERR_ABORTED')) fault(`request failed: ${request.method()} ${request.url()} ${why}`)
    })
    page.on('response', (response) => {
      if (response.status() >= 400) fault(`status ${response.status()}: ${response.request().method()} ${new URL(response.url()).pathname}`)
    })
    page.on('console', (message) => {
      // Failed requests are noted above, with their status.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) fault(`console error: ${message.text()}`)
      if (message.type() === 'warning' && /vue|intlify|Refused/i.test(message.text())) fault(`console warning: ${message.text()}`)
    })
    page.on('pageerror', (error) => fault(`not caught: ${error.stack ?? error.message}`))
    page.on('dialog', (dialog) => {
      if (dialog.type() !== 'beforeunload') fault(`dialog: ${dialog.message()}`)
      void dialog.accept()
    })
  }

  url(path) {
    return `${this.world.server.address}${this.prefix}/console${path}`
  }

  path() {
    const url = new URL(this.page.url())
    return decodeURI(url.pathname + url.search + url.hash)
  }

  /** Opens a page of the console and waits until it has read what it shows. */
  async go(path) {
    await this.page.goto(this.url(path))
    await this.settle()
  }

  /** Opens a page without loading the console again, as a link does. */
  async move(path) {
    await this.page.evaluate((to) => {
      history.pushState({ ...history.state, position: (history.state?.position ?? 0) + 1 }, '', to)
      dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
    }, new URL(this.url(path)).pathname + new URL(this.url(path)).search)
    await this.settle()
  }

  /** Waits until the page has drawn what it read: no request is open and no table gets rows while it draws three times. */
  async settle() {
    let quiet = 0
    await until(async () => {
      const drawn = await this.page.evaluate(() => new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelector('#app')?.childElementCount > 0 && !document.querySelector('.el-skeleton, table[aria-busy=true]'))))
      })).catch(() => false)
      quiet = drawn && this.busy.size === 0 ? quiet + 1 : 0
      return quiet >= 3
    }, 'quiet requests', 20000, 10)
  }

  async signIn(name, password, path = '/') {
    await this.page.goto(this.url(path))
    await this.fillSignIn(name, password)
    await this.page.locator('nav').waitFor({ state: 'attached' })
    await this.settle()
    return this
  }

  async fillSignIn(name, password) {
    await this.page.fill('input[name=name]', name)
    await this.page.fill('input[name=password]', password)
    await this.page.keyboard.press('Enter')
  }

  /** Declares that this fault is part of the case. */
  expect(pattern) {
    this.allowed.push(pattern)
  }

  unexpected() {
    return this.faults.filter((each) => !this.allowed.some((pattern) => pattern.test(each)))
  }

  checkFaults(where = '') {
    const found = this.unexpected()
    this.faults = []
    assert.deepEqual(found, [], where)
  }

  /** Returns serious and critical findings of axe, one line each. */
  async axeFindings() {
    await this.page.evaluate(axe)
    return this.page.evaluate(async () => {
      const result = await window.axe.run(document, { resultTypes: ['violations'] })
      return result.violations
        .filter((each) => each.impact === 'serious' || each.impact === 'critical')
        .map((each) => `${each.id}: ${each.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${(node.any[0] ?? node.all[0] ?? node.none[0])?.message?.slice(0, 160) ?? ''}`).join(' | ')}`)
    })
  }

  async shot(name) {
    if (!this.world.shots) return
    mkdirSync(this.world.shots, { recursive: true })
    await this.page.screenshot({ path: join(this.world.shots, `${name}.png`) })
  }

  close() {
    return this.context.close()
  }
}

/** Runs `action` with a window, and then fails on its faults. After a failure the window's state is kept as a picture. */
export async function visit(world, options, action) {
  const visitor = await Visitor.open(world, options)
  try {
    const said = await action(visitor, visitor.page)
    visitor.checkFaults()
    return said
  } catch (error) {
    if (world.failures) {
      mkdirSync(world.failures, { recursive: true })
      await visitor.page.screenshot({ path: join(world.failures, `${Date.now()}.png`) }).catch(() => undefined)
    }
    const found = visitor.unexpected()
    if (found.length && !String(error.message).includes(found[0])) error.stack += `\nfaults of the page:\n${found.join('\n')}`
    throw error
  } finally {
    await visitor.close()
  }
}
