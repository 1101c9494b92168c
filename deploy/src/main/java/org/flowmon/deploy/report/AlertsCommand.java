package org.flowmon.deploy.report;

import java.util.List;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.ingest.text.ShownText;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon alerts}: the alerts of analyses. */
@Command(
    name = "alerts",
    mixinStandardHelpOptions = true,
    description = "Lists and resolves alerts.",
    subcommands = {AlertsCommand.ListThem.class, AlertsResolveCommand.class})
public final class AlertsCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() {
    throw new UsageException("alerts: expected one of " + spec.subcommands().keySet());
  }

  /** {@code flowmon alerts list}. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = {
        "Lists the alerts that fire, by what topic flowmon.alerts holds now.",
        "Those that began first come first; times are those of windows, in UTC."
      },
      footer = {"", "Example:", "  flowmon alerts list --config flowmon.yaml --all"})
  static final class ListThem implements Callable<Integer> {
    private static final String LINE = "%-8s %-12s %-8s %-24s %-24s %-27s %-27s %-32s %s%n";

    @Mixin private KafkaOptions kafka;

    @Option(names = "--all", description = "Those that are resolved, too.")
    private boolean all;

    @Option(
        names = "--json",
        description = "The last message of each, a line each (docs/format/alerts.md).")
    private boolean json;

    @Override
    public Integer call() {
      try (AlertsTopic topic = AlertsTopic.open(kafka.answering())) {
        write(topic);
      }
      return ExitCodes.DONE;
    }

    private void write(AlertsTopic topic) {
      List<AlertStates.Message> alerts =
          topic.alerts().stream().filter(alert -> all || alert.isFiring()).toList();
      if (json) {
        alerts.forEach(alert -> System.out.println(alert.json()));
      } else {
        System.out.printf(
            LINE, "state", "cause", "severity", "analysis", "rule", "since", "window", "id", "key");
        alerts.forEach(ListThem::line);
      }
      if (topic.unreadable() > 0) {
        System.err.println(
            topic.unreadable() + " messages are left out: they are no alerts of version 1");
      }
    }

    private static void line(AlertStates.Message alert) {
      System.out.printf(
          LINE,
          shown(alert, "state"),
          shown(alert, "cause"),
          shown(alert, "severity"),
          shown(alert, "analysis"),
          shown(alert, "rule"),
          shown(alert, "since"),
          shown(alert, "window_end"),
          shown(alert, "id"),
          shown(alert, "key"));
    }

    /** Escaped: any writer of the topic may have chosen the text, and a key is text of a flow. */
    private static String shown(AlertStates.Message alert, String field) {
      return ShownText.of(alert.text(field));
    }
  }
}
