package org.flowmon.deploy.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.InterruptedCommandException;

/**
 * Checks that a broker exists before a command uses Kafka. Kafka's clients wait as long for a
 * missing broker as for a slow one, each with different messages.
 */
public final class KafkaBroker {
  public static final Duration PATIENCE = Duration.ofSeconds(10);

  /** The time that an existing broker may need for its first answer. */
  private static final Duration LEAST = Duration.ofSeconds(5);

  private static final Pattern SECRET = Pattern.compile("password|jaas|secret|key$|token");

  private static final Pattern QUOTED = Pattern.compile("\"[^\"]+\"|'[^']+'");
  private static final String HIDDEN = "[hidden]";

  private KafkaBroker() {}

  /**
   * As long as a command waits for a result ({@code wait}, zero: for nothing), but at least the
   * time that a broker needs, and at most {@link #PATIENCE}.
   */
  public static Duration patience(Duration wait) {
    if (wait.isZero() || wait.compareTo(PATIENCE) > 0) {
      return PATIENCE;
    }
    return wait.compareTo(LEAST) < 0 ? LEAST : wait;
  }

  /**
   * Asks for a cluster's brokers; {@code properties} include bootstrap servers.
   *
   * @throws CommandException if none answers, or the properties are wrong
   */
  public static void mustAnswer(Map<String, Object> properties, Duration patience) {
    String place = String.valueOf(properties.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG));
    Map<String, Object> all = new HashMap<>(properties);
    String millis = Long.toString(patience.toMillis());
    all.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
    all.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
    Admin admin;
    try {
      admin = Admin.create(all);
    } catch (KafkaException e) {
      throw new CommandException(
          "Kafka cannot be asked at "
              + place
              + ": "
              + told(e, properties)
              + whatToCheck(properties));
    }
    try {
      var unused = admin.describeCluster().nodes().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw away(properties, patience);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof org.apache.kafka.common.errors.TimeoutException) {
        throw away(properties, patience);
      }
      throw refused(place, Objects.requireNonNullElse(e.getCause(), e), properties);
    } catch (InterruptedException e) {
      throw new InterruptedCommandException(e);
    } finally {
      admin.close(Duration.ZERO); // nobody waits for pending calls
    }
  }

  private static CommandException away(Map<String, Object> properties, Duration patience) {
    return new CommandException(
        "no Kafka broker answers at "
            + properties.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG)
            + " within "
            + seconds(patience)
            + whatToCheck(properties));
  }

  private static String seconds(Duration time) {
    long millis = time.toMillis();
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }

  private static CommandException refused(
      String place, Throwable why, Map<String, Object> properties) {
    String check = "";
    if (why instanceof SslAuthenticationException) {
      check =
          "; check that the broker speaks TLS there (security.protocol), that its certificate is of"
              + " one in ssl.truststore.location and names the host, and ssl.keystore.location"
              + " if it wants a certificate of clients";
    } else if (why instanceof AuthenticationException) {
      check =
          "; check security.protocol, sasl.mechanism and sasl.jaas.config (user and password) in"
              + " kafka.properties of --config or in --kafka-properties";
    }
    return new CommandException(
        "the Kafka broker at " + place + " refuses: " + told(why, properties) + check);
  }

  /** The root cause in one line, without secrets. */
  private static String told(Throwable why, Map<String, Object> properties) {
    String all = message(why);
    for (Throwable cause = why.getCause(); cause != null; cause = cause.getCause()) {
      if (cause.getCause() == null) {
        all = why instanceof ApiException ? all + " (" + message(cause) + ")" : message(cause);
      }
    }
    for (Map.Entry<String, Object> property : properties.entrySet()) {
      if (SECRET.matcher(property.getKey()).find()) {
        String value = String.valueOf(property.getValue());
        all = value.isEmpty() ? all : all.replace(value, HIDDEN);
        Matcher quoted = QUOTED.matcher(value);
        while (quoted.find()) {
          all = all.replace(quoted.group(), HIDDEN);
        }
      }
    }
    return all;
  }

  private static String message(Throwable why) {
    return why.getMessage() == null
        ? why.getClass().getSimpleName()
        : why.getMessage().replaceAll("\\s+", " ");
  }

  private static String whatToCheck(Map<String, Object> properties) {
    Object protocol = properties.get(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG);
    return "; check that it runs, that host and port are right, and that this machine reaches them"
        + (protocol == null
            ? " (a broker that wants TLS or SASL: --config with kafka.properties, or"
                + " --kafka-properties)"
            : " (and that this port is one for security.protocol="
                + protocol
                + ": one for another closes connections without a word)");
  }
}
