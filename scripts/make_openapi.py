#!/usr/bin/env python3
"""Writes docs/openapi.json, the document of /api/v1 that the server serves.

    make_openapi.py [--check]

With --check it writes nothing and exits with 1 if the file differs from its output. tests/gateway/api_document_test.cpp checks
that the document has every route and no other.
"""

import json
import sys
from pathlib import Path

from openapi_elastic import ELASTIC_SCHEMAS
from openapi_schemas import (
    ANY_NUMBER, GLUE, ID, INT32_MAX, MS, PARTIAL_REASON, SCHEMAS, answer, array, maybe, one_of, record, ref, shown, text, truth,
    whole,
)

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "openapi.json"


def query(name, schema, description=None, required=False):
    return {"name": name, "in": "query", "required": required, "schema": schema,
            **({"description": description} if description else {})}


def header(name, description, schema=None):
    return {"name": name, "in": "header", "required": False, "schema": schema or text(), "description": description}


def body_of(schema):
    return {"content": {"application/json": {"schema": schema}}}


def page_of(name, **more):
    return shown({"items": array(ref(name)), "next": maybe(text("Cursor of the next page; null on the last page.")),
                  "total": maybe(whole(0, description="Size of the whole list; null if it was not counted.")),
                  "total_is_capped": truth("Counting stopped at total; the list has at least this many items."), **more})


PAGING = [query("limit", whole(1, 500)),
          query("cursor", text(pattern="^p[1-9][0-9]{0,17}$"), "Value of `next` of the previous page.")]
ORDERED_PAGING = [PAGING[0], query("cursor", text(pattern=r"^(p[1-9][0-9]{0,17}|k[1-9][0-9]{0,9}\..*)$"),
                                  "Value of `next` of the previous page, in the same order.")]
ID_LIST = "^[1-9][0-9]{0,9}(,[1-9][0-9]{0,9}){0,99}$"
LAST_STATUSES = "pending|running|succeeded|failed|missed"
STATUSES = "succeeded|failed|running|missed|pending|timed_out|not_sent|lost|killed|unknown"
KINDS = "cron|misfire|manual|parent|retry|api|missed"
PATH_NAME = {"name": "name", "in": "path", "required": True, "schema": text(minLength=1, maxLength=255)}
PATH_ID = {"name": "id", "in": "path", "required": True, "schema": whole(1)}
PATH_VERSION = {"name": "version", "in": "path", "required": True, "schema": whole(1)}
KEY = header("Idempotency-Key", "Requests of one user for one job with the same key are one run. A different body with the same "
             "key is refused with 409.", text(minLength=1, maxLength=255, pattern="^[!-~]+$"))

OPERATIONS = []


def operation(method, path, who, summary, status=200, reply=None, body=None, parameters=(), headers=None, more=(), tag=None):
    """Adds an operation. `more`: further problem statuses. `body`: name of a schema; `?` at its end makes the body optional."""
    parameters = list(parameters)
    if "{id}" in path:
        parameters.insert(0, PATH_ID)
    if "{version}" in path:
        parameters.insert(1, PATH_VERSION)
    if "{name}" in path:
        parameters.insert(0, PATH_NAME)
    done = {"description": "Done.", **(body_of(reply) if reply else {})}
    if headers:
        done["headers"] = {name: {"description": description, "schema": text()} for name, description in headers.items()}
    problem = {"description": "Refused.", "content": {"application/problem+json": {"schema": ref("Problem")}}}
    problems = {400, 503, *more} | ({401, 403, 429} if who != "anyone" else set()) | ({404} if "{" in path else set())
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
SOURCE_ETAG = {"ETag": "Of the job's present source, for If-Match of `PUT /jobs/{id}/source`."}
RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait.", "schema": whole(1)}}

operation("get", "/openapi.json", "anyone", "This document", reply={"type": "object"}, tag="about")
operation("get", "/about", "anyone", "Returns the product and its languages; with a session also version, clock, zone, limits",
          reply=ref("About"))
