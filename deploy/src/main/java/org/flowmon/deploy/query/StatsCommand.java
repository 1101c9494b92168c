package org.flowmon.deploy.query;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.archive.ArchiveSnapshots;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.Facts;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.StateValue;
import org.flowmon.udaf.query.Typing;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code flowmon stats}: statistics of an expression, grouped by another. It is a query with all of
 * them:
 *
 * <pre>{@code
 * SELECT by, COUNT(*), COUNT(e), SUM(e), MIN(e), MAX(e), AVG(e), STDDEV(e),
 *        QUANTILE(QUANTILES(e, 0), 0.5), …
 * FROM flows WHERE where GROUP BY by ORDER BY by
 * }</pre>
 */
@Command(
    name = "stats",
    mixinStandardHelpOptions = true,
    description = {
      "Count, sum, smallest, largest, mean and standard deviation of an expression over the flows"
          + " of an archive, for each value of another.",
      "All of them are exact; mean, deviation and sums of decimal numbers are rounded once. Flows"
          + " of which the expression is NULL are counted apart. Durations are in microseconds."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon stats --archive DIR \"bytes + reverse_bytes\" --by protocol",
      "  flowmon stats --archive DIR duration --by \"TIME_BUCKET(end_time, INTERVAL '1' DAY)\" \\",
      "    --where \"dst_port = 443\" --quantiles 0.5,0.95,0.99"
    })
public final class StatsCommand implements Callable<Integer> {
  // Columns of the query, before those of the quantiles.
  private static final int KEY = 0;
  private static final int FLOWS = 1;
  private static final int COUNT = 2;

  @Parameters(
      paramLabel = "EXPRESSION",
      description = "A number or duration; docs/query.md describes the language.")
  private String expression;

  @Mixin private ArchiveOption archive;

  @Mixin private EnrichOption enrich;

  @Option(names = "--by", paramLabel = "EXPRESSION", description = "One group for each value.")
  private @Nullable String by;

  @Option(names = "--where", paramLabel = "CONDITION", description = "Only these flows.")
  private @Nullable String where;

  @Option(
      names = "--quantiles",
      split = ",",
      paramLabel = "SHARE",
      description =
          "Exact quantiles, 0 … 1: the smallest value such that at least this share of the values"
              + " is no larger. Every different value of a group is held in memory for them.")
  private List<Double> quantiles = List.of();

  @Option(names = "--threads", defaultValue = "2", description = "Threads; default 2.")
  private int threads;

  @Option(names = "--json", description = "One JSON object instead of a table.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (threads < 1 || quantiles.stream().anyMatch(share -> !(share >= 0 && share <= 1))) {
      throw new UsageException("--threads is at least 1, --quantiles are 0 … 1");
    }
    Facts facts;
    try (ArchiveSnapshots asked = archive.snapshots()) {
      Expression value = single(expression); // the archive may have columns of its own
      boolean isDuration = kind(value) == ValueKind.DURATION;
      FlowQuery query = query(value);
      QueryOptions options =
          QueryOptions.DEFAULTS.withThreads(threads).withEnrichment(enrich.open(query));
      facts = facts(ArchiveQuery.run(asked.all(), query, options).table(), isDuration);
    }
    if (json) {
      facts.writeJson(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    } else {
      facts.print(System.out);
    }
    return ExitCodes.DONE;
  }

  private ValueKind kind(Expression value) {
    ValueKind kind = value.kind();
    if (kind != ValueKind.LONG && kind != ValueKind.DOUBLE && kind != ValueKind.DURATION) {
      throw new UsageException(
          "'"
              + expression
              + "': statistics are of numbers and durations, not of "
              + (kind == null ? "NULL" : kind));
    }
    return kind;
  }

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

  private FlowQuery query(Expression value) {
    Expression key = by == null ? new Expression.Literal(Value.ofText("all")) : single(by);
    List<Expression> all = new ArrayList<>();
    all.add(key);
    all.add(new AggregateCall(AggregateFunction.COUNT, List.of()));
    for (AggregateFunction function :
        List.of(
            AggregateFunction.COUNT,
            AggregateFunction.SUM,
            AggregateFunction.MIN,
            AggregateFunction.MAX,
            AggregateFunction.AVG,
            AggregateFunction.STDDEV)) {
      all.add(Typing.aggregate(function, value));
    }
    Expression exactly = new Expression.Literal(Value.ofLong(0));
    for (double share : quantiles) {
      all.add(
          Typing.extracted(
              Typing.state("QUANTILES", List.of(value, exactly)),
              "QUANTILE",
              List.of(new Expression.Literal(Value.ofDouble(share))),
              StateValue.Part.VALUE));
    }
    List<SelectItem> items =
        all.stream().map(what -> new SelectItem(what.toString(), what)).toList();
    List<Expression> keys = by == null ? List.of() : List.of(key);
    List<OrderItem> order = keys.stream().map(what -> new OrderItem(what, false, false)).toList();
    return new FlowQuery(items, where == null ? null : QueryText.condition(where), keys, order, -1);
  }

  private Facts facts(ResultTable answer, boolean isDuration) {
    Facts facts = new Facts();
    facts.value("expression", expression + (isDuration ? " (microseconds)" : ""));
    long nulls = 0;
    for (int r = 0; r < answer.rowCount(); r++) {
      nulls += answer.longValue(r, FLOWS) - answer.longValue(r, COUNT);
    }
    facts.value("null_flows", nulls);
    List<String> columns = new ArrayList<>();
    columns.add(by == null ? "group" : by);
    columns.addAll(List.of("count", "sum", "min", "max", "mean", "stddev"));
    quantiles.forEach(share -> columns.add("q" + share));
    Facts.Table table = facts.table("groups", columns.toArray(String[]::new));
    for (int r = 0; r < answer.rowCount(); r++) {
      if (by != null && answer.longValue(r, COUNT) == 0) {
        continue; // no value, so no group of values
      }
      List<Object> row = new ArrayList<>();
      row.add(key(answer, r));
      for (int c = COUNT; c < answer.columnCount(); c++) {
        row.add(number(answer, r, c));
      }
      table.row(row.toArray());
    }
    return facts;
  }

  private static @Nullable String key(ResultTable answer, int row) {
    if (answer.isNull(row, KEY)) {
      return null;
    }
    return answer.kind(KEY) == ValueKind.DURATION
        ? answer.bigValue(row, KEY).toString()
        : answer.formatted(row, KEY);
  }

  /** A number as it is, a duration in microseconds; null if NULL. */
  private static @Nullable Number number(ResultTable answer, int row, int column) {
    if (answer.isNull(row, column)) {
      return null;
    }
    if (answer.kind(column) == ValueKind.DOUBLE) {
      return answer.doubleValue(row, column);
    }
    return answer.bigValue(row, column);
  }
}
