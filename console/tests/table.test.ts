import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { computed, h, nextTick, ref } from 'vue'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { i18n, showLanguage } from '../src/app/i18n'
import { settings } from '../src/app/settings'
import { rowIds } from '../src/live/rows'
import { shownColumns } from '../src/parts/columns'
import ListFoot from '../src/parts/ListFoot.vue'
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

describe('several tables on a page', () => {
  const current = (table: Awaited<ReturnType<typeof show>>) => table.findAll('tr.current').map((each) => each.attributes('data-row'))
  it('take keys by their focus, and without one the first table does', async () => {
    const [first, second] = [await show(), await show()]
    press('j')
    await nextTick()
    expect([current(first), current(second)]).toEqual([['1'], []])
    second.find<HTMLElement>('tr[data-row="2"]').element.focus()
    press('k')
    await nextTick()
    expect([current(first), current(second)]).toEqual([['1'], ['1']])
    ;(document.activeElement as HTMLElement).blur()
    press('j')
    await nextTick()
    expect([current(first), current(second)]).toEqual([['2'], ['1']])
    first.unmount()
    press('j')
    await nextTick()
    expect(current(second)).toEqual(['2'])
    second.unmount()
  })
})

describe('another page of a list', () => {
  it('begins at the top of its list, which the user had scrolled past', async () => {
    const page = ref(0)
    const turn = () => undefined
    const pages = { total: ref(90), totalIsCapped: ref(false), page: computed(() => page.value), hasBack: computed(() => true), next: ref('p50'), goFirst: turn, goBack: turn, goNext: turn }
    const list = mount({ render: () => [h('div', { 'data-table': 'other' }), h('div', { 'data-table': 'things' }), h('p'), h(ListFoot, { list: pages })] } as never, {
      attachTo: document.body,
      global: { plugins: [i18n, createPinia()] },
    })
    const table = document.querySelector<HTMLElement>('[data-table=things]')!
    const scroll = vi.spyOn(Element.prototype, 'scrollIntoView')
    const place = vi.spyOn(table, 'getBoundingClientRect').mockReturnValue({ top: 200 } as DOMRect)
    page.value = 1
    await nextTick()
    expect(scroll).not.toHaveBeenCalled()
    place.mockReturnValue({ top: -900 } as DOMRect)
    page.value = 2
    await nextTick()
    expect(scroll.mock.contexts).toEqual([table])
    scroll.mockRestore()
    list.unmount()
  })
})

describe('ids of rows without a number', () => {
  it('stay with the row when it moves, also among rows with the same name', () => {
    const numbered = rowIds<{ at: number; to: string }>((each) => [each.at, each.to])
    const idsOf = (...found: [number, string][]) => numbered(found.map(([at, to]) => ({ at, to }))).map((each) => each.id)
    expect(idsOf([1, 'a'], [1, 'a'], [2, 'b'])).toEqual([1, 2, 3])
    expect(idsOf([3, 'c'], [2, 'b'], [1, 'a'])).toEqual([4, 3, 1])
    expect(idsOf([1, 'a'], [1, 'a'])).toEqual([1, 5])
  })
})