operation("post", "/session", "anyone", "Signs a user in: sets the session cookie and ends the browser's former sessions",
          reply=ref("Session"), body="SignIn", more=[401, 429])
operation("delete", "/session", "any user", "Ends the browser's sessions", 204)
operation("get", "/session", "any user", "Returns the caller, their permissions and the token for X-CSRF-Token",
          reply=ref("Session"))
operation("get", "/sessions", "any user", "Lists the caller's open sessions, newest first; for administrators, all open sessions",
          reply=page_of("OpenSession"), parameters=[query("user", ID), *PAGING])
operation("delete", "/sessions/{id}", "any user", "Ends a session at once: an own one, or for administrators any", 204)
operation("get", "/keys", "any user", "Lists the caller's API keys; for administrators, all API keys", reply=page_of("ApiKey"),
          parameters=[query("user", ID), *PAGING])
operation("post", "/keys", "any user", "Creates an API key; the key is shown only once", 201,
          shown({"id": whole(1), "key": text("For `Authorization: Bearer`.")}), "NewKey", more=[404, 409])
operation("delete", "/keys/{id}", "any user", "Removes an API key", 204)
operation("get", "/jobs", "viewer", "Lists jobs, newest first or in another order", reply=page_of("JobRow"), parameters=[
    query("group", {"oneOf": [ID, text(pattern=ID_LIST)]}, "A group, or several separated by commas."),
    query("running", truth()), query("name", text(), "Part of the name."),
    query("handler", text(), "Part of the handler's name."), query("author", text(), "Part of the author's name."),
    query("q", text(), "The id, or part of the name, handler, author or key."),
    query("type", one_of("NONE", "CRON", "FIX_RATE"), "Type of the schedule."),
    query("glue_type", one_of(*GLUE), "Kind: BEAN, or that of a script."),
    query("declared", truth(), "Whether a file declares the job."), query("source", text(), "Source that declares the job."),
    query("last_status", text(pattern=f"^({LAST_STATUSES})(,({LAST_STATUSES}))*$"),
          "One status of the last run as in `last_run`, or several with commas; missed ones are among the failed ones. Refused "
          "when more than 2000 of the jobs that match have no run among the newest 100000 runs and no index decides."),
    query("ids", text(pattern=ID_LIST), "Only these jobs, at most 100, separated by commas; no other filter then."),
    query("sort", one_of("id", "-id", "name", "-name", "next", "-next", "last", "-last", "updated", "-updated"),
          "Order: by id, name, next time, last planned instant that was sent, or last edit; descending with a minus. Without "
          "it: -id. Orders other than by id are refused when more than 10000 jobs match."), *ORDERED_PAGING])
operation("post", "/jobs", "editor", "Creates a job, stopped", 201, MADE, "NewJob", headers=PLACE, more=[404, 409])
operation("post", "/jobs/start", "operator", "Starts several jobs, each independently", reply=ref("BulkOutcome"), body="ManyJobs",
          more=[409])
operation("post", "/jobs/stop", "operator", "Stops several jobs, each independently", reply=ref("BulkOutcome"), body="ManyJobs",
          more=[409])
operation("post", "/jobs/trigger", "operator", "Runs several jobs now, each independently", reply=ref("BulkOutcome"),
          body="BulkTrigger", parameters=[KEY], more=[409])
operation("post", "/jobs/delete", "editor", "Removes several jobs, each independently", 202, ref("TaskBegun"), "ManyJobs",
          more=[409])
operation("get", "/jobs/{id}", "viewer", "Returns a job", reply=ref("Job"), headers=ETAG)
operation("put", "/jobs/{id}", "editor", "Replaces a job; absent members get the defaults of a new job", reply=ref("JobEdit"),
          body="JobDraft", parameters=[SEEN], more=[409, 412, 428])
operation("delete", "/jobs/{id}", "editor", "Removes a job; its runs are removed in the background", 204,
          parameters=[MAY_HAVE_SEEN], more=[409, 412])
