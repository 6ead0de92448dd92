package ringmaster.interop;

import com.xxl.job.core.biz.ExecutorBiz;
import com.xxl.job.core.biz.client.ExecutorBizClient;
import com.xxl.job.core.biz.model.IdleBeatParam;
import com.xxl.job.core.biz.model.KillParam;
import com.xxl.job.core.biz.model.LogParam;
import com.xxl.job.core.biz.model.LogResult;
import com.xxl.job.core.biz.model.ReturnT;
import com.xxl.job.core.biz.model.TriggerParam;

/** Releases 2.x. */
final class Client implements Calls {
    private final ExecutorBiz executor;

    Client(String address, String token) {
        executor = new ExecutorBizClient(address, token);
    }

    @Override
    public Answer beat() {
        return plain(executor.beat());
    }

    @Override
    public Answer idleBeat(int job) {
        return plain(executor.idleBeat(new IdleBeatParam(job)));
    }

    @Override
    public Answer run(Fields fields) {
        TriggerParam run = new TriggerParam();
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
        return plain(executor.kill(new KillParam(job)));
    }

    @Override
    public Answer log(long dateMs, long logId, int fromLine) {
        ReturnT<LogResult> reply = executor.log(new LogParam(dateMs, logId, fromLine));
        LogResult log = reply.getContent();
        return Answer.log(reply.getCode(), reply.getMsg(), log == null ? null
            : new Answer.Chunk(log.getFromLineNum(), log.getToLineNum(), log.getLogContent(), log.isEnd()));
    }

    private static Answer plain(ReturnT<String> reply) {
        return Answer.plain(reply.getCode(), reply.getMsg(), reply.getContent());
    }
}
