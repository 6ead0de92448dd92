package ringmaster.interop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One JSON line per started run. A line is one write to a file in append mode, so kill -9 leaves no half line. */
public final class Journal {
    private final FileChannel channel;
    private final int port;

    public Journal(Path file, int port) throws IOException {
        this.channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        this.port = port;
    }

    public synchronized void append(String handler, Run run) throws IOException {
        String line = "{\"ms\":" + System.currentTimeMillis()
            + ",\"log_id\":" + run.logId()
            + ",\"job_id\":" + run.jobId()
            + ",\"handler\":" + quoted(handler)
            + ",\"param\":" + quoted(run.param())
            + ",\"shard_index\":" + run.shardIndex()
            + ",\"shard_total\":" + run.shardTotal()
            + ",\"port\":" + port + "}\n";
        channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
    }

    private static String quoted(String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
