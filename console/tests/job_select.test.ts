import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { i18n, showLanguage } from '../src/app/i18n'
import JobSelect from '../src/parts/JobSelect.vue'
import { json, settle } from './app'

/** Searches that the server has not answered, by group. */
const open = new Map<string, (answer: Response) => void>()
const job = (id: number) => ({ items: [{ id, name: `job ${id}` }], next: null, total: 1, total_is_capped: false })

beforeEach(async () => {
  vi.stubGlobal('fetch', (url: string) => new Promise((done) => open.set(new URL(url, 'http://server').searchParams.get('group') ?? '', done)))
  await showLanguage('en')
})
afterEach(() => {
  document.body.innerHTML = ''
  vi.unstubAllGlobals()
})

it('a choice of jobs offers those of its group, whatever answer comes last', async () => {
  const select = mount(JobSelect, { attachTo: document.body, global: { plugins: [i18n, createPinia()] }, props: { modelValue: undefined, group: 1 } })
  const offered = () => select.findAllComponents({ name: 'ElOption' }).map((each) => each.props('label'))
  const focus = () => select.findComponent({ name: 'ElSelect' }).vm.$emit('focus', new FocusEvent('focus'))
  focus()
  await settle()
  await select.setProps({ group: 2 })
  open.get('1')!(json(job(11)))
  await settle()
  expect(offered()).toEqual([])
  focus()
  await settle()
  open.get('2')!(json(job(22)))
  await settle()
  expect(offered()).toEqual(['22 job 22'])
  await select.setProps({ group: 3 })
  expect(offered()).toEqual([])
  select.unmount()
})
