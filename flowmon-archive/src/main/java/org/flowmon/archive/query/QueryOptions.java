package org.flowmon.archive.query;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.flowmon.archive.query.limit.ByteLimitException;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.archive.query.limit.RowLimitException;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.udaf.enrich.Enrichment;

/** Options of a query over the archive: {@link #DEFAULTS}, with changes. Immutable. */
public final class QueryOptions implements Cloneable {
  /** All rows, no limit of time, rows or bytes, one thread, checksums verified, rollups used. */
  public static final QueryOptions DEFAULTS = new QueryOptions();

  // Written before a copy is handed out, never afterwards.
  private long asOfArrival = Long.MAX_VALUE;
  private Optional<Supplier<Duration>> timeLeft = Optional.empty();
  private long rowLimit = Long.MAX_VALUE;
  private long byteLimit = Long.MAX_VALUE;
  private long groupMemory = HeapBudget.Part.QUERY.bytes();
  private int threads = 1;
  private boolean verifyChecksums = true;
  private boolean useRollups = true;
  private boolean explain;
  private int pieceRows = 1 << 18;
  private BooleanSupplier isGone = () -> false;
  private Enrichment enrichment = Enrichment.NONE;

  private QueryOptions() {}

  private QueryOptions with(Consumer<QueryOptions> change) {
    try {
      QueryOptions copy = (QueryOptions) clone();
      change.accept(copy);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e); // it is Cloneable
    }
  }

  private static void require(boolean fits, String expected, Object found) {
    if (!fits) {
      throw new IllegalArgumentException("expected " + expected + ", found " + found);
    }
  }

  /** In µs, inclusive; {@link Long#MAX_VALUE} sees all rows. */
  public QueryOptions withAsOfArrival(long micros) {
    return with(copy -> copy.asOfArrival = micros);
  }

  /** Beyond it {@link QueryTimeoutException} is thrown. */
  public QueryOptions withTimeLimit(Duration limit) {
    require(!limit.isNegative(), "a time limit of 0 or more", limit);
    return withTimeLeft(() -> limit);
  }

  /**
   * As a time limit, at least 0, that each query asks for when it begins: several can share one.
   */
  public QueryOptions withTimeLeft(Supplier<Duration> left) {
    return with(copy -> copy.timeLeft = Optional.of(left));
  }

  /**
   * Limits rows that the filter is evaluated on, without rollups read for them; beyond it {@link
   * RowLimitException} is thrown. {@link Long#MAX_VALUE} for no limit.
   */
  public QueryOptions withRowLimit(long limit) {
    require(limit >= 0, "a row limit of 0 or more", limit);
    return with(copy -> copy.rowLimit = limit);
  }

  /**
   * Limits bytes of columns read; beyond it {@link ByteLimitException} is thrown, once the current
   * segment is done. {@link Long#MAX_VALUE} for no limit.
   */
  public QueryOptions withByteLimit(long limit) {
    require(limit >= 0, "a byte limit of 0 or more", limit);
    return with(copy -> copy.byteLimit = limit);
  }

  /**
   * Bytes of heap that a query may take, half of the heap by default, charged in advance: groups
   * (of rows, packed or of sums) with the states of functions and the address numbers; results of
   * subqueries, rows of joins, values of IN (SELECT …), rows of a query without groups, and columns
   * of a grouped answer; not rows that are not in groups yet. If too little is left {@link
   * org.flowmon.udaf.value.AnswerTooLargeException} is thrown.
   */
  public QueryOptions withGroupMemory(long bytes) {
    require(bytes >= 0, "a memory of 0 or more bytes", bytes);
    return with(copy -> copy.groupMemory = bytes);
  }

  /** Threads that read segments of one aggregated query, at least 1. */
  public QueryOptions withThreads(int count) {
    require(count >= 1, "at least 1 thread", count);
    return with(copy -> copy.threads = count);
  }

  /** Whether a column's bytes are checked when this process first reads them. */
  public QueryOptions withVerifyChecksums(boolean verify) {
    return with(copy -> copy.verifyChecksums = verify);
  }

  /** Whether rollups may answer instead of rows; the answer is the same. */
  public QueryOptions withRollups(boolean use) {
    return with(copy -> copy.useRollups = use);
  }

  public QueryOptions withExplain(boolean wanted) {
    return with(copy -> copy.explain = wanted);
  }

  /** Threads share a segment of an aggregated query in pieces of at least so many rows. */
  public QueryOptions withPieceRows(int rows) {
    require(rows >= 1, "pieces of at least 1 row", rows);
    return with(copy -> copy.pieceRows = rows);
  }

  /**
   * Whether nobody waits for the answer any more, for example because the client has gone: then
   * {@link org.flowmon.archive.query.limit.QueryCancelledException} is thrown. Called on every
   * thread of the query, for each block of some milliseconds of work, so it has to be fast; it may
   * hold the thread, though, to let others work. Interrupting the query's thread ends it, too.
   */
  public QueryOptions withIsGone(BooleanSupplier gone) {
    return with(copy -> copy.isGone = gone);
  }

  /** The tables of enriched columns; the query keeps the versions of its begin. */
  public QueryOptions withEnrichment(Enrichment tables) {
    return with(copy -> copy.enrichment = tables);
  }

  public long asOfArrival() {
    return asOfArrival;
  }

  public long groupMemory() {
    return groupMemory;
  }

  public int threads() {
    return threads;
  }

  public boolean verifyChecksums() {
    return verifyChecksums;
  }

  public boolean useRollups() {
    return useRollups;
  }

  public boolean explain() {
    return explain;
  }

  public int pieceRows() {
    return pieceRows;
  }

  public Enrichment enrichment() {
    return enrichment;
  }

  /** These limits; the time starts now. */
  public Deadline deadline() {
    return new Deadline(timeLeft.map(Supplier::get), rowLimit, byteLimit, isGone);
  }

  @Override
  public String toString() {
    return String.format(
        "as of %d, limits %s, %d rows, %d bytes, groups of %d bytes, %d threads, pieces of %d rows,"
            + " verify %b, sums %b, explain %b",
        asOfArrival,
        timeLeft.map(left -> left.get().toString()).orElse("none"),
        rowLimit,
        byteLimit,
        groupMemory,
        threads,
        pieceRows,
        verifyChecksums,
        useRollups,
        explain);
  }
}