operation("post", "/jobs/{id}/start", "operator", "Starts a job", reply=ref("JobEdit"), more=[409])
operation("post", "/jobs/{id}/stop", "operator", "Stops a job", reply=ref("JobEdit"), more=[409])
operation("post", "/jobs/{id}/trigger", "operator", "Runs a job now; answers when the request is durable", 202, ref("Intent"),
          "Trigger?", parameters=[KEY], more=[409])
operation("get", "/jobs/{id}/sources", "viewer", "Lists the versions of a script, newest first", reply=page_of("SourceVersion"),
          headers=SOURCE_ETAG, parameters=[query("bodies", truth(), "false: without the sources, which are null (true).")])
operation("get", "/jobs/{id}/sources/{version}", "viewer", "Returns one version of a script", reply=ref("SourceVersion"),
          headers=SOURCE_ETAG)
operation("put", "/jobs/{id}/source", "editor", "Stores a new version of a script", reply=ref("JobEdit"), body="Source",
          headers=SOURCE_ETAG, more=[409, 412], parameters=[header(
              "If-Match", "ETag of the present source as it was read. Without it, the source is stored whatever is there.")])
operation("get", "/jobs/{id}/changes", "viewer", "Lists the changes of a job, newest first", reply=page_of("Change"),
          parameters=PAGING)
operation("get", "/jobs/{id}/declaration", "viewer", "Returns a job as a table of a declared file", reply={"type": "string"})
operation("get", "/jobs/{id}/timeline", "viewer", "Returns runs, planned instants and edits of a time span",
          reply=ref("Timeline"), parameters=[
              query("from_ms", MS, "Default: a day ago."),
              query("to_ms", MS, "Inclusive. Default: 12 hours from now. At most 31 days after from_ms."),
              query("limit", whole(1, 500), "Most runs, most past and most future instants (500).")])
operation("get", "/intents/{id}", "viewer", "Returns the runs of a manual trigger, until they have ended and it is forgotten",
          reply=ref("AskedRuns"))
operation("get", "/groups", "any user", "Lists the groups that the caller may see", reply=page_of("GroupRow"), parameters=[
    query("q", text(), "Part of the app name or the title, or an id."),
    query("sort", one_of("app_name", "-app_name", "title", "-title", "id", "-id"), "Default: app_name."),
    query("counts", truth(), "Adds jobs, online, late, gone, known and has_token to the rows (false)."), *PAGING])
operation("post", "/groups", "administrator", "Creates a group", 201, MADE, "GroupDraft", headers=PLACE, more=[409])
operation("get", "/groups/{id}", "viewer", "Returns a group", reply=ref("Group"), headers=ETAG)
operation("get", "/groups/{id}/changes", "viewer", "Lists the changes of a group, newest first", reply=page_of("Change"),
          parameters=PAGING)
operation("get", "/executors", "viewer", "Lists executors as the answering node knows them, by group",
          reply=page_of("Executor"), parameters=[
              query("group", ID), query("state", one_of("online", "late", "gone", "entered")),
              query("q", text(), "Part of the address, of the app name or of the group's title."), *PAGING])
operation("get", "/executors/refused", "administrator",
          "Lists executors that this node refused within the last ten minutes, and those whose app name no group has",
          reply=shown({"items": array(shown({
              "reason": one_of("wrong_token", "unknown_app", "outside_networks"),
              "app_name": maybe(text()), "address": maybe(text()),
              "remote": maybe(text("Address that the request came from; null if another node had it.")),
              "first_ms": MS, "last_ms": MS, "times": whole(0, description="Requests that this node had; 0 if another one had "
                                                                           "them.")}))}))
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
operation("get", "/declared", "administrator", "Lists the sources of declared objects",
          reply=shown({"items": array(ref("DeclaredSource"))}))
operation("get", "/declared/{name}/drift", "administrator",
          "Returns what an apply of the answering node's files of a source would change; 409 if it has none",
          reply=ref("Changes"), more=[409])
