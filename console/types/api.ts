// Written by scripts/make_types.mjs from docs/openapi.json. Do not edit.

export type Problem = {
  /** `urn:ringmaster:` and a stable name. */
  type: string
  title: string
  status: number
  /** Text for users; XXL-JOB's text where XXL-JOB has one. */
  detail: string
}

export type NewJob = {
  group: number
  name: string
  /** Default for a new job: the caller. */
  author?: string | null
  alarm_email?: string | null
  schedule?: {
    type: 'NONE' | 'CRON' | 'FIX_RATE'
    /** Cron expression, or interval in whole seconds. */
    conf?: string | null
  } | null
  /** IANA name of the time zone of a cron schedule. */
  time_zone?: string | null
  /** Fixed rate in milliseconds; replaces the seconds of conf. */
  interval_ms?: number | null
  /** Milliseconds since the epoch. */
  start_at_ms?: number | null
  /** Milliseconds since the epoch. */
  end_at_ms?: number | null
  jitter_ms?: number | null
  misfire?: 'DO_NOTHING' | 'FIRE_ONCE_NOW' | null
  route?: 'FIRST' | 'LAST' | 'ROUND' | 'RANDOM' | 'CONSISTENT_HASH' | 'LEAST_FREQUENTLY_USED' | 'LEAST_RECENTLY_USED' | 'FAILOVER' | 'BUSYOVER' | 'SHARDING_BROADCAST' | null
  block?: 'SERIAL_EXECUTION' | 'DISCARD_LATER' | 'COVER_EARLY' | null
  on_unknown?: 'ask' | 'skip' | 'resend' | null
  /** Copy the log of each finished run into the database. */
  keep_logs?: boolean | null
  alarm_on?: ('failed' | 'missed')[] | null
  /** Purpose of the job. */
  description?: string | null
  timeout_s?: number | null
  retry_count?: number | null
  handler?: string | null
  params?: string | null
  children?: number[] | null
  glue_type?: 'BEAN' | 'GLUE_GROOVY' | 'GLUE_SHELL' | 'GLUE_PYTHON' | 'GLUE_PYTHON2' | 'GLUE_PHP' | 'GLUE_NODEJS' | 'GLUE_POWERSHELL' | null
  glue_source?: string | null
  glue_remark?: string | null
}

export type JobDraft = {
  group: number
  name: string
  /** Default for a new job: the caller. */
  author?: string | null
  alarm_email?: string | null
  schedule?: {
    type: 'NONE' | 'CRON' | 'FIX_RATE'
    /** Cron expression, or interval in whole seconds. */
    conf?: string | null
  } | null
  /** IANA name of the time zone of a cron schedule. */
  time_zone?: string | null
  /** Fixed rate in milliseconds; replaces the seconds of conf. */
  interval_ms?: number | null
  /** Milliseconds since the epoch. */
  start_at_ms?: number | null
  /** Milliseconds since the epoch. */
  end_at_ms?: number | null
  jitter_ms?: number | null
  misfire?: 'DO_NOTHING' | 'FIRE_ONCE_NOW' | null
  route?: 'FIRST' | 'LAST' | 'ROUND' | 'RANDOM' | 'CONSISTENT_HASH' | 'LEAST_FREQUENTLY_USED' | 'LEAST_RECENTLY_USED' | 'FAILOVER' | 'BUSYOVER' | 'SHARDING_BROADCAST' | null
  block?: 'SERIAL_EXECUTION' | 'DISCARD_LATER' | 'COVER_EARLY' | null
  on_unknown?: 'ask' | 'skip' | 'resend' | null
  /** Copy the log of each finished run into the database. */
  keep_logs?: boolean | null
  alarm_on?: ('failed' | 'missed')[] | null
  /** Purpose of the job. */
  description?: string | null
  timeout_s?: number | null
  retry_count?: number | null
  handler?: string | null
  params?: string | null
  children?: number[] | null
}

export type JobRow = {
  id: number
  group: number
  name: string
  author: string
  alarm_email: string
  schedule: {
    type: string
    conf: string | null
  }
  time_zone: string | null
  interval_ms: number | null
  /** Milliseconds since the epoch. */
  start_at_ms: number | null
  /** Milliseconds since the epoch. */
  end_at_ms: number | null
  jitter_ms: number | null
  misfire: string
  route: string
  block: string
  on_unknown: 'ask' | 'skip' | 'resend'
  keep_logs: boolean
  alarm_on: ('failed' | 'missed')[]
  description: string | null
  timeout_s: number
  retry_count: number
  handler: string
  params: string
  children: number[]
  glue_type: string
  glue_remark: string
  /** Milliseconds since the epoch. */
  glue_updated_ms: number | null
  running: boolean
  /** Name of the user who stopped the job; null for a job that no user stopped. */
  stopped_by: string | null
  /** Milliseconds since the epoch. */
  stopped_ms: number | null
  /** Milliseconds since the epoch. */
  next_ms: number | null
  /** Milliseconds since the epoch. */
  last_ms: number | null
  /** Milliseconds since the epoch. */
  missed_ms: number | null
  /** Milliseconds since the epoch. */
  added_ms: number | null
  /** Milliseconds since the epoch. */
  updated_ms: number | null
  revision: number
  /** Key of a declared job. */
  key: string | null
  /** Source that declares the job. */
  source: string | null
  /** Null if the group is gone. */
  group_title: string | null
  /** The schedule as a sentence in the reader's language; null without a valid schedule. */
  words: string | null
  /** Zone of the schedule: the job's, else the server's. */
  effective_zone: string
  /** Newest run, also a manual one; null if there is none that the caller may see. */
  last_run: {
    id: number
    status: 'pending' | 'running' | 'succeeded' | 'failed' | 'missed'
    /** Why the run did not succeed, as its codes and texts tell; null for any other run. */
    reason: {
      code: 'no_executor' | 'refused' | 'connection_refused' | 'connect_timeout' | 'no_answer' | 'delivery_unknown' | 'handler_not_found' | 'blocked_discarded' | 'replaced_by_later' | 'timed_out' | 'killed' | 'lost' | 'script_exit' | 'failed' | 'bad_token' | 'bad_parameter' | 'node_died' | 'missed' | 'not_sent'
      params: {
        /** Words of the executor or the node; may be empty. */
        text: string
        /** For script_exit. */
        exit_code?: number
        /** For timed_out. */
        timeout_s?: number
        /** For handler_not_found. */
        handler?: string
        /** For killed and replaced_by_later. */
        cause?: 'user' | 'later_run' | 'handler_changed' | 'source_changed' | 'executor_stopped'
        /** The run waited in its executor and had not begun. */
        before_start?: boolean
      }
    } | null
    /** Milliseconds since the epoch. */
    trigger_ms: number | null
    duration_ms: number | null
  } | null
  /** Runs without a result among the newest 20 runs; null if the log has no index on jobs. */
  open_runs: number | null
  /** User of the last edit, start or stop; null if the audit log does not tell it. */
  updated_by: string | null
}

export type Job = {
  id: number
  group: number
  name: string
  author: string
  alarm_email: string
  schedule: {
    type: string
    conf: string | null
  }
  time_zone: string | null
  interval_ms: number | null
  /** Milliseconds since the epoch. */
  start_at_ms: number | null
  /** Milliseconds since the epoch. */
  end_at_ms: number | null
  jitter_ms: number | null
  misfire: string
  route: string
  block: string
  on_unknown: 'ask' | 'skip' | 'resend'
  keep_logs: boolean
  alarm_on: ('failed' | 'missed')[]
  description: string | null
  timeout_s: number
  retry_count: number
  handler: string
  params: string
  children: number[]
  glue_type: string
  glue_remark: string
  /** Milliseconds since the epoch. */
  glue_updated_ms: number | null
  running: boolean
  /** Name of the user who stopped the job; null for a job that no user stopped. */
  stopped_by: string | null
  /** Milliseconds since the epoch. */
  stopped_ms: number | null
  /** Milliseconds since the epoch. */
  next_ms: number | null
  /** Milliseconds since the epoch. */
  last_ms: number | null
  /** Milliseconds since the epoch. */
  missed_ms: number | null
  /** Milliseconds since the epoch. */
  added_ms: number | null
  /** Milliseconds since the epoch. */
  updated_ms: number | null
  revision: number
  /** Key of a declared job. */
  key: string | null
  /** Source that declares the job. */
  source: string | null
  glue_source: string
}

export type JobEdit = {
  job: number
  /** Milliseconds since the epoch. */
  next_ms: number | null
  /** Runs that were claimed before the edit and have not been sent yet. */
  on_their_way: number | null
}

export type Trigger = {
  /** Default: the job's own parameters. */
  params?: string | null
  /** Absent or empty: the executors of the group. An item must not be empty or contain a comma. */
  addresses?: string[] | null
}

export type AskedRuns = {
  /** The request has not been claimed yet. */
  waiting: boolean
  /** One run, or one run per shard. */
  runs: number[]
}

export type Intent = {
  job: number
  /** Identical for requests with the same Idempotency-Key. */
  intent: number
}

export type ManyJobs = {
  ids?: number[]
  filter?: JobFilter | null
  /** Number of objects that the filter must find; needed with a filter, and only then. */
  expect?: number | null
}

export type BulkTrigger = {
  ids?: number[]
  filter?: JobFilter | null
  /** Number of objects that the filter must find; needed with a filter, and only then. */
  expect?: number | null
  /** Default: the job's own parameters. */
  params?: string | null
  /** Absent or empty: the executors of the group. An item must not be empty or contain a comma. */
  addresses?: string[] | null
}

