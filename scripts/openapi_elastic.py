"""Schemas of elastic jobs in /api/v1, for docs/openapi.json (make_openapi.py)."""

from openapi_schemas import ANY_NUMBER, ID, MS, array, maybe, one_of, record, ref, shown, text, truth, whole

YEAR_MS = 365 * 24 * 3600 * 1000


def duration(description=None):
    return whole(0, YEAR_MS, description)


# Options by name, as `elastic_fields` has them. Those of UNSET may be null.
OPTIONS = {
    "schedule_type": one_of("none", "cron", "fixed_rate"),
    "schedule": text("Cron, or seconds of a rate; empty without a schedule.", maxLength=128),
    "time_zone": text("Empty: the zone of the server's schedules.", maxLength=64),
    "interval_ms": whole(10, 2147483647000, "Interval of a rate in place of whole seconds."),
    "start_at_ms": MS, "end_at_ms": MS, "jitter_ms": whole(1, 86400000),
    "item_params": text("`0=a,1=b`, or an object of texts by item. Only items of the job, each once.", maxLength=1048576),
    "param": text(maxLength=65536),
    "strategy": text("Empty: AVG_ALLOCATION.", maxLength=64), "order": one_of("desc-string", "asc-natural"),
    "label": text("Labels that a host must have, separated by commas.", maxLength=1024), "static": truth(),
    "static_fallback": one_of("wait", "borrow"), "max_time_diff_ms": duration(), "failover": truth(),
    "failover_max": whole(0, 254), "misfire": truth(), "misfire_max_age_ms": duration(),
    "timeout_ms": duration("0: no limit."), "cancel_grace_ms": duration(),
    "fence_mode": one_of("by_nodes", "fast", "orphan"), "trigger_policy": one_of("discard", "queue", "coalesce"),
    "streaming": truth("Only for type dataflow."), "pool": text(maxLength=64), "error_handler": text(maxLength=64),
    "listeners": text(maxLength=1024),
    "once_listeners": text(maxLength=1024), "started_timeout_ms": duration(), "completed_timeout_ms": duration(),
    "alarm_email": text(maxLength=255), "description": text(maxLength=1000)}
UNSET = {"interval_ms", "start_at_ms", "end_at_ms", "jitter_ms", "max_time_diff_ms", "misfire_max_age_ms"}
DRAFT = {
    "group": ID, "namespace": maybe(text("A job keeps it.", maxLength=64)), "name": text(minLength=1, maxLength=128),
    "type": maybe(text("Default: simple.", maxLength=10)), "handler": maybe(text(maxLength=255)), "total": whole(1, 100000),
    "options": maybe(ref("ElasticOptionsDraft")),
    "props": {"type": ["object", "null"], "additionalProperties": maybe(text()),
              "description": "Without it the stored properties stay. A property that is null keeps its stored value, and so "
                             "does a secret that is ******, which a new job must not have."}}