SEARCHED_TO = maybe(whole(0, 253402300799999, "The search ended here before `limit` runs were found; `next` continues it."))
operation("get", "/runs", "viewer", "Lists runs, newest first", reply=page_of("Run", searched_to_ms=SEARCHED_TO), parameters=[
    query("group", ID), query("job", ID),
    query("status", text(pattern=f"^(any|({STATUSES})(,({STATUSES}))*)$"),
          "One status, or several with commas. pending, timed_out, not_sent, unknown, lost and killed are finer than `status` of "
          "a run: the last five are among the failed ones."),
    query("from_ms", MS), query("to_ms", MS, "Inclusive."), query("handler", text(), "Exact name."),
    query("kind", text(pattern=f"^({KINDS})(,({KINDS}))*$"), "One kind, or several with commas."),
    query("address", text(), "Whole address of the executor."),
    query("min_duration_ms", whole(1, 315360000000), "From the trigger to the result, or to now without a result."),
    query("q", text(minLength=1, maxLength=200), "Part of the messages about sending or result, without case."),
    query("after", whole(0), "Only runs with a higher id."),
    query("ids", text(pattern="^[1-9][0-9]*(,[1-9][0-9]*){0,99}$"), "These runs, at most 100; not with other filters."),
    query("limit", whole(0, 500), "0: only the count."), PAGING[1]])
operation("post", "/runs/clear", "editor", "Removes runs; removing those of all groups needs an administrator", body="Clearing",
          reply=shown({"removed": whole(0)}))
operation("post", "/runs/kill", "operator", "Ends several runs on their executors, each independently", 202, ref("TaskBegun"),
          "ManyRuns", more=[409])
operation("post", "/runs/rerun", "operator", "Runs the jobs of several runs again, with the parameters and executors of the runs",
          202, ref("TaskBegun"), "BulkRerun", parameters=[KEY], more=[409])
operation("get", "/tasks/{id}", "any user", "Returns the progress of a task of the caller; for administrators, of any task",
          reply=ref("Task"))
operation("post", "/tasks/{id}/abort", "any user", "Ends a task: it begins with no further object", reply=ref("Task"))
operation("get", "/runs/{id}", "viewer", "Returns a run", reply=ref("Run"))
operation("get", "/runs/{id}/related", "viewer",
          "Returns the runs that a run repeats or follows, those that repeat or follow it, and the shards of its broadcast",
          reply=ref("RelatedRuns"))
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
          headers={**ETAG, "Content-Disposition": "File name.", "Ringmaster-Partial": "true if the rest of the log is missing.",
                   "Content-Encoding": "gzip for clients that accept it, if the request has no Range."},
          parameters=[query("merged", truth(), "The text of the whole broadcast, as in …/log."),
                      header("Accept-Encoding", "gzip compresses the file while it is sent."),
                      header("Range", "One range of bytes: 206 with that part, which is never compressed."),
                      header("If-Range", "ETag of the other parts."),
                      header("If-None-Match", "Answers 304 if the log has not changed.")])
operation("get", "/runs/{id}/log/search", "viewer", "Searches the log of a run for a text", reply=shown({
    "matches": array(shown({"line": whole(1), "column": whole(1, description="In UTF-16 units; the first character is 1."),
                            "length": whole(1, description="In UTF-16 units."),
                            "text": text("The line; of a long line 500 units around the match.")}),
                     description="The first match of each line."),
    "next_line": maybe(whole(1, description="First line that was not searched; null: none.")), "scanned_to": whole(0),
    "partial_reason": PARTIAL_REASON}), parameters=[
        query("q", text(minLength=1, maxLength=256), "Plain text.", required=True),
        query("case", truth(), "The case of ASCII letters matters (false)."), query("from_line", whole(1, INT32_MAX)),
        query("limit", whole(1, 200), "Most matches (200). A search also ends after a tenth of a second.")])
