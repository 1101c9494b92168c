package org.flowmon.archive.query.group;

import java.util.List;
import org.flowmon.archive.segment.reader.EncodedRows;
import org.flowmon.archive.segment.reader.SegmentReader;

/** Collects the rows that a filter kept, for one thread. */
public interface RowCollector {
  default void begin(SegmentReader segment) {}

  /** Announces about so many rows of the segment. */
  default void expect(int rows) {}

  /**
   * Adds n rows; {@code selection} is relative to {@code from}, ascending, below {@link
   * org.flowmon.udaf.vector.Vector#CAPACITY}.
   */
  void add(EncodedRows rows, int from, int[] selection, int n);

  default void end() {}

  /** Whether no further row can change the answer. */
  default boolean isComplete() {
    return false;
  }

  static RowCollector ofAll(List<RowCollector> collectors) {
    return collectors.size() == 1 ? collectors.get(0) : new Several(collectors);
  }

  /** Several collectors of the same rows. */
  record Several(List<RowCollector> all) implements RowCollector {
    @Override
    public void begin(SegmentReader segment) {
      all.forEach(one -> one.begin(segment));
    }

    @Override
    public void add(EncodedRows rows, int from, int[] selection, int n) {
      for (RowCollector one : all) {
        one.add(rows, from, selection, n);
      }
    }

    @Override
    public void end() {
      all.forEach(RowCollector::end);
    }
  }
}
