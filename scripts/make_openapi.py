#!/usr/bin/env python3
"""Writes docs/openapi.json, the document of /api/v1 that the server serves.

    make_openapi.py [--check]

With --check it writes nothing and exits with 1 if the file differs from its output. tests/gateway/api_document_test.cpp checks
that the document has every route and no other.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "openapi.json"

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1


# -- schemas ----------------------------------------------------------------------------------------------------------------


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def text(description=None, **more):
    return {"type": "string", **({"description": description} if description else {}), **more}


def whole(minimum=None, maximum=INT64_MAX, description=None):
    bounds = {} if minimum is None else {"minimum": minimum, "maximum": maximum}
    return {"type": "integer", "format": "int64", **bounds, **({"description": description} if description else {})}


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

RUN = {
    "id": whole(1), "group": ANY_NUMBER, "job": ANY_NUMBER,
    "status": one_of("pending", "running", "succeeded", "failed", "missed"),
    "address": maybe(text()), "handler": text(), "params": text(), "shard": maybe(text("Shard index and total: `0/2`.")),
    "retry_left": ANY_NUMBER, "trigger_ms": maybe(MS), "trigger_code": ANY_NUMBER, "trigger_message": text(),
    "kind": maybe(one_of("cron", "misfire", "manual", "parent", "retry", "api", "missed")),
    "missed": maybe(shown({"instants": ANY_NUMBER, "from_ms": maybe(MS), "to_ms": maybe(MS)})),
    "origin": maybe(whole(1, description="The run that this one repeats (kind retry) or follows (kind parent).")),
    "handle_ms": maybe(MS), "handle_code": ANY_NUMBER, "handle_message": maybe(text()), "alarm_status": ANY_NUMBER,
}

NEW_PASSWORD = text("At least 8 characters; 4 to 20 characters if Java admins read the password.", minLength=4, maxLength=1024)
RIGHTS = array(record({"group": ID, "right": one_of("viewer", "operator", "editor")}, ["group", "right"]), 10000)
TRIGGER = {"params": maybe(text("Default: the job's own parameters.")),
           "addresses": maybe(array(text(), 1000, description="Absent or empty: the executors of the group. An item must not "
                                                                  "be empty or contain a comma."))}
IDS = array(ID, 500, 1, uniqueItems=True)

SCHEMAS = {
    "Problem": shown({"type": text("`urn:ringmaster:` and a stable name."), "title": text(), "status": whole(400, 599),
                      "detail": text("Text for users; XXL-JOB's text where XXL-JOB has one.")}),
    "NewJob": record({**DRAFT, **SCRIPT}, ["group", "name"]),
    "JobDraft": record(DRAFT, ["group", "name"]),
    "JobRow": shown(JOB_ROW),
    "Job": shown({**JOB_ROW, "glue_source": text()}),
    "JobEdit": shown({"job": ID, "next_ms": maybe(MS), "on_their_way": maybe(whole(
        0, description="Runs that were claimed before the edit and have not been sent yet."))}),
    "Trigger": record(TRIGGER),
    "AskedRuns": shown({"waiting": truth("The request has not been claimed yet."),
                        "runs": array(whole(1), description="One run, or one run per shard.")}),
    "Intent": shown({"job": ID, "intent": whole(1, description="Identical for requests with the same Idempotency-Key.")}),
    "JobIds": record({"ids": IDS}, ["ids"]),
    "BulkTrigger": record({"ids": IDS, **TRIGGER}, ["ids"]),
    "BulkOutcome": shown({"items": array({
        "type": "object", "required": ["id", "status"],
        "properties": {"id": ID, "status": whole(200, 599), "done": {"type": "object"}, "problem": ref("Problem")}})}),
    "Source": record({"source": text(), "remark": text(minLength=4, maxLength=100)}, ["source", "remark"]),
    "SourceVersion": shown({"id": whole(1), "job": ID, "glue_type": text(), "source": text(), "remark": text(),
                            "added_ms": maybe(MS), "updated_ms": maybe(MS)}),
    "GroupDraft": record({"app_name": text(minLength=4, maxLength=64), "title": text(maxLength=64),
                          "address_type": maybe(one_of("automatic", "manual")), "addresses": maybe(array(text(), 1000)),
                          "access_token": maybe(text("Token of the group's executors. Absent: unchanged. Never returned."))},
                         ["app_name", "title"]),
    "Group": shown({"id": ID, "app_name": text(), "title": text(), "address_type": one_of("automatic", "manual"),
                    "addresses": array(text()), "updated_ms": maybe(MS),
                    "source": maybe(text("Source that declares the group."))}),
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
    "FileProblem": {"allOf": [ref("Problem"), {"type": "object", "properties": {"errors": array(shown({
        "file": maybe(text()), "line": maybe(whole(1)), "detail": text()}), 1000)}}]},
    "Run": shown(RUN),
    "RunLog": shown({"run": whole(1), "from_line": COUNT, "to_line": ANY_NUMBER, "content": text(),
                     "end": truth("The log is complete."),
                     "kept": truth("The log comes from the kept copy; no executor was asked."),
                     "more": truth("There are lines after to_line already: ask again with from_line = to_line + 1."),
                     "cut": truth("The last line is longer than max_bytes, and only its beginning is here."),
                     "bytes": maybe(whole(0, description="Size of the whole log; null: unknown.")),
                     "lines": maybe(whole(0, description="Lines of the whole log; null: unknown.")),
                     "partial_reason": maybe(text("Why the rest of the log is missing for now; null: it is not."))}),
    "Clearing": record({"group": maybe(ID), "job": maybe(ID), "until_ms": maybe(whole(0)), "keep_newest": maybe(COUNT),
                        "all": maybe(truth("Exactly one of until_ms, keep_newest and all must be present; all must be true."))}),
    "Day": shown({"day": text(), "day_ms": ANY_NUMBER, "total": ANY_NUMBER, "running": ANY_NUMBER, "succeeded": ANY_NUMBER,
                  "failed": ANY_NUMBER}),
    "NewUser": record({"name": text(minLength=4, maxLength=20), "password": NEW_PASSWORD, "admin": truth(),
                       "rights": maybe(RIGHTS)}, ["name", "password", "admin"]),
    "UserDraft": record({"password": maybe(text("Absent: unchanged.", maxLength=1024)), "admin": truth(),
                         "rights": maybe(RIGHTS)}, ["admin"]),
    "User": shown({"id": ID, "name": text(), "admin": truth(), "rights": array(
        shown({"group": ANY_NUMBER, "right": one_of("viewer", "operator", "editor")}))}),
    "Session": shown({"user": ANY_NUMBER, "name": text(), "admin": truth(), "rights": array(
        shown({"group": ANY_NUMBER, "right": one_of("viewer", "operator", "editor")})), "by": one_of("session", "key"),
        "must_change_password": truth(),
        "csrf_token": maybe(text("Value of X-CSRF-Token; null with an API key, which needs none."))}),
    "SignIn": record({"name": text(), "password": text(), "remember": maybe(truth("The session outlives the browser."))},
                     ["name", "password"]),
    "About": answer({"product": text(), "language": one_of("zh_CN", "zh_TC", "en"), "languages": array(text()),
                    "version": text(), "now_ms": MS, "schedule_zone": text("Zone of schedules without a zone of their own."),
                    "features": shown({"glue": truth("Users may enter scripts.")}),
                    "limits": shown({"page_max": whole(1, description="Largest limit of a list.")})},
                    ["product", "language", "languages"]),
    "NewKey": record({"name": text(minLength=1, maxLength=64), "user": maybe(ID), "expires_ms": maybe(whole(
        1, 253402300799999))}, ["name"]),
    "ApiKey": shown({"id": whole(1), "name": text(), "user": ANY_NUMBER, "user_name": maybe(text()), "created_ms": maybe(MS),
                     "expires_ms": maybe(MS), "used_ms": maybe(MS)}),
    "Nodes": shown({"items": array(shown({
        "id": text(), "self": truth("The node that answers."),
        "state": one_of("alive", "draining", "dead", "stopped",
                        description="State as the answering node sees it; it reports draining only for itself."),
        "address": maybe(text("For administrators only.")),
        "beat_age_ms": maybe(whole(0, description="Time since the node's heartbeat last changed; null if the node has stopped.")),
        "life": whole(0, description="Incarnation of the node; rises with each start.")})),
        "mode": one_of("native", "shared"), "dead_after_ms": whole(0), "version": text("Version of the answering node.")}),
    "Forecast": shown({"items": array(shown({"at_ms": MS, "job": ID, "group": ANY_NUMBER})),
                       "next": maybe(text("Cursor of the next page; null if nothing more fires before to_ms.")),
                       "truncated": truth("The computation reached its time limit; continue with next."),
                       "from_ms": MS, "to_ms": MS,
                       "cannot_be_planned": array(ID)}),
    "Passwords": record({"old_password": text(), "password": NEW_PASSWORD}, ["old_password", "password"]),
    "Change": shown({"id": whole(1), "at_ms": maybe(MS), "user": ANY_NUMBER, "user_name": text(), "remote": maybe(text()),
                     "action": text(), "object": text(), "object_id": ANY_NUMBER, "object_name": text(),
                     "changes": array(text())}),
}


# -- operations -------------------------------------------------------------------------------------------------------------


def query(name, schema, description=None, required=False):
    return {"name": name, "in": "query", "required": required, "schema": schema,
            **({"description": description} if description else {})}


def header(name, description, schema=None):
    return {"name": name, "in": "header", "required": False, "schema": schema or text(), "description": description}


def body_of(schema):
    return {"content": {"application/json": {"schema": schema}}}


def page_of(name):
    return shown({"items": array(ref(name)), "next": maybe(text("Cursor of the next page; null on the last page.")),
                  "total": maybe(whole(0, description="Size of the whole list; null if it was not counted.")),
                  "total_is_capped": truth("Counting stopped at total; the list has at least this many items.")})


PAGING = [query("limit", whole(1, 500)),
          query("cursor", text(pattern="^p[1-9][0-9]{0,17}$"), "Value of `next` of the previous page.")]
PATH_ID = {"name": "id", "in": "path", "required": True, "schema": whole(1)}
KEY = header("Idempotency-Key", "Requests of one user for one job with the same key are one run. A different body with the same "
             "key is refused with 409.", text(minLength=1, maxLength=255, pattern="^[!-~]+$"))

OPERATIONS = []


def operation(method, path, who, summary, status=200, reply=None, body=None, parameters=(), headers=None, more=(), tag=None):
    """Adds an operation. `more`: further problem statuses. `body`: name of a schema; `?` at its end makes the body optional."""
    parameters = list(parameters)
    if "{id}" in path:
        parameters.insert(0, PATH_ID)
    done = {"description": "Done.", **(body_of(reply) if reply else {})}
    if headers:
        done["headers"] = {name: {"description": description, "schema": text()} for name, description in headers.items()}
    problem = {"description": "Refused.", "content": {"application/problem+json": {"schema": ref("Problem")}}}
    problems = {400, 503, *more} | ({401, 403, 429} if who != "anyone" else set()) | ({404} if "{id}" in path else set())
    if method != "get":
        problems |= {403, 413, 415}
    out = {"operationId": (method + path).translate(str.maketrans("/", "_", "{}.")), "tags": [tag or path.split("/")[1]],
           "summary": summary, "description": f"Allowed for: {who}.", "parameters": parameters,
           "responses": {str(status): done, **{str(each): {**problem, "headers": RETRY_AFTER} if each == 429 else problem
                                               for each in sorted(problems)}}}
    if body:
        out["requestBody"] = {"required": not body.endswith("?"), **body_of(ref(body.rstrip("?")))}
    if who == "anyone":
        out["security"] = []
    OPERATIONS.append(("/api/v1" + path, method, out))


SEEN = header("If-Match", "ETag of the object as it was read. Required.")
MAY_HAVE_SEEN = header("If-Match", "ETag of the object as it was read. Without it, the object is removed whatever its state.")
MADE = shown({"id": ID})
PLACE = {"Location": "Path of the new object."}
ETAG = {"ETag": "Value for If-Match and If-None-Match."}
RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait.", "schema": whole(1)}}

operation("get", "/openapi.json", "anyone", "This document", reply={"type": "object"}, tag="about")
operation("get", "/about", "anyone", "Returns the product and its languages; with a session also version, clock, zone, limits",
          reply=ref("About"))
operation("post", "/session", "anyone", "Signs a user in: sets the session cookie and ends the browser's former sessions",
          reply=ref("Session"), body="SignIn", more=[401, 429])
operation("delete", "/session", "any user", "Ends the browser's sessions", 204)
operation("get", "/session", "any user", "Returns the caller, their permissions and the token for X-CSRF-Token",
          reply=ref("Session"))
operation("get", "/keys", "any user", "Lists the caller's API keys; for administrators, all API keys", reply=page_of("ApiKey"),
          parameters=[query("user", ID), *PAGING])
operation("post", "/keys", "any user", "Creates an API key; the key is shown only once", 201,
          shown({"id": whole(1), "key": text("For `Authorization: Bearer`.")}), "NewKey", more=[404, 409])
operation("delete", "/keys/{id}", "any user", "Removes an API key", 204)
operation("get", "/jobs", "viewer", "Lists jobs, newest first", reply=page_of("JobRow"), parameters=[
    query("group", ID), query("running", truth()), query("name", text(), "Part of the name."),
    query("handler", text(), "Part of the handler's name."), query("author", text(), "Part of the author's name."), *PAGING])
operation("post", "/jobs", "editor", "Creates a job, stopped", 201, MADE, "NewJob", headers=PLACE, more=[404, 409])
operation("post", "/jobs/start", "operator", "Starts several jobs, each independently", reply=ref("BulkOutcome"), body="JobIds")
operation("post", "/jobs/stop", "operator", "Stops several jobs, each independently", reply=ref("BulkOutcome"), body="JobIds")
operation("post", "/jobs/trigger", "operator", "Runs several jobs now, each independently", reply=ref("BulkOutcome"),
          body="BulkTrigger", parameters=[KEY])
operation("get", "/jobs/{id}", "viewer", "Returns a job", reply=ref("Job"), headers=ETAG)
operation("put", "/jobs/{id}", "editor", "Replaces a job; absent members get the defaults of a new job", reply=ref("JobEdit"),
          body="JobDraft", parameters=[SEEN], more=[409, 412, 428])
operation("delete", "/jobs/{id}", "editor", "Removes a job; its runs are removed in the background", 204,
          parameters=[MAY_HAVE_SEEN], more=[409, 412])
operation("post", "/jobs/{id}/start", "operator", "Starts a job", reply=ref("JobEdit"), more=[409])
operation("post", "/jobs/{id}/stop", "operator", "Stops a job", reply=ref("JobEdit"), more=[409])
operation("post", "/jobs/{id}/trigger", "operator", "Runs a job now; answers when the request is durable", 202, ref("Intent"),
          "Trigger?", parameters=[KEY], more=[409])
operation("get", "/jobs/{id}/sources", "viewer", "Lists the versions of a script, newest first", reply=page_of("SourceVersion"))
operation("put", "/jobs/{id}/source", "editor", "Stores a new version of a script", reply=ref("JobEdit"), body="Source",
          more=[409])
operation("get", "/intents/{id}", "viewer", "Returns the runs of a manual trigger, until they have ended and it is forgotten",
          reply=ref("AskedRuns"))
operation("get", "/groups", "any user", "Lists the groups that the caller may see", reply=page_of("Group"), parameters=PAGING)
operation("post", "/groups", "administrator", "Creates a group", 201, MADE, "GroupDraft", headers=PLACE, more=[409])
operation("get", "/groups/{id}", "viewer", "Returns a group", reply=ref("Group"), headers=ETAG)
operation("get", "/executors/refused", "administrator", "Lists executors that this node refused within the last ten minutes",
          reply=shown({"items": array(shown({
              "reason": one_of("wrong_token", "unknown_app", "outside_networks"),
              "app_name": maybe(text()), "address": maybe(text()),
              "remote": text("Address that the request came from."), "first_ms": MS, "last_ms": MS, "times": ANY_NUMBER}))}))
operation("put", "/groups/{id}", "administrator", "Replaces a group", 204, body="GroupDraft", parameters=[SEEN],
          more=[409, 412, 428])
operation("delete", "/groups/{id}", "administrator", "Removes a group without jobs", 204, parameters=[MAY_HAVE_SEEN],
          more=[409, 412])
operation("get", "/export", "administrator", "Exports groups, jobs and alarms as a declared file of at most 8 MiB",
          reply={"type": "string"}, more=[404, 413], parameters=[
              query("group", ID, "Only this group."),
              query("source", text(minLength=1, maxLength=128), "Only objects that this source declared.")])
operation("post", "/apply", "administrator", "Applies declared files of at most 8 MiB, all or nothing", reply=ref("Changes"),
          body="Files", more=[409])
operation("get", "/runs", "viewer", "Lists runs, newest first", reply=page_of("Run"), parameters=[
    query("group", ID), query("job", ID), query("status", one_of("any", "succeeded", "failed", "running", "missed")),
    query("from_ms", MS), query("to_ms", MS, "Inclusive."), query("handler", text(), "Exact name."), *PAGING])
operation("post", "/runs/clear", "editor", "Removes runs; removing those of all groups needs an administrator", body="Clearing",
          reply=shown({"removed": whole(0)}))
operation("get", "/runs/{id}", "viewer", "Returns a run", reply=ref("Run"))
operation("get", "/runs/{id}/log", "viewer", "Returns the log of a run, from a line on", reply=ref("RunLog"), headers=ETAG,
          parameters=[
    query("from_line", whole(1, INT32_MAX)),
    query("wait_s", whole(0, 30), "Holds the answer back until there is more, the run has ended, or these seconds have passed."),
    query("max_lines", whole(1, 5000), "Most lines of the answer, which ends after a whole line (5000); not with wait_s."),
    query("max_bytes", whole(256, 524288), "Most bytes of `content` before it is written as JSON (524288); not with wait_s."),
    query("tail", whole(1, 5000), "The last lines of the log, at most this many; not with from_line or wait_s."),
    query("merged", truth(), "Whole logs of all shards of the run's broadcast, as one text; with no other parameter."),
    header("If-None-Match", "Answers 304 if the log has not changed.")])
operation("get", "/runs/{id}/log/file", "viewer", "Returns the log of a run as a text file", reply={"type": "string"}, more=[416],
          headers={**ETAG, "Content-Disposition": "File name.", "Ringmaster-Partial": "true if the rest of the log is missing."},
          parameters=[header("Range", "One range of bytes: 206 with that part."), header("If-Range", "ETag of the other parts."),
                      header("If-None-Match", "Answers 304 if the log has not changed.")])
operation("get", "/runs/{id}/log/search", "viewer", "Searches the log of a run for a text", reply=shown({
    "matches": array(shown({"line": whole(1), "column": whole(1, description="In UTF-16 units; the first character is 1."),
                            "length": whole(1, description="In UTF-16 units."),
                            "text": text("The line; of a long line 500 units around the match.")}),
                     description="The first match of each line."),
    "next_line": maybe(whole(1, description="First line that was not searched; null: none.")), "scanned_to": whole(0),
    "partial_reason": maybe(text("Why the rest of the log is missing for now; null: it is not."))}), parameters=[
        query("q", text(minLength=1, maxLength=256), "Plain text.", required=True),
        query("case", truth(), "The case of ASCII letters matters (false)."), query("from_line", whole(1, INT32_MAX)),
        query("limit", whole(1, 200), "Most matches (200). A search also ends after a tenth of a second.")])
operation("post", "/runs/{id}/kill", "operator", "Ends a run on its executor", reply=shown({"message": text()}))
operation("get", "/reports", "any user", "Returns run counts by day", reply=shown({"items": array(ref("Day"))}), parameters=[
    query("from_ms", MS, required=True), query("to_ms", MS, "Exclusive.", required=True)])
operation("get", "/schedule/preview", "any user", "Returns the next instants of a schedule", reply=shown({"next_ms": array(MS)}),
          parameters=[query("type", one_of("NONE", "CRON", "FIX_RATE"), required=True), query("conf", text()),
                      query("time_zone", text()), query("interval_ms", whole(10, 2147483647000)),
                      query("start_at_ms", MS), query("end_at_ms", MS), query("count", whole(1, 100))])
operation("get", "/schedule/forecast", "viewer", "Lists the instants in a time span of the jobs that the caller may see",
          reply=ref("Forecast"), more=[404], parameters=[
              query("from_ms", MS, "Default, also for a past time: now."),
              query("to_ms", MS, "Exclusive. Default: a day later. At most 31 days later."),
              query("job", ID), query("group", ID), query("limit", whole(1, 500)),
              query("cursor", text(pattern="^f[0-9]{1,15}-[0-9]{1,10}-[0-9]{1,15}$"), "Value of `next` of the previous page.")])
operation("get", "/nodes", "any user", "Lists the nodes of the cluster", reply=ref("Nodes"))
operation("get", "/users", "administrator", "Lists users", reply=page_of("User"), parameters=[
    query("name", text(), "Part of the name."), query("admin", truth()), *PAGING])
operation("post", "/users", "administrator", "Creates a user", 201, MADE, "NewUser", headers=PLACE, more=[409])
operation("put", "/users/me/password", "any user", "Changes the caller's password; ends all of their sessions", 204,
          body="Passwords", more=[409])
operation("get", "/users/{id}", "administrator", "Returns a user", reply=ref("User"), headers=ETAG)
operation("put", "/users/{id}", "administrator", "Changes a user", 204, body="UserDraft", parameters=[SEEN],
          more=[409, 412, 428])
operation("delete", "/users/{id}", "administrator", "Removes a user", 204, parameters=[MAY_HAVE_SEEN], more=[409, 412])
operation("get", "/audit", "administrator", "Lists the audit log, newest first", reply=page_of("Change"), parameters=[
    query("user", text(), "Exact name."), query("object", one_of(
        "job", "group", "run", "user", "api_key", "source", "alarm")),
    query("object_id", ANY_NUMBER), *PAGING])


def document():
    paths = {}
    for path, method, out in OPERATIONS:
        paths.setdefault(path, {})[method] = out
    log = paths["/api/v1/runs/{id}/log"]["get"]["responses"]
    log["304"] = {"description": "The log has not changed."}
    file = paths["/api/v1/runs/{id}/log/file"]["get"]["responses"]
    file["200"]["content"] = {"text/plain; charset=utf-8": file["200"]["content"]["application/json"]}
    file["206"] = {**file["200"], "description": "The part that was asked for."}
    file["304"] = {"description": "The log has not changed."}
    exported = paths["/api/v1/export"]["get"]["responses"]["200"]
    exported["content"] = {"application/toml": exported["content"]["application/json"]}
    refused = paths["/api/v1/apply"]["post"]["responses"]
    for status in ("400", "409"):
        refused[status] = {"description": "Refused, with a line for each mistake in the files.", "content": {
            "application/problem+json": {"schema": ref("FileProblem")}}}
    schemes = {name: {"type": "apiKey", "in": "cookie", "name": name}
               for name in ("XXL_JOB_LOGIN_IDENTITY", "xxl_job_login_token")}
    schemes["key"] = {"type": "http", "scheme": "bearer", "description": "API key. With a cookie instead, requests that change "
                      "something need the header X-CSRF-Token: see GET /api/v1/session."}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Ringmaster", "version": "1", "description": "Times are milliseconds since the epoch. Requests with "
                 "members that are not in a schema are refused. Later releases may add members to responses."},
        "servers": [{"url": "/"}],
        "security": [{name: []} for name in schemes],
        "paths": paths,
        "components": {"schemas": SCHEMAS, "securitySchemes": schemes},
    }


def main():
    wanted = json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(wanted, encoding="utf-8")
        return 0
    same = TARGET.read_text(encoding="utf-8") == wanted
    if not same:
        print("docs/openapi.json: differs from the output of scripts/make_openapi.py; run the script")
    print(f"cases: passed={int(same)} failed={int(not same)} skipped=0")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
