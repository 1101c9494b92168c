package org.flowmon.archive.query.group.list;

import java.util.List;
import java.util.function.Supplier;
import org.flowmon.archive.index.RowCursor;
import org.flowmon.archive.segment.reader.SegmentReader;

/**
 * All rows of a query that have the same first key.
 *
 * @param number of the key
 * @param count how many rows at most
 */
public record KeyedRows(int number, List<OfSegment> lists, long count) {
  /**
   * Those of one segment.
   *
   * @param rows begins to read them, on the thread that needs them
   */
  public record OfSegment(SegmentReader segment, Supplier<RowCursor> rows) {}
}
