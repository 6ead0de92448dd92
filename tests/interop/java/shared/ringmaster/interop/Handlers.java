package ringmaster.interop;

import java.util.LinkedHashMap;
import java.util.Map;

/** Handlers that every release registers, by name. Each run is journalled before its handler starts. */
public final class Handlers {
    private final Journal journal;

    public Handlers(Journal journal) {
        this.journal = journal;
    }

    public Map<String, Handler> all() {
        Map<String, Handler> handlers = new LinkedHashMap<>();
        add(handlers, "echo", run -> Result.success(run.param()));
        add(handlers, "failing", run -> Result.failure("failed on purpose: " + run.param()));
        add(handlers, "slow", Handlers::slow);
        add(handlers, "shard", run -> Result.success(run.shardIndex() + "/" + run.shardTotal()));
        add(handlers, "logging", Handlers::logging);
        return handlers;
    }

    private void add(Map<String, Handler> handlers, String name, Handler handler) {
        handlers.put(name, run -> {
            journal.append(name, run);
            return handler.handle(run);
        });
    }

    private static Result slow(Run run) throws InterruptedException {
        Thread.sleep(Long.parseLong(run.param()));
        return Result.success("slept " + run.param());
    }

    private static Result logging(Run run) {
        for (int line = 1; line <= 5; line++) {
            run.log("line " + line + " of " + run.param());
        }
        return Result.success("logged 5");
    }
}