operation("post", "/runs/{id}/kill", "operator", "Ends a run on its executor", reply=shown({"message": text()}))
operation("get", "/reports", "any user", "Returns run counts by day or hour; of a group or a job for its viewers",
          reply=shown({"items": array(ref("Day")), "changed_ms": {
              **maybe(MS), "description": "Last change of the figures by the leader, which follow the log by about a minute; "
                                          "null for figures that were counted from the log for this answer."}}), parameters=[
              query("from_ms", MS, required=True), query("to_ms", MS, "Exclusive.", required=True),
              query("group", ID), query("job", ID), query("by", one_of("day", "hour"), "day, unless hour.")])
operation("get", "/schedule/preview", "any user", "Returns the next instants of a schedule", reply=ref("SchedulePreview"),
          parameters=[query("type", one_of("NONE", "CRON", "FIX_RATE"), required=True), query("conf", text()),
                      query("time_zone", text()), query("interval_ms", whole(10, 2147483647000)),
                      query("start_at_ms", MS), query("end_at_ms", MS), query("count", whole(1, 100)),
                      query("from_ms", MS, "The instants after this one. Default: now."),
                      query("jitter_ms", whole(1, 86400000), "Only part of `words`: the delay depends on the job."),
                      query("misfire", one_of("DO_NOTHING", "FIRE_ONCE_NOW"), "Only part of `words`.")])
operation("get", "/schedule/forecast", "viewer", "Lists the instants in a time span of the jobs that the caller may see",
          reply=ref("Forecast"), more=[404], parameters=[
              query("from_ms", MS, "Default, also for a past time: now."),
              query("to_ms", MS, "Exclusive. Default: a day later. At most 31 days later."),
              query("job", ID), query("group", ID), query("limit", whole(1, 500)),
              query("cursor", text(pattern="^f[0-9]{1,15}-[0-9]{1,10}-[0-9]{1,15}$"), "Value of `next` of the previous page.")])
COUNTS = [query("from_ms", MS, "Default, also for a past time: now."),
          query("to_ms", MS, "Exclusive. Default: a day later. At most 31 days later."),
          query("bucket_ms", whole(60000, 2678400000), "A multiple of 60000 (3600000); at most 5000 buckets."),
          query("top", whole(1, 50), "Most listed seconds and jobs (20).")]
operation("get", "/schedule/forecast/counts", "viewer",
          "Counts the instants in a time span of the jobs that the caller may see, by time and by job",
          reply=ref("FiringCounts"), more=[404], parameters=[query("job", ID), query("group", ID), *COUNTS])
operation("post", "/schedule/what_if", "viewer",
          "Counts these instants as they are, and as if one job had another schedule and ran; changes nothing", body="WhatIf",
          reply=shown({"before": ref("ChangedCounts"), "after": ref("ChangedCounts")}), more=[404])
operation("get", "/search", "any user", "Searches jobs, groups, runs and, for administrators, users; own groups only",
          reply=ref("FoundObjects"), parameters=[
              query("q", text(minLength=1, maxLength=100), "Part of a name, handler, key or title, or the first digits of an id.",
                    required=True),
              query("limit", whole(1, 8), "Most objects of each kind (8).")])
operation("get", "/nodes", "any user", "Lists the nodes of the cluster", reply=ref("Nodes"))
operation("get", "/now", "any user", "Returns what the nodes do now, in figures that are at most a second old", reply=ref("Now"),
          headers={"ETag": "Value for If-None-Match."},
          parameters=[header("If-None-Match", "Answers 304 if nothing but now_ms has changed.")])
operation("get", "/elastic/jobs", "viewer", "Lists elastic jobs by namespace and name", reply=page_of("ElasticJobRow"),
          parameters=[query("group", ID), query("status", one_of("enabled", "disabled", "shut_down", "draining")),
                      query("name", text(), "Part of the name."), *PAGING])
operation("post", "/elastic/jobs", "editor", "Creates an elastic job", 201, MADE, "ElasticNewJob", headers=PLACE, more=[409])
operation("get", "/elastic/jobs/{id}", "viewer", "Returns an elastic job", reply=ref("ElasticJob"), headers=ETAG)
operation("put", "/elastic/jobs/{id}", "editor", "Replaces the definition of an elastic job; absent options get their defaults",
          reply=ref("ElasticEdit"), body="ElasticJobDraft", parameters=[SEEN], headers=ETAG, more=[409, 412, 428])