export type ManyRuns = {
  ids?: number[]
  filter?: RunFilter | null
  /** Number of objects that the filter must find; needed with a filter, and only then. */
  expect?: number | null
}

export type BulkRerun = {
  ids?: number[]
  filter?: RunFilter | null
  /** Number of objects that the filter must find; needed with a filter, and only then. */
  expect?: number | null
  /** Default: the parameters of each run. */
  params?: string | null
  /** Absent: the executor of each run. Empty: the executors of the group. */
  addresses?: string[] | null
}

export type TaskBegun = {
  /** Id for GET /tasks/{id}. */
  task: number
}

export type Task = {
  id: number
  action: 'start' | 'stop' | 'trigger' | 'delete' | 'kill' | 'rerun'
  state: 'running' | 'done' | 'aborted'
  /** Objects with which the action succeeded. */
  done: number
  total: number
  failed: number
  /** The first failures. */
  problems: {
    /** Id of the job or run. */
    id: number
    code: string
    /** Text for users. */
    detail: string
  }[]
}

export type BulkOutcome = {
  items: {
    id: number
    status: number
    done?: Record<string, unknown>
    problem?: Problem
  }[]
}

export type Source = {
  source: string
  remark: string
}

export type SourceVersion = {
  id: number
  job: number
  glue_type: string
  /** Null with bodies=false. */
  source: string | null
  /** Length of the source. */
  bytes: number
  remark: string
  /** Milliseconds since the epoch. */
  added_ms: number | null
  /** Milliseconds since the epoch. */
  updated_ms: number | null
}

export type GroupDraft = {
  app_name: string
  title: string
  address_type?: 'automatic' | 'manual' | null
  addresses?: string[] | null
  /** Token of the group's executors. Absent: unchanged. Never returned. */
  access_token?: string | null
}

export type Group = {
  id: number
  app_name: string
  title: string
  address_type: 'automatic' | 'manual'
  addresses: string[]
  /** Milliseconds since the epoch. */
  updated_ms: number | null
  /** Source that declares the group. */
  source: string | null
}

export type GroupRow = {
  id: number
  app_name: string
  title: string
  address_type: 'automatic' | 'manual'
  addresses: string[]
  /** Milliseconds since the epoch. */
  updated_ms: number | null
  /** Source that declares the group. */
  source: string | null
  jobs?: number
  /** Executors whose heartbeats come in time; null: unknown yet. */
  online?: number | null
  /** Executors without a heartbeat for two thirds of registry.dead_after. */
  late?: number | null
  /** Executors that have gone, as long as the answering node remembers them. */
  gone?: number | null
  /** Executors that the answering node knows, also some that have gone. */
  known?: number | null
  /** The group has a token of its own; null unless the caller is an administrator. */
  has_token?: boolean | null
}

export type Executor = {
  group: number
  app_name: string
  address: string
  /** late: no heartbeat for two thirds of registry.dead_after; gone: said goodbye or silent for all of it, remembered for an hour; entered: entered by a user, and not registered. */
  state: 'online' | 'late' | 'gone' | 'entered'
  /** Milliseconds since the epoch. */
  last_beat_ms: number | null
  /** Connected to the answering node by a native link, or reachable only so. */
  link: boolean
  /** Protocol of the last heartbeat; null if the answering node received none. */
  family: 'xxl' | 'xxl-3.5' | 'native' | null
  /** Of an entered address: since then the answering node has found no executor there when it sent runs; null if the last one found an executor, or if it sent none. */
  unreachable_ms: number | null
}

export type Files = {
  /** Name of the source that owns the declared objects. Default: apply. */
  source?: string | null
  /** Refused if a higher revision has been applied before. */
  revision?: number | null
  /** Only report what would change. */
  dry_run?: boolean | null
  /** Remove objects that the same source declared before and no longer declares. */
  prune?: boolean | null
  /** With prune: also remove objects declared by earlier files that are not in this request. Without it, such an apply is refused with 409. */
  prune_all?: boolean | null
  files: {
    /** File name, for messages. */
    name: string
    /** TOML. */
    text: string
  }[]
}

export type Changes = {
  dry_run: boolean
  changes: {
    kind: 'create' | 'update' | 'unchanged' | 'remove'
    object: string
    fields: string[]
  }[]
  /** Runs that were claimed before the edits and have not been sent yet. */
  on_their_way: number | null
  warnings: string[]
}

export type DeclaredSource = {
  /** Name of the source. */
  source: string
  revision: number | null
  objects: {
    groups: number
    jobs: number
    alarms: number
    elastic_jobs: number
  }
  /** Names of the files of its applies. */
  files: string[]
  /** Last apply that changed something, if it is among the newest 10000 rows of the audit log. */
  applied_ms: number | null
  /** Author of that apply. */
  by: string | null
  /** The answering node has the files of this source, so that their drift can be read. */
  has_files: boolean
}

export type EditProblem = Problem & {
  /** User of the later edit; null if it is not in the audit log. */
  changed_by?: string | null
  /** Milliseconds since the epoch. */
  changed_ms?: number | null
}

export type FileProblem = Problem & {
  errors?: {
    file: string | null
    line: number | null
    detail: string
  }[]
}

export type Run = {
  id: number
  group: number
  /** Present title; null if the group is gone. */
  group_title: string | null
  job: number
  /** Present name; null if the job is gone. */
  job_name: string | null
  status: 'pending' | 'running' | 'succeeded' | 'failed' | 'missed'
  /** Why the run did not succeed, as its codes and texts tell; null for any other run. */
  reason: {
    code: 'no_executor' | 'refused' | 'connection_refused' | 'connect_timeout' | 'no_answer' | 'delivery_unknown' | 'handler_not_found' | 'blocked_discarded' | 'replaced_by_later' | 'timed_out' | 'killed' | 'lost' | 'script_exit' | 'failed' | 'bad_token' | 'bad_parameter' | 'node_died' | 'missed' | 'not_sent'
    params: {
      /** Words of the executor or the node; may be empty. */
      text: string
      /** For script_exit. */
      exit_code?: number
      /** For timed_out. */
      timeout_s?: number
      /** For handler_not_found. */
      handler?: string
      /** For killed and replaced_by_later. */
      cause?: 'user' | 'later_run' | 'handler_changed' | 'source_changed' | 'executor_stopped'
      /** The run waited in its executor and had not begun. */
      before_start?: boolean
    }
  } | null
  address: string | null
  handler: string
  params: string
  /** Shard index and total: `0/2`. */
  shard: string | null
  retry_left: number
  /** Milliseconds since the epoch. */
  trigger_ms: number | null
  /** First instant for which a late run (kind misfire) was sent; null otherwise. */
  instant_ms: number | null
  /** From `instant_ms` to the trigger, which has whole seconds. */
  lateness_ms: number | null
  /** Further missed instants that the late run replaces; null for any other run. */
  merged_instants: number | null
  trigger_code: number
  trigger_message: string
  /** What the trigger message says about the sending, without HTML. */
  trigger_text: string
  /** Null if the trigger message does not tell it. */
  kind: 'cron' | 'misfire' | 'manual' | 'parent' | 'retry' | 'api' | 'missed' | null
  /** The run that this one repeats (kind retry) or follows (kind parent). */
  origin: number | null
  /** The run that this one repeats. */
  retry_of: number | null
  /** The run of another job that this one follows. */
  parent: number | null
  /** 1 for a run that repeats none; null for a retry: see `/runs/{id}/related`. */
  attempt: number | null
  shard_index: number | null
  shard_total: number | null
  /** User who asked for the run; null: no user did, or it is a run of an earlier release. */
  by: string | null
  /** Host of the node that claimed the run. */
  node: string | null
  route: string | null
  block: string | null
  missed: {
    instants: number
    /** Milliseconds since the epoch. */
    from_ms: number | null
    /** Milliseconds since the epoch. */
    to_ms: number | null
  } | null
  /** Milliseconds since the epoch. */
  handle_ms: number | null
  handle_code: number
  handle_message: string | null
  /** The result without HTML. */
  handle_text: string | null
  /** From the trigger to the result; null while there is none. Triggers have whole seconds. */
  duration_ms: number | null
  alarm_status: number
}

export type ShortRun = {
  id: number
  group: number
  job: number
  /** Present name; null if the job is gone. */
  job_name: string | null
  status: 'pending' | 'running' | 'succeeded' | 'failed' | 'missed'
  /** Why the run did not succeed, as its codes and texts tell; null for any other run. */
  reason: {
    code: 'no_executor' | 'refused' | 'connection_refused' | 'connect_timeout' | 'no_answer' | 'delivery_unknown' | 'handler_not_found' | 'blocked_discarded' | 'replaced_by_later' | 'timed_out' | 'killed' | 'lost' | 'script_exit' | 'failed' | 'bad_token' | 'bad_parameter' | 'node_died' | 'missed' | 'not_sent'
    params: {
      /** Words of the executor or the node; may be empty. */
      text: string
      /** For script_exit. */
      exit_code?: number
      /** For timed_out. */
      timeout_s?: number
      /** For handler_not_found. */
      handler?: string
      /** For killed and replaced_by_later. */
      cause?: 'user' | 'later_run' | 'handler_changed' | 'source_changed' | 'executor_stopped'
      /** The run waited in its executor and had not begun. */
      before_start?: boolean
    }
  } | null
  address: string | null
  /** Milliseconds since the epoch. */
  trigger_ms: number | null
  /** From the trigger to the result; null while there is none. Triggers have whole seconds. */
  duration_ms: number | null
  /** Null if the trigger message does not tell it. */
  kind: 'cron' | 'misfire' | 'manual' | 'parent' | 'retry' | 'api' | 'missed' | null
  /** The run that this one repeats (kind retry) or follows (kind parent). */
  origin: number | null
  /** The run that this one repeats. */
  retry_of: number | null
  /** The run of another job that this one follows. */
  parent: number | null
  /** 1 for a run that repeats none; null for a retry: see `/runs/{id}/related`. */
  attempt: number | null
  shard_index: number | null
  shard_total: number | null
}

