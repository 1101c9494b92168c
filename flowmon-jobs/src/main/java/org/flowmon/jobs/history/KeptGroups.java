package org.flowmon.jobs.history;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.query.Constraints;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.LongRanges;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.Value;

/**
 * What windows before have asked of {@link ListedGroups}: as long as the query says the same but
 * for its list, and nothing has arrived since that it is about, only values that are new are looked
 * up. So a history of whole hours is read once an hour, however short windows are. Thread-safe.
 */
final class KeptGroups {
  /** Values and rows that are kept at most: beyond, it begins again with those of one window. */
  static final int MAX_ROWS = RecentAnswers.MAX_ROWS;

  private final LongAdder known = new LongAdder();
  private Kept kept; // guarded by this

  /**
   * Exact answers, put together.
   *
   * @param rest of the query
   * @param archive that was asked
   * @param expired rows that had expired by then
   * @param asOf what arrived later is not seen, in microseconds
   * @param asked the values
   * @param rows their groups, in order
   */
  record Kept(
      FlowQuery rest, UUID archive, long expired, long asOf, Set<Value> asked, ResultTable rows) {}

  /** What still holds; null where nothing does. */
  Kept of(FlowQuery rest, ArchiveSnapshot snapshot, long asOf) {
    Kept last;
    synchronized (this) {
      last = kept;
    }
    return last != null
            && last.archive.equals(snapshot.archive())
            && last.expired == snapshot.expiredRows()
            && last.rest.equals(rest)
            && !arrived(snapshot, rest, Math.min(last.asOf, asOf), Math.max(last.asOf, asOf))
        ? last
        : null;
  }

  /** Keeps an exact answer. */
  synchronized void keep(Kept answer) {
    kept = answer.asked.size() <= MAX_ROWS && answer.rows.rowCount() <= MAX_ROWS ? answer : null;
  }

  /** Whether what the query asks about may have arrived after a time, and by another. */
  private static boolean arrived(ArchiveSnapshot snapshot, FlowQuery rest, long after, long by) {
    if (after == by) {
      return false;
    }
    LongRanges times = Constraints.of(rest.where()).longs(FlowColumn.END_TIME);
    for (SealedSegment segment : snapshot.segments()) {
      TimeRange arrival = segment.arrival();
      TimeRange ends = segment.endTime();
      if (arrival.max() > after
          && arrival.min() <= by
          && (times == null || times.intersects(ends.min(), ends.max()))) {
        return true;
      }
    }
    return false;
  }

  /** The values that are not among them; NULL is equal to none. */
  Set<Value> missing(Kept kept, List<Value> values) {
    Set<Value> missing = new HashSet<>();
    for (Value value : values) {
      if (kept != null && kept.asked.contains(value)) {
        known.increment();
      } else if (!value.isNull()) {
        missing.add(value);
      }
    }
    return missing;
  }

  /** How many values of lists were known so far. */
  long known() {
    return known.sum();
  }

  /** The rows of some values, in their order. */
  static ResultTable rowsOf(ResultTable rows, ListedGroups shape, List<Value> values) {
    Set<Value> wanted = new HashSet<>(values);
    int[] chosen = new int[rows.rowCount()];
    int n = 0;
    for (int row = 0; row < rows.rowCount(); row++) {
      if (wanted.contains(rows.value(row, shape.keyColumn()))) {
        chosen[n++] = row;
      }
    }
    return n == rows.rowCount() ? rows : rows.withRows(Arrays.copyOf(chosen, n));
  }

  /** Rows of different groups in one table, in order. */
  static ResultTable merged(ResultTable a, ResultTable b, ListedGroups shape) {
    if (a.rowCount() == 0 || b.rowCount() == 0) {
      return a.rowCount() == 0 ? b : a;
    }
    int rows = Math.addExact(a.rowCount(), b.rowCount());
    ResultTable.Builder both = new ResultTable.Builder();
    for (int c = 0; c < a.columnCount(); c++) {
      both.column(a.name(c), a.kind(c));
    }
    both.reserve(rows);
    int[] keys = shape.keyColumns();
    int ofA = 0;
    int ofB = 0;
    while (ofA + ofB < rows) {
      boolean isFromA =
          ofB == b.rowCount() || (ofA < a.rowCount() && compare(a, ofA, b, ofB, keys) < 0);
      copy(isFromA ? a : b, isFromA ? ofA++ : ofB++, both);
    }
    return both.build();
  }

  /** As groups are ordered that no ORDER BY orders. */
  private static int compare(ResultTable a, int rowA, ResultTable b, int rowB, int[] keys) {
    for (int key : keys) {
      int order = compare(a, rowA, b, rowB, key);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static int compare(ResultTable a, int rowA, ResultTable b, int rowB, int column) {
    if (a.isNull(rowA, column) || b.isNull(rowB, column)) {
      return Boolean.compare(a.isNull(rowA, column), b.isNull(rowB, column));
    }
    long lowA = a.low(rowA, column);
    long lowB = b.low(rowB, column);
    return switch (a.kind(column)) {
      case ADDRESS -> IpAddress.compare(a.high(rowA, column), lowA, b.high(rowB, column), lowB);
      case DOUBLE -> Double.compare(Double.longBitsToDouble(lowA), Double.longBitsToDouble(lowB));
      default -> Long.compare(lowA, lowB);
    };
  }

  private static void copy(ResultTable from, int row, ResultTable.Builder to) {
    to.row();
    for (int c = 0; c < from.columnCount(); c++) {
      if (from.isNull(row, c)) {
        continue;
      }
      switch (from.kind(c)) {
        case TEXT -> to.set(c, from.text(row, c));
        case DOUBLE -> to.set(c, from.low(row, c));
        default -> to.set(c, from.high(row, c), from.low(row, c));
      }
    }
  }
}
