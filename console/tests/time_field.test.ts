import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { i18n, showLanguage } from '../src/app/i18n'
import TimeField from '../src/parts/TimeField.vue'
import { settle } from './app'

beforeEach(() => showLanguage('en'))
afterEach(() => vi.restoreAllMocks())

describe('a field of a time', () => {
  it('says at the field that a text is not a time, without a warning, until it is changed', async () => {
    const warn = vi.spyOn(console, 'warn')
    const wrapper = mount(TimeField, { props: { modelValue: undefined, label: 'From' }, attachTo: document.body, global: { plugins: [i18n] } })
    await vi.waitFor(() => expect(wrapper.find('input').exists()).toBe(true), 5000)
    const input = wrapper.find('input')
    const alert = () => wrapper.find('[role=alert]')
    await input.trigger('focus')
    await input.setValue('tomorrow')
    await input.trigger('keydown', { key: 'Enter', code: 'Enter' })
    await settle()
    expect(alert().text()).toBe('"tomorrow" is not a time. Example: 2026-01-31 08:00:00')
    await input.setValue('2026-01-31 08:00')
    expect(alert().exists()).toBe(false)
    await input.setValue('soon')
    await input.trigger('focusout')
    await settle()
    expect(alert().text()).toContain('"soon" is not a time')
    expect(wrapper.emitted('update:modelValue')?.flat()).toEqual([Date.parse('2026-01-31T08:00')])
    expect(warn.mock.calls.flat().join()).not.toContain('ElementPlusError')
    wrapper.unmount()
  })
})
