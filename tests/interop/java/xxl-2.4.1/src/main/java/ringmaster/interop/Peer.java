package ringmaster.interop;

import com.google.gson.Gson;
import com.xxl.job.core.biz.model.HandleCallbackParam;
import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.executor.XxlJobExecutor;
import com.xxl.job.core.handler.IJobHandler;
import java.util.LinkedHashMap;
import java.util.Map;

/** Release 2.4.1: everything comes from the context of the thread; the log id only from the log file's name. */
final class Peer {
    private Peer() {}

    static void prepare(XxlJobExecutor executor, Options options) {}

    static void register(String name, Handler handler) {
        XxlJobExecutor.registJobHandler(name, new IJobHandler() {
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
        for (HandleCallbackParam item : new Gson().fromJson(body, HandleCallbackParam[].class)) {
            results.put(item.getLogId(), new Result(item.getHandleCode(), item.getHandleMsg()));
        }
        return results;
    }

    private record CurrentRun() implements Run {
        @Override
        public long logId() {
            String file = XxlJobHelper.getJobLogFileName();
            return Long.parseLong(file.substring(file.lastIndexOf('/') + 1, file.lastIndexOf('.')));
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
