import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { nextTick } from 'vue'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { i18n, showLanguage } from '../src/app/i18n'
import { settings } from '../src/app/settings'
import { shownColumns } from '../src/parts/columns'
import DataTable from '../src/parts/DataTable.vue'

const columns = ['id', 'name', 'state'].map((key) => ({ key, title: key.toUpperCase() }))
const rows = [{ id: 1, name: 'a', state: 'on' }, { id: 2, name: 'b', state: 'off' }]

async function show() {
  const router = createRouter({ history: createMemoryHistory('/console/'), routes: [{ path: '/:rest(.*)*', component: { template: '<i />' } }] })
  return mount(DataTable as never, {
    attachTo: document.body,
    global: { plugins: [i18n, router, createPinia()] },
    props: { name: 'things', columns, rows, caption: 'Things', link: (row: { id: number }) => `/things/${row.id}` } as never,
  })
}
const heads = () => [...document.querySelectorAll('th')].map((each) => each.textContent)
const press = (key: string) => document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))

beforeEach(async () => {
  document.body.innerHTML = ''
  settings.hiddenColumns = {}
  await showLanguage('en')
})

describe('columns', () => {
  it('keep the first one, whatever is hidden', () => {
    expect(shownColumns(columns, ['id', 'state', 'gone']).map((each) => each.key)).toEqual(['id', 'name'])
    expect(shownColumns(columns)).toHaveLength(3)
  })
  it('are chosen by list, and the choice is remembered', async () => {
    const table = await show()
    await table.find('button[aria-label=Columns]').trigger('click')
    const boxes = table.findAll<HTMLInputElement>('fieldset input')
    expect(boxes.map((box) => [box.element.checked, box.element.disabled])).toEqual([[true, true], [true, false], [true, false]])
    await boxes[1]?.setValue(false)
    expect(heads()).toEqual(['ID', 'STATE'])
    expect(settings.hiddenColumns).toEqual({ things: ['name'] })
    await nextTick()
    expect(JSON.parse(localStorage.getItem('ringmaster.settings') ?? '{}').hiddenColumns).toEqual({ things: ['name'] })
    await boxes[1]?.setValue(true)
    expect(heads()).toEqual(['ID', 'NAME', 'STATE'])
    await table.find('.columns').trigger('keydown', { key: 'Escape' })
    expect(table.find('fieldset').exists()).toBe(false)
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Columns')
    table.unmount()
  })
})

describe('the key c', () => {
  it('copies the link of the current row, and that of the page without one', async () => {
    const copied: string[] = []
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } })
    const table = await show()
    press('c')
    press('j')
    press('j')
    press('c')
    await nextTick()
    expect(copied).toEqual([location.href, `${location.origin}/console/things/2`])
    vi.unstubAllGlobals()
    table.unmount()
  })
})
