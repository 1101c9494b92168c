package org.flowmon.jobs.replay;

import java.io.Serializable;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.enrich.EnrichmentFiles;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;

/**
 * A replay: one analysis over windows in a range of time, the final result of each only.
 *
 * @param archives of the flows, and the history too, read as one; at least one
 * @param from the first window begins then or later, microseconds
 * @param to the last window ends then or before, microseconds
 * @param historyDelay the default, that of the live job: two of its checkpoint intervals
 * @param disorder the live job's bound
 * @param enrichment the files that queries join, as they are now
 */
public record ReplaySpec(
    List<ArchiveLocation> archives,
    AnalysisConfig analysis,
    long from,
    long to,
    Duration historyDelay,
    Duration disorder,
    EnrichmentConfig enrichment)
    implements Serializable {
  public ReplaySpec {
    archives = List.copyOf(archives);
    // Flows come in the order of their ends, so the arrivals up to a tick are unknown.
    analysis = analysis.withoutRevisions();
    if (from >= to) {
      throw new ConfigException("the first time is not before the second");
    }
    long width = analysis.live().windowMicros();
    if (firstWindow(analysis, from) > to - width) {
      throw new ConfigException(
          "no window of analysis %s, %s long, lies between the two times: the range is %s long, and windows begin at multiples of %s since 1970"
              .formatted(
                  analysis.name(),
                  seconds(width),
                  seconds(to - from),
                  seconds(analysis.live().slideMicros())));
    }
  }

  /** Without files that queries join. */
  public ReplaySpec(
      List<ArchiveLocation> archives,
      AnalysisConfig analysis,
      long from,
      long to,
      Duration historyDelay,
      Duration disorder) {
    this(archives, analysis, from, to, historyDelay, disorder, EnrichmentConfig.NONE);
  }

  private static String seconds(long micros) {
    return BigDecimal.valueOf(micros, 6).stripTrailingZeros().toPlainString() + " s";
  }

  long firstWindow() {
    return firstWindow(analysis, from);
  }

  private static long firstWindow(AnalysisConfig analysis, long from) {
    long slide = analysis.live().slideMicros();
    return -Math.floorDiv(-from, slide) * slide;
  }

  boolean holds(long windowStart, long windowEnd) {
    return windowStart >= from && windowEnd <= to;
  }

  boolean isByArrival() {
    return window().timeColumn() == FlowColumn.ARRIVAL;
  }

  WindowSpec window() {
    return LiveQuery.window(analysis);
  }

  /**
   * How far beyond a window's end flows are read, in microseconds. Divided flows may end as late as
   * they may arrive, plus an hour ahead.
   */
  private long spreadMicros() {
    WindowSpec window = window();
    return window.spread() ? window.latenessMicros() + window.aheadMicros() : 0;
  }

  long readTo() {
    return to + spreadMicros();
  }

  /**
   * The arrival, in microseconds, through which flows of windows before a position are read;
   * divided flows that reach into one may end later.
   */
  long completeThrough(long position) {
    WindowSpec window = window();
    // A watermark counts whole milliseconds: two more are on the safe side of its rounding.
    return window.spread()
        ? position - window.aheadMicros() - 2000
        : position + window.latenessMicros();
  }

  Set<FlowColumn> columns() {
    Set<FlowColumn> columns = new TreeSet<>(List.of(FlowColumn.ARRIVAL, FlowColumn.END_TIME));
    if (window().spread()) {
      columns.add(FlowColumn.START_TIME);
    }
    LiveQuery.all(analysis, EnrichmentFiles.planned(enrichment))
        .forEach(live -> addColumns(live.query(), columns));
    return columns;
  }

  private static void addColumns(FlowQuery query, Set<FlowColumn> columns) {
    query.select().forEach(item -> ExpressionParts.addColumns(item.what(), columns));
    query.groupBy().forEach(key -> ExpressionParts.addColumns(key, columns));
    query.orderBy().forEach(order -> ExpressionParts.addColumns(order.what(), columns));
    if (query.where() != null) {
      ExpressionParts.addColumns(query.where(), columns);
    }
    if (query.having() != null) {
      ExpressionParts.addColumns(query.having(), columns);
    }
  }
}
