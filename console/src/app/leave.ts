import { consoleBase } from '../api/prefix'

/** Loads the sign-in page as a new document, so that no store, name or undo of the former user stays in the tab. */
export function openSignIn(query: Record<string, string> = {}): void {
  const text = new URLSearchParams(query).toString()
  // The browser may keep this document and show it again on Back.
  window.addEventListener('pageshow', (event) => event.persisted && location.reload())
  location.assign(`${consoleBase}sign-in${text ? `?${text}` : ''}`)
}
