package ringmaster.bench;

import java.util.Map;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/** A ZooKeeper on loopback with a data folder of its own. Prints its port. */
public final class Keeper {
  private Keeper() {}

  /** Argument: ticks of ZooKeeper in ms; the shortest session is two ticks. */
  public static void main(final String[] arguments) throws Exception {
    final InstanceSpec spec =
        new InstanceSpec(null, -1, -1, -1, true, -1, Integer.parseInt(arguments[0]), 0, Map.of(), "127.0.0.1");
    final TestingServer server = new TestingServer(spec, true);
    System.out.println(server.getPort());
    Thread.currentThread().join();
  }
}