operation("delete", "/elastic/jobs/{id}", "editor", "Removes an elastic job without items that run; its runs stay as history",
          204, parameters=[MAY_HAVE_SEEN], more=[409, 412])
operation("get", "/elastic/jobs/{id}/declaration", "viewer", "Returns an elastic job as a table of a declared file",
          reply={"type": "string"})
operation("post", "/elastic/preview", "viewer",
          "Returns the plan that a definition would have now with the hosts of its group. Changes nothing",
          reply=shown({"items": array(ref("ElasticShare"))}), body="ElasticPreview", more=[404])
operation("get", "/elastic/jobs/{id}/items", "viewer", "Lists the items of an elastic job with their hosts",
          reply=page_of("ElasticItem"), parameters=PAGING)
operation("get", "/elastic/jobs/{id}/history", "viewer",
          "Lists the runs of the items of an elastic job, newest first. A page may be short and have a next one",
          reply=page_of("ElasticRun"), parameters=[
              query("item", whole(0, 99999)), query("state", one_of("running", "finished", "error", "lost", "killed", "failed")),
              query("from_ms", MS, "Granted from here on."), query("to_ms", MS, "Inclusive."), *PAGING])
operation("get", "/elastic/jobs/{id}/plan", "viewer",
          "Returns the plan that an elastic job would have now with the hosts of its group, whatever their handlers",
          reply=shown({"items": array(ref("ElasticShare"))}),
          parameters=[query("without", text(), "Id of a host to leave out.")])
operation("post", "/elastic/jobs/{id}/enable", "operator", "Enables an elastic job, or one item", reply=ref("ElasticEdit"),
          body="ElasticSwitch?")
operation("post", "/elastic/jobs/{id}/disable", "operator", "Disables an elastic job, or one item; runs go on",
          reply=ref("ElasticEdit"), body="ElasticSwitch?")
operation("post", "/elastic/jobs/{id}/shutdown", "operator",
          "Shuts an elastic job down: it fires no more until it is enabled", reply=ref("ElasticEdit"))
operation("post", "/elastic/jobs/{id}/trigger", "operator", "Requests a run of an elastic job, or of one item", 202,
          shown({"request": text("Number of the request.")}), "ElasticTrigger?", parameters=[KEY], more=[409])
operation("post", "/elastic/jobs/{id}/drain", "operator",
          "Drains an elastic job: its runs are asked to end, and no others begin until it is enabled", reply=ref("ElasticEdit"))
operation("post", "/elastic/jobs/{id}/restart", "operator", "Cancels the open runs of an elastic job and enables it",
          reply=ref("ElasticEdit"))
operation("post", "/elastic/jobs/{id}/hosts/{name}/enable", "operator",
          "Enables a host for an elastic job, by id or IP address", reply=ref("ElasticEdit"))
operation("post", "/elastic/jobs/{id}/hosts/{name}/disable", "operator",
          "Disables a host for an elastic job, by id or IP address; runs go on", reply=ref("ElasticEdit"))
operation("get", "/elastic/jobs/{id}/dump", "viewer", "Returns the stored state of an elastic job, for reports of defects",
          reply=shown({"items": array(ref("ElasticDumpLine"))}), parameters=[
              query("mask", truth(), "Replace IP addresses (true). Only administrators may send false.")])
operation("post", "/elastic/runs/{id}/cancel", "operator", "Cancels a run of an item; one that ignores it is killed",
          reply=ref("ElasticEdit"), more=[409])
operation("post", "/elastic/hosts/{name}/enable", "administrator",
          "Gives a host, or all known hosts with an IP address, runs of elastic jobs again", reply=ref("ElasticHostEdit"))
operation("post", "/elastic/hosts/{name}/disable", "administrator",
          "Gives a host, or all known hosts with an IP address, no more runs; open runs go on", reply=ref("ElasticHostEdit"))
