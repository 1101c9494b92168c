package org.flowmon.deploy.size;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.Facts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code flowmon size}: cores, memory, disk, partitions and requests of a deployment. */
@Command(
    name = "size",
    mixinStandardHelpOptions = true,
    description = {
      "Plans a deployment by figures that were measured on this build (docs/sizing.md): cores,"
          + " memory, disk, partitions, slots, segments, requests to S3.",
      "Each line says what its number follows from. Other machines and traffic differ: measure"
          + " before you buy."
    },
    footer = {"", "Example:", "  flowmon size --flows-per-second 1650000 --days 365"})
public final class SizeCommand implements Callable<Integer> {
  private static final Set<String> SINGLE =
      new LinkedHashSet<>(List.of("elephants", "mice", "portscans", "anomaly", "dispersion"));

  @Option(
      names = "--flows-per-second",
      required = true,
      paramLabel = "N",
      description = "Mean rate, of all collectors.")
  private double flows;

  @Option(
      names = "--days",
      required = true,
      paramLabel = "N",
      description = "History that the archive keeps.")
  private int days;

  @Option(
      names = "--analyses",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "five",
      description =
          "Of elephants, mice, portscans, anomaly, dispersion; or five, all, none; default"
              + " ${DEFAULT-VALUE}.")
  private List<String> analyses = List.of();

  @Option(
      names = "--headroom",
      paramLabel = "X",
      defaultValue = "2",
      description = "Cores for each that is busy at the mean rate; default ${DEFAULT-VALUE}.")
  private double headroom;

  @Option(
      names = "--slots",
      paramLabel = "N",
      defaultValue = "8",
      description = "Slots of a TaskManager; default ${DEFAULT-VALUE}.")
  private int slots;

  @Option(
      names = "--checkpoint-interval",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "Of the job; default ${DEFAULT-VALUE}.")
  private Duration interval = Duration.ofSeconds(10);

  @Option(
      names = "--price-storage",
      paramLabel = "USD",
      defaultValue = "0.023",
      description = "A GB for a month; default ${DEFAULT-VALUE}.")
  private double storagePrice;

  @Option(
      names = "--price-puts",
      paramLabel = "USD",
      defaultValue = "0.005",
      description = "A thousand writing requests; default ${DEFAULT-VALUE}.")
  private double putPrice;

  @Option(
      names = "--price-gets",
      paramLabel = "USD",
      defaultValue = "0.0004",
      description = "A thousand reading requests; default ${DEFAULT-VALUE}.")
  private double getPrice;

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    check("--flows-per-second", flows, 1, 1e9);
    check("--days", days, 1, 36_500);
    check("--headroom", headroom, 1, 100);
    check("--slots", slots, 1, 1000);
    check("--checkpoint-interval", interval.toMillis() / 1e3, 1, 86_400);
    check("--price-storage", storagePrice, 0, 1e6);
    check("--price-puts", putPrice, 0, 1e6);
    check("--price-gets", getPrice, 0, 1e6);
    Set<String> chosen = new LinkedHashSet<>(analyses);
    for (String name : chosen) {
      if (!SINGLE.contains(name)
          && !(Set.of("five", "all", "none").contains(name) && chosen.size() == 1)) {
        throw new UsageException(
            "--analyses: '"
                + name
                + "' has no measured cost of its own; name some of "
                + String.join(", ", SINGLE)
                + ", or one of five, all, none");
      }
    }
    if (chosen.equals(SINGLE)) {
      chosen = Set.of("five");
    }
    List<Plan.Line> lines =
        Plan.of(
            new Plan.Wanted(
                flows,
                days,
                List.copyOf(chosen),
                headroom,
                slots,
                interval.toMillis() / 1e3,
                new Plan.Prices(storagePrice, putPrice, getPrice)),
            Figures.read());
    if (json) {
      Facts facts = new Facts();
      lines.forEach(line -> facts.value(line.name(), line.value()));
      Facts.Table table = facts.table("from", "name", "unit", "from");
      lines.forEach(line -> table.row(line.name(), line.unit(), line.from()));
      facts.writeJson(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    } else {
      for (Plan.Line line : lines) {
        System.out.printf(
            Locale.ROOT,
            "%-19s%,15.1f %-11s %s%n",
            line.name(),
            line.value(),
            line.unit(),
            line.from());
      }
    }
    return ExitCodes.DONE;
  }

  private static void check(String option, double value, double least, double most) {
    if (!(value >= least && value <= most)) { // or it is NaN
      throw new UsageException(
          String.format(Locale.ROOT, "%s is %,.0f … %,.0f, found %s", option, least, most, value));
    }
  }
}
