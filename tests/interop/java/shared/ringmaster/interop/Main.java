package ringmaster.interop;

import com.xxl.job.core.executor.XxlJobExecutor;

/** An executor process without a framework: registers the handlers, starts, and removes its registration on SIGTERM. */
public final class Main {
    public static void main(String[] args) throws Exception {
        Options options = Options.parse(args);
        XxlJobExecutor executor = new XxlJobExecutor();
        executor.setAdminAddresses(options.admin());
        executor.setAccessToken(options.token());
        executor.setAppname(options.app());
        executor.setIp("127.0.0.1");
        executor.setPort(options.port());
        executor.setLogPath(options.logFolder().toString());
        executor.setLogRetentionDays(3);
        Peer.prepare(executor, options);
        new Handlers(new Journal(options.journal(), options.port())).all().forEach(Peer::register);
        Runtime.getRuntime().addShutdownHook(new Thread(executor::destroy));
        executor.start();
        Thread.currentThread().join();
    }
}
