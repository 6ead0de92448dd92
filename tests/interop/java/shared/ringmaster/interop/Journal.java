package ringmaster.interop;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * One JSON line per started run. A line is one write to a file in append mode, so kill -9 leaves no half line. It is a plain
 * stream, because a channel is closed permanently when a timeout or a kill interrupts a run that writes to it.
 */
public final class Journal {
    private final OutputStream file;
    private final int port;

    public Journal(Path file, int port) throws IOException {
        this.file = new FileOutputStream(file.toFile(), true);
        this.port = port;
    }

    public synchronized void append(String handler, Run run) throws IOException {
        String line = "{\"ms\":" + System.currentTimeMillis()
            + ",\"log_id\":" + run.logId()
            + ",\"job_id\":" + run.jobId()
            + ",\"handler\":" + Json.quoted(handler)
            + ",\"param\":" + Json.quoted(run.param())
            + ",\"shard_index\":" + run.shardIndex()
            + ",\"shard_total\":" + run.shardTotal()
            + ",\"port\":" + port + "}\n";
        file.write(line.getBytes(StandardCharsets.UTF_8));
    }
}