ELASTIC_SCHEMAS = {
    "ElasticJobRow": shown({
        "id": ID, "namespace": text(), "name": text(), "group": ID, "type": text(), "handler": text(), "total": whole(1, 100000),
        "schedule_type": one_of("none", "cron", "fixed_rate", "unknown"),
        "schedule": text("Cron, or seconds of a rate; empty without a schedule."),
        "time_zone": text("Empty: the zone of the server's schedules."), "status": ref("ElasticStatus"), "next_ms": maybe(MS),
        "last_ms": maybe(MS), "source": maybe(text("Source that declares the job.")), "description": text(),
        "items": maybe(shown({
            "running": whole(0), "waiting": whole(0, description="Items that wait for a host."), "disabled": whole(0),
            "unassigned": whole(0, description="Items to which the newest plan assigns no host.")}))}),
    "ElasticStatus": one_of("enabled", "disabled", "shut_down", "draining"),
    "ElasticJob": shown({
        "id": ID, "namespace": text(), "name": text(), "group": ID, "type": text(), "handler": text(), "total": whole(1, 100000),
        "status": ref("ElasticStatus"), "version": whole(1), "next_ms": maybe(MS), "last_ms": maybe(MS),
        "source": maybe(text("Source that declares the job.")),
        "options": ref("ElasticOptions"),
        "props": {"type": "object", "additionalProperties": maybe(text()),
                  "description": "Properties by name; null if the value is a secret."},
        "items": shown({"running": whole(0), "waiting": whole(0, description="Items that wait for a host."),
                        "disabled": whole(0)}),
        "requests": whole(0, description="Requests that no node has taken yet."), "disabled_servers": array(text())}),
    "ElasticOptions": {
        **shown({name: maybe(schema) if name in UNSET else schema for name, schema in OPTIONS.items()}),
        "description": "By the names of declared files. Durations and instants are milliseconds; their names end with _ms."},
    "ElasticOptionsDraft": {**record({name: maybe(schema) for name, schema in OPTIONS.items()}),
                            "description": "Absent options have their default."},
    "ElasticNewJob": record({**DRAFT, "enabled": maybe(truth("Default: true."))}, ["group", "name", "total"]),
    "ElasticJobDraft": record(DRAFT, ["group", "name", "total"]),
    "ElasticPreview": record({**DRAFT, "job": maybe(ID | {"description": "Stored job that the definition would change."})},
                             ["group", "name", "total"]),
    "ElasticItem": shown({
        "item": whole(0), "state": one_of("idle", "running", "waiting"),
        "host": maybe(text("Host of the open run, or of the last one.")), "run": maybe(whole(1)),
        "source": maybe(one_of("normal", "misfire", "failover", "manual")), "attempt": whole(0),
        "fence": whole(0, description="Number of the item's last grant; a run with an older one is over."),
        "granted_ms": maybe(MS),
        "missed": truth("A fire came while the item ran; it is made up for."), "disabled": truth(),
        "surplus": truth("The number of items was reduced; the item goes when its run ends."),
        "cancelled": truth("An operator has cancelled the open run."),
        "planned_host": maybe(text("Owner by the newest plan.")), "gap": maybe(text("Why the plan has no host for the item.")),
        "param": maybe(text())}),
    "ElasticRun": shown({
        "run": whole(1),
        "item": whole(-2, description="-1, -2: the call of the once-listeners before all items, after all items."),
        "state": one_of("running", "finished", "error", "lost", "killed", "failed", "unknown",
                        description="failed: taken over too often, or it ignored its end."),
        "source": one_of("normal", "misfire", "failover", "manual", "unknown"), "attempt": whole(0),
        "fence": whole(0, description="Number of the grant of its item."),
        "host": maybe(text("Null: no longer known.")), "fire_ms": maybe(MS),
        "fire_source": one_of("normal", "misfire", "failover", "manual", "unknown"), "granted_ms": maybe(MS),
        "started_ms": maybe(MS), "ended_ms": maybe(MS), "message": maybe(text())}),
    "ElasticHost": shown({
        "number": whole(1), "id": text(), "app_name": text(), "state": one_of("up", "silent", "dead", "left"),
        "mode": one_of("enabled", "disabled", "draining", "removed", description="Set by administrators."), "ip": text(),
        "pid": ANY_NUMBER, "labels": text("Separated by commas."), "capacity": ANY_NUMBER,
        "running": whole(0, description="Items that run on the host, of all jobs."), "incarnation": whole(1),
        "keeper": text("Node that extends the lease of the host.")}),
    "ElasticShare": shown({
        "host": maybe(text()), "gap": maybe(text("Why the items have no host.")),
        "ranges": array(shown({"first": whole(0), "last": whole(0, description="Inclusive.")}))}),
    "ElasticServer": shown({
        "ip": text(), "hosts": array(text("Id.")), "up": whole(0), "silent": whole(0),
        "down": whole(0, description="Hosts that are dead or left."),
        "disabled": whole(0, description="Hosts that administrators disabled or drain."),
        "running": whole(0, description="Items that run on its hosts."),
        "jobs": whole(0, description="Jobs of the groups of its hosts."),
        "disabled_jobs": whole(0, description="Those of them that get no runs here: the server, or each host, is disabled.")}),
    "ElasticDumpLine": shown({"path": text(), "value": text()}),
    "ElasticHostEdit": shown({"hosts": array(text("Id.")), "changed": truth("False if all of them were so already.")}),
    "ElasticEdit": shown({"id": ID, "changed": truth("False if it was so already."), "next_ms": maybe(MS)}),
    "ElasticSwitch": {**record({"item": maybe(whole(0, 99999))}), "description": "Without an item: the whole job."},
    "ElasticTrigger": record({
        "item": maybe(whole(0, 99999, "Without it: all items.")),
        "param": maybe(text("In place of the job's parameter, for these runs.", maxLength=65536)),
        "policy": maybe(one_of("discard", "queue", "coalesce", description="For items that run. Default: that of the job."))}),
}
