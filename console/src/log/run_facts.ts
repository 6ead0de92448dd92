import type { Run } from '../../types/api'

/** The status of a run, with the kinds of failure told apart. */
export type RunState = 'pending' | 'running' | 'succeeded' | 'failed' | 'timed_out' | 'not_sent' | 'refused' | 'discarded' | 'unknown' | 'lost' | 'killed' | 'missed'

export type Reason = NonNullable<Run['reason']>
export type ReasonCode = Reason['code']

/** States of runs that failed, by reason. Other reasons: no executor was reached. */
const states: Partial<Record<ReasonCode, RunState>> = {
  timed_out: 'timed_out',
  lost: 'lost',
  killed: 'killed',
  replaced_by_later: 'killed',
  no_answer: 'unknown',
  delivery_unknown: 'unknown',
  refused: 'refused',
  handler_not_found: 'refused',
  bad_token: 'refused',
  bad_parameter: 'refused',
  blocked_discarded: 'discarded',
  script_exit: 'failed',
  failed: 'failed',
}

/** Returns the state. A run that its executor refused or discarded is told apart from one that reached no executor. */
export function stateOf(run: Pick<Run, 'status' | 'reason'>): RunState {
  if (run.status !== 'failed') return run.status
  return run.reason ? (states[run.reason.code] ?? 'not_sent') : 'failed'
}

/** States of runs without a result, as the filter of runs. */
export const openStatuses = 'pending,running'

/** Returns the colour family of a state. */
export function familyOf(state: RunState): 'success' | 'failure' | 'running' | 'neutral' {
  if (state === 'succeeded') return 'success'
  if (state === 'running') return 'running'
  return state === 'pending' || state === 'missed' ? 'neutral' : 'failure'
}

/** Returns the first line, or the last cause of a Java stack trace, whose first line names only a wrapper. */
export function decisiveLine(text: string): string {
  const mark = '\nCaused by: '
  const last = text.lastIndexOf(mark)
  return (last < 0 ? text : text.slice(last + mark.length)).split('\n')[0]?.trim() ?? ''
}

/** Reasons whose own words say all; the words of the executor or the node add nothing. */
const complete = new Set<ReasonCode>(['blocked_discarded', 'handler_not_found', 'bad_token', 'node_died', 'lost', 'script_exit', 'missed', 'timed_out', 'replaced_by_later'])

/** Parts of the sentence about a reason. */
export interface ReasonParts {
  /** Key of a text that says more than the text of the code. */
  key: string | null
  code: ReasonCode
  /** Cause of an end that no user asked for. */
  cause: Reason['params']['cause'] | null
  params: Record<string, string | number>
  /** Words of the executor or of the node that add something. */
  text: string
  beforeStart: boolean
}

/** Returns why a run did not succeed; null for any other run. */
export function reasonParts(run: Pick<Run, 'status' | 'reason'> & Partial<Pick<Run, 'missed'>>): ReasonParts | null {
  const parts: ReasonParts = { key: null, code: 'missed', cause: null, params: {}, text: '', beforeStart: false }
  if (run.status === 'missed') return { ...parts, key: 'run.missed_count', params: { count: run.missed?.instants ?? 1 } }
  if (!run.reason) return null
  const { code, params } = run.reason
  parts.code = code
  parts.text = complete.has(code) ? '' : decisiveLine(params.text)
  parts.beforeStart = params.before_start === true
  if (code === 'killed' && params.cause && params.cause !== 'user') return { ...parts, cause: params.cause }
  if (code === 'script_exit') return { ...parts, params: { code: params.exit_code ?? '?' } }
  if (code === 'timed_out' && params.timeout_s) return { ...parts, key: 'run.time_limit', params: { seconds: params.timeout_s } }
  if (code === 'handler_not_found' && params.handler) return { ...parts, key: 'run.handler_missing', params: { handler: params.handler } }
  return parts
}

export const isOpen = (run: Pick<Run, 'status'>) => run.status === 'pending' || run.status === 'running'

/** Duration of a run until its result, or until now; null before it was sent. */
export function durationMs(run: Pick<Run, 'status' | 'trigger_ms' | 'duration_ms'>, nowMs: number): number | null {
  if (run.duration_ms !== null) return run.duration_ms
  return isOpen(run) && run.trigger_ms !== null ? Math.max(0, nowMs - run.trigger_ms) : null
}

/** Returns an address without its scheme and the slash at its end, for columns. */
export const shortAddress = (address: string) => address.replace(/^https?:\/\//i, '').replace(/\/$/, '')
/** Returns the address that a text means, which may be one as columns show it; empty for an empty text. Native addresses have a scheme of their own. */
export const wholeAddress = (text: string) => (text === '' || /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`)
