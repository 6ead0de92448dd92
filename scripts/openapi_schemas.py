"""Schemas of the objects of /api/v1, for docs/openapi.json (make_openapi.py)."""

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def text(description=None, **more):
    return {"type": "string", **({"description": description} if description else {}), **more}


def whole(minimum=None, maximum=INT64_MAX, description=None):
    bounds = {} if minimum is None else {"minimum": minimum, "maximum": maximum}
    return {"type": "integer", "format": "int64", **bounds, **({"description": description} if description else {})}


def rate(description=None):
    return {"type": "number", "minimum": 0, **({"description": description} if description else {})}


def truth(description=None):
    return {"type": "boolean", **({"description": description} if description else {})}


def array(items, maximum=None, minimum=None, **more):
    sizes = {"maxItems": maximum, "minItems": minimum}
    return {"type": "array", "items": items, **{name: size for name, size in sizes.items() if size is not None}, **more}


def one_of(*names, description=None):
    return {"type": "string", "enum": list(names), **({"description": description} if description else {})}


def maybe(schema):
    """Allows null, which stands for an absent value."""
    if "type" not in schema:
        return {"oneOf": [schema, {"type": "null"}]}
    out = {**schema, "type": [schema["type"], "null"]}
    if "enum" in out:
        out["enum"] = [*out["enum"], None]
    return out


def record(properties, required=()):
    """Returns the schema of a request body; other members are refused."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def shown(properties):
    """Returns the schema of a response; all members are always present, and later releases may add members."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def answer(properties, always):
    """Returns the schema of a response of which only the members `always` are always present."""
    return {"type": "object", "properties": properties, "required": always}


ID = whole(1, INT32_MAX)
COUNT = whole(0, INT32_MAX)
MS = whole(0, 253402300799999, "Milliseconds since the epoch.")
ANY_NUMBER = whole()
GLUE = ["BEAN", "GLUE_GROOVY", "GLUE_SHELL", "GLUE_PYTHON", "GLUE_PYTHON2", "GLUE_PHP", "GLUE_NODEJS", "GLUE_POWERSHELL"]
ROUTES = ["FIRST", "LAST", "ROUND", "RANDOM", "CONSISTENT_HASH", "LEAST_FREQUENTLY_USED", "LEAST_RECENTLY_USED", "FAILOVER",
          "BUSYOVER", "SHARDING_BROADCAST"]
BLOCKS = ["SERIAL_EXECUTION", "DISCARD_LATER", "COVER_EARLY"]

DRAFT = {
    "group": ID,
    "name": text(maxLength=255),
    "author": maybe(text("Default for a new job: the caller.", maxLength=64)),
    "alarm_email": maybe(text(maxLength=255)),
    "schedule": maybe(record({"type": one_of("NONE", "CRON", "FIX_RATE"), "conf": maybe(text(
        "Cron expression, or interval in whole seconds.", maxLength=128))}, ["type"])),
    "time_zone": maybe(text("IANA name of the time zone of a cron schedule.")),
    "interval_ms": maybe(whole(10, 2147483647000, "Fixed rate in milliseconds; replaces the seconds of conf.")),
    "start_at_ms": maybe(MS),
    "end_at_ms": maybe(MS),
    "jitter_ms": maybe(whole(1, 86400000)),
    "misfire": maybe(one_of("DO_NOTHING", "FIRE_ONCE_NOW")),
    "route": maybe(one_of(*ROUTES)),
    "block": maybe(one_of(*BLOCKS)),
    "on_unknown": maybe(one_of("ask", "skip", "resend")),
    "keep_logs": maybe(truth("Copy the log of each finished run into the database.")),
    "alarm_on": maybe(array(one_of("failed", "missed"), 2)),
    "description": maybe(text("Purpose of the job.", maxLength=1000)),
    "timeout_s": maybe(COUNT),
    "retry_count": maybe(COUNT),
    "handler": maybe(text(maxLength=255)),
    "params": maybe(text()),
    "children": maybe(array(ID, 128)),
}
SCRIPT = {"glue_type": maybe(one_of(*GLUE)), "glue_source": maybe(text()), "glue_remark": maybe(text(maxLength=128))}

REASONS = ["no_executor", "refused", "connection_refused", "connect_timeout", "no_answer", "delivery_unknown",
           "handler_not_found", "blocked_discarded", "replaced_by_later", "timed_out", "killed", "lost", "script_exit", "failed",
           "bad_token", "bad_parameter", "node_died", "missed", "not_sent"]
