package org.flowmon.deploy.report;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.ingest.text.ShownText;
import org.flowmon.jobs.alert.AlertResolves;
import org.flowmon.jobs.config.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon alerts resolve}. */
@Command(
    name = "resolve",
    mixinStandardHelpOptions = true,
    description = {
      "Resolves firing alerts by hand. The job sends that to topic flowmon.alerts and the webhooks."
          + " If the condition still holds, another alert fires once the rule's silence is over.",
      "The exit code is 1 if no firing alert matches."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon alerts resolve --config flowmon.yaml elephants/new_elephant --all",
      "  flowmon alerts resolve --config flowmon.yaml 2001:db8::1"
    })
final class AlertsResolveCommand implements Callable<Integer> {
  private static final long POLL_MILLIS = 300;

  @Mixin private KafkaOptions kafka;

  @Parameters(
      arity = "1..*",
      paramLabel = "NAME|KEY",
      description =
          "An alert's id, its rule or ANALYSIS/RULE, or its key, as flowmon alerts list shows"
              + " them. An id may be one that only a webhook was told.")
  private List<String> wanted;

  @Option(names = "--all", description = "All matching alerts, if a NAME or KEY matches several.")
  private boolean all;

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      description =
          "How long to wait until the job says so. Default: ${DEFAULT-VALUE}; 0s: not at all.",
      defaultValue = "30s",
      converter = DurationConverter.class)
  private Duration wait;

  @Override
  public Integer call() throws InterruptedException {
    Map<String, Object> properties = kafka.answering();
    Map<String, Optional<AlertStates.Message>> chosen = new LinkedHashMap<>(); // by id; if in Kafka
    try (AlertsTopic topic = AlertsTopic.open(properties)) {
      boolean missing = choose(topic.alerts(), chosen);
      AlertResolves.send(properties, chosen.keySet());
      Set<String> resolved = wait.isZero() ? Set.of() : await(topic, chosen);
      chosen.forEach((id, alert) -> say(id, alert, resolved.contains(id)));
      return missing ? ExitCodes.NO : ExitCodes.DONE;
    } catch (ConfigException e) {
      throw new CommandException(e.getMessage());
    }
  }

  /** Finds the alerts to resolve; returns whether one is missing. */
  private boolean choose(
      List<AlertStates.Message> alerts, Map<String, Optional<AlertStates.Message>> chosen) {
    boolean missing = false;
    for (String name : wanted) {
      List<AlertStates.Message> meant =
          alerts.stream().filter(alert -> alert.isFiring() && isMeant(alert, name)).toList();
      if (meant.size() > 1 && !all) {
        List<String> ids = new ArrayList<>();
        meant.forEach(alert -> ids.add(alert.text("id")));
        throw new UsageException(
            "'"
                + name
                + "' means "
                + meant.size()
                + " alerts that fire: give the id of one, or --all: "
                + String.join(" ", ids));
      }
      meant.forEach(alert -> chosen.put(alert.text("id"), Optional.of(alert)));
      boolean isKnown = alerts.stream().anyMatch(alert -> alert.text("id").equals(name));
      if (meant.isEmpty() && AlertResolves.isId(name) && !isKnown) {
        chosen.put(name, Optional.empty());
      } else if (meant.isEmpty()) {
        missing = true;
        System.out.println("no alert that fires is '" + name + "'");
      }
    }
    return missing;
  }

  private static boolean isMeant(AlertStates.Message alert, String name) {
    String rule = alert.text("rule");
    return name.equals(alert.text("id"))
        || name.equals(rule)
        || name.equals(alert.text("analysis") + "/" + rule)
        || (!name.isEmpty() && name.equals(alert.text("key")));
  }

  private Set<String> await(AlertsTopic topic, Map<String, Optional<AlertStates.Message>> chosen)
      throws InterruptedException {
    long end = System.nanoTime() + wait.toNanos();
    Set<String> resolved = new HashSet<>();
    Set<String> told = new HashSet<>(); // of others the topic has no messages
    chosen.forEach((id, alert) -> alert.ifPresent(known -> told.add(id)));
    while (!resolved.containsAll(told) && System.nanoTime() < end) {
      Thread.sleep(POLL_MILLIS);
      topic.readOn();
      for (AlertStates.Message alert : topic.alerts()) {
        if (!alert.isFiring() && told.contains(alert.text("id"))) {
          resolved.add(alert.text("id"));
        }
      }
    }
    return resolved;
  }

  private static void say(String id, Optional<AlertStates.Message> alert, boolean resolved) {
    String what =
        id
            + alert
                .map(
                    one ->
                        String.format(
                            " (%s/%s %s)",
                            one.text("analysis"), one.text("rule"), ShownText.of(one.text("key"))))
                .orElse("");
    System.out.println(
        resolved
            ? what + " is resolved"
            : what + " is sent; a job that runs resolves it, and says so with its next checkpoint");
  }
}
