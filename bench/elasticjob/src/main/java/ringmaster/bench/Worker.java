package ringmaster.bench;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.shardingsphere.elasticjob.api.JobConfiguration;
import org.apache.shardingsphere.elasticjob.api.ShardingContext;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.ScheduleJobBootstrap;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperConfiguration;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperRegistryCenter;
import org.apache.shardingsphere.elasticjob.simple.job.SimpleJob;

/**
 * A process that hosts jobs of ElasticJob. It appends a line to its file of notes for each begin and end of an item:
 * begin or end, job, item, milliseconds since 1970.
 */
public final class Worker {
  private Worker() {}

  /** Appends whole lines, from any thread. */
  private static final class Notes {
    private final FileOutputStream file;

    Notes(final Path path) throws IOException {
      file = new FileOutputStream(path.toFile(), true);
    }

    synchronized void add(final String what, final ShardingContext context) {
      final String line = what + ' ' + context.getJobName() + ' ' + context.getShardingItem() + ' ' + System.currentTimeMillis() + '\n';
      try {
        file.write(line.getBytes(StandardCharsets.US_ASCII));
      } catch (final IOException failure) {
        throw new IllegalStateException(failure);
      }
    }
  }

  /** Arguments: port of ZooKeeper, session time-out in ms, file of notes, and for each job NAME:ITEMS:BODY_MS[,BODY_MS...]:CRON. */
  public static void main(final String[] arguments) throws Exception {
    final ZookeeperConfiguration configuration = new ZookeeperConfiguration("127.0.0.1:" + arguments[0], "bench");
    configuration.setSessionTimeoutMilliseconds(Integer.parseInt(arguments[1]));
    final ZookeeperRegistryCenter registry = new ZookeeperRegistryCenter(configuration);
    registry.init();
    final Notes notes = new Notes(Path.of(arguments[2]));
    for (int at = 3; at < arguments.length; ++at) {
      final String[] parts = arguments[at].split(":", 4);
      final String[] bodies = parts[2].split(",");
      final SimpleJob job = context -> {
        notes.add("begin", context);
        final long length = Long.parseLong(bodies[Math.min(context.getShardingItem(), bodies.length - 1)]);
        if (length > 0) {
          try {
            Thread.sleep(length);
          } catch (final InterruptedException stopped) {
            Thread.currentThread().interrupt();
          }
        }
        notes.add("end", context);
      };
      final JobConfiguration wanted =
          JobConfiguration.newBuilder(parts[0], Integer.parseInt(parts[1]))
              .cron(parts[3])
              .failover(true)
              .misfire(true)
              .monitorExecution(true)
              .overwrite(true)
              .build();
      new ScheduleJobBootstrap(registry, job, wanted).schedule();
    }
    System.out.println("ready");
    Thread.currentThread().join();
  }
}