REASON = {**maybe(shown({
    "code": one_of(*REASONS),
    "params": answer({
        "text": text("Words of the executor or the node; may be empty."),
        "exit_code": whole(description="For script_exit."), "timeout_s": whole(description="For timed_out."),
        "handler": text("For handler_not_found."),
        "cause": one_of("user", "later_run", "handler_changed", "source_changed", "executor_stopped",
                        description="For killed and replaced_by_later."),
        "before_start": truth("The run waited in its executor and had not begun.")}, ["text"])})),
    "description": "Why the run did not succeed, as its codes and texts tell; null for any other run."}

JOB_ROW = {
    "id": ID, "group": ANY_NUMBER, "name": text(), "author": text(), "alarm_email": text(),
    "schedule": shown({"type": text(), "conf": maybe(text())}),
    "time_zone": maybe(text()), "interval_ms": maybe(ANY_NUMBER), "start_at_ms": maybe(MS), "end_at_ms": maybe(MS),
    "jitter_ms": maybe(ANY_NUMBER), "misfire": text(), "route": text(), "block": text(),
    "on_unknown": one_of("ask", "skip", "resend"), "keep_logs": truth(),
    "alarm_on": array(one_of("failed", "missed")), "description": maybe(text()),
    "timeout_s": ANY_NUMBER, "retry_count": ANY_NUMBER,
    "handler": text(),
    "params": text(), "children": array(ID), "glue_type": text(), "glue_remark": text(), "glue_updated_ms": maybe(MS),
    "running": truth(), "stopped_by": maybe(text("Name of the user who stopped the job; null for a job that no user stopped.")),
    "stopped_ms": maybe(MS), "next_ms": maybe(MS), "last_ms": maybe(MS), "missed_ms": maybe(MS),
    "added_ms": maybe(MS), "updated_ms": maybe(MS),
    "revision": ANY_NUMBER, "key": maybe(text("Key of a declared job.")), "source": maybe(text("Source that declares the job.")),
}

JOB_FACTS = {
    "group_title": maybe(text("Null if the group is gone.")),
    "words": maybe(text("The schedule as a sentence in the reader's language; null without a valid schedule.")),
    "effective_zone": text("Zone of the schedule: the job's, else the server's."),
    "last_run": {**maybe(shown({
        "id": whole(1), "status": one_of("pending", "running", "succeeded", "failed", "missed"), "reason": REASON,
        "trigger_ms": maybe(MS), "duration_ms": maybe(whole(0))})),
        "description": "Newest run, also a manual one; null if there is none that the caller may see."},
    "open_runs": maybe(whole(0, 20, "Runs without a result among the newest 20 runs; null if the log has no index on jobs.")),
    "updated_by": maybe(text("User of the last edit, start or stop; null if the audit log does not tell it.")),
}

ORIGIN = {
    "kind": {**maybe(one_of("cron", "misfire", "manual", "parent", "retry", "api", "missed")),
             "description": "Null if the trigger message does not tell it."},
    "origin": maybe(whole(1, description="The run that this one repeats (kind retry) or follows (kind parent).")),
    "retry_of": maybe(whole(1, description="The run that this one repeats.")),
    "parent": maybe(whole(1, description="The run of another job that this one follows.")),
    "attempt": maybe(whole(1, description="1 for a run that repeats none; null for a retry: see `/runs/{id}/related`.")),
    "shard_index": maybe(COUNT), "shard_total": maybe(COUNT),
}
DURATION = maybe(whole(0, description="From the trigger to the result; null while there is none. Triggers have whole seconds."))

RUN = {
    "id": whole(1), "group": ANY_NUMBER, "group_title": maybe(text("Present title; null if the group is gone.")),
    "job": ANY_NUMBER, "job_name": maybe(text("Present name; null if the job is gone.")),
    "status": one_of("pending", "running", "succeeded", "failed", "missed"), "reason": REASON,
    "address": maybe(text()), "handler": text(), "params": text(), "shard": maybe(text("Shard index and total: `0/2`.")),
    "retry_left": ANY_NUMBER, "trigger_ms": maybe(MS),
    "instant_ms": {**maybe(MS), "description": "First instant for which a late run (kind misfire) was sent; null otherwise."},
    "lateness_ms": maybe(whole(0, description="From `instant_ms` to the trigger, which has whole seconds.")),
    "merged_instants": maybe(whole(0, description="Further missed instants that the late run replaces; null for any other run.")),
    "trigger_code": ANY_NUMBER, "trigger_message": text(),
    "trigger_text": text("What the trigger message says about the sending, without HTML."),
    **ORIGIN, "by": maybe(text("User who asked for the run; null: no user did, or it is a run of an earlier release.")),
    "node": maybe(text("Host of the node that claimed the run.")), "route": maybe(text()), "block": maybe(text()),
    "missed": maybe(shown({"instants": ANY_NUMBER, "from_ms": maybe(MS), "to_ms": maybe(MS)})),
    "handle_ms": maybe(MS), "handle_code": ANY_NUMBER, "handle_message": maybe(text()),
    "handle_text": maybe(text("The result without HTML.")), "duration_ms": DURATION, "alarm_status": ANY_NUMBER,
}
SHORT_RUN = {**{name: RUN[name] for name in ("id", "group", "job", "job_name", "status", "reason", "address", "trigger_ms",
                                             "duration_ms")}, **ORIGIN}

