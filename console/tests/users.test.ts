import { describe, expect, it, vi } from 'vitest'
import { answer, json, settle } from './app'
import { press, type, useConsole } from './console'

const added: unknown[] = []
const open = useConsole((url, init) => {
  const { pathname } = new URL(url, 'http://server')
  if (pathname !== '/api/v1/users' || init?.method !== 'POST') return answer(url, init)
  added.push(JSON.parse(String(init.body)))
  return json({ id: 9 }, 201)
})
const button = (text: string) => [...document.querySelectorAll<HTMLElement>('button')].find((each) => each.textContent?.trim() === text)!

describe('the form of a user', () => {
  it('says at the name that it is too short, and sends it only when it is not', async () => {
    const { wrapper } = await open('/users')
    await vi.waitFor(() => expect(wrapper.text()).toContain('Add a user'), 15000)
    button('Add a user').click()
    await settle()
    const [name, password] = document.querySelectorAll<HTMLInputElement>('.el-dialog input')
    const put = async (field: HTMLInputElement, text: string) => {
      field.value = text
      field.dispatchEvent(new Event('input'))
      await settle()
    }
    await put(password!, 'long enough')
    await put(name!, ' bob ')
    button('Save').click()
    await settle()
    expect(document.querySelector('#user-name-problem')?.textContent).toBe('A user name has 4 to 20 characters')
    expect(name!.getAttribute('aria-invalid')).toBe('true')
    expect(added).toEqual([])
    await put(name!, 'bobby')
    expect(document.querySelector('#user-name-problem')).toBeNull()
    button('Save').click()
    await vi.waitFor(() => expect(added).toMatchObject([{ name: 'bobby' }]), 5000)
  })
  it('asks before typed text is lost, and closes at once without any', async () => {
    const { wrapper } = await open('/users')
    await vi.waitFor(() => expect(wrapper.text()).toContain('Add a user'), 15000)
    const cross = async () => {
      document.querySelector<HTMLElement>('.el-dialog__headerbtn')!.click()
      await settle()
    }
    button('Add a user').click()
    await settle()
    await cross()
    expect(document.querySelector('.el-dialog input')).toBeNull()
    button('Add a user').click()
    await settle()
    await type('.el-dialog input', 'bobby')
    await cross()
    expect(document.querySelector<HTMLInputElement>('.el-dialog input')?.value).toBe('bobby')
    await press('Cancel', '.el-message-box')
    expect(document.querySelector<HTMLInputElement>('.el-dialog input')?.value).toBe('bobby')
    await cross()
    await press('Discard', '.el-message-box')
    expect(document.querySelector('.el-dialog input')).toBeNull()
  })
})