operation("post", "/elastic/hosts/{name}/drain", "administrator",
          "Gives a host, or all known hosts with an IP address, no more runs, and asks open runs to end",
          reply=ref("ElasticHostEdit"))
operation("post", "/elastic/hosts/{name}/remove", "administrator",
          "Removes a host that is down, or all known hosts with an IP address, from the lists", reply=ref("ElasticHostEdit"),
          more=[409])
operation("get", "/elastic/servers", "viewer", "Lists the hosts of elastic jobs by IP address, with counts",
          reply=shown({"items": array(ref("ElasticServer"))}), parameters=[query("group", ID)])
operation("get", "/elastic/hosts", "viewer", "Lists the hosts of elastic jobs", reply=shown({"items": array(ref("ElasticHost"))}),
          parameters=[query("group", ID)])
operation("get", "/alarms/channels", "administrator", "Lists the configured channels of alarms, without their secrets",
          reply=shown({"items": array(shown({
              "name": text("mail, or the name of a webhook."), "kind": text("mail, or the preset of the webhook."),
              "place": text("Host and port that messages are sent to."),
              "sender": maybe(text("Address of the sender; null for a webhook."))}))}))
operation("get", "/alarms/rules", "administrator", "Lists the rules for alarms that declared files contain",
          reply=page_of("AlarmRule"), parameters=PAGING)
operation("get", "/alarms/open", "administrator",
          "Lists the alarms that are not finished, and the latest messages that the answering node sent", reply=ref("OpenAlarms"))
operation("post", "/alarms/channels/{name}/test", "administrator",
          "Sends a test message through a channel, at most one in ten seconds", body="ChannelTest?", reply=shown({
              "delivered": truth("The receiving side accepted the message."),
              "detail": maybe(text("Why the message was not delivered.")), "took_ms": whole(0)}))
operation("get", "/doctor", "administrator", "Returns the last report about the answering node", reply=ref("DoctorReport"))
operation("post", "/doctor", "administrator", "Starts the checks of the answering node, or returns the report of those that run",
          202, ref("DoctorReport"))
operation("get", "/users", "administrator", "Lists users", reply=page_of("UserRow"), parameters=[
    query("name", text(), "Part of the name."), query("admin", truth()), *PAGING])
operation("post", "/users", "administrator", "Creates a user", 201, MADE, "NewUser", headers=PLACE, more=[409])
operation("put", "/users/me/password", "any user", "Changes the caller's password; ends all of their sessions", 204,
          body="Passwords", more=[409])
operation("get", "/users/me/settings", "any user", "Returns the caller's settings of the console", reply=ref("UserSettings"))
operation("put", "/users/me/settings", "any user", "Replaces the caller's settings of the console, at most 4 KiB", 204,
          body="UserSettingsDraft", more=[404])
operation("get", "/users/{id}", "administrator", "Returns a user", reply=ref("User"), headers=ETAG)
operation("put", "/users/{id}", "administrator", "Changes a user", 204, body="UserDraft", parameters=[SEEN],
          more=[409, 412, 428])
operation("delete", "/users/{id}", "administrator", "Removes a user", 204, parameters=[MAY_HAVE_SEEN], more=[409, 412])
operation("get", "/audit", "administrator", "Lists the audit log, newest first", reply=page_of("Change"), parameters=[
    query("user", text(), "Exact name."), query("object", one_of(
        "job", "group", "run", "user", "api_key", "source", "alarm", "setting", "elastic_job", "elastic_host")),
    query("object_id", ANY_NUMBER), query("action", one_of(
        "add", "update", "remove", "start", "stop", "trigger", "kill", "clear", "source", "sign_in", "password", "apply",
        "enable", "disable", "shutdown", "drain", "cancel", "restart")),
    query("from_ms", MS), query("to_ms", MS, "Inclusive."),
    query("q", text(maxLength=256), "Part of the object's name or of a line of `changes`."), *PAGING])


