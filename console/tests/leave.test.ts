import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openSignIn } from '../src/app/leave'
import { useSession } from '../src/app/session'
import { answer, json, settle } from './app'
import { useConsole, type Opened } from './console'

vi.mock('../src/app/leave', () => ({ openSignIn: vi.fn() }))

let opened: Opened
let signOutStatus: number
const requests: string[] = []

beforeEach(() => {
  signOutStatus = 204
  vi.mocked(openSignIn).mockClear()
})
const openPage = useConsole((url, init) => {
  const name = `${init?.method ?? 'GET'} ${new URL(url, 'http://server').pathname.replace('/api/v1', '')}`
  requests.push(name)
  if (name === 'DELETE /session') return signOutStatus === 204 ? new Response(null, { status: 204 }) : json({ type: 'urn:ringmaster:x', title: 'x', status: signOutStatus, detail: 'x' }, signOutStatus)
  return answer(url, init)
})
async function open(path: string): Promise<Opened> {
  opened = await openPage(path)
  requests.length = 0
  return opened
}
async function signOut(): Promise<void> {
  opened.wrapper.findAllComponents({ name: 'ElDropdown' }).at(-1)?.vm.$emit('command', 'out')
  await settle()
  ;[...document.querySelectorAll<HTMLButtonElement>('.el-message-box button')].find((each) => each.textContent?.trim() === 'Sign out')?.click()
  // The sign-in page is loaded first.
  await vi.waitFor(() => expect(requests).toContain('DELETE /session'))
  await settle()
}

describe('signing out', () => {
  it('ends the session and loads the sign-in page as a new document; until then no page is shown', async () => {
    await open('/runs')
    await signOut()
    expect(requests).toEqual(['DELETE /session'])
    expect(openSignIn).toHaveBeenCalledTimes(1)
    expect(useSession().current).toBeNull()
    expect(document.querySelector('main')).toBeNull()
    expect(document.querySelector('form')).toBeNull()
  })
  it('of a session that has ended already leaves, too', async () => {
    signOutStatus = 401
    await open('/runs')
    await signOut()
    expect(openSignIn).toHaveBeenCalledTimes(1)
  })
  it('returns to the page if the server refuses', async () => {
    signOutStatus = 500
    const { router } = await open('/runs?status=failed')
    await signOut()
    expect(openSignIn).not.toHaveBeenCalled()
    expect(router.currentRoute.value.fullPath).toBe('/runs?status=failed')
    expect(document.querySelector('main h1')?.textContent).toBe('Runs')
  })
})

describe('a new password', () => {
  it('loads the sign-in page as a new document', async () => {
    await open('/me')
    for (const field of document.querySelectorAll<HTMLInputElement>('form input[type=password]')) {
      field.value = 'a long password'
      field.dispatchEvent(new Event('input'))
    }
    document.querySelector('form')?.dispatchEvent(new Event('submit'))
    await settle()
    expect(requests).toEqual(['PUT /users/me/password'])
    expect(openSignIn).toHaveBeenCalledWith({ changed: 'password' })
    expect(document.querySelector('main')).toBeNull()
  })
  it('is confirmed on the sign-in page', async () => {
    await open('/sign-in?changed=password')
    expect(document.body.textContent).toContain('The password is changed. Sign in with it.')
  })
})