export type RelatedRuns = {
  /** The run that the first attempt follows. */
  parent: ShortRun | null
  /** Runs of other jobs that follow this one. */
  children: ShortRun[]
  /** The other attempts, before and after this run. */
  retries: ShortRun[]
  /** All runs of its broadcast, this one too; empty without a broadcast. */
  shards: ShortRun[]
  /** Number of this run among the attempts; null if earlier ones were removed. */
  attempt: number | null
  /** User who asked for the first attempt; null if a user did not, or that is forgotten. */
  by: string | null
}

export type FoundObjects = {
  jobs: {
    id: number
    group: number
    name: string
    handler: string
    /** Name in the declared file; null for a job that is not declared. */
    key: string | null
  }[]
  groups: {
    id: number
    app_name: string
    title: string
  }[]
  runs: ShortRun[]
  users: {
    id: number
    name: string
    admin: boolean
  }[]
  /** A time limit ended the search; older jobs or runs may be missing. */
  truncated: boolean
}

export type Timeline = {
  /** Newest first, also rows of dropped instants. */
  runs: ShortRun[]
  /** Planned instants, ascending. */
  instants: {
    /** Milliseconds since the epoch. */
    at_ms: number
    /** Its run, or the row of dropped instants; null: there is none. */
    run: number | null
    /** late: `run` was made later in its place; dropped: by the misfire policy; overlap: its run was discarded because an earlier one was running; stopped: the job was stopped; unknown: the log has no row of it. */
    outcome: 'fired' | 'late' | 'dropped' | 'overlap' | 'stopped' | 'future' | 'unknown'
  }[]
  /** Ascending. */
  edits: {
    /** Milliseconds since the epoch. */
    at_ms: number
    /** User. */
    by: string
    /** As in the audit log. */
    action: string
    fields: string[]
  }[]
  /** A limit cut off the oldest runs or past instants, or the latest future instants. */
  truncated: boolean
  /** Milliseconds since the epoch. */
  from_ms: number
  /** Milliseconds since the epoch. */
  to_ms: number
  /** Past instants without a run are listed from here on. Before it the schedule is not known, or a limit cut them off. */
  known_from_ms: number
}

export type RunLog = {
  run: number
  from_line: number
  to_line: number
  content: string
  /** The log is complete. */
  end: boolean
  /** The log comes from the kept copy; no executor was asked. */
  kept: boolean
  /** There are lines after to_line already: ask again with from_line = to_line + 1. */
  more: boolean
  /** The last line is longer than max_bytes, and only its beginning is here. */
  cut: boolean
  /** Size of the whole log; null: unknown. */
  bytes: number | null
  /** Lines of the whole log; null: unknown. */
  lines: number | null
  /** Reason why the rest of the log is missing now; null if nothing is missing. */
  partial_reason: string | null
}

export type Clearing = {
  group?: number | null
  job?: number | null
  until_ms?: number | null
  keep_newest?: number | null
  /** Exactly one of until_ms, keep_newest and all must be present; all must be true. */
  all?: boolean | null
}

export type Day = {
  /** Local day, with `by=hour` also the time of the hour. */
  day: string
  day_ms: number
  total: number
  running: number
  succeeded: number
  failed: number
  /** Median duration; null by day without a group and a job. */
  median_ms: number | null
}

export type NewUser = {
  name: string
  /** At least 8 characters; 4 to 20 characters if Java admins read the password. */
  password: string
  admin: boolean
  rights?: {
    group: number
    right: 'viewer' | 'operator' | 'editor'
  }[] | null
}

export type UserDraft = {
  /** Absent: unchanged. */
  password?: string | null
  admin: boolean
  rights?: {
    group: number
    right: 'viewer' | 'operator' | 'editor'
  }[] | null
}

export type UserSettings = {
  /** null: the language of the server. */
  language: 'zh_CN' | 'zh_TC' | 'en' | null
  /** Zone of shown times; null: the zone of the browser. */
  zone: 'viewer' | 'server' | 'utc' | null
  theme: 'auto' | 'light' | 'dark' | null
  /** Path of the console that opens after signing in. */
  start_page: string | null
  /** Seconds between two readings of a page that refreshes itself; null: chosen by the page. */
  refresh_s: number | null
  /** Single keys act as shortcuts. */
  keys: boolean | null
}

export type UserSettingsDraft = {
  /** null: the language of the server. */
  language?: 'zh_CN' | 'zh_TC' | 'en' | null
  /** Zone of shown times; null: the zone of the browser. */
  zone?: 'viewer' | 'server' | 'utc' | null
  theme?: 'auto' | 'light' | 'dark' | null
  /** Path of the console that opens after signing in. */
  start_page?: string | null
  /** Seconds between two readings of a page that refreshes itself; null: chosen by the page. */
  refresh_s?: number | null
  /** Single keys act as shortcuts. */
  keys?: boolean | null
}

export type User = {
  id: number
  name: string
  admin: boolean
  rights: {
    group: number
    right: 'viewer' | 'operator' | 'editor'
  }[]
}

export type UserRow = {
  id: number
  name: string
  admin: boolean
  rights: {
    group: number
    right: 'viewer' | 'operator' | 'editor'
  }[]
  /** Last sign-in that the audit log still has. */
  last_sign_in_ms: number | null
  /** Open sessions. */
  sessions: number
  /** API keys, including expired ones. */
  keys: number
  /** The user has the default password of XXL-JOB. */
  must_change_password: boolean
}

export type Session = {
  user: number
  name: string
  admin: boolean
  rights: {
    group: number
    right: 'viewer' | 'operator' | 'editor'
  }[]
  by: 'session' | 'key'
  must_change_password: boolean
  /** Value of X-CSRF-Token; null with an API key, which needs none. */
  csrf_token: string | null
  /** End of the session, unless it is used before, or of the API key; null: never. */
  expires_ms: number | null
}

export type SignIn = {
  name: string
  password: string
  /** The session outlives the browser. */
  remember?: boolean | null
} | {
  /** Token of the link that `ringmaster demo` prints. */
  one_time: string
}

export type About = {
  product: string
  language: 'zh_CN' | 'zh_TC' | 'en'
  languages: string[]
  /** A server of `ringmaster demo`. */
  demo: boolean
  version?: string
  /** Milliseconds since the epoch. */
  now_ms?: number
  /** Zone of schedules without a zone of their own. */
  schedule_zone?: string
  features?: {
    /** Users may enter scripts. */
    glue: boolean
    /** Options of elastic jobs that are refused, because no node does yet what they say. */
    elastic_unsupported: string[]
  }
  limits?: {
    /** Largest limit of a list. */
    page_max: number
  }
}

export type NewKey = {
  name: string
  user?: number | null
  expires_ms?: number | null
}

export type ApiKey = {
  id: number
  name: string
  user: number
  user_name: string | null
  /** Milliseconds since the epoch. */
  created_ms: number | null
  /** Milliseconds since the epoch. */
  expires_ms: number | null
  /** Milliseconds since the epoch. */
  used_ms: number | null
}

export type OpenSession = {
  /** First 52 bits of the stored digest of the session. */
  id: number
  user: number
  user_name: string
  /** Milliseconds since the epoch. */
  opened_ms: number | null
  /** Last recorded use: a use is recorded at most once a minute, or once in a tenth of the session's lifetime if that is shorter; null for a session that lasts as long as any can, of which none is recorded. */
  used_ms: number | null
  /** Milliseconds since the epoch. */
  expires_ms: number | null
  /** Address that opened it. */
  remote: string | null
  /** Session of this request. */
  current: boolean
}

export type AlarmRule = {
  /** Name of the rule. */
  key: string
  /** Source that declares the rule. */
  source: string
  /** App name of its group; null: all groups. */
  group: string | null
  /** Key of its declared job, or name of an elastic job; null: all jobs of the group. */
  job: string | null
  channels: string[]
  mail_to: string[]
  on: 'every_attempt' | 'last_attempt'
  /** Deduplication window; null: the setting alarm.dedup. */
  dedup_ms: number | null
  /** Kinds of alarms of elastic jobs; empty: all. */
  kinds: ('ej_fail' | 'ej_late' | 'ej_unowned' | 'ej_takeovers')[]
  /** The first success after an alarm is reported, too. */
  recovered: boolean
}

export type OpenAlarms = {
  /** Oldest first. */
  items: OpenAlarm[]
  /** There are more. */
  truncated: boolean
  /** Of the answering node, since it started; newest first. A message to one recipient is one entry. */
  messages: SentMessage[]
  /** Node that answers, and sent the messages; null while it has not joined the cluster yet. */
  node: string | null
}

export type OpenAlarm = {
  /** Ordinary and elastic jobs are numbered apart. */
  id: number
  kind: 'failure' | 'recovery' | 'ej_fail' | 'ej_late' | 'ej_unowned' | 'ej_takeovers'
  job: number | null
  /** Null: the job was removed. */
  job_name: string | null
  group: number | null
  group_title: string | null
  /** The failed run; for a recovery, the first that succeeded. */
  run: number | null
  elastic_job: number | null
  /** Of an elastic job; null: the whole job. -1, -2: the hooks before and after all items. */
  item: number | null
  /** Run of the item; null: none. */
  item_run: number | null
  /** Time of the decision to raise the alarm. */
  since_ms: number
  /** taken: a node that is up sends its message, perhaps with other alarms. */
  state: 'waiting' | 'taken'
  /** Node that has taken it. */
  node: string | null
}

