package ringmaster.interop;

import com.xxl.job.core.biz.model.ReturnT;
import com.xxl.job.core.executor.XxlJobExecutor;
import com.xxl.job.core.handler.IJobHandler;
import com.xxl.job.core.log.XxlJobFileAppender;
import com.xxl.job.core.log.XxlJobLogger;
import com.xxl.job.core.util.ShardingUtil;

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
