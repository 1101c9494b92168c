package org.flowmon.archive.query.scan;

import org.flowmon.archive.query.group.RowCollector;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SelectedRows;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.vector.Vector;

/**
 * Evaluates a filter and collects rows; operators write candidates to {@link #rows}, at most {@link
 * Vector#CAPACITY} at a time. Not thread-safe.
 */
final class RowFilter {
  // If the filter keeps less than one row of so many, the kept ones are read one by one.
  private static final int SPARSE = 4;

  private final RowCollector collector;
  private final Deadline deadline;
  private final int[] rows = new int[Vector.CAPACITY];
  private final int[] selection = new int[Vector.CAPACITY];
  private final int[] identity = new int[Vector.CAPACITY];
  private long examined;
  private long matched;

  RowFilter(RowCollector collector, Deadline deadline) {
    this.collector = collector;
    this.deadline = deadline;
    for (int i = 0; i < identity.length; i++) {
      identity[i] = i;
    }
  }

  RowCollector collector() {
    return collector;
  }

  /** Number of rows on which the filter, or a dictionary in its place, was evaluated. */
  long examined() {
    return examined;
  }

  long matched() {
    return matched;
  }

  int[] rows() {
    return rows;
  }

  /** Whether so few rows are left of some that reading them one by one is faster. */
  static boolean isSparse(int left, int of) {
    return left * SPARSE < of;
  }

  void check() {
    deadline.check();
  }

  void leaveOut(int n) {
    deadline.read(n);
    examined += n;
  }

  void keep(SelectedRows selected, int n) {
    leaveOut(n);
    matched += n;
    if (n > 0) {
      collector.add(selected.select(rows, n), 0, identity, n);
    }
  }

  /** The n candidates are among {@code count} successive rows from {@code at} on; all pass. */
  void keep(SegmentReader segment, SelectedRows selected, int at, int count, int n) {
    if (isSparse(n, count)) {
      leaveOut(count - n);
      keep(selected, n);
      return;
    }
    leaveOut(count);
    matched += n;
    for (int i = 0; i < n; i++) {
      selection[i] = rows[i] - at;
    }
    collector.add(segment, at, selection, n);
  }

  void filter(SelectedRows selected, CompiledPredicate predicate, int n) {
    leaveOut(n);
    selected.select(rows, n);
    int kept = predicate.select(selected, 0, n, selection);
    matched += kept;
    if (!isSparse(kept, n)) {
      collector.add(selected, 0, selection, kept);
    } else if (kept > 0) {
      for (int i = 0; i < kept; i++) {
        rows[i] = rows[selection[i]];
      }
      collector.add(selected.select(rows, kept), 0, identity, kept);
    }
  }

  /** Collects those of {@code count} successive rows from {@code at} on that pass. */
  void filter(
      SegmentReader segment,
      SelectedRows selected,
      CompiledPredicate predicate,
      int at,
      int count) {
    leaveOut(count);
    int kept = predicate.select(segment, at, count, selection);
    matched += kept;
    if (!isSparse(kept, count)) {
      collector.add(segment, at, selection, kept);
    } else if (kept > 0) {
      for (int i = 0; i < kept; i++) {
        rows[i] = at + selection[i];
      }
      collector.add(selected.select(rows, kept), 0, identity, kept);
    }
  }
}