export type SentMessage = {
  /** Outcome of the last attempt. */
  at_ms: number
  /** mail, or the name of a webhook. */
  channel: string
  /** Address, for the channel mail. */
  recipient: string | null
  /** summary: alarms that the channel's limit held back. */
  kind: 'failure' | 'recovery' | 'summary' | 'ej_fail' | 'ej_late' | 'ej_unowned' | 'ej_takeovers'
  job: number | null
  job_name: string | null
  run: number | null
  elastic_job: number | null
  /** Of an elastic job; null: the whole job. -1, -2: the hooks before and after all items. */
  item: number | null
  /** Run of the item; null: none. */
  item_run: number | null
  /** Number of alarms that the message stands for. */
  count: number
  outcome: 'delivered' | 'will_retry' | 'given_up'
  attempts: number
  /** Why the message was not delivered. */
  detail: string | null
}

export type ChannelTest = {
  /** Address, for the channel mail. Default: the sender's address. */
  to?: string | null
}

export type DoctorReport = {
  /** Start of the checks; null: none yet. */
  at_ms: number | null
  /** Node that was checked. */
  node: string
  /** none: no check since the node started. */
  state: 'none' | 'running' | 'done'
  /** Grow while the state is running. */
  findings: {
    /** Subject, e.g. clock. */
    check: string
    level: 'ok' | 'warning' | 'failed'
    text: string
    /** Instruction that ends the problem. */
    remedy: string | null
  }[]
}

export type Nodes = {
  items: {
    id: string
    /** The node that answers. */
    self: boolean
    /** State as the answering node sees it; it reports draining only for itself. */
    state: 'alive' | 'draining' | 'dead' | 'stopped'
    /** For administrators only. */
    address: string | null
    /** Time since the node's heartbeat last changed; null if the node has stopped. */
    beat_age_ms: number | null
    /** Incarnation of the node; rises with each start. */
    life: number
    /** Slots of jobs that the node plans; null if the answering node does not know. */
    slots: number | null
    /** When the node began; null for another node than the answering one. */
    started_ms: number | null
    /** Version of the node; null for another node than the answering one. */
    version: string | null
  }[]
  mode: 'native' | 'shared'
  dead_after_ms: number
  /** Version of the answering node. */
  version: string
}

export type Now = {
  /** Milliseconds since the epoch. */
  now_ms: number
  /** Live nodes by id. Members from lanes on are null for another node than the answering one. */
  nodes: {
    id: string
    /** Slots of jobs that the node plans; null if unknown. */
    slots: number | null
    lanes: {
      lane: 'fast' | 'slow'
      used: number
      window: number
    }[] | null
    /** Claims with runs that have no stored trigger result. */
    claims_open: number | null
    /** Runs of unknown delivery that recovery has not decided. */
    undecided: number | null
    /** Claims and results that wait for the store. */
    store_waiting: number | null
    /** Runs handed to executors, of the last 5 to 10 seconds. */
    firings_per_s: number | null
    /** Results that were stored, of the last 5 to 10 seconds. */
    results_per_s: number | null
  }[]
  lateness: {
    bounds_ms: number[]
    /** Runs of the last 15 minutes up to each bound; the last count is of later runs. */
    counts: number[]
  }
  series: {
    step_ms: number
    /** Begin of the first step. */
    from_ms: number
    /** Runs handed to executors in each step; the last 15 minutes at most. */
    fired: number[]
    /** Runs that failed or could not be sent. */
    failed: number[]
  }
  /** Null, like the next three, if the store did not answer in time. */
  jobs: number | null
  /** Jobs whose schedule is started. */
  jobs_running: number | null
  failed_last_hour: number | null
  /** Counting stopped at failed_last_hour; at least so many runs failed. */
  failed_is_capped: boolean | null
  /** Executors of all groups whose heartbeats come in time; null until the node has read them. */
  executors_online: number | null
  /** Live registrations whose app name no group has. */
  executors_without_group: number | null
  /** Lanes, rates, lateness and series are missing for some nodes. */
  partial: boolean
}

export type Forecast = {
  items: {
    /** Milliseconds since the epoch. */
    at_ms: number
    job: number
    group: number
  }[]
  /** Cursor of the next page; null if nothing more fires before to_ms. */
  next: string | null
  /** The computation reached its time limit; continue with next. */
  truncated: boolean
  /** Milliseconds since the epoch. */
  from_ms: number
  /** Milliseconds since the epoch. */
  to_ms: number
  cannot_be_planned: number[]
}

export type SchedulePreview = {
  next_ms: number[]
  /** Zone of the schedule. */
  zone: string
  /** The schedule as a sentence, in server.language; null without a schedule. */
  words: string | null
  notes: {
    /** dst_skipped: clocks skip a time of the schedule within a year, at at_ms; dst_repeated: they show one twice, and it fires at the second one; never_again: no instant, or none after at_ms; rarer_than_a_year: the next instant, or the one after it, is more than a year away; unaligned_step: a step does not divide its range. */
    code: 'dst_skipped' | 'dst_repeated' | 'never_again' | 'rarer_than_a_year' | 'unaligned_step'
    /** Milliseconds since the epoch. */
    at_ms: number | null
  }[]
}

export type ScheduleProblem = Problem & {
  errors?: {
    /** JSON pointer of the member, e.g. /schedule/conf. */
    pointer: string
    code: 'too_few_fields' | 'too_many_fields' | 'days_conflict' | 'out_of_range' | 'bad_step' | 'unknown_name' | 'unexpected_character' | 'not_a_number' | 'not_here' | 'unsupported' | 'incomplete' | 'unknown_zone' | 'does_not_fit'
    detail: string
    /** In UTF-16 units from the beginning of the text. */
    position?: number
    /** 0: the end of the text. */
    length?: number
  }[]
}

export type FiringCounts = {
  bucket_ms: number
  /** Begin of the first bucket, a multiple of bucket_ms. */
  buckets_from_ms: number
  /** Milliseconds since the epoch. */
  from_ms: number
  /** Milliseconds since the epoch. */
  to_ms: number
  /** Counts after this time are incomplete. */
  walked_to_ms: number
  /** The computation reached its limit before to_ms. */
  truncated: boolean
  firings: number
  /** Instants by bucket. */
  counts: number[]
  /** Seconds in which most jobs fire. */
  top: {
    /** Milliseconds since the epoch. */
    at_ms: number
    /** Instants in this second. */
    count: number
    /** Jobs that fire in it. */
    jobs: number
    /** The first of these jobs, eight at most; null: the new job. */
    some: (number | null)[]
  }[]
  /** Jobs with most instants; null: the new job. */
  jobs: {
    job: number | null
    count: number
  }[]
  cannot_be_planned: number[]
}

export type ChangedCounts = {
  bucket_ms: number
  /** Begin of the first bucket, a multiple of bucket_ms. */
  buckets_from_ms: number
  /** Milliseconds since the epoch. */
  from_ms: number
  /** Milliseconds since the epoch. */
  to_ms: number
  /** Counts after this time are incomplete. */
  walked_to_ms: number
  /** The computation reached its limit before to_ms. */
  truncated: boolean
  firings: number
  /** Instants by bucket. */
  counts: number[]
  /** Seconds in which most jobs fire. */
  top: {
    /** Milliseconds since the epoch. */
    at_ms: number
    /** Instants in this second. */
    count: number
    /** Jobs that fire in it. */
    jobs: number
    /** The first of these jobs, eight at most; null: the new job. */
    some: (number | null)[]
  }[]
  /** Jobs with most instants; null: the new job. */
  jobs: {
    job: number | null
    count: number
  }[]
  cannot_be_planned: number[]
  /** As top, where the changed job fires. */
  own: {
    /** Milliseconds since the epoch. */
    at_ms: number
    /** Instants in this second. */
    count: number
    /** Jobs that fire in it. */
    jobs: number
    /** The first of these jobs, eight at most; null: the new job. */
    some: (number | null)[]
  }[]
}

export type WhatIf = {
  job?: number | null
  group?: number | null
  schedule: {
    type: 'NONE' | 'CRON' | 'FIX_RATE'
    conf?: string | null
  }
  time_zone?: string | null
  interval_ms?: number | null
  /** Milliseconds since the epoch. */
  start_at_ms?: number | null
  /** Milliseconds since the epoch. */
  end_at_ms?: number | null
  jitter_ms?: number | null
  /** Milliseconds since the epoch. */
  from_ms?: number | null
  /** Milliseconds since the epoch. */
  to_ms?: number | null
  bucket_ms?: number | null
  top?: number | null
}

export type Passwords = {
  old_password: string
  /** At least 8 characters; 4 to 20 characters if Java admins read the password. */
  password: string
}

export type Change = {
  id: number
  /** Milliseconds since the epoch. */
  at_ms: number | null
  user: number
  user_name: string
  /** Address of the user; null for commands, and in the changes of one job or group for users who are not administrators. */
  remote: string | null
  action: string
  object: string
  object_id: number
  object_name: string
  changes: string[]
  fields: {
    /** A line of `changes` that has no values, as it is. */
    name: string
    before: string | null
    after: string | null
  }[]
}

