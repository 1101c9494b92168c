package org.flowmon.deploy.command;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;

/**
 * Whether a broker is there at all: asked before a command does anything with Kafka, whose clients
 * wait for one that is not as long as for one that is slow, each with words of its own.
 */
final class KafkaBroker {
  /** How long it may take to answer. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  /** A broker that is there may need so long for its first answer. */
  private static final Duration LEAST = Duration.ofSeconds(5);

  private KafkaBroker() {}

  /**
   * How long a broker may take to answer a command that waits so long for what comes of it: not
   * longer, but for the least that a broker needs, and {@link #PATIENCE} at most.
   *
   * @param wait zero: the command waits for nothing
   */
  static Duration patience(Duration wait) {
    if (wait.isZero() || wait.compareTo(PATIENCE) > 0) {
      return PATIENCE;
    }
    return wait.compareTo(LEAST) < 0 ? LEAST : wait;
  }

  /**
   * Asks for the brokers of a cluster.
   *
   * @param properties of Kafka's clients, with the bootstrap servers
   * @param patience how long until none has answered
   * @throws CommandException where none answers, or the properties are wrong
   */
  static void mustAnswer(Map<String, Object> properties, Duration patience) {
    Object place = properties.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG);
    Map<String, Object> all = new HashMap<>(properties);
    String millis = Long.toString(patience.toMillis());
    all.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
    all.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
    Admin admin;
    try {
      admin = Admin.create(all);
    } catch (KafkaException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new CommandException(
          "Kafka cannot be asked at " + place + ": " + cause.getMessage() + whatToCheck());
    }
    try {
      var unused = admin.describeCluster().nodes().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw away(place, patience);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof org.apache.kafka.common.errors.TimeoutException) {
        throw away(place, patience);
      }
      throw new CommandException(
          "the Kafka broker at " + place + " refuses: " + e.getCause().getMessage());
    } catch (InterruptedException e) {
      throw new InterruptedCommandException(e);
    } finally {
      admin.close(Duration.ZERO); // nothing is under way that anybody waits for
    }
  }

  private static CommandException away(Object place, Duration patience) {
    return new CommandException(
        "no Kafka broker answers at " + place + " within " + seconds(patience) + whatToCheck());
  }

  private static String seconds(Duration time) {
    long millis = time.toMillis();
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }

  private static String whatToCheck() {
    return "; check that it runs, that host and port are right, and that this machine reaches them"
        + " (a broker that wants TLS or SASL: --config with kafka.properties)";
  }
}
