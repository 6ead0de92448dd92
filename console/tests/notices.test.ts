import { nextTick } from 'vue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { showLanguage } from '../src/app/i18n'
import { ApiError } from '../src/api/problem'
import { confirmed, confirmedByTyping, tellWithUndo, undoLast, undoMs, wordsOf } from '../src/app/notices'

const button = () => document.querySelector<HTMLButtonElement>('.with-undo .undo')

describe('a confirmation', () => {
  it.each(['Stop', 'Cancel'])('gives the focus back after %s', async (answer) => {
    document.body.innerHTML = '<button>More</button>'
    const opener = document.querySelector('button')!
    opener.focus()
    const sure = confirmed('Stop', 'Stop the job?', 'Stop')
    await vi.advanceTimersByTimeAsync(50)
    const buttons = [...document.querySelectorAll<HTMLButtonElement>('.el-message-box button')]
    const pressed = buttons.find((each) => each.textContent?.trim() === answer)
    pressed?.focus()
    pressed?.click()
    await vi.advanceTimersByTimeAsync(50)
    expect(await sure).toBe(answer === 'Stop')
    expect(document.activeElement).toBe(opener)
  })
  it('by typing says above its field what to type', async () => {
    const sure = confirmedByTyping('Run again', 'Run 1647 runs again?', 'Run again', '1647')
    await vi.advanceTimersByTimeAsync(50)
    const box = document.querySelector('.el-message-box')!
    expect(box.querySelector('.el-message-box__message')?.textContent).toBe('Run 1647 runs again? Type 1647 to confirm.')
    const field = box.querySelector('input')!
    const action = [...box.querySelectorAll('button')].at(-1)!
    const type = async (text: string) => {
      field.value = text
      field.dispatchEvent(new Event('input'))
      await vi.advanceTimersByTimeAsync(50)
      action.click()
      await vi.advanceTimersByTimeAsync(50)
    }
    await type('1648')
    expect(box.querySelector('.el-message-box__errormsg')?.textContent).toBe('Type 1647 to confirm.')
    await type(' 1647 ')
    expect(await sure).toBe(true)
  })
})

beforeEach(async () => {
  await showLanguage('en')
  vi.useFakeTimers()
})
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
  document.body.innerHTML = ''
})

describe('a notice with undo', () => {
  it('undoes once, by its button', async () => {
    const action = vi.fn(async () => undefined)
    tellWithUndo('Job a is stopped', action)
    await nextTick()
    expect(document.body.textContent).toContain('Job a is stopped')
    button()?.click()
    await nextTick()
    undoLast()
    expect(action).toHaveBeenCalledTimes(1)
  })
  it('undoes by its key, while it is shown', async () => {
    const action = vi.fn(async () => undefined)
    tellWithUndo('Job a is stopped', action)
    await nextTick()
    vi.advanceTimersByTime(undoMs - 100)
    undoLast()
    expect(action).toHaveBeenCalledTimes(1)
    const late = vi.fn(async () => undefined)
    tellWithUndo('Job b is stopped', late)
    await nextTick()
    vi.advanceTimersByTime(undoMs + 100)
    await nextTick()
    undoLast()
    expect(late).not.toHaveBeenCalled()
  })
})

describe('the words of an error', () => {
  it('say in the language of the user that a permission is missing, and which', async () => {
    const refused = new ApiError(403, 'not_permitted', 'user vera needs the permission editor in group 1 and has none there')
    expect(wordsOf(refused)).toBe('You do not have the permission for this: user vera needs the permission editor in group 1 and has none there')
    await showLanguage('zh-CN')
    expect(wordsOf(refused)).toMatch(/^您没有此操作的权限：user vera/)
  })
  it('are those of the server for other refusals', () => {
    expect(wordsOf(new ApiError(403, 'forbidden', 'security.glue is off'))).toBe('security.glue is off')
    expect(wordsOf(new ApiError(0, '', ''))).toBe('The server does not answer')
  })
})
