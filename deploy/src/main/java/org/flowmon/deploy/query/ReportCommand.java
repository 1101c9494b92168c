package org.flowmon.deploy.query;

import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.archive.ArchiveConfidence;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.archive.ArchiveSnapshots;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.TimeText;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.ClosedOutputException;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.output.RowWriter;
import org.flowmon.deploy.output.TextTable;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.enrich.EnrichmentFiles;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon report}: answers one of the queries that come along, with shares of the total. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    description = {
      "Answers a built-in report from an archive: flows by time, conversations, top hosts,"
          + " and the distribution of traffic over prefixes, autonomous systems, protocols, ports"
          + " and durations. All numbers are exact.",
      "Each report is a query: --show-query prints it, for flowmon query. (flowmon reports, another"
          + " command, shows what a job's analyses reported.)"
    },
    footer = {
      "",
      "Examples:",
      "  flowmon report --list",
      "  flowmon report protocols --archive DIR",
      "  flowmon report conversations --archive DIR --from 2026-11-01T10:00:00Z \\",
      "    --to 2026-11-01T20:00:00Z --by packets --limit 100 --format csv"
    })
public final class ReportCommand implements Callable<Integer> {
  /** What reports are ordered by, and shares are of. */
  enum Measure {
    BYTES,
    PACKETS,
    FLOWS;

    String item() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Parameters(paramLabel = "NAME", arity = "0..1", description = "A report of --list.")
  private @Nullable String name;

  @Mixin private ArchiveOption archive;

  @Mixin private EnrichOption enrich;

  @Option(names = "--list", help = true, description = "List the reports, without an archive.")
  private boolean list;

  @Option(
      names = "--show-query",
      help = true,
      description = "Print the report's query in place of its answer, without an archive.")
  private boolean showsQuery;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Flows that ended then or later, as 2026-11-21T08:00:00Z; default: all.")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "Flows that ended before.")
  private @Nullable String to;

  @Option(names = "--where", paramLabel = "CONDITION", description = "Only these flows.")
  private @Nullable String where;

  @Option(
      names = "--by",
      paramLabel = "MEASURE",
      description =
          "What shares are of, and the order is by unless the report has its own:"
              + " ${COMPLETION-CANDIDATES}; default: that of --list.")
  private Optional<Measure> by = Optional.empty();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Rows; 0 for all. Default: that of --list.")
  private Optional<Long> limit = Optional.empty();

  @Option(
      names = "--format",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private OutputFormat format;

  @Option(names = "--threads", defaultValue = "2", description = "Threads; default 2.")
  private int threads;

  @Override
  public Integer call() throws IOException {
    try {
      if (list) {
        PrintWriter out = out();
        format.write(listed(), List.of(), out);
        ClosedOutputException.check(out);
        return ExitCodes.DONE;
      }
      if (name == null) {
        throw new UsageException("expected the NAME of a report; flowmon report --list has them");
      }
      if (threads < 1 || limit.orElse(0L) < 0) {
        throw new UsageException("--threads is at least 1, --limit at least 0");
      }
      BundledReport report = BundledReport.named(name);
      List<Expression> times = times();
      if (showsQuery) {
        System.out.println(query(report, times));
      } else {
        answer(report, times);
      }
    } catch (ClosedOutputException e) {
      return ExitCodes.OUTPUT_CLOSED; // whoever closed it knows
    }
    return ExitCodes.DONE;
  }

  private PrintWriter out() {
    return new PrintWriter(format.stream(System.out), false, StandardCharsets.UTF_8);
  }

  private static ResultTable listed() {
    ResultTable.Builder builder = new ResultTable.Builder();
    for (String column : List.of("name", "by", "limit", "title")) {
      builder.column(column, column.equals("limit") ? ValueKind.LONG : ValueKind.TEXT);
    }
    for (BundledReport report : BundledReport.all()) {
      builder.row().set(0, report.name()).set(1, report.by());
      if (report.limit() > 0) {
        builder.set(2, report.limit());
      }
      builder.set(3, report.title());
    }
    return builder.build();
  }

  private String measure(BundledReport report) {
    return by.map(Measure::item).orElse(report.by());
  }

  private FlowQuery query(BundledReport report, List<Expression> times) {
    List<Expression> conditions = new ArrayList<>(times);
    if (where != null) {
      conditions.add(QueryText.condition(where));
    }
    FlowQuery query = report.query(measure(report), conditions, limit.orElse(report.limit()));
    if (!query.parameters().isEmpty()) {
      throw new UsageException("--where takes values, not parameters: " + query.parameters());
    }
    return query;
  }

  private List<Expression> times() {
    List<Expression> times = new ArrayList<>();
    if (from != null) {
      times.add(ended(ComparisonOperator.GREATER_OR_EQUAL, TimeText.parse(from)));
    }
    if (to != null) {
      times.add(ended(ComparisonOperator.LESS, TimeText.parse(to)));
    }
    if (from != null && to != null && TimeText.parse(from) >= TimeText.parse(to)) {
      throw new UsageException("--from " + from + " is not before --to " + to);
    }
    return times;
  }

  private static Expression ended(ComparisonOperator operator, long micros) {
    return new Expression.Comparison(
        operator,
        new Expression.Column(FlowColumn.END_TIME),
        new Expression.Literal(Value.ofTimestamp(micros)));
  }

  private void answer(BundledReport report, List<Expression> times) throws IOException {
    try (ArchiveSnapshots asked = archive.snapshots()) {
      FlowQuery query = query(report, times); // afterwards: the archive may have columns of its own
      String measure = measure(report);
      EnrichmentFiles files = enrich.open(query);
      QueryOptions options = QueryOptions.DEFAULTS.withThreads(threads).withEnrichment(files);
      QueryAnswer rows = ArchiveQuery.run(asked.all(), query, options);
      QueryAnswer whole =
          ArchiveQuery.run(asked.all(), BundledReport.total(query, measure), options);
      BigInteger total = whole.table().bigValue(0, 0); // 0 if NULL
      PrintWriter out = out();
      boolean isTable = format == OutputFormat.TABLE;
      if (isTable) {
        head(report, measure, total).forEach(out::println);
      }
      RowWriter writer = isTable ? TextTable.ofReport(out) : format.writer(List.of(), out);
      writer.rows(Shares.added(rows.table(), measure, total));
      writer.end();
      out.flush();
      ClosedOutputException.check(out);
      Stream.concat(rows.stats().warnings().stream(), whole.stats().warnings().stream())
          .distinct()
          .forEach(warning -> System.err.println("warning: " + warning));
      if (isTable) {
        System.err.println(PrintedQuery.summary(rows.table().rowCount(), rows.stats()));
        asked.fetched().forEach(System.err::println);
        ArchiveConfidence.of(asked.all(), query).lines().forEach(System.err::println);
        files
            .versionsSince(Instant.now(), files.columns(query))
            .forEach(version -> System.err.println("joined: " + version));
      }
    }
  }

  /** What the report is of, and what its numbers are. */
  private List<String> head(BundledReport report, String measure, BigInteger total) {
    String times =
        (from == null ? "" : " from " + FlowTime.text(TimeText.parse(from)))
            + (to == null ? "" : " until " + FlowTime.text(TimeText.parse(to)));
    return List.of(
        report.title() + (times.isEmpty() ? "" : ": flows that ended" + times),
        String.format(
            "bytes and packets of each flow's own direction, as exported; shares of all %,d %s",
            total, measure),
        "");
  }
}
