import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeDifference, makeEditor, type Editor } from '../src/script/editor'

let host: HTMLElement
let editor: Editor | null = null
let text: string
const options = { kind: 'GLUE_SHELL', text: 'one\ntwo\nthree', readOnly: false, dark: false, label: 'Source', changed: (now: string) => void (text = now), save: vi.fn() }
const contents = () => [...(host.shadowRoot?.querySelectorAll<HTMLElement>('.cm-content') ?? [])]
const content = () => contents()[0] as HTMLElement

/** Types a text as a browser announces it; returns whether the browser is to insert it itself. */
function typed(data: string, more: InputEventInit = {}): boolean {
  return content().dispatchEvent(new InputEvent('beforeinput', { inputType: 'insertText', data, bubbles: true, cancelable: true, ...more }))
}
const press = (key: string, keyCode: number) => content().dispatchEvent(new KeyboardEvent('keydown', { key, keyCode, ctrlKey: true, bubbles: true, cancelable: true }))

beforeEach(() => {
  host = document.body.appendChild(document.createElement('div'))
  text = options.text
  options.save.mockClear()
})
afterEach(() => {
  editor?.end()
  editor = null
  host.remove()
})

describe('the editor of scripts', () => {
  it('replaces a selection itself, because browsers write inline styles then', () => {
    editor = makeEditor(host, options)
    press('a', 65)
    expect(typed('x')).toBe(false)
    expect(text).toBe('x')
  })
  it('leaves a text without a selection and a composition to the browser, but not several lines', () => {
    editor = makeEditor(host, options)
    expect(typed('x')).toBe(true)
    expect(typed('a\nb', { inputType: 'insertCompositionText' })).toBe(true)
    expect(text).toBe(options.text)
    expect(typed('a\nb')).toBe(false)
    expect(text).toBe('a\nbone\ntwo\nthree')
  })
  it('saves with its keys', () => {
    editor = makeEditor(host, options)
    press('s', 83)
    expect(options.save).toHaveBeenCalledTimes(1)
  })
  it('takes the focus but no text where it is only read', () => {
    editor = makeEditor(host, { ...options, readOnly: true })
    const state = (each: HTMLElement) => [each.getAttribute('contenteditable'), each.getAttribute('tabindex'), each.getAttribute('aria-label')]
    expect(contents().map(state)).toEqual([['false', '0', 'Source']])
    editor.end()
    editor = makeDifference(host, { ...options, other: 'one' })
    expect(contents().map(state)).toEqual([['false', '0', 'Source'], ['false', '0', 'Source']])
  })
})
