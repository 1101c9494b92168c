package org.flowmon.archive.group;

import java.util.List;
import java.util.function.Supplier;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.segment.SegmentReader;

/**
 * All rows of a query that have the same first key.
 *
 * @param number of the key
 * @param count how many rows, about
 */
public record KeyedRows(int number, List<OfSegment> lists, long count) {
  /**
   * Those of one segment.
   *
   * @param rows reads them, on the thread that needs them
   */
  public record OfSegment(SegmentReader segment, Supplier<RowSet> rows) {}
}
