package org.flowmon.udaf.table;

import org.flowmon.udaf.query.FlowQuery;

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

  /** One of the groupings of a member, which gets groups of a table. */
  record Part(LowLevelMember member, PartialRecipient recipient) {}

  LowLevelMember(long queryId, FlowQuery query, WindowSpec window, PartialSink sink) {
    this.queryId = queryId;
    this.window = window;
    this.groupings = LiveGroupings.of(query);
    this.sink = sink;
    this.canAdvance = WindowTables.canAdvance(query, window);
  }

  /** As {@link WindowTables#canAdvance}. */
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

  /** Flows of the last batch that the filter kept and that come from sampled packets. */
  public long sampledOfBatch() {
    return tables == null ? 0 : tables.sampled().flows();
  }

  /** The highest of their sampling rates, one of so many packets; 0 without one. */
  public long samplingRateOfBatch() {
    return tables == null ? 0 : tables.sampled().highestRate();
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
