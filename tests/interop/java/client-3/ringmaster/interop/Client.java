package ringmaster.interop;

import com.xxl.job.core.constant.Const;
import com.xxl.job.core.openapi.ExecutorBiz;
import com.xxl.job.core.openapi.model.IdleBeatRequest;
import com.xxl.job.core.openapi.model.KillRequest;
import com.xxl.job.core.openapi.model.LogRequest;
import com.xxl.job.core.openapi.model.LogResult;
import com.xxl.job.core.openapi.model.TriggerRequest;
import com.xxl.tool.http.HttpTool;
import com.xxl.tool.response.Response;

/** Releases from 3.3 on. */
final class Client implements Calls {
    private static final int TIMEOUT_MS = 3000;

    private final ExecutorBiz executor;

    Client(String address, String token) {
        executor = HttpTool.createClient()
            .url(address)
            .timeout(TIMEOUT_MS)
            .header(Const.XXL_JOB_ACCESS_TOKEN, token)
            .proxy(ExecutorBiz.class);
    }

    @Override
    public Answer beat() {
        return plain(executor.beat());
    }

    @Override
    public Answer idleBeat(int job) {
        return plain(executor.idleBeat(new IdleBeatRequest(job)));
    }

    @Override
    public Answer run(Fields fields) {
        TriggerRequest run = new TriggerRequest();
        fields.number("jobId", run::setJobId);
        fields.text("executorHandler", run::setExecutorHandler);
        fields.text("executorParams", run::setExecutorParams);
        fields.text("executorBlockStrategy", run::setExecutorBlockStrategy);
        fields.number("executorTimeout", run::setExecutorTimeout);
        fields.big("logId", run::setLogId);
        fields.big("logDateTime", run::setLogDateTime);
        fields.text("glueType", run::setGlueType);
        fields.text("glueSource", run::setGlueSource);
        fields.big("glueUpdatetime", run::setGlueUpdatetime);
        fields.number("broadcastIndex", run::setBroadcastIndex);
        fields.number("broadcastTotal", run::setBroadcastTotal);
        return plain(executor.run(run));
    }

    @Override
    public Answer kill(int job) {
        return plain(executor.kill(new KillRequest(job)));
    }

    @Override
    public Answer log(long dateMs, long logId, int fromLine) {
        Response<LogResult> reply = executor.log(new LogRequest(dateMs, logId, fromLine));
        LogResult log = reply.getData();
        return Answer.log(reply.getCode(), reply.getMsg(), log == null ? null
            : new Answer.Chunk(log.getFromLineNum(), log.getToLineNum(), log.getLogContent(), log.isEnd()));
    }

    private static Answer plain(Response<String> reply) {
        return Answer.plain(reply.getCode(), reply.getMsg(), reply.getData());
    }
}
