package ringmaster.interop;

import com.google.gson.Gson;
import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.executor.XxlJobExecutor;
import com.xxl.job.core.handler.IJobHandler;
import com.xxl.job.core.log.XxlJobFileAppender;
import com.xxl.job.core.openapi.model.CallbackRequest;
import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.Map;

/** Release 3.3.2: the context contains the log id, too. */
final class Peer {
    private Peer() {}

    /**
     * This release keeps undelivered callbacks in one fixed folder for all executors of a machine. Results left there
     * by another test run would be delivered to this run's log ids, so the folder is moved below the executor's own.
     */
    static void prepare(XxlJobExecutor executor, Options options) throws ReflectiveOperationException {
        Field folder = XxlJobFileAppender.class.getDeclaredField("callbackLogPath");
        folder.setAccessible(true);
        folder.set(null, options.logFolder().resolve("callbacklogs").toString());
        executor.setTimeout(3);
    }

    static void register(String name, Handler handler) {
        XxlJobExecutor.registryJobHandler(name, new IJobHandler() {
            @Override
            public void execute() throws Exception {
                Result result = handler.handle(new CurrentRun());
                XxlJobHelper.handleResult(result.code(), result.message());
            }
        });
    }

    /** Returns the content of a callback as an admin of this release reads it, by log id. */
    static Map<Long, Result> results(String body) {
        Map<Long, Result> results = new LinkedHashMap<>();
        for (CallbackRequest item : new Gson().fromJson(body, CallbackRequest[].class)) {
            results.put(item.getLogId(), new Result(item.getHandleCode(), item.getHandleMsg()));
        }
        return results;
    }

    private record CurrentRun() implements Run {
        @Override
        public long logId() {
            return XxlJobHelper.getLogId();
        }

        @Override
        public long jobId() {
            return XxlJobHelper.getJobId();
        }

        @Override
        public String param() {
            return XxlJobHelper.getJobParam();
        }

        @Override
        public int shardIndex() {
            return XxlJobHelper.getShardIndex();
        }

        @Override
        public int shardTotal() {
            return XxlJobHelper.getShardTotal();
        }

        @Override
        public void log(String line) {
            XxlJobHelper.log(line);
        }
    }
}