NEW_PASSWORD = text("At least 8 characters; 4 to 20 characters if Java admins read the password.", minLength=4, maxLength=1024)
RIGHTS = array(record({"group": ID, "right": one_of("viewer", "operator", "editor")}, ["group", "right"]), 10000)
TRIGGER = {"params": maybe(text("Default: the job's own parameters.")),
           "addresses": maybe(array(text(), 1000, description="Absent or empty: the executors of the group. An item must not "
                                                                  "be empty or contain a comma."))}
IDS = array(ID, 500, 1, uniqueItems=True)
RUN_IDS = array(whole(1), 500, 1, uniqueItems=True)
EXPECT = whole(0, 100000, "Number of objects that the filter must find; needed with a filter, and only then.")


def many(ids, kind, **more):
    """Returns the schema of a request with many objects, by their ids or by a filter of their list."""
    return record({"ids": ids, "filter": maybe(ref(kind + "Filter")), "expect": maybe(EXPECT), **more})


PARTIAL_REASON = maybe(text("Reason why the rest of the log is missing now; null if nothing is missing."))

BUSY_SECOND = shown({"at_ms": MS, "count": whole(0, description="Instants in this second."),
                     "jobs": whole(0, description="Jobs that fire in it."),
                     "some": array(maybe(ID), description="The first of these jobs, eight at most; null: the new job.")})
COUNTS = {
    "bucket_ms": whole(1), "buckets_from_ms": {**MS, "description": "Begin of the first bucket, a multiple of bucket_ms."},
    "from_ms": MS, "to_ms": MS, "walked_to_ms": {**MS, "description": "Counts after this time are incomplete."},
    "truncated": truth("The computation reached its limit before to_ms."), "firings": whole(0),
    "counts": array(whole(0), description="Instants by bucket."),
    "top": array(BUSY_SECOND, description="Seconds in which most jobs fire."),
    "jobs": array(shown({"job": maybe(ID), "count": whole(0)}), description="Jobs with most instants; null: the new job."),
    "cannot_be_planned": array(ID)}
GROUP = {"id": ID, "app_name": text(), "title": text(), "address_type": one_of("automatic", "manual"),
                    "addresses": array(text()), "updated_ms": maybe(MS),
                    "source": maybe(text("Source that declares the group."))}
USER = {"id": ID, "name": text(), "admin": truth(), "rights": array(
    shown({"group": ANY_NUMBER, "right": one_of("viewer", "operator", "editor")}))}
USER_SETTINGS = {
    "language": maybe(one_of("zh_CN", "zh_TC", "en", description="null: the language of the server.")),
    "zone": maybe(one_of("viewer", "server", "utc", description="Zone of shown times; null: the zone of the browser.")),
    "theme": maybe(one_of("auto", "light", "dark")),
    "start_page": maybe(text("Path of the console that opens after signing in.", maxLength=255, pattern="^/([^/].*)?$")),
    "refresh_s": maybe(whole(1, 3600, "Seconds between two readings of a page that refreshes itself; null: chosen by the page.")),
    "keys": maybe(truth("Single keys act as shortcuts."))}

ELASTIC_ALARMS = ("ej_fail", "ej_late", "ej_unowned", "ej_takeovers")
ELASTIC_SUBJECT = {
    "elastic_job": maybe(ID),
    "item": maybe(whole(-2, INT32_MAX, "Of an elastic job; null: the whole job. -1, -2: the hooks before and after all items.")),
    "item_run": maybe(whole(1, description="Run of the item; null: none."))}

