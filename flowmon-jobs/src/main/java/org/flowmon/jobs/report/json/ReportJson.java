package org.flowmon.jobs.report.json;

import java.util.function.Consumer;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.text.ShownText;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.report.Confidence;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportApproximation;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.group.GroupEstimate;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/** The JSON of a report's messages; {@code docs/format/reports.md} is its specification. */
public final class ReportJson {
  static final int VERSION = 1;

  /** Of reports without rows: readers that only know rows must refuse it. */
  static final int VERSION_WITHOUT_ROWS = 2;

  /** Of rows with lists: readers that expect them as texts must refuse it. */
  static final int VERSION_WITH_LISTS = 3;

  private ReportJson() {}

  /** The version of a message with a row, or without one. */
  public static int version(boolean hasRow, boolean hasLists) {
    return !hasRow ? VERSION_WITHOUT_ROWS : hasLists ? VERSION_WITH_LISTS : VERSION;
  }

  /** A message. */
  @FunctionalInterface
  public interface Messages {
    /** Takes {@code analysis|window end|row key} and an object. */
    void take(String key, String value);
  }

  /** In order, one for each row; a report without rows has a message of its own. */
  public static void messages(Report report, Messages to) {
    String window = report.analysis() + '|' + time(report.windowEnd()) + '|';
    if (report.rows().rowCount() == 0) {
      to.take(window, valueWithoutRows(report));
    }
    for (int row = 0; row < report.rows().rowCount(); row++) {
      to.take(window + report.rowKey(row), value(report, row));
    }
  }

  /** The values of the messages in order, each a line. */
  public static void lines(Report report, Consumer<String> to) {
    messages(report, (key, value) -> to.accept(value));
  }

  private static String valueWithoutRows(Report report) {
    StringBuilder out = new StringBuilder(512);
    beginning(out, version(false, false), report);
    out.append(",\"rows\":0,\"confidence\":");
    confidence(out, report.confidence());
    return out.append('}').toString();
  }

  private static void beginning(StringBuilder out, int version, Report report) {
    out.append("{\"version\":").append(version);
    member(out.append(','), "analysis", report.analysis());
    member(out.append(','), "window_start", time(report.windowStart()));
    member(out.append(','), "window_end", time(report.windowEnd()));
    out.append(",\"revision\":").append(report.revision());
  }

  static String value(Report report, int row) {
    StringBuilder out = new StringBuilder(512);
    boolean hasLists = report.columns().stream().anyMatch(ReportColumn::list);
    beginning(out, version(true, hasLists), report);
    out.append(",\"rows\":").append(report.rows().rowCount());
    out.append(",\"row_number\":").append(row + 1);
    member(out.append(','), "row_key", report.rowKey(row));
    out.append(",\"columns\":").append(columns(report, row));
    out.append(",\"confidence\":");
    confidence(out, report.confidence());
    if (!report.approximations().isEmpty()) {
      out.append(",\"approximate\":").append(approximations(report, row == 0));
    }
    return out.append('}').toString();
  }

  public static String approximations(Report report) {
    return approximations(report, true);
  }

  // Queries are as long as texts may be, and equal in all rows of a report.
  private static String approximations(Report report, boolean withQueries) {
    StringBuilder out = new StringBuilder("[");
    for (ReportApproximation one : report.approximations()) {
      out.append(out.length() > 1 ? "," : "");
      member(out.append('{'), "column", one.column());
      member(out.append(','), "value", one.value());
      out.append(one.computed() ? ",\"computed\":true" : "");
      ErrorBound bound = one.bound();
      out.append(",\"bound\":").append(bound == null ? "null" : Double.toString(bound.value()));
      member(out.append(','), "bound_of", one.boundOf());
      out.append(",\"probability\":")
          .append(bound == null ? "null" : Double.toString(bound.probability()));
      if (withQueries) {
        member(out.append(','), "exact", one.exact());
      }
      out.append('}');
    }
    return out.append(']').toString();
  }

