"""Schemas of elastic jobs in /api/v1, for docs/openapi.json (make_openapi.py)."""

from openapi_schemas import ANY_NUMBER, ID, MS, array, maybe, one_of, record, ref, shown, text, truth, whole

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
    "ElasticStatus": one_of("enabled", "disabled", "shut_down"),
    "ElasticJob": shown({
        "id": ID, "namespace": text(), "name": text(), "group": ID, "type": text(), "handler": text(), "total": whole(1, 100000),
        "status": ref("ElasticStatus"), "version": whole(1), "next_ms": maybe(MS), "last_ms": maybe(MS),
        "source": maybe(text("Source that declares the job.")),
        "options": {"type": "object", "description": "By the names of declared files. Durations and instants are milliseconds, "
                    "with _ms at the end of the name.",
                    "additionalProperties": {"type": ["string", "integer", "boolean", "null"]}},
        "items": shown({"running": whole(0), "waiting": whole(0, description="Items that wait for a host."),
                        "disabled": whole(0)}),
        "requests": whole(0, description="Requests that no node has taken yet."), "disabled_servers": array(text())}),
    "ElasticItem": shown({
        "item": whole(0), "state": one_of("idle", "running", "waiting"),
        "host": maybe(text("Host of the open run, or of the last one.")), "run": maybe(whole(1)),
        "source": maybe(one_of("normal", "misfire", "failover", "manual")), "attempt": whole(0),
        "fence": whole(0, description="Number of the item's last grant; a run with an older one is over."),
        "granted_ms": maybe(MS),
        "missed": truth("A fire came while the item ran; it is made up for."), "disabled": truth(),
        "surplus": truth("The number of items was reduced; the item goes when its run ends."),
        "planned_host": maybe(text("Owner by the newest plan.")), "gap": maybe(text("Why the plan has no host for the item.")),
        "param": maybe(text())}),
    "ElasticRun": shown({
        "run": whole(1), "item": whole(0),
        "state": one_of("running", "finished", "error", "lost", "killed", "failed", "unknown",
                        description="failed: taken over too often, or it ignored its end."),
        "source": one_of("normal", "misfire", "failover", "manual", "unknown"), "attempt": whole(0),
        "host": maybe(text("Null: no longer known.")), "fire_ms": maybe(MS),
        "fire_source": one_of("normal", "misfire", "failover", "manual", "unknown"), "granted_ms": maybe(MS),
        "started_ms": maybe(MS), "ended_ms": maybe(MS), "message": maybe(text())}),
    "ElasticHost": shown({
        "number": whole(1), "id": text(), "app_name": text(), "state": one_of("up", "silent", "dead", "left"), "ip": text(),
        "pid": ANY_NUMBER, "labels": text("Separated by commas."), "capacity": ANY_NUMBER,
        "running": whole(0, description="Items that run on the host, of all jobs."), "incarnation": whole(1),
        "keeper": text("Node that extends the lease of the host.")}),
    "ElasticShare": shown({
        "host": maybe(text()), "gap": maybe(text("Why the items have no host.")),
        "ranges": array(shown({"first": whole(0), "last": whole(0, description="Inclusive.")}))}),
    "ElasticEdit": shown({"id": ID, "changed": truth("False if it was so already."), "next_ms": maybe(MS)}),
    "ElasticSwitch": {**record({"item": maybe(whole(0, 99999))}), "description": "Without an item: the whole job."},
    "ElasticTrigger": record({
        "item": maybe(whole(0, 99999, "Without it: all items.")),
        "param": maybe(text("In place of the job's parameter, for these runs.", maxLength=65536)),
        "policy": maybe(one_of("discard", "queue", "coalesce", description="For items that run. Default: that of the job."))}),
}
