package org.flowmon.udaf.lowlevel;

import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.partial.PartialRecipient;
import org.flowmon.udaf.partial.PartialSink;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;

/**
 * A live query of the {@link LowLevel}. It gets partial groups of its own, whether its tables are
 * others' too or not, and fails alone. Not thread-safe.
 */
public final class LowLevelMember {
  private final long queryId;
  private final WindowSpec window;
  private final LiveGroupings groupings;
  private final PartialSink sink;
  private final boolean canAdvance;
  private long partials;
  private long messages;
  // What tables counted that were made anew since.
  private LowLevelCounts before = LowLevelCounts.NONE;
  // Null where it is in none (any more).
  private LowLevelTables tables;
  private RuntimeException failure;
  private RuntimeException failureOfSink;

  /** Takes what arrived within a pane. */
  @FunctionalInterface
  public interface Arrivals {
    /**
     * Some flows that arrived within a pane.
     *
     * @param start of the pane, in microseconds
     * @param flows that the filter kept
     * @param late of these, too late for every window of their time
     * @param ahead of these, with a time too far after their arrival
     * @param sampled of these, from sampled packets
     * @param samplingRate the highest of their rates, one of so many packets; 0 without one
     */
    void pane(long start, long flows, long late, long ahead, long sampled, long samplingRate);
  }

  /** One of the groupings of a member, which gets groups of a table. */
  record Part(LowLevelMember member, PartialRecipient recipient) {}

  LowLevelMember(long queryId, FlowQuery query, WindowSpec window, PartialSink sink) {
    this.queryId = queryId;
    this.window = window;
    this.groupings = LiveGroupings.of(query);
    this.sink = sink;
    this.canAdvance = LiveGroupings.canAdvance(query, window);
  }

  /** As {@link LiveGroupings#canAdvance}. */
  boolean canAdvance() {
    return canAdvance;
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

  LowLevelTables tables() {
    return tables;
  }

  void enter(LowLevelTables entered) {
    tables = entered;
  }

  /** Leaves its tables: nothing is sent to it any more, and its counters stand still. */
  void leave() {
    keepCounts();
    tables = null;
  }

  /** Takes over what its tables have counted: they begin anew. */
  void keepCounts() {
    before = before.plus(tables.counts(this));
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

  /**
   * What its evaluation failed with; null where it has not. Nothing is sent to it from then on.
   * What a sink throws is no failure of a query: it is thrown on to whoever called.
   */
  public RuntimeException failure() {
    return failure;
  }

  /**
   * Gives what arrived for it with the last batch, in no order: nothing of panes in which no flow
   * was kept by the filter, but for maybe one that is all zeros.
   */
  public void arrivalsOfBatch(Arrivals to) {
    if (tables != null) {
      tables.arrived().forEach(window.widthMicros(), to);
    }
  }

  /** What its tables are made of, and how often that changed since they were made for it. */
  public LowLevelTuning tuning() {
    return tables == null ? LowLevelTuning.NONE : tables.tuning(this);
  }

  /**
   * Counters since it came. Evictions and rows passed on are those of the tables that its groups
   * are in, whosever they are too.
   */
  public LowLevelCounts counts() {
    LowLevelCounts ofTables = tables == null ? before : before.plus(tables.counts(this));
    return ofTables.plus(LowLevelCounts.sent(partials, messages));
  }
}