  /** Returns the columns of a row by name, a JSON object. */
  public static String columns(Report report, int row) {
    ResultTable rows = report.rows();
    StringBuilder out = new StringBuilder(256).append('{');
    for (int c = 0; c < rows.columnCount(); c++) {
      if (c > 0) {
        out.append(',');
      }
      text(out, rows.name(c));
      out.append(':');
      if (report.columns().get(c).list() && !rows.isNull(row, c)) {
        shown(out, rows.requireText(row, c)); // which is JSON
      } else {
        cell(out, rows, row, c);
      }
    }
    return out.append('}').toString();
  }

  private static void cell(StringBuilder out, ResultTable rows, int row, int column) {
    if (rows.isNull(row, column)) {
      out.append("null");
      return;
    }
    switch (rows.kind(column)) {
      case BOOLEAN -> out.append(rows.longValue(row, column) != 0);
      case LONG, DURATION -> out.append(rows.bigValue(row, column));
      case DOUBLE -> {
        double value = rows.doubleValue(row, column);
        out.append(Double.isFinite(value) ? Double.toString(value) : "null");
      }
      case TIMESTAMP, ADDRESS, TEXT -> text(out, rows.formatted(row, column));
    }
  }

  private static void confidence(StringBuilder out, Confidence confidence) {
    member(out.append('{'), "history", confidence.history().text());
    member(out.append(','), "as_of", timeOrNull(confidence.asOf()));
    member(out.append(','), "history_from", timeOrNull(confidence.historyFrom()));
    member(out.append(','), "history_through", timeOrNull(confidence.historyThrough()));
    member(out.append(','), "arrived_through", time(confidence.arrivedThrough()));
    member(out.append(','), "final_at", time(confidence.finalAt()));
    ArrivalCounts counts = confidence.counts();
    out.append(",\"flows\":").append(counts.flows());
    out.append(",\"late_flows\":").append(counts.late());
    out.append(",\"ahead_flows\":").append(counts.ahead());
    out.append(",\"lost_flows\":").append(counts.lost());
    out.append(",\"sampled_flows\":").append(counts.sampled());
    out.append(",\"sampling_rate\":").append(counts.samplingRate());
    out.append(",\"group_sampling\":").append(confidence.groupSampling());
    GroupEstimate groups = confidence.groupEstimate();
    out.append(",\"groups\":").append(numberOrNull(groups.value()));
    out.append(",\"groups_lower\":").append(numberOrNull(groups.lower()));
    out.append(",\"groups_upper\":").append(numberOrNull(groups.upper()));
    member(out.append(','), "message", confidence.message());
    if (!confidence.enrichment().isEmpty()) {
      out.append(",\"enrichment\":").append(enrichment(confidence));
    }
    out.append('}');
  }

  /** The versions of joined files, a JSON array of texts. */
  public static String enrichment(Confidence confidence) {
    StringBuilder out = new StringBuilder("[");
    for (String version : confidence.enrichment()) {
      out.append(out.length() > 1 ? "," : "");
      text(out, version);
    }
    return out.append(']').toString();
  }

  /** ISO 8601 in UTC. */
  public static String time(long micros) {
    return FlowTime.text(micros);
  }

  private static String numberOrNull(long number) {
    return number < 0 ? "null" : Long.toString(number);
  }

  private static @Nullable String timeOrNull(long micros) {
    return micros == HistoryAnswer.UNKNOWN ? null : time(micros);
  }

  public static void member(StringBuilder out, String name, @Nullable String value) {
    text(out, name);
    out.append(':');
    if (value == null) {
      out.append("null");
    } else {
      text(out, value);
    }
  }

  private static void text(StringBuilder out, String value) {
    shown(out.append('"'), value.replace("\\", "\\\\").replace("\"", "\\\""));
    out.append('"');
  }

  /** Escapes what a terminal would act on, which is in JSON within texts alone. */
  private static void shown(StringBuilder out, String json) {
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      if (ShownText.isHarmful(c)) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
  }
}