def filter_of(path, what):
    """Returns the schema of a filter with the members that the list at `path` has as parameters."""
    listed = next(out for each, method, out in OPERATIONS if (each, method) == ("/api/v1" + path, "get"))
    found = [each for each in listed["parameters"] if each["in"] == "query" and each["name"] not in ("limit", "cursor", "sort")]
    return {**record({each["name"]: {**each["schema"], **({"description": each["description"]} if "description" in each else {})}
                      for each in found}), "description": f"As the parameters of the list of {what}; empty: all that it shows."}


def document():
    paths = {}
    for path, method, out in OPERATIONS:
        paths.setdefault(path, {})[method] = out
    for action in ("start", "stop", "trigger"):
        done = paths[f"/api/v1/jobs/{action}"]["post"]["responses"]
        done["200"]["description"] = "Done, for a request with ids."
        done["202"] = {"description": "A task has begun, for a request with a filter.", **body_of(ref("TaskBegun"))}
    log = paths["/api/v1/runs/{id}/log"]["get"]["responses"]
    log["304"] = {"description": "The log has not changed."}
    file = paths["/api/v1/runs/{id}/log/file"]["get"]["responses"]
    file["200"]["content"] = {"text/plain; charset=utf-8": file["200"]["content"]["application/json"]}
    file["206"] = {**file["200"], "description": "The part that was asked for."}
    file["304"] = {"description": "The log has not changed."}
    now = paths["/api/v1/now"]["get"]["responses"]
    now["304"] = {"description": "Nothing but now_ms has changed."}
    for path in ("/api/v1/export", "/api/v1/jobs/{id}/declaration", "/api/v1/elastic/jobs/{id}/declaration"):
        exported = paths[path]["get"]["responses"]["200"]
        exported["content"] = {"application/toml": exported["content"]["application/json"]}
    drift = paths["/api/v1/declared/{name}/drift"]["get"]["responses"]
    for path, method in (("/jobs/{id}", "put"), ("/jobs/{id}", "delete"), ("/jobs/{id}/source", "put")):
        paths["/api/v1" + path][method]["responses"]["412"] = {
            "description": "Refused: another user changed the object meanwhile.", "content": {
                "application/problem+json": {"schema": ref("EditProblem")}}}
    for path, method in (("/api/v1/schedule/preview", "get"), ("/api/v1/schedule/what_if", "post"), ("/api/v1/jobs", "post"),
                         ("/api/v1/jobs/{id}", "put"), ("/api/v1/elastic/jobs", "post"),
                         ("/api/v1/elastic/jobs/{id}", "put")):
        paths[path][method]["responses"]["400"] = {"description": "Refused; a wrong schedule with its part.", "content": {
            "application/problem+json": {"schema": ref("ScheduleProblem")}}}
    refused = paths["/api/v1/apply"]["post"]["responses"]
    for status in ("400", "409"):
        refused[status] = {"description": "Refused, with a line for each mistake in the files.", "content": {
            "application/problem+json": {"schema": ref("FileProblem")}}}
    drift["409"] = refused["409"]
    schemes = {"session": {"type": "apiKey", "in": "cookie", "name": "ringmaster_session_<port>", "description":
                           "Set by POST /api/v1/session. <port>: of the address that the browser shows, e.g. 443."}}
    schemes["key"] = {"type": "http", "scheme": "bearer", "description": "API key. With a cookie instead, requests that change "
                      "something need the header X-CSRF-Token: see GET /api/v1/session."}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Ringmaster", "version": "1", "description": "Times are milliseconds since the epoch. Requests with "
                 "members that are not in a schema are refused. Later releases may add members to responses."},
        "servers": [{"url": "/"}],
        "security": [{name: []} for name in schemes],
        "paths": paths,
        "components": {"schemas": {**SCHEMAS, **ELASTIC_SCHEMAS, "JobFilter": filter_of("/jobs", "jobs"),
                                   "RunFilter": filter_of("/runs", "runs")},
                       "securitySchemes": schemes},
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
