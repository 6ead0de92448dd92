// A client of /api/v1 with a session, to seed data and to check results apart from the pages.

export class Api {
  constructor(address) {
    this.address = address
    this.cookie = ''
    this.token = ''
  }

  async signIn(name, password) {
    const answer = await fetch(`${this.address}/api/v1/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: this.address },
      body: JSON.stringify({ name, password }),
    })
    if (!answer.ok) throw new Error(`sign-in of ${name}: ${answer.status} ${await answer.text()}`)
    this.cookie = answer.headers.getSetCookie().map((each) => each.split(';')[0]).join('; ')
    this.token = (await answer.json()).csrf_token
    return this
  }

  /** Sends a request; returns status, ETag and the parsed body. */
  async send(method, path, body, headers = {}) {
    const answer = await fetch(`${this.address}/api/v1${path}`, {
      method,
      headers: {
        Cookie: this.cookie,
        ...(method === 'GET' ? {} : { 'X-CSRF-Token': this.token, Origin: this.address }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await answer.text()
    const isJson = (answer.headers.get('Content-Type') ?? '').includes('json')
    return { status: answer.status, etag: answer.headers.get('ETag'), body: isJson && text ? JSON.parse(text) : text }
  }

  async ask(method, path, body, headers) {
    const { status, body: answered } = await this.send(method, path, body, headers)
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answered)}`)
    return answered
  }

  get(path) {
    return this.ask('GET', path)
  }

  post(path, body = {}) {
    return this.ask('POST', path, body)
  }
}