export type ElasticJobRow = {
  id: number
  namespace: string
  name: string
  group: number
  type: string
  handler: string
  total: number
  schedule_type: 'none' | 'cron' | 'fixed_rate' | 'unknown'
  /** Cron, or seconds of a rate; empty without a schedule. */
  schedule: string
  /** Empty: the zone of the server's schedules. */
  time_zone: string
  status: ElasticStatus
  /** Milliseconds since the epoch. */
  next_ms: number | null
  /** Milliseconds since the epoch. */
  last_ms: number | null
  /** Source that declares the job. */
  source: string | null
  description: string
  items: {
    running: number
    /** Items that wait for a host. */
    waiting: number
    disabled: number
    /** Items to which the newest plan assigns no host. */
    unassigned: number
  } | null
}

export type ElasticStatus = 'enabled' | 'disabled' | 'shut_down' | 'draining'

export type ElasticJob = {
  id: number
  namespace: string
  name: string
  group: number
  type: string
  handler: string
  total: number
  status: ElasticStatus
  version: number
  /** Milliseconds since the epoch. */
  next_ms: number | null
  /** Milliseconds since the epoch. */
  last_ms: number | null
  /** Source that declares the job. */
  source: string | null
  options: ElasticOptions
  /** Properties by name; null if the value is a secret. */
  props: Record<string, unknown>
  items: {
    running: number
    /** Items that wait for a host. */
    waiting: number
    disabled: number
  }
  /** Requests that no node has taken yet. */
  requests: number
  disabled_servers: string[]
}

export type ElasticOptions = {
  schedule_type: 'none' | 'cron' | 'fixed_rate'
  /** Cron, or seconds of a rate; empty without a schedule. */
  schedule: string
  /** Empty: the zone of the server's schedules. */
  time_zone: string
  /** Interval of a rate in place of whole seconds. */
  interval_ms: number | null
  /** Milliseconds since the epoch. */
  start_at_ms: number | null
  /** Milliseconds since the epoch. */
  end_at_ms: number | null
  jitter_ms: number | null
  /** `0=a,1=b`, or an object of texts by item. Only items of the job, each once. */
  item_params: string
  param: string
  /** Empty: AVG_ALLOCATION. */
  strategy: string
  order: 'desc-string' | 'asc-natural'
  /** Labels that a host must have, separated by commas. */
  label: string
  static: boolean
  static_fallback: 'wait' | 'borrow'
  max_time_diff_ms: number | null
  failover: boolean
  failover_max: number
  misfire: boolean
  misfire_max_age_ms: number | null
  /** 0: no limit. */
  timeout_ms: number
  cancel_grace_ms: number
  fence_mode: 'by_nodes' | 'fast' | 'orphan'
  trigger_policy: 'discard' | 'queue' | 'coalesce'
  /** Only for type dataflow. */
  streaming: boolean
  pool: string
  error_handler: string
  listeners: string
  once_listeners: string
  started_timeout_ms: number
  completed_timeout_ms: number
  alarm_email: string
  description: string
}

export type ElasticOptionsDraft = {
  schedule_type?: 'none' | 'cron' | 'fixed_rate' | null
  /** Cron, or seconds of a rate; empty without a schedule. */
  schedule?: string | null
  /** Empty: the zone of the server's schedules. */
  time_zone?: string | null
  /** Interval of a rate in place of whole seconds. */
  interval_ms?: number | null
  /** Milliseconds since the epoch. */
  start_at_ms?: number | null
  /** Milliseconds since the epoch. */
  end_at_ms?: number | null
  jitter_ms?: number | null
  /** `0=a,1=b`, or an object of texts by item. Only items of the job, each once. */
  item_params?: string | null
  param?: string | null
  /** Empty: AVG_ALLOCATION. */
  strategy?: string | null
  order?: 'desc-string' | 'asc-natural' | null
  /** Labels that a host must have, separated by commas. */
  label?: string | null
  static?: boolean | null
  static_fallback?: 'wait' | 'borrow' | null
  max_time_diff_ms?: number | null
  failover?: boolean | null
  failover_max?: number | null
  misfire?: boolean | null
  misfire_max_age_ms?: number | null
  /** 0: no limit. */
  timeout_ms?: number | null
  cancel_grace_ms?: number | null
  fence_mode?: 'by_nodes' | 'fast' | 'orphan' | null
  trigger_policy?: 'discard' | 'queue' | 'coalesce' | null
  /** Only for type dataflow. */
  streaming?: boolean | null
  pool?: string | null
  error_handler?: string | null
  listeners?: string | null
  once_listeners?: string | null
  started_timeout_ms?: number | null
  completed_timeout_ms?: number | null
  alarm_email?: string | null
  description?: string | null
}

export type ElasticNewJob = {
  group: number
  /** A job keeps it. */
  namespace?: string | null
  name: string
  /** Default: simple. */
  type?: string | null
  handler?: string | null
  total: number
  options?: ElasticOptionsDraft | null
  /** Without it the stored properties stay. A property that is null keeps its stored value, and so does a secret that is ******, which a new job must not have. */
  props?: Record<string, unknown> | null
  /** Default: true. */
  enabled?: boolean | null
}

export type ElasticJobDraft = {
  group: number
  /** A job keeps it. */
  namespace?: string | null
  name: string
  /** Default: simple. */
  type?: string | null
  handler?: string | null
  total: number
  options?: ElasticOptionsDraft | null
  /** Without it the stored properties stay. A property that is null keeps its stored value, and so does a secret that is ******, which a new job must not have. */
  props?: Record<string, unknown> | null
}

export type ElasticPreview = {
  group: number
  /** A job keeps it. */
  namespace?: string | null
  name: string
  /** Default: simple. */
  type?: string | null
  handler?: string | null
  total: number
  options?: ElasticOptionsDraft | null
  /** Without it the stored properties stay. A property that is null keeps its stored value, and so does a secret that is ******, which a new job must not have. */
  props?: Record<string, unknown> | null
  /** Stored job that the definition would change. */
  job?: number | null
}

export type ElasticItem = {
  item: number
  state: 'idle' | 'running' | 'waiting'
  /** Host of the open run, or of the last one. */
  host: string | null
  run: number | null
  source: 'normal' | 'misfire' | 'failover' | 'manual' | null
  attempt: number
  /** Number of the item's last grant; a run with an older one is over. */
  fence: number
  /** Milliseconds since the epoch. */
  granted_ms: number | null
  /** A fire came while the item ran; it is made up for. */
  missed: boolean
  disabled: boolean
  /** The number of items was reduced; the item goes when its run ends. */
  surplus: boolean
  /** An operator has cancelled the open run. */
  cancelled: boolean
  /** Owner by the newest plan. */
  planned_host: string | null
  /** Why the plan has no host for the item. */
  gap: string | null
  param: string | null
}

export type ElasticRun = {
  run: number
  /** -1, -2: the call of the once-listeners before all items, after all items. */
  item: number
  /** failed: taken over too often, or it ignored its end. */
  state: 'running' | 'finished' | 'error' | 'lost' | 'killed' | 'failed' | 'unknown'
  source: 'normal' | 'misfire' | 'failover' | 'manual' | 'unknown'
  attempt: number
  /** Number of the grant of its item. */
  fence: number
  /** Null: no longer known. */
  host: string | null
  /** Milliseconds since the epoch. */
  fire_ms: number | null
  fire_source: 'normal' | 'misfire' | 'failover' | 'manual' | 'unknown'
  /** Milliseconds since the epoch. */
  granted_ms: number | null
  /** Milliseconds since the epoch. */
  started_ms: number | null
  /** Milliseconds since the epoch. */
  ended_ms: number | null
  message: string | null
}

export type ElasticHost = {
  number: number
  id: string
  app_name: string
  state: 'up' | 'silent' | 'dead' | 'left'
  /** Set by administrators. */
  mode: 'enabled' | 'disabled' | 'draining' | 'removed'
  ip: string
  pid: number
  /** Separated by commas. */
  labels: string
  capacity: number
  /** Items that run on the host, of all jobs. */
  running: number
  incarnation: number
  /** Node that extends the lease of the host. */
  keeper: string
}

export type ElasticShare = {
  host: string | null
  /** Why the items have no host. */
  gap: string | null
  ranges: {
    first: number
    /** Inclusive. */
    last: number
  }[]
}

export type ElasticServer = {
  ip: string
  hosts: string[]
  up: number
  silent: number
  /** Hosts that are dead or left. */
  down: number
  /** Hosts that administrators disabled or drain. */
  disabled: number
  /** Items that run on its hosts. */
  running: number
  /** Jobs of the groups of its hosts. */
  jobs: number
  /** Those of them that get no runs here: the server, or each host, is disabled. */
  disabled_jobs: number
}

export type ElasticDumpLine = {
  path: string
  value: string
}

export type ElasticHostEdit = {
  hosts: string[]
  /** False if all of them were so already. */
  changed: boolean
}

export type ElasticEdit = {
  id: number
  /** False if it was so already. */
  changed: boolean
  /** Milliseconds since the epoch. */
  next_ms: number | null
}

export type ElasticSwitch = {
  item?: number | null
}

export type ElasticTrigger = {
  /** Without it: all items. */
  item?: number | null
  /** In place of the job's parameter, for these runs. */
  param?: string | null
  /** For items that run. Default: that of the job. */
  policy?: 'discard' | 'queue' | 'coalesce' | null
}

