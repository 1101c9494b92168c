package org.flowmon.deploy.output;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.report.Confidence;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportApproximation;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * A report for people: a line about its window, then its rows as aligned columns.
 *
 * <pre>
 * elephants  2026-11-21T09:59:50Z … 10:00:00Z  1 of 100 rows, history exact
 * rank  src_addr      bytes  verdict
 * ────  ───────────  ──────  ───────
 *    1  203.0.113.9  998 kB  new
 *   99 ordinary rows left out: 99 usual (--all)
 * </pre>
 *
 * @param name before the window; empty if there is a single analysis
 * @param start in microseconds, like {@code end}
 * @param lostFlows known to be lost within the window
 * @param message of the report; empty if there is none
 * @param remark a further remark; empty if there is none
 * @param approximate the errors of approximate columns, in the form of messages
 */
public record ReportText(
    String name,
    long start,
    long end,
    ResultTable rows,
    String history,
    long lateFlows,
    long lostFlows,
    String message,
    String remark,
    List<Map<String, Object>> approximate) {
  private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z");

  private static final String MISSING = "days_missing";

  public static ReportText of(Report report) {
    Confidence confidence = report.confidence();
    return new ReportText(
        "",
        report.windowStart(),
        report.windowEnd(),
        report.rows(),
        confidence.history().text(),
        confidence.counts().late(),
        confidence.counts().lost(),
        Objects.requireNonNullElse(confidence.message(), ""),
        groups(
            confidence.groupSampling(),
            confidence.groupEstimate().value(),
            confidence.groupEstimate().lower(),
            confidence.groupEstimate().upper()),
        report.approximations().stream().map(ReportText::members).toList());
  }

  /**
   * Of messages in Kafka: all {@code rows} of one report, or the message that it has none.
   *
   * @param isUpdated whether it replaces an earlier report of its window
   */
  public static ReportText of(List<ReportRow> rows, boolean isUpdated) {
    ReportRow last = rows.get(rows.size() - 1);
    Map<String, Object> confidence = last.confidence();
    return new ReportText(
        last.analysis(),
        last.windowStart(),
        last.windowEnd(),
        table(rows),
        String.valueOf(confidence.get("history")),
        Math.max(0, number(confidence, "late_flows")),
        Math.max(0, number(confidence, "lost_flows")),
        confidence.get("message") instanceof String message ? message : "",
        remark(rows, last, isUpdated),
        rows.get(0).approximate()); // the first row has the queries
  }

  private static String remark(List<ReportRow> rows, ReportRow last, boolean isUpdated) {
    StringBuilder remark = new StringBuilder();
    if (isUpdated) {
      remark.append(", update ").append(last.revision() / Report.UPDATE);
    }
    Map<String, Object> confidence = last.confidence();
    remark.append(
        groups(
            confidence.get("group_sampling") instanceof Number part ? part.doubleValue() : 1,
            number(confidence, "groups"),
            number(confidence, "groups_lower"),
            number(confidence, "groups_upper")));
    Object arrived = confidence.get("arrived_through");
    if (arrived != null && !arrived.equals(confidence.get("final_at"))) {
      remark.append(", not final");
    }
    if (rows.size() < last.rows()) {
      remark.append(String.format(", %,d others are not there", last.rows() - rows.size()));
    }
    return remark.toString();
  }

  /** −1 if the confidence has no such whole number. */
  private static long number(Map<String, Object> confidence, String member) {
    return confidence.get(member) instanceof BigInteger number && number.bitLength() < Long.SIZE
        ? number.longValue()
        : -1;
  }

  /** {@code part} of the window's groups, 0 … 1, is in the report; numbers below 0 are unknown. */
  private static String groups(double part, long groups, long lower, long upper) {
    if (part == 0) {
      return ", none of its groups, as they are too many";
    }
    String rate = part < 1 ? String.format("1/%,d", Math.round(1 / part)) : "";
    if (groups < 0) {
      return rate.isEmpty() ? "" : ", " + rate + " of its groups";
    }
    String of = String.format("%,d %s", groups, groups == 1 ? "group" : "groups");
    if (rate.isEmpty()) {
      return ", " + of;
    }
    String bounds =
        lower < 0 || upper < 0 ? "" : String.format(" (%,d … %,d, with 95 %%)", lower, upper);
    return ", " + rate + " of about " + of + bounds;
  }

  private static Map<String, Object> members(ReportApproximation one) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("column", one.column());
    members.put("value", one.value());
    if (one.bound() != null) {
      members.put("bound", one.bound().value());
      members.put("bound_of", one.boundOf());
      members.put("probability", one.bound().probability());
    }
    members.put("exact", one.exact());
    return members;
  }

  public static List<String> errors(List<ReportApproximation> approximate) {
    return lines(approximate.stream().map(ReportText::members).toList());
  }

  /** Columns with the same error and query share a line. */
  private static List<String> lines(List<Map<String, Object>> approximate) {
    Map<String, String> columns = new LinkedHashMap<>();
    for (Map<String, Object> one : approximate) {
      String column = String.valueOf(one.get("column"));
      String named = one.get("value") instanceof String value ? column + ": " + value : column;
      columns.merge(error(one), named, (some, more) -> some + ", " + more);
    }
    return columns.entrySet().stream().map(line -> line.getValue() + line.getKey()).toList();
  }

  private static String error(Map<String, Object> one) {
    StringBuilder said = new StringBuilder();
    // A message may have numbers beyond a double.
    if (one.get("bound") instanceof Number bound && Double.isFinite(bound.doubleValue())) {
      double probability =
          one.get("probability") instanceof Number number ? number.doubleValue() : 1;
      if (bound.doubleValue() == 0 && probability == 1) {
        return said.append(": exact here").toString();
      }
      boolean isShare = "share".equals(one.get("bound_of"));
      said.append(": at most ")
          .append(number(isShare ? 100 * bound.doubleValue() : bound.doubleValue()))
          .append(isShare ? " %" : "ranks".equals(one.get("bound_of")) ? " ranks" : "")
          .append(" off");
      if (probability < 1) {
        said.append(", with ").append(number(100 * probability)).append(" %");
      }
    } else {
      said.append(": approximate");
    }
    if (one.get("exact") instanceof String exact) {
      said.append("; exactly by ").append(exact);
    }
    return said.toString();
  }

  /** Four digits suffice for an error. */
  private static String number(double number) {
    return new BigDecimal(number, new MathContext(4)).stripTrailingZeros().toPlainString();
  }

  private static ResultTable table(List<ReportRow> rows) {
    Map<String, ValueKind> kinds = new LinkedHashMap<>();
    for (ReportRow row : rows) {
      row.columns()
          .forEach(
              (column, value) -> {
                if (value == null) {
                  kinds.putIfAbsent(column, null); // of unknown kind
                } else {
                  kinds.merge(column, kind(value), ReportText::both);
                }
              });
    }
    kinds.replaceAll((column, kind) -> kind == null ? ValueKind.TEXT : kind);
    kinds.replaceAll(
        (column, kind) ->
            kind == ValueKind.TEXT && !column.equals(MISSING) ? ofTexts(rows, column) : kind);
    ResultTable.Builder table = new ResultTable.Builder();
    kinds.forEach(table::column);
    for (ReportRow row : rows) {
      if (row.rows() == 0) {
        continue; // the message of a report without rows
      }
      table.row();
      int column = 0;
      for (Map.Entry<String, ValueKind> one : kinds.entrySet()) {
        set(table, column++, one.getValue(), row.columns().get(one.getKey()));
      }
    }
    return table.build();
  }

  /** JSON gives addresses and times as texts. */
  private static ValueKind ofTexts(List<ReportRow> rows, String column) {
    boolean any = false;
    boolean areAddresses = true;
    boolean areTimes = true;
    for (ReportRow row : rows) {
      if (row.columns().get(column) instanceof String text) {
        any = true;
        areAddresses &= IpAddress.parseOrNull(text) != null;
        areTimes &= micros(text).isPresent();
      }
    }
    return !any
        ? ValueKind.TEXT
        : areAddresses ? ValueKind.ADDRESS : areTimes ? ValueKind.TIMESTAMP : ValueKind.TEXT;
  }

  private static OptionalLong micros(String text) {
    if (!TIME.matcher(text).matches()) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(FlowTime.micros(Instant.parse(text)));
    } catch (DateTimeException | ArithmeticException e) {
      return OptionalLong.empty();
    }
  }

  private static ValueKind kind(Object value) {
    if (value instanceof BigInteger number && number.bitLength() < 128) {
      return ValueKind.LONG;
    }
    return value instanceof Double
        ? ValueKind.DOUBLE
        : value instanceof Boolean ? ValueKind.BOOLEAN : ValueKind.TEXT;
  }

  private static ValueKind both(ValueKind a, ValueKind b) {
    boolean numbers =
        (a == ValueKind.LONG || a == ValueKind.DOUBLE)
            && (b == ValueKind.LONG || b == ValueKind.DOUBLE);
    return a == b ? a : numbers ? ValueKind.DOUBLE : ValueKind.TEXT;
  }

  private static void set(
      ResultTable.Builder table, int column, ValueKind kind, @Nullable Object value) {
    if (value == null) {
      return;
    }
    switch (kind) {
      case BOOLEAN -> table.set(column, Boolean.TRUE.equals(value) ? 1 : 0);
      case DOUBLE -> table.set(column, Double.doubleToLongBits(((Number) value).doubleValue()));
      case LONG -> {
        BigInteger number = (BigInteger) value;
        table.set(column, number.shiftRight(64).longValue(), number.longValue());
      }
      case ADDRESS -> {
        IpAddress address = IpAddress.parse(value.toString());
        table.set(column, address.hi(), address.lo());
      }
      case TIMESTAMP -> table.set(column, micros(value.toString()).orElseThrow());
      default -> table.set(column, value.toString());
    }
  }

  /** Whether its window had late or lost flows, which is said even without rows. */
  public boolean hasLosses() {
    return lateFlows > 0 || lostFlows > 0;
  }

  /** Shows the rows that the view chooses; {@code parts} come from {@link ReportView#of}. */
  public void write(ReportView view, ReportView.Parts parts, PrintWriter out) {
    Optional<String> days = missingDays();
    String head =
        String.format(
            "%s%s … %s  %s, history %s%s%s%s%s%s",
            name.isEmpty() ? "" : TextTable.printable(name) + "  ",
            time(start),
            endText(),
            parts.count(),
            TextTable.printable(history),
            days.map(missing -> ", without " + TextTable.printable(missing)).orElse(""),
            lateFlows == 0
                ? ""
                : String.format(
                    ", %,d late %s meanwhile", lateFlows, lateFlows == 1 ? "flow" : "flows"),
            lostFlows == 0 ? "" : String.format(", %,d lost", lostFlows),
            remark,
            message.isEmpty() ? "" : ": " + TextTable.printable(message));
    FittedTable.wrapped(head, "  ", out);
    ResultTable shown = days.isEmpty() ? parts.rows() : withoutDays(parts.rows());
    view.write(shown, end, out);
    parts.remark().ifPresent(line -> out.println("  " + line));
    lines(approximate).forEach(line -> out.println(TextTable.printable(line)));
    out.println();
  }

  /** Without the date if it is that of the beginning. */
  private String endText() {
    String first = time(start);
    String last = time(end);
    int date = first.indexOf('T') + 1;
    return date > 0 && last.startsWith(first.substring(0, date)) ? last.substring(date) : last;
  }

  /** The days that a report's history lacks; all rows that name days name the same ones. */
  private Optional<String> missingDays() {
    int column = rows.column(MISSING);
    if (column < 0 || rows.kind(column) != ValueKind.TEXT) {
      return Optional.empty();
    }
    Set<String> days = new TreeSet<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      if (!rows.isNull(row, column)) {
        days.add(rows.text(row, column));
      }
    }
    return days.size() == 1 ? Optional.of(days.iterator().next()) : Optional.empty();
  }

  private static ResultTable withoutDays(ResultTable some) {
    return some.select(
        some.names().stream().filter(name -> !name.equals(MISSING)).toArray(String[]::new));
  }

  /** ISO 8601 in UTC. */
  public static String time(long micros) {
    return FlowTime.text(micros);
  }
}
