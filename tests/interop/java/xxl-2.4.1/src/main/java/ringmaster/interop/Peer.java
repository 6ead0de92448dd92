package ringmaster.interop;

import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.executor.XxlJobExecutor;
import com.xxl.job.core.handler.IJobHandler;

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