export type JobFilter = {
  /** A group, or several separated by commas. */
  group?: number | string
  running?: boolean
  /** Part of the name. */
  name?: string
  /** Part of the handler's name. */
  handler?: string
  /** Part of the author's name. */
  author?: string
  /** The id, or part of the name, handler, author or key. */
  q?: string
  /** Type of the schedule. */
  type?: 'NONE' | 'CRON' | 'FIX_RATE'
  /** Kind: BEAN, or that of a script. */
  glue_type?: 'BEAN' | 'GLUE_GROOVY' | 'GLUE_SHELL' | 'GLUE_PYTHON' | 'GLUE_PYTHON2' | 'GLUE_PHP' | 'GLUE_NODEJS' | 'GLUE_POWERSHELL'
  /** Whether a file declares the job. */
  declared?: boolean
  /** Source that declares the job. */
  source?: string
  /** One status of the last run as in `last_run`, or several with commas; missed ones are among the failed ones. Refused when more than 2000 of the jobs that match have no run among the newest 100000 runs and no index decides. */
  last_status?: string
  /** Only these jobs, at most 100, separated by commas; no other filter then. */
  ids?: string
}

export type RunFilter = {
  group?: number
  job?: number
  /** One status, or several with commas. pending, timed_out, not_sent, unknown, lost and killed are finer than `status` of a run: the last five are among the failed ones. */
  status?: string
  /** Milliseconds since the epoch. */
  from_ms?: number
  /** Inclusive. */
  to_ms?: number
  /** Exact name. */
  handler?: string
  /** One kind, or several with commas. */
  kind?: string
  /** Whole address of the executor. */
  address?: string
  /** From the trigger to the result, or to now without a result. */
  min_duration_ms?: number
  /** Part of the messages about sending or result, without case. */
  q?: string
  /** Only runs with a higher id. */
  after?: number
  /** These runs, at most 100; not with other filters. */
  ids?: string
}

