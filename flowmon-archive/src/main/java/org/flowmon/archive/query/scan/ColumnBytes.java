package org.flowmon.archive.query.scan;

import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.query.filter.ExpressionColumns;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the bytes that a query reads: of each examined row the columns of the filter, of each
 * kept row those columns that only the answer needs, by their encoded size in the segment.
 * Immutable.
 */
public final class ColumnBytes {
  private final Set<FlowColumn> ofFilter;
  private final Set<FlowColumn> ofAnswer = new TreeSet<>();

  /** {@code where} is null for none. */
  public ColumnBytes(FlowQuery query, @Nullable Expression where) {
    ofFilter = where == null ? Set.of() : ExpressionColumns.of(where);
    query.groupBy().forEach(key -> ofAnswer.addAll(ExpressionColumns.of(key)));
    query.select().forEach(item -> ofAnswer.addAll(ExpressionColumns.of(item.what())));
    query.orderBy().forEach(item -> ofAnswer.addAll(ExpressionColumns.of(item.what())));
    if (query.having() != null) {
      ofAnswer.addAll(ExpressionColumns.of(query.having()));
    }
    ofAnswer.removeAll(ofFilter);
  }

  public long of(SegmentReader segment, long examined, long kept) {
    return (examined * bytes(segment, ofFilter) + kept * bytes(segment, ofAnswer)) / segment.rows();
  }

  /** Bytes of a row that are read if every examined row is kept. */
  public double ofRow(SegmentReader segment) {
    return (double) (bytes(segment, ofFilter) + bytes(segment, ofAnswer)) / segment.rows();
  }

  /** Encoded bytes of all values of the columns; a segment is less than 2 GiB. */
  private static long bytes(SegmentReader segment, Set<FlowColumn> columns) {
    long sum = 0;
    for (FlowColumn column : columns) {
      sum += segment.encodedBytes(column);
    }
    return sum;
  }
}
