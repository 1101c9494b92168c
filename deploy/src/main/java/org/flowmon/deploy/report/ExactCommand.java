package org.flowmon.deploy.report;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.archive.ArchiveSnapshots;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.TimeText;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.kafka.TopicReader;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.query.EnrichOption;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.report.json.ReportRow;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon exact}: the exact values beside the approximate ones of a report. */
@Command(
    name = "exact",
    mixinStandardHelpOptions = true,
    description = {
      "Shows the approximate values of a report with their bounds, and beside each the exact value"
          + " of the same flows from the archive.",
      "The report comes from its topic or, as JSON, from a file. The exact values come from the"
          + " analysis's live query with exact functions in place of the approximate ones, over the"
          + " flows of the report's window and the keys of its rows.",
      "The exit code is 1 if an exact value lies outside its bound, or the archive has no flow of"
          + " a row that has one."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon exact --archive DIR --config flowmon.yaml --analysis slow --key 192.0.2.1",
      "  flowmon replay --archive DIR --analysis slow.yaml --from … --to … --format json \\",
      "    | flowmon exact --archive DIR --window 2026-11-21T10:00:00Z -"
    })
public final class ExactCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "FILE",
      arity = "0..1",
      description =
          "Reports as JSON, a line each, of flowmon reports or replay with --format json; - is"
              + " standard input. Default: the topic of the analysis.")
  private @Nullable String file;

  @Mixin private ArchiveOption archive;
  @Mixin private KafkaOptions kafka;
  @Mixin private EnrichOption enrich;

  @Option(
      names = "--analysis",
      paramLabel = "NAME",
      description = "Of this analysis; needed unless all reports are of one.")
  private Optional<String> analysis = Optional.empty();

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description = "In this topic, as in that of a replay on a cluster.")
  private Optional<String> topic = Optional.empty();

  @Option(
      names = "--window",
      paramLabel = "TIME",
      description = "The end of the report's window; default: the last one.")
  private @Nullable String window;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "Of the row with this row_key; may be given more than once. Default: of all.")
  private List<String> keys = List.of();

  @Option(names = "--threads", defaultValue = "1", description = "Threads; default 1.")
  private int threads;

  @Option(names = "--json", description = "One JSON object instead of tables.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (threads < 1) {
      throw new UsageException("--threads is at least 1");
    }
    List<ReportRow> rows = report();
    try (ArchiveSnapshots asked = archive.snapshots()) {
      tellReach(asked, rows.get(0));
      ExactValues values =
          new ExactValues(
              asked.all(),
              chosen(rows),
              rows.get(0).approximate(),
              !keys.isEmpty(),
              query ->
                  QueryOptions.DEFAULTS.withThreads(threads).withEnrichment(enrich.open(query)));
      Facts facts = facts(rows.get(0));
      values.addTo(facts);
      if (json) {
        facts.writeJson(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
      } else {
        facts.print(System.out);
      }
      values.warnings().forEach(warning -> System.err.println("warning: " + warning));
      return values.outside() == 0 ? ExitCodes.DONE : ExitCodes.NO;
    }
  }

  private List<ReportRow> report() throws IOException {
    OptionalLong end =
        window == null ? OptionalLong.empty() : OptionalLong.of(TimeText.parse(window));
    ReportSource source = new ReportSource(analysis, end);
    if (file != null) {
      source.readFile(file);
    } else {
      try (TopicReader reader = new TopicReader(kafka.answering())) {
        source.readTopic(reader, topic);
      }
    }
    List<ReportRow> rows = source.rows();
    if (rows.get(0).approximate().isEmpty()) {
      throw new CommandException(
          "the report of " + rows.get(0).analysis() + " has no approximate column: it is exact");
    }
    return rows;
  }

  private List<ReportRow> chosen(List<ReportRow> rows) {
    if (keys.isEmpty()) {
      return rows;
    }
    Set<String> wanted = new HashSet<>(keys);
    List<ReportRow> chosen = rows.stream().filter(row -> wanted.remove(row.rowKey())).toList();
    if (!wanted.isEmpty()) {
      throw new UsageException(
          "--key: the report has no row "
              + String.join(", ", wanted)
              + "; it has "
              + rows.stream().map(ReportRow::rowKey).limit(20).toList()
              + (rows.size() > 20 ? " and more" : ""));
    }
    return chosen;
  }

  /** Flows that are not archived yet, or never will be, are in the report alone. */
  private static void tellReach(ArchiveSnapshots asked, ReportRow report) {
    Object arrived = report.confidence().get("arrived_through");
    boolean isOfTopics = !asked.reach().committedEnds().isEmpty();
    if (isOfTopics
        && arrived instanceof String time
        && asked.reach().historyThrough() < TimeText.parse(time)) {
      System.err.println(
          "warning: the archive is complete up to arrival "
              + FlowTime.textOrNull(asked.reach().historyThrough())
              + ", the report has flows up to "
              + time);
    }
    if (asked.reach().historyFrom() > report.windowStart()) {
      System.err.println(
          "warning: the archive begins at arrival "
              + FlowTime.textOrNull(asked.reach().historyFrom())
              + ", after the window's start");
    }
  }

  private static Facts facts(ReportRow report) {
    Facts facts = new Facts();
    facts.value("analysis", report.analysis());
    facts.value("window_start", FlowTime.text(report.windowStart()));
    facts.value("window_end", FlowTime.text(report.windowEnd()));
    facts.value("revision", report.revision());
    return facts;
  }
}
