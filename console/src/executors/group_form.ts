import type { Group } from '../../types/api'

/** Begin of a form: a group with its tag, or the app name of a new one. */
export type GroupFormStart = { group: Group; etag: string } | { app: string }

/** Returns a title for the group of an app name: `pay-worker` becomes `Pay worker`. */
export function suggestedTitle(app: string): string {
  const words = app.replace(/[-_.\s]+/g, ' ').trim() || app
  return words.charAt(0).toUpperCase() + words.slice(1)
}
