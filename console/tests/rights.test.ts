import { beforeEach, describe, expect, it } from 'vitest'
import type { Job } from '../types/api'
import { answer, json, session } from './app'
import { useConsole } from './console'
import { example } from './example'

/** Rights of the user; without one, the server refuses the job and its run. */
let rights: { group: number; right: string }[]
const open = useConsole((url, init) => {
  const { pathname } = new URL(url, 'http://server')
  if (pathname === '/api/v1/session') return json({ ...session, name: 'vera', admin: false, rights })
  if (/\/(jobs\/1|runs|runs\/1|elastic\/jobs\/1)$/.test(pathname) && !rights.length) return json({ type: 'urn:ringmaster:not_permitted', title: '', status: 403, detail: 'user vera needs the permission viewer in group 1 and has none there' }, 403)
  if (pathname === '/api/v1/jobs/1') return json({ ...(example('Job') as Job), id: 1, group: 1, children: [] })
  return answer(url, init)
})
const text = () => document.body.textContent ?? ''
const saves = () => [...document.querySelectorAll('.el-drawer button')].filter((each) => each.textContent?.trim() === 'Save').length

beforeEach(() => {
  rights = []
})

describe('a user without the permission', () => {
  it('is told so in place of the form of a job, and can save nothing', async () => {
    for (const own of [[], [{ group: 1, right: 'viewer' }]]) {
      rights = own
      const { wrapper } = await open('/jobs/1/edit')
      expect(text()).toContain('You need the permission editor in')
      expect([saves(), document.querySelectorAll('.el-drawer form').length]).toEqual([0, 0])
      wrapper.unmount()
      document.body.innerHTML = ''
    }
  })
  it.each(['/jobs/1', '/runs/1', '/elastic/1'])('reads the words of the console on %s', async (path) => {
    await open(path)
    expect(text()).toContain('You need the permission viewer in a group')
    expect(text()).not.toContain('user vera needs')
  })
})