/** Operations by method and path below /api/v1. */
export interface Operations {
  /** This document. Allowed for: anyone. */
  'GET /openapi.json': {
    query: undefined
    body: undefined
    answer: Record<string, unknown>
  }
  /** Returns the product and its languages; with a session also version, clock, zone, limits. Allowed for: anyone. */
  'GET /about': {
    query: undefined
    body: undefined
    answer: About
  }
  /** Signs a user in: sets the session cookie and ends the browser's former sessions. Allowed for: anyone. */
  'POST /session': {
    query: undefined
    body: SignIn
    answer: Session
  }
  /** Ends the browser's sessions. Allowed for: any user. */
  'DELETE /session': {
    query: undefined
    body: undefined
    answer: undefined
  }
  /** Returns the caller, their permissions and the token for X-CSRF-Token. Allowed for: any user. */
  'GET /session': {
    query: undefined
    body: undefined
    answer: Session
  }
  /** Lists the caller's open sessions, newest first; for administrators, all open sessions. Allowed for: any user. */
  'GET /sessions': {
    query: {
      user?: number
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: OpenSession[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Ends a session at once: an own one, or for administrators any. Allowed for: any user. */
  'DELETE /sessions/{id}': {
    query: undefined
    body: undefined
    answer: undefined
  }
  /** Lists the caller's API keys; for administrators, all API keys. Allowed for: any user. */
  'GET /keys': {
    query: {
      user?: number
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: ApiKey[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Creates an API key; the key is shown only once. Allowed for: any user. */
  'POST /keys': {
    query: undefined
    body: NewKey
    answer: {
      id: number
      /** For `Authorization: Bearer`. */
      key: string
    }
  }
  /** Removes an API key. Allowed for: any user. */
  'DELETE /keys/{id}': {
    query: undefined
    body: undefined
    answer: undefined
  }
  /** Lists jobs, newest first or in another order. Allowed for: viewer. */
  'GET /jobs': {
    query: {
      /** A group, or several separated by commas. */
      group?: number | string
      running?: boolean
      /** Part of the name. */
      name?: string
      /** Part of the handler's name. */
      handler?: string
      /** Part of the author's name. */
      author?: string
      /** The id, or part of the name, handler, author or key. */
      q?: string
      /** Type of the schedule. */
      type?: 'NONE' | 'CRON' | 'FIX_RATE'
      /** Kind: BEAN, or that of a script. */
      glue_type?: 'BEAN' | 'GLUE_GROOVY' | 'GLUE_SHELL' | 'GLUE_PYTHON' | 'GLUE_PYTHON2' | 'GLUE_PHP' | 'GLUE_NODEJS' | 'GLUE_POWERSHELL'
      /** Whether a file declares the job. */
      declared?: boolean
      /** Source that declares the job. */
      source?: string
      /** One status of the last run as in `last_run`, or several with commas; missed ones are among the failed ones. Refused when more than 2000 of the jobs that match have no run among the newest 100000 runs and no index decides. */
      last_status?: string
      /** Only these jobs, at most 100, separated by commas; no other filter then. */
      ids?: string
      /** Order: by id, name, next time, last planned instant that was sent, or last edit; descending with a minus. Without it: -id. Orders other than by id are refused when more than 10000 jobs match. */
      sort?: 'id' | '-id' | 'name' | '-name' | 'next' | '-next' | 'last' | '-last' | 'updated' | '-updated'
      limit?: number
      /** Value of `next` of the previous page, in the same order. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: JobRow[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Creates a job, stopped. Allowed for: editor. */
  'POST /jobs': {
    query: undefined
    body: NewJob
    answer: {
      id: number
    }
  }
  /** Starts several jobs, each independently. Allowed for: operator. */
  'POST /jobs/start': {
    query: undefined
    body: ManyJobs
    answer: BulkOutcome | TaskBegun
  }
  /** Stops several jobs, each independently. Allowed for: operator. */
  'POST /jobs/stop': {
    query: undefined
    body: ManyJobs
    answer: BulkOutcome | TaskBegun
  }
  /** Runs several jobs now, each independently. Allowed for: operator. */
  'POST /jobs/trigger': {
    query: undefined
    body: BulkTrigger
    answer: BulkOutcome | TaskBegun
  }
  /** Removes several jobs, each independently. Allowed for: editor. */
  'POST /jobs/delete': {
    query: undefined
    body: ManyJobs
    answer: TaskBegun
  }
  /** Returns a job. Allowed for: viewer. */
  'GET /jobs/{id}': {
    query: undefined
    body: undefined
    answer: Job
  }
  /** Replaces a job; absent members get the defaults of a new job. Allowed for: editor. */
  'PUT /jobs/{id}': {
    query: undefined
    body: JobDraft
    answer: JobEdit
  }
  /** Removes a job; its runs are removed in the background. Allowed for: editor. */
  'DELETE /jobs/{id}': {
    query: undefined
    body: undefined
    answer: undefined
  }
  /** Starts a job. Allowed for: operator. */
  'POST /jobs/{id}/start': {
    query: undefined
    body: undefined
    answer: JobEdit
  }
  /** Stops a job. Allowed for: operator. */
  'POST /jobs/{id}/stop': {
    query: undefined
    body: undefined
    answer: JobEdit
  }
  /** Runs a job now; answers when the request is durable. Allowed for: operator. */
  'POST /jobs/{id}/trigger': {
    query: undefined
    body: Trigger
    answer: Intent
  }
  /** Lists the versions of a script, newest first. Allowed for: viewer. */
  'GET /jobs/{id}/sources': {
    query: {
      /** false: without the sources, which are null (true). */
      bodies?: boolean
    }
    body: undefined
    answer: {
      items: SourceVersion[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Returns one version of a script. Allowed for: viewer. */
  'GET /jobs/{id}/sources/{version}': {
    query: undefined
    body: undefined
    answer: SourceVersion
  }
  /** Stores a new version of a script. Allowed for: editor. */
  'PUT /jobs/{id}/source': {
    query: undefined
    body: Source
    answer: JobEdit
  }
  /** Lists the changes of a job, newest first. Allowed for: viewer. */
  'GET /jobs/{id}/changes': {
    query: {
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: Change[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Returns a job as a table of a declared file. Allowed for: viewer. */
  'GET /jobs/{id}/declaration': {
    query: undefined
    body: undefined
    answer: string
  }
  /** Returns runs, planned instants and edits of a time span. Allowed for: viewer. */
  'GET /jobs/{id}/timeline': {
    query: {
      /** Default: a day ago. */
      from_ms?: number
      /** Inclusive. Default: 12 hours from now. At most 31 days after from_ms. */
      to_ms?: number
      /** Most runs, most past and most future instants (500). */
      limit?: number
    }
    body: undefined
    answer: Timeline
  }
  /** Returns the runs of a manual trigger, until they have ended and it is forgotten. Allowed for: viewer. */
  'GET /intents/{id}': {
    query: undefined
    body: undefined
    answer: AskedRuns
  }
  /** Lists the groups that the caller may see. Allowed for: any user. */
  'GET /groups': {
    query: {
      /** Part of the app name or the title, or an id. */
      q?: string
      /** Default: app_name. */
      sort?: 'app_name' | '-app_name' | 'title' | '-title' | 'id' | '-id'
      /** Adds jobs, online, late, gone, known and has_token to the rows (false). */
      counts?: boolean
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: GroupRow[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Creates a group. Allowed for: administrator. */
  'POST /groups': {
    query: undefined
    body: GroupDraft
    answer: {
      id: number
    }
  }
  /** Returns a group. Allowed for: viewer. */
  'GET /groups/{id}': {
    query: undefined
    body: undefined
    answer: Group
  }
  /** Replaces a group. Allowed for: administrator. */
  'PUT /groups/{id}': {
    query: undefined
    body: GroupDraft
    answer: undefined
  }
  /** Removes a group without jobs. Allowed for: administrator. */
  'DELETE /groups/{id}': {
    query: undefined
    body: undefined
    answer: undefined
  }
  /** Lists the changes of a group, newest first. Allowed for: viewer. */
  'GET /groups/{id}/changes': {
    query: {
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: Change[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Lists executors as the answering node knows them, by group. Allowed for: viewer. */
  'GET /executors': {
    query: {
      group?: number
      state?: 'online' | 'late' | 'gone' | 'entered'
      /** Part of the address, of the app name or of the group's title. */
      q?: string
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: Executor[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Lists executors that this node refused within the last ten minutes, and those whose app name no group has. Allowed for: administrator. */
  'GET /executors/refused': {
    query: undefined
    body: undefined
    answer: {
      items: {
        reason: 'wrong_token' | 'unknown_app' | 'outside_networks'
        app_name: string | null
        address: string | null
        /** Address that the request came from; null if another node had it. */
        remote: string | null
        /** Milliseconds since the epoch. */
        first_ms: number
        /** Milliseconds since the epoch. */
        last_ms: number
        /** Requests that this node had; 0 if another one had them. */
        times: number
      }[]
    }
  }
  /** Exports groups, jobs and alarms as a declared file of at most 8 MiB. Allowed for: administrator. */
  'GET /export': {
    query: {
      /** Only this group. */
      group?: number
      /** Only objects that this source declared. */
      source?: string
    }
    body: undefined
    answer: string
  }
  /** Applies declared files of at most 8 MiB, all or nothing. Allowed for: administrator. */
  'POST /apply': {
    query: undefined
    body: Files
    answer: Changes
  }
  /** Lists the sources of declared objects. Allowed for: administrator. */
  'GET /declared': {
    query: undefined
    body: undefined
    answer: {
      items: DeclaredSource[]
    }
  }
  /** Returns what an apply of the answering node's files of a source would change; 409 if it has none. Allowed for: administrator. */
  'GET /declared/{name}/drift': {
    query: undefined
    body: undefined
    answer: Changes
  }
  /** Lists runs, newest first. Allowed for: viewer. */
  'GET /runs': {
    query: {
      group?: number
      job?: number
      /** One status, or several with commas. pending, timed_out, not_sent, unknown, lost and killed are finer than `status` of a run: the last five are among the failed ones. */
      status?: string
      from_ms?: number
      /** Inclusive. */
      to_ms?: number
      /** Exact name. */
      handler?: string
      /** One kind, or several with commas. */
      kind?: string
      /** Whole address of the executor. */
      address?: string
      /** From the trigger to the result, or to now without a result. */
      min_duration_ms?: number
      /** Part of the messages about sending or result, without case. */
      q?: string
      /** Only runs with a higher id. */
      after?: number
      /** These runs, at most 100; not with other filters. */
      ids?: string
      /** 0: only the count. */
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: Run[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
      /** The search ended here before `limit` runs were found; `next` continues it. */
      searched_to_ms: number | null
    }
  }
  /** Removes runs; removing those of all groups needs an administrator. Allowed for: editor. */
  'POST /runs/clear': {
    query: undefined
    body: Clearing
    answer: {
      removed: number
    }
  }
  /** Ends several runs on their executors, each independently. Allowed for: operator. */
  'POST /runs/kill': {
    query: undefined
    body: ManyRuns
    answer: TaskBegun
  }
  /** Runs the jobs of several runs again, with the parameters and executors of the runs. Allowed for: operator. */
  'POST /runs/rerun': {
    query: undefined
    body: BulkRerun
    answer: TaskBegun
  }
  /** Returns the progress of a task of the caller; for administrators, of any task. Allowed for: any user. */
  'GET /tasks/{id}': {
    query: undefined
    body: undefined
    answer: Task
  }
  /** Ends a task: it begins with no further object. Allowed for: any user. */
  'POST /tasks/{id}/abort': {
    query: undefined
    body: undefined
    answer: Task
  }
  /** Returns a run. Allowed for: viewer. */
  'GET /runs/{id}': {
    query: undefined
    body: undefined
    answer: Run
  }
  /** Returns the runs that a run repeats or follows, those that repeat or follow it, and the shards of its broadcast. Allowed for: viewer. */
  'GET /runs/{id}/related': {
    query: undefined
    body: undefined
    answer: RelatedRuns
  }
  /** Returns the log of a run, from a line on. Allowed for: viewer. */
  'GET /runs/{id}/log': {
    query: {
      from_line?: number
      /** Holds the answer back until there is more, the run has ended, or these seconds have passed. */
      wait_s?: number
      /** Most lines of the answer, which ends after a whole line (5000); not with wait_s. */
      max_lines?: number
      /** Most bytes of `content` before it is written as JSON (524288); not with wait_s. */
      max_bytes?: number
      /** The last lines of the log, at most this many; not with from_line or wait_s. */
      tail?: number
      /** Whole logs of all shards of the run's broadcast, as one text; with no other parameter. */
      merged?: boolean
    }
    body: undefined
    answer: RunLog
  }
  /** Returns the log of a run as a text file. Allowed for: viewer. */
  'GET /runs/{id}/log/file': {
    query: {
      /** The text of the whole broadcast, as in …/log. */
      merged?: boolean
    }
    body: undefined
    answer: string
  }
  /** Searches the log of a run for a text. Allowed for: viewer. */
  'GET /runs/{id}/log/search': {
    query: {
      /** Plain text. */
      q: string
      /** The case of ASCII letters matters (false). */
      case?: boolean
      from_line?: number
      /** Most matches (200). A search also ends after a tenth of a second. */
      limit?: number
    }
    body: undefined
    answer: {
      /** The first match of each line. */
      matches: {
        line: number
        /** In UTF-16 units; the first character is 1. */
        column: number
        /** In UTF-16 units. */
        length: number
        /** The line; of a long line 500 units around the match. */
        text: string
      }[]
      /** First line that was not searched; null: none. */
      next_line: number | null
      scanned_to: number
      /** Reason why the rest of the log is missing now; null if nothing is missing. */
      partial_reason: string | null
    }
  }
  /** Ends a run on its executor. Allowed for: operator. */
  'POST /runs/{id}/kill': {
    query: undefined
    body: undefined
    answer: {
      message: string
    }
  }
  /** Returns run counts by day or hour; of a group or a job for its viewers. Allowed for: any user. */
  'GET /reports': {
    query: {
      from_ms: number
      /** Exclusive. */
      to_ms: number
      group?: number
      job?: number
      /** day, unless hour. */
      by?: 'day' | 'hour'
    }
    body: undefined
    answer: {
      items: Day[]
      /** Last change of the figures by the leader, which follow the log by about a minute; null for figures that were counted from the log for this answer. */
      changed_ms: number | null
    }
  }
  /** Returns the next instants of a schedule. Allowed for: any user. */
  'GET /schedule/preview': {
    query: {
      type: 'NONE' | 'CRON' | 'FIX_RATE'
      conf?: string
      time_zone?: string
      interval_ms?: number
      start_at_ms?: number
      end_at_ms?: number
      count?: number
      /** The instants after this one. Default: now. */
      from_ms?: number
      /** Only part of `words`: the delay depends on the job. */
      jitter_ms?: number
      /** Only part of `words`. */
      misfire?: 'DO_NOTHING' | 'FIRE_ONCE_NOW'
    }
    body: undefined
    answer: SchedulePreview
  }
  /** Lists the instants in a time span of the jobs that the caller may see. Allowed for: viewer. */
  'GET /schedule/forecast': {
    query: {
      /** Default, also for a past time: now. */
      from_ms?: number
      /** Exclusive. Default: a day later. At most 31 days later. */
      to_ms?: number
      job?: number
      group?: number
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: Forecast
  }
  /** Counts the instants in a time span of the jobs that the caller may see, by time and by job. Allowed for: viewer. */
  'GET /schedule/forecast/counts': {
    query: {
      job?: number
      group?: number
      /** Default, also for a past time: now. */
      from_ms?: number
      /** Exclusive. Default: a day later. At most 31 days later. */
      to_ms?: number
      /** A multiple of 60000 (3600000); at most 5000 buckets. */
      bucket_ms?: number
      /** Most listed seconds and jobs (20). */
      top?: number
    }
    body: undefined
    answer: FiringCounts
  }
  /** Counts these instants as they are, and as if one job had another schedule and ran; changes nothing. Allowed for: viewer. */
  'POST /schedule/what_if': {
    query: undefined
    body: WhatIf
    answer: {
      before: ChangedCounts
      after: ChangedCounts
    }
  }
  /** Searches jobs, groups, runs and, for administrators, users; own groups only. Allowed for: any user. */
  'GET /search': {
    query: {
      /** Part of a name, handler, key or title, or the first digits of an id. */
      q: string
      /** Most objects of each kind (8). */
      limit?: number
    }
    body: undefined
    answer: FoundObjects
  }
  /** Lists the nodes of the cluster. Allowed for: any user. */
  'GET /nodes': {
    query: undefined
    body: undefined
    answer: Nodes
  }
  /** Returns what the nodes do now, in figures that are at most a second old. Allowed for: any user. */
  'GET /now': {
    query: undefined
    body: undefined
    answer: Now
  }
  /** Lists elastic jobs by namespace and name. Allowed for: viewer. */
  'GET /elastic/jobs': {
    query: {
      group?: number
      status?: 'enabled' | 'disabled' | 'shut_down' | 'draining'
      /** Part of the name. */
      name?: string
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: ElasticJobRow[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Creates an elastic job. Allowed for: editor. */
  'POST /elastic/jobs': {
    query: undefined
    body: ElasticNewJob
    answer: {
      id: number
    }
  }
  /** Returns an elastic job. Allowed for: viewer. */
  'GET /elastic/jobs/{id}': {
    query: undefined
    body: undefined
    answer: ElasticJob
  }
  /** Replaces the definition of an elastic job; absent options get their defaults. Allowed for: editor. */
  'PUT /elastic/jobs/{id}': {
    query: undefined
    body: ElasticJobDraft
    answer: ElasticEdit
  }
  /** Removes an elastic job without items that run; its runs stay as history. Allowed for: editor. */
  'DELETE /elastic/jobs/{id}': {
    query: undefined
    body: undefined
    answer: undefined
  }
  /** Returns an elastic job as a table of a declared file. Allowed for: viewer. */
  'GET /elastic/jobs/{id}/declaration': {
    query: undefined
    body: undefined
    answer: string
  }
  /** Returns the plan that a definition would have now with the hosts of its group. Changes nothing. Allowed for: viewer. */
  'POST /elastic/preview': {
    query: undefined
    body: ElasticPreview
    answer: {
      items: ElasticShare[]
    }
  }
  /** Lists the items of an elastic job with their hosts. Allowed for: viewer. */
  'GET /elastic/jobs/{id}/items': {
    query: {
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: ElasticItem[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Lists the runs of the items of an elastic job, newest first. A page may be short and have a next one. Allowed for: viewer. */
  'GET /elastic/jobs/{id}/history': {
    query: {
      item?: number
      state?: 'running' | 'finished' | 'error' | 'lost' | 'killed' | 'failed'
      /** Granted from here on. */
      from_ms?: number
      /** Inclusive. */
      to_ms?: number
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: ElasticRun[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Returns the plan that an elastic job would have now with the hosts of its group, whatever their handlers. Allowed for: viewer. */
  'GET /elastic/jobs/{id}/plan': {
    query: {
      /** Id of a host to leave out. */
      without?: string
    }
    body: undefined
    answer: {
      items: ElasticShare[]
    }
  }
  /** Enables an elastic job, or one item. Allowed for: operator. */
  'POST /elastic/jobs/{id}/enable': {
    query: undefined
    body: ElasticSwitch
    answer: ElasticEdit
  }
  /** Disables an elastic job, or one item; runs go on. Allowed for: operator. */
  'POST /elastic/jobs/{id}/disable': {
    query: undefined
    body: ElasticSwitch
    answer: ElasticEdit
  }
  /** Shuts an elastic job down: it fires no more until it is enabled. Allowed for: operator. */
  'POST /elastic/jobs/{id}/shutdown': {
    query: undefined
    body: undefined
    answer: ElasticEdit
  }
  /** Requests a run of an elastic job, or of one item. Allowed for: operator. */
  'POST /elastic/jobs/{id}/trigger': {
    query: undefined
    body: ElasticTrigger
    answer: {
      /** Number of the request. */
      request: string
    }
  }
  /** Drains an elastic job: its runs are asked to end, and no others begin until it is enabled. Allowed for: operator. */
  'POST /elastic/jobs/{id}/drain': {
    query: undefined
    body: undefined
    answer: ElasticEdit
  }
  /** Cancels the open runs of an elastic job and enables it. Allowed for: operator. */
  'POST /elastic/jobs/{id}/restart': {
    query: undefined
    body: undefined
    answer: ElasticEdit
  }
  /** Enables a host for an elastic job, by id or IP address. Allowed for: operator. */
  'POST /elastic/jobs/{id}/hosts/{name}/enable': {
    query: undefined
    body: undefined
    answer: ElasticEdit
  }
  /** Disables a host for an elastic job, by id or IP address; runs go on. Allowed for: operator. */
  'POST /elastic/jobs/{id}/hosts/{name}/disable': {
    query: undefined
    body: undefined
    answer: ElasticEdit
  }
  /** Returns the stored state of an elastic job, for reports of defects. Allowed for: viewer. */
  'GET /elastic/jobs/{id}/dump': {
    query: {
      /** Replace IP addresses (true). Only administrators may send false. */
      mask?: boolean
    }
    body: undefined
    answer: {
      items: ElasticDumpLine[]
    }
  }
  /** Cancels a run of an item; one that ignores it is killed. Allowed for: operator. */
  'POST /elastic/runs/{id}/cancel': {
    query: undefined
    body: undefined
    answer: ElasticEdit
  }
  /** Gives a host, or all known hosts with an IP address, runs of elastic jobs again. Allowed for: administrator. */
  'POST /elastic/hosts/{name}/enable': {
    query: undefined
    body: undefined
    answer: ElasticHostEdit
  }
  /** Gives a host, or all known hosts with an IP address, no more runs; open runs go on. Allowed for: administrator. */
  'POST /elastic/hosts/{name}/disable': {
    query: undefined
    body: undefined
    answer: ElasticHostEdit
  }
  /** Gives a host, or all known hosts with an IP address, no more runs, and asks open runs to end. Allowed for: administrator. */
  'POST /elastic/hosts/{name}/drain': {
    query: undefined
    body: undefined
    answer: ElasticHostEdit
  }
  /** Removes a host that is down, or all known hosts with an IP address, from the lists. Allowed for: administrator. */
  'POST /elastic/hosts/{name}/remove': {
    query: undefined
    body: undefined
    answer: ElasticHostEdit
  }
  /** Lists the hosts of elastic jobs by IP address, with counts. Allowed for: viewer. */
  'GET /elastic/servers': {
    query: {
      group?: number
    }
    body: undefined
    answer: {
      items: ElasticServer[]
    }
  }
  /** Lists the hosts of elastic jobs. Allowed for: viewer. */
  'GET /elastic/hosts': {
    query: {
      group?: number
    }
    body: undefined
    answer: {
      items: ElasticHost[]
    }
  }
  /** Lists the configured channels of alarms, without their secrets. Allowed for: administrator. */
  'GET /alarms/channels': {
    query: undefined
    body: undefined
    answer: {
      items: {
        /** mail, or the name of a webhook. */
        name: string
        /** mail, or the preset of the webhook. */
        kind: string
        /** Host and port that messages are sent to. */
        place: string
        /** Address of the sender; null for a webhook. */
        sender: string | null
      }[]
    }
  }
  /** Lists the rules for alarms that declared files contain. Allowed for: administrator. */
  'GET /alarms/rules': {
    query: {
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: AlarmRule[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Lists the alarms that are not finished, and the latest messages that the answering node sent. Allowed for: administrator. */
  'GET /alarms/open': {
    query: undefined
    body: undefined
    answer: OpenAlarms
  }
  /** Sends a test message through a channel, at most one in ten seconds. Allowed for: administrator. */
  'POST /alarms/channels/{name}/test': {
    query: undefined
    body: ChannelTest
    answer: {
      /** The receiving side accepted the message. */
      delivered: boolean
      /** Why the message was not delivered. */
      detail: string | null
      took_ms: number
    }
  }
  /** Returns the last report about the answering node. Allowed for: administrator. */
  'GET /doctor': {
    query: undefined
    body: undefined
    answer: DoctorReport
  }
  /** Starts the checks of the answering node, or returns the report of those that run. Allowed for: administrator. */
  'POST /doctor': {
    query: undefined
    body: undefined
    answer: DoctorReport
  }
  /** Lists users. Allowed for: administrator. */
  'GET /users': {
    query: {
      /** Part of the name. */
      name?: string
      admin?: boolean
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: UserRow[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
  /** Creates a user. Allowed for: administrator. */
  'POST /users': {
    query: undefined
    body: NewUser
    answer: {
      id: number
    }
  }
  /** Changes the caller's password; ends all of their sessions. Allowed for: any user. */
  'PUT /users/me/password': {
    query: undefined
    body: Passwords
    answer: undefined
  }
  /** Returns the caller's settings of the console. Allowed for: any user. */
  'GET /users/me/settings': {
    query: undefined
    body: undefined
    answer: UserSettings
  }
  /** Replaces the caller's settings of the console, at most 4 KiB. Allowed for: any user. */
  'PUT /users/me/settings': {
    query: undefined
    body: UserSettingsDraft
    answer: undefined
  }
  /** Returns a user. Allowed for: administrator. */
  'GET /users/{id}': {
    query: undefined
    body: undefined
    answer: User
  }
  /** Changes a user. Allowed for: administrator. */
  'PUT /users/{id}': {
    query: undefined
    body: UserDraft
    answer: undefined
  }
  /** Removes a user. Allowed for: administrator. */
  'DELETE /users/{id}': {
    query: undefined
    body: undefined
    answer: undefined
  }
  /** Lists the audit log, newest first. Allowed for: administrator. */
  'GET /audit': {
    query: {
      /** Exact name. */
      user?: string
      object?: 'job' | 'group' | 'run' | 'user' | 'api_key' | 'source' | 'alarm' | 'setting' | 'elastic_job' | 'elastic_host'
      object_id?: number
      action?: 'add' | 'update' | 'remove' | 'start' | 'stop' | 'trigger' | 'kill' | 'clear' | 'source' | 'sign_in' | 'password' | 'apply' | 'enable' | 'disable' | 'shutdown' | 'drain' | 'cancel' | 'restart'
      from_ms?: number
      /** Inclusive. */
      to_ms?: number
      /** Part of the object's name or of a line of `changes`. */
      q?: string
      limit?: number
      /** Value of `next` of the previous page. */
      cursor?: string
    }
    body: undefined
    answer: {
      items: Change[]
      /** Cursor of the next page; null on the last page. */
      next: string | null
      /** Size of the whole list; null if it was not counted. */
      total: number | null
      /** Counting stopped at total; the list has at least this many items. */
      total_is_capped: boolean
    }
  }
}