SCHEMAS = {
    "Problem": shown({"type": text("`urn:ringmaster:` and a stable name."), "title": text(), "status": whole(400, 599),
                      "detail": text("Text for users; XXL-JOB's text where XXL-JOB has one.")}),
    "NewJob": record({**DRAFT, **SCRIPT}, ["group", "name"]),
    "JobDraft": record(DRAFT, ["group", "name"]),
    "JobRow": shown({**JOB_ROW, **JOB_FACTS}),
    "Job": shown({**JOB_ROW, "glue_source": text()}),
    "JobEdit": shown({"job": ID, "next_ms": maybe(MS), "on_their_way": maybe(whole(
        0, description="Runs that were claimed before the edit and have not been sent yet."))}),
    "Trigger": record(TRIGGER),
    "AskedRuns": shown({"waiting": truth("The request has not been claimed yet."),
                        "runs": array(whole(1), description="One run, or one run per shard.")}),
    "Intent": shown({"job": ID, "intent": whole(1, description="Identical for requests with the same Idempotency-Key.")}),
    "ManyJobs": many(IDS, "Job"),
    "BulkTrigger": many(IDS, "Job", **TRIGGER),
    "ManyRuns": many(RUN_IDS, "Run"),
    "BulkRerun": many(RUN_IDS, "Run", params=maybe(text("Default: the parameters of each run.")), addresses=maybe(array(
        text(), 1000, description="Absent: the executor of each run. Empty: the executors of the group."))),
    "TaskBegun": shown({"task": whole(1, description="Id for GET /tasks/{id}.")}),
    "Task": shown({"id": whole(1), "action": one_of("start", "stop", "trigger", "delete", "kill", "rerun"),
                   "state": one_of("running", "done", "aborted"),
                   "done": whole(0, description="Objects with which the action succeeded."),
                   "total": whole(0), "failed": whole(0),
                   "problems": array(shown({"id": whole(1, description="Id of the job or run."), "code": text(),
                                            "detail": text("Text for users.")}), 100, description="The first failures.")}),
    "BulkOutcome": shown({"items": array({
        "type": "object", "required": ["id", "status"],
        "properties": {"id": ID, "status": whole(200, 599), "done": {"type": "object"}, "problem": ref("Problem")}})}),
    "Source": record({"source": text(), "remark": text(minLength=4, maxLength=100)}, ["source", "remark"]),
    "SourceVersion": shown({"id": whole(1), "job": ID, "glue_type": text(), "source": maybe(text("Null with bodies=false.")),
                            "bytes": whole(0, description="Length of the source."), "remark": text(),
                            "added_ms": maybe(MS), "updated_ms": maybe(MS)}),
    "GroupDraft": record({"app_name": text(minLength=4, maxLength=64), "title": text(maxLength=64),
                          "address_type": maybe(one_of("automatic", "manual")), "addresses": maybe(array(text(), 1000)),
                          "access_token": maybe(text("Token of the group's executors. Absent: unchanged. Never returned."))},
                         ["app_name", "title"]),
    "Group": shown(GROUP),
    "GroupRow": answer({
        **GROUP, "jobs": whole(0),
        "online": maybe(whole(0, description="Executors whose heartbeats come in time; null: unknown yet.")),
        "late": maybe(whole(0, description="Executors without a heartbeat for two thirds of registry.dead_after.")),
        "gone": maybe(whole(0, description="Executors that have gone, as long as the answering node remembers them.")),
        "known": maybe(whole(0, description="Executors that the answering node knows, also some that have gone.")),
        "has_token": maybe(truth("The group has a token of its own; null unless the caller is an administrator."))}, list(GROUP)),
    "Executor": shown({
        "group": ID, "app_name": text(), "address": text(),
        "state": one_of("online", "late", "gone", "entered", description=(
            "late: no heartbeat for two thirds of registry.dead_after; gone: said goodbye or silent for all of it, remembered "
            "for an hour; entered: entered by a user, and not registered.")),
        "last_beat_ms": maybe(MS), "link": truth("Connected to the answering node by a native link, or reachable only so."),
        "family": maybe(one_of("xxl", "xxl-3.5", "native",
                               description="Protocol of the last heartbeat; null if the answering node received none.")),
        "unreachable_ms": {**maybe(MS), "description": (
            "Of an entered address: since then the answering node has found no executor there when it sent runs; null if the "
            "last one found an executor, or if it sent none.")}}),
    "Files": record({
        "source": maybe(text("Name of the source that owns the declared objects. Default: apply.", minLength=1, maxLength=128)),
        "revision": maybe(whole(0, 999999999999999999, "Refused if a higher revision has been applied before.")),
        "dry_run": maybe(truth("Only report what would change.")),
        "prune": maybe(truth("Remove objects that the same source declared before and no longer declares.")),
        "prune_all": maybe(truth("With prune: also remove objects declared by earlier files that are not in this request. "
                                 "Without it, such an apply is refused with 409.")),
        "files": array(record({"name": text("File name, for messages.", minLength=1, maxLength=255), "text": text("TOML.")},
                              ["name", "text"]), 1000, 1)}, ["files"]),
    "Changes": shown({
        "dry_run": truth(),
        "changes": array(shown({"kind": one_of("create", "update", "unchanged", "remove"), "object": text(),
                                "fields": array(text("`retry: 0 -> 2`"))})),
        "on_their_way": maybe(whole(0, description="Runs that were claimed before the edits and have not been sent yet.")),
        "warnings": array(text())}),
    "DeclaredSource": shown({
        "source": text("Name of the source."), "revision": maybe(ANY_NUMBER),
        "objects": shown({"groups": whole(0), "jobs": whole(0), "alarms": whole(0), "elastic_jobs": whole(0)}),
        "files": array(text(), description="Names of the files of its applies."),
        "applied_ms": maybe({**MS, "description": "Last apply that changed something, if it is among the newest 10000 rows of "
                                                  "the audit log."}),
        "by": maybe(text("Author of that apply.")),
        "has_files": truth("The answering node has the files of this source, so that their drift can be read.")}),
    "EditProblem": {"allOf": [ref("Problem"), {"type": "object", "properties": {
        "changed_by": maybe(text("User of the later edit; null if it is not in the audit log.")), "changed_ms": maybe(MS)}}]},
    "FileProblem": {"allOf": [ref("Problem"), {"type": "object", "properties": {"errors": array(shown({
        "file": maybe(text()), "line": maybe(whole(1)), "detail": text()}), 1000)}}]},
    "Run": shown(RUN),
    "ShortRun": shown(SHORT_RUN),
    "RelatedRuns": shown({
        "parent": {"oneOf": [ref("ShortRun"), {"type": "null"}], "description": "The run that the first attempt follows."},
        "children": array(ref("ShortRun"), description="Runs of other jobs that follow this one."),
        "retries": array(ref("ShortRun"), description="The other attempts, before and after this run."),
        "shards": array(ref("ShortRun"), description="All runs of its broadcast, this one too; empty without a broadcast."),
        "attempt": maybe(whole(1, description="Number of this run among the attempts; null if earlier ones were removed.")),
        "by": maybe(text("User who asked for the first attempt; null if a user did not, or that is forgotten."))}),
    "FoundObjects": shown({
        "jobs": array(shown({"id": ID, "group": ID, "name": text(), "handler": text(),
                             "key": maybe(text("Name in the declared file; null for a job that is not declared."))}), 8),
        "groups": array(shown({"id": ID, "app_name": text(), "title": text()}), 8),
        "runs": array(ref("ShortRun"), 8), "users": array(shown({"id": ID, "name": text(), "admin": truth()}), 8),
        "truncated": truth("A time limit ended the search; older jobs or runs may be missing.")}),
    "Timeline": shown({
        "runs": array(ref("ShortRun"), 500, description="Newest first, also rows of dropped instants."),
        "instants": array(shown({
            "at_ms": MS, "run": maybe(whole(1, description="Its run, or the row of dropped instants; null: there is none.")),
            "outcome": one_of("fired", "late", "dropped", "overlap", "stopped", "future", "unknown", description=(
                "late: `run` was made later in its place; dropped: by the misfire policy; overlap: its run was discarded because "
                "an earlier one was running; stopped: the job was stopped; unknown: the log has no row of it."))}),
            description="Planned instants, ascending."),
        "edits": array(shown({"at_ms": MS, "by": text("User."), "action": text("As in the audit log."),
                              "fields": array(text("Name of a changed field."))}), description="Ascending."),
        "truncated": truth("A limit cut off the oldest runs or past instants, or the latest future instants."),
        "from_ms": MS, "to_ms": MS,
        "known_from_ms": whole(0, 253402300799999, (
            "Past instants without a run are listed from here on. Before it the schedule is not known, or a limit cut them "
            "off."))}),
    "RunLog": shown({"run": whole(1), "from_line": COUNT, "to_line": ANY_NUMBER, "content": text(),
                     "end": truth("The log is complete."),
                     "kept": truth("The log comes from the kept copy; no executor was asked."),
                     "more": truth("There are lines after to_line already: ask again with from_line = to_line + 1."),
                     "cut": truth("The last line is longer than max_bytes, and only its beginning is here."),
                     "bytes": maybe(whole(0, description="Size of the whole log; null: unknown.")),
                     "lines": maybe(whole(0, description="Lines of the whole log; null: unknown.")),
                     "partial_reason": PARTIAL_REASON}),
    "Clearing": record({"group": maybe(ID), "job": maybe(ID), "until_ms": maybe(whole(0)), "keep_newest": maybe(COUNT),
                        "all": maybe(truth("Exactly one of until_ms, keep_newest and all must be present; all must be true."))}),
    "Day": shown({"day": text("Local day, with `by=hour` also the time of the hour."), "day_ms": ANY_NUMBER, "total": ANY_NUMBER,
                  "running": ANY_NUMBER, "succeeded": ANY_NUMBER, "failed": ANY_NUMBER,
                  "median_ms": maybe(whole(0, description="Median duration; null by day without a group and a job."))}),
    "NewUser": record({"name": text(minLength=4, maxLength=20), "password": NEW_PASSWORD, "admin": truth(),
                       "rights": maybe(RIGHTS)}, ["name", "password", "admin"]),
    "UserDraft": record({"password": maybe(text("Absent: unchanged.", maxLength=1024)), "admin": truth(),
                         "rights": maybe(RIGHTS)}, ["admin"]),
    "UserSettings": shown(USER_SETTINGS),
    "UserSettingsDraft": record(USER_SETTINGS),
    "User": shown(USER),
    "UserRow": shown({
        **USER, "last_sign_in_ms": maybe(whole(0, 253402300799999, "Last sign-in that the audit log still has.")),
        "sessions": whole(0, description="Open sessions."), "keys": whole(0, description="API keys, including expired ones."),
        "must_change_password": truth("The user has the default password of XXL-JOB.")}),
    "Session": shown({"user": ANY_NUMBER, "name": text(), "admin": truth(), "rights": array(
        shown({"group": ANY_NUMBER, "right": one_of("viewer", "operator", "editor")})), "by": one_of("session", "key"),
        "must_change_password": truth(),
        "csrf_token": maybe(text("Value of X-CSRF-Token; null with an API key, which needs none.")),
        "expires_ms": maybe(whole(0, 253402300799999, "End of the session, unless it is used before, or of the API key; null: "
                                  "never."))}),
    "SignIn": {"oneOf": [
        record({"name": text(), "password": text(), "remember": maybe(truth("The session outlives the browser."))},
               ["name", "password"]),
        record({"one_time": text("Token of the link that `ringmaster demo` prints.", minLength=1)}, ["one_time"])]},
    "About": answer({"product": text(), "language": one_of("zh_CN", "zh_TC", "en"), "languages": array(text()),
                    "demo": truth("A server of `ringmaster demo`."),
                    "version": text(), "now_ms": MS, "schedule_zone": text("Zone of schedules without a zone of their own."),
                    "features": shown({
                        "glue": truth("Users may enter scripts."),
                        "elastic_unsupported": array(text(), description="Options of elastic jobs that are refused, because "
                                                                         "no node does yet what they say.")}),
                    "limits": shown({"page_max": whole(1, description="Largest limit of a list.")})},
                    ["product", "language", "languages", "demo"]),
    "NewKey": record({"name": text(minLength=1, maxLength=64), "user": maybe(ID), "expires_ms": maybe(whole(
        1, 253402300799999))}, ["name"]),
    "ApiKey": shown({"id": whole(1), "name": text(), "user": ANY_NUMBER, "user_name": maybe(text()), "created_ms": maybe(MS),
                     "expires_ms": maybe(MS), "used_ms": maybe(MS)}),
    "OpenSession": shown({
        "id": whole(1, 2**52 - 1, "First 52 bits of the stored digest of the session."), "user": ANY_NUMBER, "user_name": text(),
        "opened_ms": maybe(MS),
        "used_ms": maybe(whole(0, 253402300799999, "Last recorded use: a use is recorded at most once a minute, or once in a "
                               "tenth of the session's lifetime if that is shorter; null for a session that lasts as long as "
                               "any can, of which none is recorded.")),
        "expires_ms": maybe(MS), "remote": maybe(text("Address that opened it.")), "current": truth("Session of this request.")}),
    "AlarmRule": shown({
        "key": text("Name of the rule."), "source": text("Source that declares the rule."),
        "group": maybe(text("App name of its group; null: all groups.")),
        "job": maybe(text("Key of its declared job, or name of an elastic job; null: all jobs of the group.")),
        "channels": array(text()), "mail_to": array(text()), "on": one_of("every_attempt", "last_attempt"),
        "dedup_ms": maybe(whole(0, description="Deduplication window; null: the setting alarm.dedup.")),
        "kinds": array(one_of(*ELASTIC_ALARMS), description="Kinds of alarms of elastic jobs; empty: all."),
        "recovered": truth("The first success after an alarm is reported, too.")}),
    "OpenAlarms": shown({
        "items": array(ref("OpenAlarm"), maximum=200, description="Oldest first."), "truncated": truth("There are more."),
        "messages": array(ref("SentMessage"), maximum=100,
                          description="Of the answering node, since it started; newest first. A message to one recipient is "
                                      "one entry."),
        "node": maybe(text("Node that answers, and sent the messages; null while it has not joined the cluster yet."))}),
    "OpenAlarm": shown({
        "id": whole(1, description="Ordinary and elastic jobs are numbered apart."),
        "kind": one_of("failure", "recovery", *ELASTIC_ALARMS), "job": maybe(ID),
        "job_name": maybe(text("Null: the job was removed.")),
        "group": maybe(ID), "group_title": maybe(text()),
        "run": maybe(whole(1, description="The failed run; for a recovery, the first that succeeded.")), **ELASTIC_SUBJECT,
        "since_ms": {**MS, "description": "Time of the decision to raise the alarm."},
        "state": one_of("waiting", "taken", description="taken: a node that is up sends its message, perhaps with other alarms."),
        "node": maybe(text("Node that has taken it."))}),
    "SentMessage": shown({
        "at_ms": {**MS, "description": "Outcome of the last attempt."}, "channel": text("mail, or the name of a webhook."),
        "recipient": maybe(text("Address, for the channel mail.")),
        "kind": one_of("failure", "recovery", "summary", *ELASTIC_ALARMS,
                       description="summary: alarms that the channel's limit held back."),
        "job": maybe(ID), "job_name": maybe(text()), "run": maybe(whole(1)), **ELASTIC_SUBJECT,
        "count": whole(1, description="Number of alarms that the message stands for."),
        "outcome": one_of("delivered", "will_retry", "given_up"), "attempts": whole(1),
        "detail": maybe(text("Why the message was not delivered."))}),
    "ChannelTest": record({"to": maybe(text("Address, for the channel mail. Default: the sender's address."))}),
    "DoctorReport": shown({
        "at_ms": maybe({**MS, "description": "Start of the checks; null: none yet."}), "node": text("Node that was checked."),
        "state": one_of("none", "running", "done", description="none: no check since the node started."),
        "findings": array(shown({
            "check": text("Subject, e.g. clock."), "level": one_of("ok", "warning", "failed"), "text": text(),
            "remedy": maybe(text("Instruction that ends the problem."))}), description="Grow while the state is running.")}),
    "Nodes": shown({"items": array(shown({
        "id": text(), "self": truth("The node that answers."),
        "state": one_of("alive", "draining", "dead", "stopped",
                        description="State as the answering node sees it; it reports draining only for itself."),
        "address": maybe(text("For administrators only.")),
        "beat_age_ms": maybe(whole(0, description="Time since the node's heartbeat last changed; null if the node has stopped.")),
        "life": whole(0, description="Incarnation of the node; rises with each start."),
        "slots": maybe(whole(0, 256, "Slots of jobs that the node plans; null if the answering node does not know.")),
        "started_ms": maybe({**MS, "description": "When the node began; null for another node than the answering one."}),
        "version": maybe(text("Version of the node; null for another node than the answering one."))})),
        "mode": one_of("native", "shared"), "dead_after_ms": whole(0), "version": text("Version of the answering node.")}),
    "Now": shown({
        "now_ms": MS,
        "nodes": array(shown({
            "id": text(), "slots": maybe(whole(0, 256, "Slots of jobs that the node plans; null if unknown.")),
            "lanes": maybe(array(shown({"lane": one_of("fast", "slow"), "used": whole(0), "window": whole(0)}))),
            "claims_open": maybe(whole(0, description="Claims with runs that have no stored trigger result.")),
            "undecided": maybe(whole(0, description="Runs of unknown delivery that recovery has not decided.")),
            "store_waiting": maybe(whole(0, description="Claims and results that wait for the store.")),
            "firings_per_s": maybe(rate("Runs handed to executors, of the last 5 to 10 seconds.")),
            "results_per_s": maybe(rate("Results that were stored, of the last 5 to 10 seconds."))}),
            description="Live nodes by id. Members from lanes on are null for another node than the answering one."),
        "lateness": shown({
            "bounds_ms": array(whole(1)),
            "counts": array(whole(0), description="Runs of the last 15 minutes up to each bound; the last count is of later"
                            " runs.")}),
        "series": shown({
            "step_ms": whole(1), "from_ms": {**MS, "description": "Begin of the first step."},
            "fired": array(whole(0), description="Runs handed to executors in each step; the last 15 minutes at most."),
            "failed": array(whole(0), description="Runs that failed or could not be sent.")}),
        "jobs": maybe(whole(0, description="Null, like the next three, if the store did not answer in time.")),
        "jobs_running": maybe(whole(0, description="Jobs whose schedule is started.")),
        "failed_last_hour": maybe(whole(0)),
        "failed_is_capped": maybe(truth("Counting stopped at failed_last_hour; at least so many runs failed.")),
        "executors_online": maybe(whole(0, description="Executors of all groups whose heartbeats come in time; null until the "
                                                       "node has read them.")),
        "executors_without_group": maybe(whole(0, description="Live registrations whose app name no group has.")),
        "partial": truth("Lanes, rates, lateness and series are missing for some nodes.")}),
    "Forecast": shown({"items": array(shown({"at_ms": MS, "job": ID, "group": ANY_NUMBER})),
                       "next": maybe(text("Cursor of the next page; null if nothing more fires before to_ms.")),
                       "truncated": truth("The computation reached its time limit; continue with next."),
                       "from_ms": MS, "to_ms": MS,
                       "cannot_be_planned": array(ID)}),
    "SchedulePreview": shown({
        "next_ms": array(MS), "zone": text("Zone of the schedule."),
        "words": maybe(text("The schedule as a sentence, in server.language; null without a schedule.")),
        "notes": array(shown({"code": one_of(
            "dst_skipped", "dst_repeated", "never_again", "rarer_than_a_year", "unaligned_step", description=(
                "dst_skipped: clocks skip a time of the schedule within a year, at at_ms; dst_repeated: they show one twice, and "
                "it fires at the second one; never_again: no instant, or none after at_ms; rarer_than_a_year: the next instant, "
                "or the one after it, is more than a year away; unaligned_step: a step does not divide its range.")),
            "at_ms": maybe(MS)}))}),
    "ScheduleProblem": {"allOf": [ref("Problem"), {"type": "object", "properties": {"errors": array(answer({
        "pointer": text("JSON pointer of the member, e.g. /schedule/conf."),
        "code": one_of("too_few_fields", "too_many_fields", "days_conflict", "out_of_range", "bad_step", "unknown_name",
                       "unexpected_character", "not_a_number", "not_here", "unsupported", "incomplete", "unknown_zone",
                       "does_not_fit"),
        "detail": text(), "position": whole(0, description="In UTF-16 units from the beginning of the text."),
        "length": whole(0, description="0: the end of the text.")}, ["pointer", "code", "detail"]))}}]},
    "FiringCounts": shown(COUNTS),
    "ChangedCounts": shown({**COUNTS, "own": array(BUSY_SECOND, description="As top, where the changed job fires.")}),
    "WhatIf": record({
        "job": maybe(ID), "group": maybe(ID),
        "schedule": record({"type": one_of("NONE", "CRON", "FIX_RATE"), "conf": maybe(text())}, ["type"]),
        "time_zone": maybe(text()), "interval_ms": maybe(whole(10, 2147483647000)), "start_at_ms": maybe(MS),
        "end_at_ms": maybe(MS), "jitter_ms": maybe(whole(1, 86400000)), "from_ms": maybe(MS), "to_ms": maybe(MS),
        "bucket_ms": maybe(whole(60000, 2678400000)), "top": maybe(whole(1, 50))}, ["schedule"]),
    "Passwords": record({"old_password": text(), "password": NEW_PASSWORD}, ["old_password", "password"]),
    "Change": shown({"id": whole(1), "at_ms": maybe(MS), "user": ANY_NUMBER, "user_name": text(),
                     "remote": maybe(text("Address of the user; null for commands, and in the changes of one job or group for "
                                          "users who are not administrators.")),
                     "action": text(), "object": text(), "object_id": ANY_NUMBER, "object_name": text(),
                     "changes": array(text("`retry: 0 -> 2`")),
                     "fields": array(shown({"name": text("A line of `changes` that has no values, as it is."),
                                            "before": maybe(text()), "after": maybe(text())}))}),
}
