package org.flowmon.deploy.stats;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.block.FlowBlock;
import org.flowmon.archive.block.FlowScan;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.query.QueryText;
import org.flowmon.deploy.terminal.Progress;
import org.flowmon.deploy.terminal.ProgressOption;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon stats}: statistics of an expression, grouped by another. */
@Command(
    name = "stats",
    mixinStandardHelpOptions = true,
    description = {
      "Count, sum, smallest, largest, mean and standard deviation of an expression over the flows"
          + " of an archive, for each value of another, in one pass over the columns it needs.",
      "All of them are exact where the expression is of whole numbers; flows where it is NULL are"
          + " counted apart. Durations are in microseconds."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon stats --archive DIR \"bytes + reverse_bytes\" --by protocol",
      "  flowmon stats --archive DIR duration --by \"TIME_BUCKET(end_time, INTERVAL '1' DAY)\" \\",
      "    --where \"dst_port = 443\" --quantiles 0.5,0.95,0.99"
    })
public final class StatsCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "EXPRESSION",
      description = "A number or duration; docs/query.md describes the language.")
  private String expression;

  @Mixin private ArchiveOption archive;

  @Option(names = "--by", paramLabel = "EXPRESSION", description = "One group for each value.")
  private String by;

  @Option(names = "--where", paramLabel = "CONDITION", description = "Only these flows.")
  private String where;

  @Option(
      names = "--quantiles",
      split = ",",
      paramLabel = "SHARE",
      description =
          "Exact quantiles, 0 … 1: the smallest value such that at least this share of the values"
              + " is no larger. Every value is held in memory for them.")
  private List<Double> quantiles = List.of();

  @Option(names = "--threads", defaultValue = "2", description = "Threads; default 2.")
  private int threads;

  @Option(names = "--json", description = "One JSON object instead of a table.")
  private boolean json;

  @Mixin private ProgressOption progressOption;

  @Override
  public Integer call() throws IOException {
    if (threads < 1 || quantiles.stream().anyMatch(share -> !(share >= 0 && share <= 1))) {
      throw new UsageException("--threads is at least 1, --quantiles are 0 … 1");
    }
    Expression value = single(expression);
    Expression key = by == null ? null : single(by);
    GroupedStatistics statistics = statistics(value, key);
    try (Interruption interruption = Interruption.watch();
        Progress progress = progressOption.start();
        Archive opened = archive.open();
        ArchiveSnapshot snapshot = opened.snapshot();
        FlowScan scan = scan(snapshot, value, key)) {
      progress.begin(expression, where == null ? snapshot.rows() : 0, progress::flows);
      for (FlowBlock block = scan.next(); block != null; block = scan.next()) {
        interruption.check();
        statistics.add(block);
        progress.flows(block.rows());
      }
    }
    Facts facts = facts(statistics);
    if (json) {
      facts.writeJson(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    } else {
      facts.print(System.out);
    }
    return ExitCodes.DONE;
  }

  private GroupedStatistics statistics(Expression value, Expression key) {
    try {
      return new GroupedStatistics(
          value, key, !quantiles.isEmpty(), HeapBudget.Part.STATISTICS.bytes());
    } catch (IllegalArgumentException e) {
      throw new UsageException("'" + expression + "': " + e.getMessage());
    }
  }

  /** Parses a single expression as a query that selects only it. */
  private static Expression single(String text) {
    FlowQuery query = QueryText.overFlows("SELECT " + text + " FROM flows");
    if (query.select().size() != 1
        || query.where() != null
        || query.isAggregated()
        || !query.inQueries().isEmpty()
        || !query.parameters().isEmpty()) {
      throw new UsageException(
          "'"
              + text
              + "': expected one expression over columns, without aggregates, parameters or"
              + " queries");
    }
    return query.select().get(0).what();
  }

  private FlowScan scan(ArchiveSnapshot snapshot, Expression value, Expression key)
      throws IOException {
    Set<FlowColumn> columns = EnumSet.noneOf(FlowColumn.class);
    ExpressionParts.addColumns(value, columns);
    if (key != null) {
      ExpressionParts.addColumns(key, columns);
    }
    // A scan reads at least one column.
    columns.addAll(columns.isEmpty() ? Set.of(FlowColumn.ARRIVAL) : Set.of());
    List<FlowColumn> all = new ArrayList<>(columns);
    FlowScan.Builder scan =
        FlowScan.of(snapshot).columns(all.get(0), all.toArray(FlowColumn[]::new)).threads(threads);
    return (where == null ? scan : scan.where(QueryText.condition(where))).open();
  }

  private Facts facts(GroupedStatistics statistics) {
    Facts facts = new Facts();
    facts.value("expression", expression + (statistics.isDuration() ? " (microseconds)" : ""));
    facts.value("null_flows", statistics.nulls());
    List<String> columns = new ArrayList<>();
    columns.add(by == null ? "group" : by);
    columns.addAll(List.of("count", "sum", "min", "max", "mean", "stddev"));
    quantiles.forEach(share -> columns.add("q" + share));
    Facts.Table table = facts.table("groups", columns.toArray(String[]::new));
    for (GroupedStatistics.Group group : statistics.groups()) {
      Statistic of = group.statistic();
      List<Object> row = new ArrayList<>();
      row.add(by == null ? "all" : group.key());
      row.add(of.count());
      row.add(of.count() == 0 ? null : of.sum());
      row.add(of.min());
      row.add(of.max());
      row.add(of.mean());
      row.add(of.stddev());
      quantiles.forEach(share -> row.add(of.quantile(share)));
      table.row(row.toArray());
    }
    return facts;
  }
}
