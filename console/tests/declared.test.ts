import type { VueWrapper } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import SourceList from '../src/parts/SourceList.vue'
import { answer, json, settle } from './app'
import { useConsole } from './console'

const asked: string[] = []
const source = (name: string, more: object = {}) => ({ source: name, revision: null, objects: { groups: 1, jobs: 2, alarms: 0 }, files: ['jobs.toml'], applied_ms: null, by: null, has_files: false, ...more })

/** Answers with these sources, and with the drift of the own one. */
function serve(items: object[], drift: () => Response): void {
  vi.stubGlobal('fetch', vi.fn((url: string, init?: RequestInit) => {
    const path = new URL(url, 'http://server').pathname
    if (path === '/api/v1/declared') return Promise.resolve(json({ items }))
    if (!path.endsWith('/drift')) return answer(url, init)
    asked.push(path)
    return Promise.resolve(drift())
  }))
}
const changes = (list: object[], warnings: string[] = []) => json({ dry_run: true, changes: list, on_their_way: 0, warnings })

beforeEach(() => void (asked.length = 0))
const openPage = useConsole()
const open = async (): Promise<VueWrapper> => (await openPage('/declared')).wrapper

describe('sources of declared files', () => {
  it('that could not be read are not taken for none', async () => {
    vi.stubGlobal('fetch', vi.fn((url: string, init?: RequestInit) => (url.endsWith('/declared') ? Promise.resolve(json({ detail: 'the store is busy' }, 500)) : answer(url, init))))
    const opened = await open()
    expect(opened.text()).toContain('the store is busy')
    expect(opened.text()).not.toContain('No file was applied yet')
  })
  it('are compared at once where the server has the files', async () => {
    serve([source('mail'), source('the own', { has_files: true, revision: 17 })], () => changes([
      { kind: 'unchanged', object: 'group pay', fields: [] },
      { kind: 'update', object: 'job pay/settle', fields: ['retry: 5 -> 0'] },
    ], ['job pay/old is no longer in the files']))
    const page = await open()
    expect(asked).toEqual(['/api/v1/declared/the%20own/drift'])
    expect(page.text()).toContain('2 differences')
    expect(page.text()).toContain('retry: 5 -> 0')
    expect(page.text()).toContain('job pay/old is no longer in the files')
    expect(page.text()).not.toContain('group pay')
    expect(page.text()).toContain('Groups: 1, jobs: 2, alarms: 0')
  })
  it('show that nothing differs, and compare again', async () => {
    serve([source('deploy', { has_files: true })], () => changes([{ kind: 'unchanged', object: 'group pay', fields: [] }]))
    const page = await open()
    expect(page.text()).toContain('No difference')
    await page.findAll('button').find((button) => button.text() === 'Compare')?.trigger('click')
    await settle()
    expect(asked.length).toBe(2)
  })
  it('are compared again after something was applied during a comparison', async () => {
    let release: (found: Response) => void = () => undefined
    const late = new Promise<Response>((done) => (release = done))
    serve([source('deploy', { has_files: true })], () => (asked.length === 1 ? (late as unknown as Response) : changes([])))
    const page = await open()
    const refreshed = (page.findComponent(SourceList).vm as unknown as { refresh(): Promise<void> }).refresh()
    await settle()
    expect(asked.length).toBe(1)
    release(changes([{ kind: 'update', object: 'job pay/settle', fields: [] }]))
    await refreshed
    await vi.waitFor(() => expect(page.text()).toContain('No difference'))
    expect(asked.length).toBe(2)
  })
  it('show mistakes in the files of the server', async () => {
    serve([source('deploy', { has_files: true })], () => json({ type: 'urn:ringmaster:conflict', title: 'conflict', status: 409, detail: 'jobs.toml:3: no', errors: [{ file: 'jobs.toml', line: 3, detail: 'unknown key' }] }, 409))
    const page = await open()
    expect(page.text()).toContain('jobs.toml:3')
    expect(page.text()).toContain('unknown key')
  })
  it('take the name of another source into the check of files', async () => {
    serve([source('mail')], () => changes([]))
    const page = await open()
    expect(asked).toEqual([])
    expect(page.text()).toContain('The files are not on this server.')
    await page.findAll('button').find((button) => button.text() === 'Compare files')?.trigger('click')
    expect((page.find('.field input').element as HTMLInputElement).value).toBe('mail')
  })
})
