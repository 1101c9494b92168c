package org.flowmon.jobs.report.logic;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.udaf.value.ResultTable;

/**
 * Medians of a measure in the same hour of the past days, by key, from a history query with {@code
 * SAME_HOUR(…, :now, days)} and {@code DAYS_BEFORE(…) AS day}. Days outside history do not count;
 * on a day inside, a key without rows had 0.
 */
final class PastMedians {
  /** The history query's column with the number of days before the window. */
  static final String DAY = "day";

  private static final BigInteger[] NO_DAYS = new BigInteger[0];

  private final DaysInside inside;
  private final int days;
  private final List<ReportColumn> keys;
  private final Map<String, BigInteger[]> past = new HashMap<>(); // by key, then day

  /**
   * Computes the medians of a history.
   *
   * @param days of SAME_HOUR
   * @param keys columns of the live and of the history query that tell rows apart
   * @param history null if no day is inside
   * @param measure a column of whole numbers; rows of one key and day are added
   */
  PastMedians(
      DaysInside inside, int days, List<ReportColumn> keys, ResultTable history, String measure) {
    this.inside = inside;
    this.days = days;
    this.keys = keys;
    if (inside.used() > 0) {
      read(history, history.column(DAY), history.column(measure));
    }
  }

  private void read(ResultTable history, int dayColumn, int measure) {
    for (int row = 0; row < history.rowCount(); row++) {
      if (history.isNull(row, dayColumn)) {
        continue;
      }
      long day = history.longValue(row, dayColumn);
      if (inside.contains(day)) {
        BigInteger[] own = past.computeIfAbsent(key(history, row), key -> new BigInteger[days + 1]);
        BigInteger value = history.bigValue(row, measure);
        own[(int) day] = own[(int) day] == null ? value : own[(int) day].add(value);
      }
    }
  }

  /** Returns twice the median of a row's key, a whole number; null if no day is inside history. */
  BigInteger twice(ResultTable rows, int row) {
    if (inside.used() == 0) {
      return null;
    }
    BigInteger[] own = past.getOrDefault(key(rows, row), NO_DAYS);
    BigInteger[] values = new BigInteger[inside.used()];
    int n = 0;
    for (int day = 1; day <= days; day++) {
      if (inside.contains(day)) {
        values[n++] = day < own.length && own[day] != null ? own[day] : BigInteger.ZERO;
      }
    }
    Arrays.sort(values);
    return values[(n - 1) / 2].add(values[n / 2]);
  }

  private String key(ResultTable table, int row) {
    StringBuilder key = new StringBuilder();
    for (ReportColumn column : keys) {
      int c = table.column(column.name());
      // a length before each value, so that no two keys look alike
      String value = table.isNull(row, c) ? "" : "=" + table.formatted(row, c);
      key.append(value.length()).append(value);
    }
    return key.toString();
  }
}
