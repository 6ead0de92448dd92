import { mount } from '@vue/test-utils'
import { ElDropdownItem } from 'element-plus/es'
import { h, nextTick } from 'vue'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import RowMenu from '../src/parts/RowMenu.vue'
import { settle } from './app'

let commands: unknown[] = []
const menus = () => [...document.querySelectorAll<HTMLElement>('[role=menu]')]
const isOpen = () => document.querySelector('.el-dropdown > button')?.getAttribute('aria-expanded')

function open() {
  const wrapper = mount(RowMenu, {
    attachTo: document.body,
    props: { label: 'More actions on report', onCommand: (name: string, event?: Event) => commands.push(name, event?.type) },
    slots: { default: () => h(ElDropdownItem, { command: 'edit' }, () => 'Edit') },
  })
  return { wrapper, button: wrapper.find<HTMLButtonElement>('button') }
}

beforeEach(() => {
  commands = []
})
afterEach(() => {
  document.body.innerHTML = ''
})

describe('the menu of a row', () => {
  it('is announced before its list exists', () => {
    const { wrapper, button } = open()
    expect(['aria-haspopup', 'aria-expanded', 'aria-label'].map((name) => button.attributes(name))).toEqual(['menu', 'false', 'More actions on report'])
    expect(wrapper.findComponent({ name: 'ElDropdown' }).exists()).toBe(false)
    wrapper.unmount()
  })
  it.each(['pointerenter', 'focus'])('opens by a click after %s, and tells what was chosen', async (first) => {
    const { wrapper, button } = open()
    await button.trigger(first)
    expect(wrapper.findComponent({ name: 'ElDropdown' }).exists()).toBe(true)
    expect(menus()).toHaveLength(0)
    await button.trigger('click')
    await settle()
    expect(isOpen()).toBe('true')
    expect(menus()[0]?.getAttribute('aria-labelledby')).toBe(button.attributes('id'))
    document.querySelector<HTMLElement>('[role=menuitem]')?.click()
    await settle()
    expect([commands, isOpen()]).toEqual([['edit', 'click'], 'false'])
    // A dialog that the entry opens returns the focus to the element that had it.
    expect(document.activeElement).toBe(button.element)
    await button.trigger('click')
    await settle()
    expect(isOpen()).toBe('true')
    wrapper.unmount()
  })
  it('opens by keys', async () => {
    const { wrapper, button } = open()
    await button.trigger('focus')
    await button.trigger('keydown', { code: 'ArrowDown', key: 'ArrowDown' })
    await settle()
    expect(isOpen()).toBe('true')
    wrapper.unmount()
  })
  it('opens by a click alone, also right after the focus', async () => {
    for (const act of [(button: HTMLElement) => button.click(), (button: HTMLElement) => (button.focus(), button.click())]) {
      const { wrapper, button } = open()
      act(button.element)
      await nextTick()
      await settle()
      expect(isOpen()).toBe('true')
      wrapper.unmount()
    }
  })
})
