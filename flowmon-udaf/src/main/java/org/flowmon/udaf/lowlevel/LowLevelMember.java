package org.flowmon.udaf.lowlevel;

import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.partial.PartialRecipient;
import org.flowmon.udaf.partial.PartialSink;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;
import org.jspecify.annotations.Nullable;

/**
 * A live query of the {@link LowLevel}, with partial groups of its own, even from shared tables.
 * Fails alone. Not thread-safe.
 */
public final class LowLevelMember {
  private final long queryId;
  private final WindowSpec window;
  private final LiveGroupings groupings;
  private final boolean goesAhead;
  private final PartialSink sink;
  private long partials;
  private long messages;
  // Counts of tables that have since been rebuilt.
  private LowLevelCounts before = LowLevelCounts.NONE;
  // Null if it has no tables (any more).
  private @Nullable LowLevelTables tables;
  private @Nullable RuntimeException failure;
  private @Nullable RuntimeException failureOfSink;

  /** Takes the counts of arrivals within a pane. */
  @FunctionalInterface
  public interface Arrivals {
    /**
     * Takes the counts of flows that arrived within a pane and that the filter kept.
     *
     * @param start of the pane, in microseconds
     * @param late too late for every window of their time
     * @param ahead with a time too far after their arrival
     * @param sampled from sampled packets
     * @param samplingRate the highest, one of so many packets; 0 without one
     */
    void pane(long start, long flows, long late, long ahead, long sampled, long samplingRate);
  }

  /** A grouping of a member, which gets groups of a table. */
  record Part(LowLevelMember member, PartialRecipient recipient) {}

  LowLevelMember(long queryId, FlowQuery query, WindowSpec window, PartialSink sink) {
    this.queryId = queryId;
    this.window = window;
    this.groupings = LiveGroupings.of(query);
    this.goesAhead = groupings.mayGoAhead(window);
    this.sink = sink;
  }

  long queryId() {
    return queryId;
  }

  WindowSpec window() {
    return window;
  }

  LiveGroupings groupings() {
    return groupings;
  }

  /** Whether its groups go ahead of a window's result. */
  boolean goesAhead() {
    return goesAhead;
  }

  /** Null if it has left them. */
  @Nullable LowLevelTables tables() {
    return tables;
  }

  void enter(LowLevelTables entered) {
    tables = entered;
  }

  /** Leaves its tables: it gets nothing any more, and its counters stand still. */
  void leave() {
    keepCounts();
    tables = null;
  }

  /** Saves the counts of its tables, which begin anew. */
  void keepCounts() {
    if (tables != null) {
      before = before.plus(tables.counts(this));
    }
  }

  boolean receives() {
    return failure == null && tables != null;
  }

  /** Whether it receives groups of a pane: some may be of flows that are late for its windows. */
  boolean receives(Pane pane) {
    return receives() && pane.fromWindowEnd <= window.lastWindowEnd(pane.start);
  }

  void send(int keyGroup, byte[] partialGroups, int groups) {
    partials += groups;
    messages++;
    try {
      sink.emit(keyGroup, partialGroups);
    } catch (RuntimeException e) {
      failureOfSink = e;
      throw e;
    }
  }

  boolean isOfSink(RuntimeException e) {
    return e == failureOfSink;
  }

  void fail(RuntimeException cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  /** The failure that ended its evaluation; null if none. Exceptions of a sink are rethrown. */
  public @Nullable RuntimeException failure() {
    return failure;
  }

  /** The last batch's counts, in no order. Panes without filtered flows may be left out. */
  public void arrivalsOfBatch(Arrivals to) {
    if (tables != null) {
      tables.arrived().forEach(window.widthMicros(), to);
    }
  }

  public LowLevelTuning tuning() {
    return tables == null ? LowLevelTuning.NONE : tables.tuning(this);
  }

  /** Since the query came. Evictions and passed rows are those of its tables, even if shared. */
  public LowLevelCounts counts() {
    LowLevelCounts ofTables = tables == null ? before : before.plus(tables.counts(this));
    return ofTables.plus(LowLevelCounts.sent(partials, messages));
  }
}
