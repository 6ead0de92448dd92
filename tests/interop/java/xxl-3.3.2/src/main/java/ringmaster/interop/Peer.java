package ringmaster.interop;

import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.executor.XxlJobExecutor;
import com.xxl.job.core.handler.IJobHandler;
import com.xxl.job.core.log.XxlJobFileAppender;
import java.lang.reflect.Field;

/** Release 3.3.2: the context tells the log id, too. */
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
