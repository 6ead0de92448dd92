package ringmaster.interop;

/** A handler's view of its run, whatever the release calls it. */
public interface Run {
    /** Id of the log row, or -1 when the release does not provide it. */
    long logId();

    /** Id of the job, or -1 when the release does not provide it. */
    long jobId();

    String param();

    int shardIndex();

    int shardTotal();

    /** Writes one line to the log file of the run. */
    void log(String line);
}
