import type { Run } from '../../types/api'

/** The status of a run, with the kinds of failure told apart. */
export type RunState = 'pending' | 'running' | 'succeeded' | 'failed' | 'timed_out' | 'not_sent' | 'unknown' | 'missed'

const timedOutCode = 502
const refusedMark = 'refused: '
const unknownMark = 'delivery unknown: '

/** Facts that Ringmaster stores in a run's trigger message: docs/execution_states.md. */
export interface TriggerNote {
  kind: string
  node: string
  route: string
  shard: string
  block: string
  timeoutS: number
  addresses: string
  message: string
  refused: boolean
}

/** Parses `rm1;cron;host;FIRST;0/1;SERIAL_EXECUTION;0;3;` + message, with one more field for rm2 and three for rm3. */
export function noteOf(text: string): TriggerNote | null {
  const form = /^rm([123]);/.exec(text)?.[1]
  if (!form) return null
  const fields = 8 + (form === '2' ? 1 : form === '3' ? 3 : 0)
  const found: string[] = []
  let rest = text
  for (let i = 0; i < fields; i += 1) {
    const end = rest.indexOf(';')
    if (end < 0) return null
    found.push(rest.slice(0, end))
    rest = rest.slice(end + 1)
  }
  const refused = rest.startsWith(refusedMark)
  return {
    kind: (found[1] ?? '').replace(/@.*/, ''),
    node: found[2] ?? '',
    route: found[3] ?? '',
    shard: found[4] ?? '',
    block: found[5] ?? '',
    timeoutS: Number(found[6]) || 0,
    addresses: form === '2' ? (found[8] ?? '') : '',
    message: refused ? rest.slice(refusedMark.length) : rest,
    refused,
  }
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Returns the text of a message that a Java admin wrote as HTML. Its result is shown as text, never as HTML. */
export function plainText(html: string): string {
  return html
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(/<\/?span[^>]*>/gi, '')
    .replace(/&(?:#(\d{1,6})|(\w+));/g, (all, code?: string, name?: string) => (code ? String.fromCodePoint(Math.min(Number(code), 0x10ffff)) : (entities[name ?? ''] ?? all)))
    .replace(/[<>]{4,} ?/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

export function stateOf(run: Pick<Run, 'status' | 'trigger_code' | 'trigger_message' | 'handle_code'>): RunState {
  if (run.status !== 'failed') return run.status
  if (run.handle_code === timedOutCode) return 'timed_out'
  if (run.handle_code !== 0) return 'failed'
  return (noteOf(run.trigger_message)?.message ?? run.trigger_message).startsWith(unknownMark) ? 'unknown' : 'not_sent'
}

/** Returns the colour family of a state. */
export function familyOf(state: RunState): 'success' | 'failure' | 'running' | 'neutral' {
  if (state === 'succeeded') return 'success'
  if (state === 'running') return 'running'
  return state === 'pending' || state === 'missed' ? 'neutral' : 'failure'
}

export type ReasonCode =
  | 'none'
  | 'not_sent'
  | 'refused'
  | 'unknown'
  | 'timed_out'
  | 'killed'
  | 'replaced'
  | 'handler_changed'
  | 'source_changed'
  | 'executor_stopped'
  | 'executor'
  | 'missed'

export interface Reason {
  code: ReasonCode
  /** Words of the executor or of the server; may be empty. */
  text: string
}

const killedMarks = ['Manual operation, kill job:', '人为操作，主动终止:', '人為操作，主動終止:']
const endings: [string, ReasonCode][] = [
  ['scheduling center kill job.', 'killed'],
  ['block strategy effect：Cover Early', 'replaced'],
  ['change jobhandler or glue type, and terminate the old job thread.', 'handler_changed'],
  ['change job source or glue type, and terminate the old job thread.', 'source_changed'],
  ['web container destroy and kill the job.', 'executor_stopped'],
]

/** Returns the first line, or the last cause of a Java stack trace, whose first line names only a wrapper. */
export function decisiveLine(text: string): string {
  const mark = '\nCaused by: '
  const last = text.lastIndexOf(mark)
  return (last < 0 ? text : text.slice(last + mark.length)).split('\n')[0]?.trim() ?? ''
}

/** Returns why a run did not succeed. */
export function reasonOf(run: Pick<Run, 'status' | 'trigger_code' | 'trigger_message' | 'handle_code' | 'handle_message' | 'missed'>): Reason {
  if (run.status === 'missed') return { code: 'missed', text: '' }
  if (run.status !== 'failed') return { code: 'none', text: '' }
  if (run.handle_code === 0) {
    const note = noteOf(run.trigger_message)
    const words = plainText(note ? note.message : run.trigger_message)
    if (words.startsWith(unknownMark)) return { code: 'unknown', text: words.slice(unknownMark.length) }
    return { code: note?.refused ? 'refused' : 'not_sent', text: decisiveLine(words) }
  }
  const words = plainText(run.handle_message ?? '')
  const killed = killedMarks.find((mark) => words.startsWith(mark))
  if (killed) return { code: 'killed', text: decisiveLine(words.slice(killed.length).trim()) }
  for (const [text, code] of endings) if (words.startsWith(text)) return { code, text: '' }
  return { code: run.handle_code === timedOutCode ? 'timed_out' : 'executor', text: decisiveLine(words) }
}

/** Duration of a run until its result, or until now; null before it was sent. */
export function durationMs(run: Pick<Run, 'status' | 'trigger_ms' | 'handle_ms'>, nowMs: number): number | null {
  if (run.trigger_ms === null || run.status === 'missed') return null
  if (run.handle_ms !== null) return Math.max(0, run.handle_ms - run.trigger_ms)
  return run.status === 'running' || run.status === 'pending' ? Math.max(0, nowMs - run.trigger_ms) : null
}

export const isOpen = (run: Pick<Run, 'status'>) => run.status === 'pending' || run.status === 'running'
