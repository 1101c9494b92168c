package org.flowmon.deploy.output;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.result.TableCondition;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of commands that show reports: which rows, and how. Not thread-safe. */
public final class ReportView {
  /** Rows of a report in a table. */
  private static final int LIMIT = 20;

  private static final int FOLLOWED = 5;

  @Option(
      names = "--all",
      description =
          "Ordinary rows, too: those whose verdict is usual, known, mouse, unseen, no_history or"
              + " little_history. Without it they are only counted.")
  private boolean all;

  @Option(
      names = "--where",
      paramLabel = "CONDITION",
      description =
          "Rows for which this is true, ordinary ones as well, as \"verdict = 'scan' AND src_addr"
              + " IN '10.0.0.0/8'\" (docs/query.md, conditions over results). Holds for json, too.")
  private @Nullable String where;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description =
          "Rows of a report in a table; default 20, without a limit with --all or --where. What is"
              + " followed has at most 5.")
  private @Nullable Integer limit;

  @Option(names = "--vertical", description = "Each row as lines of name and value.")
  private boolean vertical;

  @Option(
      names = "--raw",
      description = "Plain numbers without units and names, and tables as wide as they are.")
  private boolean raw;

  private final Map<List<Named>, TableCondition> conditions =
      new TreeMap<>(Comparator.comparing(List::toString));
  private final Map<String, Long> ordinary = new TreeMap<>();
  private long quietReports;
  private @Nullable QueryException refusal;
  private boolean isAnswered;

  /**
   * What is shown of a report.
   *
   * @param rows the chosen ones
   * @param of rows of the report
   * @param ordinary how many were left out, by verdict
   * @param remark on those left out; empty if there are none
   */
  public record Parts(
      ResultTable rows, int of, Map<String, Long> ordinary, Optional<String> remark) {
    /** As {@code 2 of 100 rows}. */
    String count() {
      int chosen = rows.rowCount();
      String part = chosen == of ? "" : Units.count(chosen) + " of ";
      return part + Units.count(of) + (of == 1 ? " row" : " rows");
    }
  }

  /** Refuses what no report could have. */
  public void check() {
    if (limit != null && limit < 1) {
      throw new UsageException("--limit is " + limit + ": expected 1 row or more");
    }
  }

  /** The rows for which {@code --where} is true, ascending; all without it. */
  public int[] matching(ResultTable rows) {
    if (where == null || rows.rowCount() == 0) {
      return IntStream.range(0, rows.rowCount()).toArray();
    }
    List<Named> columns = new ArrayList<>();
    for (int column = 0; column < rows.columnCount(); column++) {
      columns.add(new Named(rows.name(column), rows.kind(column)));
    }
    try {
      String condition = where;
      TableCondition compiled =
          conditions.computeIfAbsent(
              columns, named -> TableCondition.parse(condition, named, "the report"));
      isAnswered = true;
      return compiled.select(rows);
    } catch (QueryException e) {
      refusal = e; // another analysis may have these columns
      return new int[0];
    }
  }

  /** Chooses a report's rows; of what is followed few. */
  public Parts of(ResultTable rows, boolean isFollowing) {
    Map<String, Long> others = new TreeMap<>();
    int[] chosen = where != null || all ? matching(rows) : OrdinaryRows.chosen(rows, others);
    int most = isFollowing ? FOLLOWED : where != null || all ? Integer.MAX_VALUE : LIMIT;
    int limited = Math.min(chosen.length, limit != null ? limit : most);
    List<String> remarks = new ArrayList<>();
    if (limited < chosen.length) {
      remarks.add(Units.count(chosen.length - limited) + " more (--limit)");
    }
    if (!others.isEmpty()) {
      remarks.add("left out as ordinary: " + OrdinaryRows.text(others) + " (--all)");
    }
    ResultTable shown =
        limited == rows.rowCount() ? rows : rows.withRows(Arrays.copyOf(chosen, limited));
    return new Parts(
        shown,
        rows.rowCount(),
        others,
        remarks.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", remarks)));
  }

  /** Counts a report that is not shown, for {@link #takeQuiet}. */
  public void leaveOut(Parts parts) {
    quietReports++;
    parts.ordinary().forEach((verdict, count) -> ordinary.merge(verdict, count, Long::sum));
  }

  void write(ResultTable rows, long end, PrintWriter out) {
    if (raw && !vertical) {
      TextTable.writeReport(rows, out);
      return;
    }
    List<FittedTable.Column> columns =
        raw ? ReportCells.plain(rows) : new ReportCells(rows, end).columns();
    FittedTable table = new FittedTable(columns, rows.rowCount());
    if (vertical) {
      table.writeVertical(out);
    } else {
      table.write(out);
    }
  }

  /** Counts of reports and rows that were left out since the last call; empty if there are none. */
  public Optional<String> takeQuiet() {
    if (quietReports == 0) {
      return Optional.empty();
    }
    String rows = ordinary.isEmpty() ? "" : " (rows: " + OrdinaryRows.text(ordinary) + ")";
    String text =
        Units.count(quietReports)
            + (quietReports == 1 ? " report has" : " reports have")
            + (where == null
                ? " nothing out of the ordinary" + rows + "; --all shows them"
                : " no row for which --where is true");
    quietReports = 0;
    ordinary.clear();
    return Optional.of(text);
  }

  /** Throws {@link UsageException} if {@code --where} fitted none of the reports. */
  public void checkCondition() {
    if (refusal != null && !isAnswered) {
      throw new UsageException(
          "--where: " + Objects.requireNonNull(refusal.getMessage(), "what was expected"));
    }
  }
}
