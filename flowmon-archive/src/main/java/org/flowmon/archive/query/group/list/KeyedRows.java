package org.flowmon.archive.query.group.list;

import java.util.List;
import java.util.function.Supplier;
import org.flowmon.archive.index.RowCursor;
import org.flowmon.archive.segment.reader.SegmentReader;

/** All rows of a query with the same first key, {@code count} at most. */
public record KeyedRows(int number, List<OfSegment> lists, long count) {
  /** The rows of one segment; {@code rows} begins to read them, on the calling thread. */
  public record OfSegment(SegmentReader segment, Supplier<RowCursor> rows) {}
}
