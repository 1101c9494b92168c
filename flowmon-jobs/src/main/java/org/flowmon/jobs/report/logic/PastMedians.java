package org.flowmon.jobs.report.logic;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.SameHourDays;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/**
 * Medians by key of a measure in the same hour of past days, by {@code SAME_HOUR(…, :now, days)}
 * and {@code DAYS_BEFORE(…) AS day}. Days outside history do not count; on one inside, a key
 * without rows had 0.
 */
final class PastMedians {
  private static final String DAY = "day";

  /**
   * The hours that a history query asks for; {@code keys} of both queries tell rows apart. The
   * measure is of whole numbers; rows of one key and day are added.
   */
  record SameHour(
      AnalysisConfig.History config, SameHourDays days, List<ReportColumn> keys, String measure) {
    /** Throws {@code ConfigException} if the history query does not give such medians. */
    static SameHour of(AnalysisConfig analysis, List<ReportColumn> keys, String measure) {
      LogicRules rules = new LogicRules(analysis);
      FlowQuery query = rules.history();
      rules.historyItems(query, keys, measure, DAY);
      return new SameHour(analysis.requiredHistory(), rules.sameHourDays(query), keys, measure);
    }

    PastMedians medians(WindowHistory window) {
      long now = config.now(window.window().windowEnd());
      PastMedians medians = new PastMedians(DaysInside.of(window.history(), now, days), this);
      if (medians.inside.used() > 0) {
        medians.read(window.history().rows().orElseThrow());
      }
      return medians;
    }
  }

  private static final BigInteger[] NO_DAYS = new BigInteger[0];

  private final DaysInside inside;
  private final SameHour hour;
  private final Map<String, BigInteger[]> past = new HashMap<>(); // by key, then day

  private PastMedians(DaysInside inside, SameHour hour) {
    this.inside = inside;
    this.hour = hour;
  }

  DaysInside inside() {
    return inside;
  }

  private void read(ResultTable history) {
    int dayColumn = history.column(DAY);
    int measure = history.column(hour.measure());
    for (int row = 0; row < history.rowCount(); row++) {
      if (history.isNull(row, dayColumn)) {
        continue;
      }
      long day = history.longValue(row, dayColumn);
      if (inside.contains(day)) {
        BigInteger[] own =
            past.computeIfAbsent(key(history, row), key -> new BigInteger[hour.days().days() + 1]);
        BigInteger value = history.bigValue(row, measure);
        own[(int) day] = own[(int) day] == null ? value : own[(int) day].add(value);
      }
    }
  }

  /** Twice the median of a row's key, a whole number; null if no day is inside history. */
  @Nullable BigInteger twice(ResultTable rows, int row) {
    if (inside.used() == 0) {
      return null;
    }
    BigInteger[] own = past.getOrDefault(key(rows, row), NO_DAYS);
    BigInteger[] values = new BigInteger[inside.used()];
    int n = 0;
    for (int day = 1; day <= hour.days().days(); day++) {
      if (inside.contains(day)) {
        values[n++] = day < own.length && own[day] != null ? own[day] : BigInteger.ZERO;
      }
    }
    Arrays.sort(values);
    return values[(n - 1) / 2].add(values[n / 2]);
  }

  private String key(ResultTable table, int row) {
    StringBuilder key = new StringBuilder();
    for (ReportColumn column : hour.keys()) {
      int c = table.column(column.name());
      // a length before each value, so that no two keys look alike
      String value = table.isNull(row, c) ? "" : "=" + table.formatted(row, c);
      key.append(value.length()).append(value);
    }
    return key.toString();
  }
}
