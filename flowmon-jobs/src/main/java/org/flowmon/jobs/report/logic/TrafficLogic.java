package org.flowmon.jobs.report.logic;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.report.ReportRows;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Traffic: a window's top groups and a row for all others, for graphs whose parts sum to the whole
 * ({@code logic: traffic}). Without parameters and history. Aggregates are sums and counts, so
 * {@code other} is exactly the total less the other rows; HAVING and LIMIT only select groups with
 * a row. Each has a rate per second, for bytes in bits.
 */
final class TrafficLogic implements ReportLogic {
  private static final String BYTES = "bytes";

  private List<ReportColumn> live;
  private List<ReportColumn> measures;
  private List<ReportColumn> columns;

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    new ReportParameters(analysis).end();
    LogicRules rules = new LogicRules(analysis);
    rules.noHistory();
    FlowQuery query = rules.live();
    query.select().forEach(item -> requireSum(rules, item));
    live = LiveColumns.of(analysis);
    measures = live.stream().filter(column -> !column.key()).toList();
    if (measures.isEmpty() || measures.size() == live.size()) {
      throw rules.error(
          "live.query", "logic traffic needs a column of GROUP BY and one such as SUM(bytes)");
    }
    columns = rules.distinct(columns(rules));
    return columns;
  }

  private static void requireSum(LogicRules rules, SelectItem item) {
    if (ExpressionParts.hasAggregate(item.what()) && !LogicRules.isSum(item)) {
      throw rules.error(
          "live.query",
          "logic traffic needs sums and counts, whose rest is the total less the rows: expected"
              + " SUM(…) or COUNT(…) alone, of whole numbers, as "
              + item.name());
    }
  }

  private List<ReportColumn> columns(LogicRules rules) {
    List<ReportColumn> all = new ArrayList<>();
    all.add(ReportColumn.key("part", ValueKind.TEXT));
    all.add(ReportColumn.of("rank", ValueKind.LONG));
    all.addAll(live);
    for (ReportColumn measure : measures) {
      all.add(rules.column("live.query", rate(measure.name()), ValueKind.DOUBLE));
    }
    all.add(ReportColumn.of("share", ValueKind.DOUBLE));
    all.add(ReportColumn.of("groups", ValueKind.LONG));
    return all;
  }

  /** {@code bits_per_second} of bytes, {@code estimated_bits_per_second} of estimated_bytes. */
  private static String rate(String measure) {
    String unit =
        isBytes(measure)
            ? measure.substring(0, measure.length() - BYTES.length()) + "bits"
            : measure;
    return unit + "_per_second";
  }

  private static boolean isBytes(String measure) {
    return measure.equals(BYTES) || measure.endsWith("_" + BYTES);
  }

  @Override
  public ResultTable report(WindowHistory history) {
    WindowResult window = history.window();
    ResultTable rows = window.rows();
    double seconds = (window.windowEnd() - window.windowStart()) / 1e6;
    BigInteger[] totals = new BigInteger[measures.size()]; // null if no value is known
    BigInteger[] rest = new BigInteger[measures.size()];
    for (int m = 0; m < totals.length; m++) {
      totals[m] = value(window.totals(), 0, measures.get(m));
      rest[m] = totals[m];
    }
    ReportRows out = new ReportRows(columns);
    for (int row = 0; row < rows.rowCount(); row++) {
      out.row().set("part", "top").set("rank", row + 1L).set("groups", 1);
      out.copy(live, rows, row);
      BigInteger[] values = new BigInteger[measures.size()];
      for (int m = 0; m < values.length; m++) {
        values[m] = value(rows, row, measures.get(m));
        rest[m] = values[m] == null ? rest[m] : rest[m].subtract(values[m]);
      }
      addRates(out, values, totals[0], seconds);
    }
    out.row().set("part", "other");
    if (window.groups() != WindowResult.UNKNOWN_GROUPS) {
      out.set("groups", window.groups() - rows.rowCount());
    }
    for (int m = 0; m < rest.length; m++) {
      out.set(measures.get(m).name(), rest[m]);
    }
    addRates(out, rest, totals[0], seconds);
    return out.build();
  }

  private void addRates(ReportRows out, BigInteger[] values, BigInteger total, double seconds) {
    for (int m = 0; m < values.length; m++) {
      String name = measures.get(m).name();
      if (values[m] != null) {
        double perSecond = values[m].doubleValue() / seconds;
        out.set(rate(name), isBytes(name) ? 8 * perSecond : perSecond);
      }
    }
    if (values[0] != null && total != null && total.signum() > 0) {
      out.set("share", values[0].doubleValue() / total.doubleValue());
    }
  }

  private static @Nullable BigInteger value(ResultTable table, int row, ReportColumn column) {
    int c = table.column(column.name());
    return table.isNull(row, c) ? null : table.bigValue(row, c);
  }
}
