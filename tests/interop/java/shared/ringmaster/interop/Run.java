package ringmaster.interop;

/** What a handler sees of the run it was started for, whatever the release calls it. */
public interface Run {
    /** Id of the log row, or -1 when the release does not tell. */
    long logId();

    /** Id of the job, or -1 when the release does not tell. */
    long jobId();

    String param();

    int shardIndex();

    int shardTotal();

    /** Writes one line to the log file of the run. */
    void log(String line);
}
