package ringmaster.interop;

import com.google.gson.Gson;
import com.xxl.job.core.biz.model.HandleCallbackParam;
import com.xxl.job.core.biz.model.ReturnT;
import com.xxl.job.core.executor.XxlJobExecutor;
import com.xxl.job.core.handler.IJobHandler;
import com.xxl.job.core.log.XxlJobFileAppender;
import com.xxl.job.core.log.XxlJobLogger;
import com.xxl.job.core.util.ShardingUtil;
import java.util.LinkedHashMap;
import java.util.Map;

/** Release 2.2.0: the parameter is an argument, the result a return value, and the log id only the log file's name. */
final class Peer {
    private Peer() {}

    static void prepare(XxlJobExecutor executor, Options options) {}

    static void register(String name, Handler handler) {
        XxlJobExecutor.registJobHandler(name, new IJobHandler() {
            @Override
            public ReturnT<String> execute(String param) throws Exception {
                Result result = handler.handle(new CurrentRun(param));
                return new ReturnT<>(result.code(), result.message());
            }
        });
    }

    /** Returns the content of a callback as an admin of this release reads it, by log id. */
    static Map<Long, Result> results(String body) {
        Map<Long, Result> results = new LinkedHashMap<>();
        for (HandleCallbackParam item : new Gson().fromJson(body, HandleCallbackParam[].class)) {
            ReturnT<String> result = item.getExecuteResult();
            results.put(item.getLogId(), new Result(result.getCode(), result.getMsg()));
        }
        return results;
    }

    private record CurrentRun(String param) implements Run {
        @Override
        public long logId() {
            String file = XxlJobFileAppender.contextHolder.get();
            return Long.parseLong(file.substring(file.lastIndexOf('/') + 1, file.lastIndexOf('.')));
        }

        @Override
        public long jobId() {
            return -1;
        }

        @Override
        public int shardIndex() {
            return ShardingUtil.getShardingVo().getIndex();
        }

        @Override
        public int shardTotal() {
            return ShardingUtil.getShardingVo().getTotal();
        }

        @Override
        public void log(String line) {
            XxlJobLogger.log(line);
        }
    }
}
