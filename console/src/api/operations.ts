import type { Operations as Documented, Session, SignIn } from '../../types/api'

export type Language = 'en' | 'zh-CN' | 'zh-TW'

/** The server and its limits. Members after `language` are for users; later ones may be absent. */
export interface About {
  product: string
  languages: string[]
  language: string
  demo?: boolean
  version?: string
  mode?: string
  now_ms?: number
  schedule_zone?: string
  features?: { glue: boolean; elastic_unsupported?: string[]; mail?: boolean; links?: boolean; keep_logs?: boolean }
  limits?: { page_max: number; bulk_max?: number; params_bytes?: number; title_chars?: number; password_chars?: number; log_piece_bytes?: number }
  retention?: { days: number; audit_days: number }
  registry_dead_after_ms?: number
}

/** Operations that anyone may call before signing in. */
interface Entry {
  'POST /session': { query: undefined; body: SignIn; answer: Session }
  'DELETE /session': { query: undefined; body: undefined; answer: undefined }
  'GET /about': { query: undefined; body: undefined; answer: About }
}

export type Operations = Omit<Documented, keyof Entry> & Entry
export type OperationName = keyof Operations
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer']
export type QueryOf<Name extends OperationName> = Operations[Name]['query']
export type BodyOf<Name extends OperationName> = Operations[Name]['body']

/** One page of a list. */
export interface Page<Row> {
  items: Row[]
  next: string | null
  total: number | null
  total_is_capped: boolean
  /** The search ended here, and `next` continues it. */
  searched_to_ms?: number | null
  /** Number of answers that make the page (`readFullPage`). */
  parts?: number
}
