import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { php } from '@codemirror/lang-php'
import { bracketMatching, defaultHighlightStyle, HighlightStyle, indentUnit, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { java } from '@codemirror/legacy-modes/mode/clike'
import { javascript } from '@codemirror/legacy-modes/mode/javascript'
import { powerShell } from '@codemirror/legacy-modes/mode/powershell'
import { python } from '@codemirror/legacy-modes/mode/python'
import { shell } from '@codemirror/legacy-modes/mode/shell'
import { MergeView } from '@codemirror/merge'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

function languageOf(kind: string): Extension {
  switch (kind) {
    case 'GLUE_GROOVY':
      return StreamLanguage.define(java)
    case 'GLUE_PYTHON':
    case 'GLUE_PYTHON2':
      return StreamLanguage.define(python)
    case 'GLUE_PHP':
      return php()
    case 'GLUE_NODEJS':
      return StreamLanguage.define(javascript)
    case 'GLUE_POWERSHELL':
      return StreamLanguage.define(powerShell)
    default:
      return StreamLanguage.define(shell)
  }
}

const darkHighlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: '#6fb0ff' },
  { tag: [tags.string, tags.special(tags.string)], color: '#5fd4b0' },
  { tag: tags.comment, color: '#93a1b1', fontStyle: 'italic' },
  { tag: [tags.number, tags.bool, tags.null], color: '#e0b648' },
  { tag: [tags.variableName, tags.propertyName], color: '#e8edf2' },
  { tag: [tags.function(tags.variableName), tags.definition(tags.variableName)], color: '#d79be8' },
  { tag: [tags.typeName, tags.className], color: '#6fd0de' },
])

const look = (dark: boolean): Extension =>
  EditorView.theme(
    {
      '&': { height: '100%', fontSize: '13px', color: 'var(--rm-text-1)', backgroundColor: 'var(--rm-bg-1)' },
      '.cm-scroller': { fontFamily: 'var(--rm-mono)', lineHeight: '1.5' },
      '.cm-gutters': { color: 'var(--rm-text-3)', backgroundColor: 'var(--rm-bg-0)', borderRight: '1px solid var(--rm-line)' },
      '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--rm-accent) 8%, transparent)' },
      '.cm-cursor': { borderLeftColor: 'var(--rm-text-1)' },
      '&.cm-focused': { outline: '2px solid var(--rm-accent)' },
    },
    { dark },
  )

/**
 * Replaces a selection by typed text, and inserts text of several lines. Browsers join lines with inline styles when they do so
 * themselves, which the CSP refuses with an error in the log.
 */
const typing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event
    if (inputType !== 'insertText' || !data || isComposing || view.composing || view.state.readOnly) return false
    if (!/[\r\n]/.test(data) && view.state.selection.ranges.every((range) => range.empty)) return false
    view.dispatch(view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true }))
    return true
  },
})

interface EditorOptions {
  kind: string
  text: string
  readOnly: boolean
  dark: boolean
  label: string
  changed?: (text: string) => void
  save?: () => void
}

function extensionsOf({ kind, readOnly, dark, label, changed, save }: EditorOptions): Extension[] {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    bracketMatching(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    indentUnit.of('  '),
    syntaxHighlighting(dark ? darkHighlight : defaultHighlightStyle, { fallback: true }),
    languageOf(kind),
    look(dark),
    typing,
    EditorState.readOnly.of(readOnly),
    // A text that cannot be edited must not take the browser's own edits; it still takes the focus.
    EditorView.editable.of(!readOnly),
    EditorView.contentAttributes.of(readOnly ? { 'aria-label': label, tabindex: '0' } : { 'aria-label': label }),
    EditorView.updateListener.of((update) => update.docChanged && changed?.(update.state.doc.toString())),
    keymap.of([
      { key: 'Mod-s', preventDefault: true, run: () => (save?.(), true) },
      // Escape, then Tab leaves the editor.
      indentWithTab,
      ...defaultKeymap,
      ...historyKeymap,
      ...searchKeymap,
    ]),
  ]
}

/** Editors live in a shadow root, where CodeMirror uses adopted style sheets; elsewhere it adds a style element, which the CSP refuses. */
function rootOf(host: HTMLElement): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  root.replaceChildren()
  return root
}

export interface Editor {
  put(text: string): void
  focus(): void
  end(): void
}

export function makeEditor(host: HTMLElement, options: EditorOptions): Editor {
  const root = rootOf(host)
  const view = new EditorView({ parent: root, root, state: EditorState.create({ doc: options.text, extensions: extensionsOf(options) }) })
  return {
    put: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    focus: () => view.focus(),
    end: () => view.destroy(),
  }
}

/** Shows the differences of two texts next to each other. */
export function makeDifference(host: HTMLElement, options: EditorOptions & { other: string }): Editor {
  const root = rootOf(host)
  const extensions = extensionsOf({ ...options, readOnly: true })
  const view = new MergeView({ parent: root, root, a: { doc: options.other, extensions }, b: { doc: options.text, extensions }, collapseUnchanged: { margin: 4 } })
  return { put: () => undefined, focus: () => view.b.focus(), end: () => view.destroy() }
}
