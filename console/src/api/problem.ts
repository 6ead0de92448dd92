import type { EditProblem, FileProblem, ScheduleProblem } from '../../types/api'

/** Who changed an object after it was read, and when, as far as the server knows. */
export interface LaterEdit {
  by: string | null
  ms: number | null
}

/** One mistake: in a file, or in a member of a schedule. */
export type Mistake = NonNullable<FileProblem['errors']>[number] & Partial<NonNullable<ScheduleProblem['errors']>[number]>

/** A refusal of the server, or the lack of an answer (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** Stable name: the last part of the problem's type. */
    readonly kind: string,
    detail: string,
    readonly retryAfterMs: number | null = null,
    readonly errors: Mistake[] = [],
    readonly later: LaterEdit = { by: null, ms: null },
    /** Number of objects that a filter finds, where another one was expected. */
    readonly count: number | null = null,
  ) {
    super(detail)
    this.name = 'ApiError'
  }

  /** The server did not answer, or a proxy answered in its place: answers of the server itself have a kind. */
  get isAbsence(): boolean {
    return this.status === 0 || (this.kind === '' && [502, 503, 504].includes(this.status))
  }

  /** The same request may succeed later. */
  get mayPass(): boolean {
    return this.isAbsence || this.status === 429 || this.status >= 500
  }
}

/** Returns the milliseconds of a Retry-After header: seconds or a date. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (!header) return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

export async function problemOf(answer: Response): Promise<ApiError> {
  const wait = retryAfterMs(answer.headers.get('Retry-After'), Date.now())
  try {
    const problem = (await answer.json()) as Partial<Omit<FileProblem, 'errors'> & EditProblem> & { errors?: Mistake[]; count?: number }
    const kind = String(problem.type ?? '').split(':').pop() ?? ''
    return new ApiError(answer.status, kind, problem.detail || problem.title || `HTTP ${answer.status}`, wait, problem.errors ?? [], { by: problem.changed_by ?? null, ms: problem.changed_ms ?? null }, problem.count ?? null)
  } catch {
    return new ApiError(answer.status, '', `HTTP ${answer.status}`, wait)
  }
}
