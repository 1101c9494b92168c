package org.flowmon.archive.query.scan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.query.filter.ExpressionColumns;
import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.archive.query.rollup.SegmentCells;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;

/**
 * Records the work on each piece of a segment, by the growth of a scan's counts. Used by one
 * thread.
 *
 * <p>Bytes are estimated, not counted one by one: of each examined row the columns of the filter,
 * of each kept row those columns that only the answer needs, by their encoded size in the segment.
 */
public final class AccessMeter {
  private final SegmentScan scan;
  private final boolean isKept;
  private final FlowQuery query;
  private final Expression where;
  private Set<FlowColumn> ofFilter; // null before the first segment: many queries open none
  private Set<FlowColumn> ofAnswer;
  private final List<SegmentAccess> accesses = new ArrayList<>();
  private long examined;
  private long matched;
  private long decided;
  private int read;
  private int byIndex;
  private int byRollup;
  private long cells;

  /**
   * A meter.
   *
   * @param where the filter, null for none
   * @param isKept whether {@link #accesses} are wanted
   */
  public AccessMeter(SegmentScan scan, FlowQuery query, Expression where, boolean isKept) {
    this.scan = scan;
    this.isKept = isKept;
    this.query = query;
    this.where = where;
  }

  /** Estimates the bytes of a row that are read if every examined row is kept. */
  public static double bytesPerRow(SegmentReader segment, FlowQuery query, Expression where) {
    AccessMeter meter = new AccessMeter(null, query, where, false);
    meter.findColumns();
    long bytes = bytesOf(segment, meter.ofFilter) + bytesOf(segment, meter.ofAnswer);
    return (double) bytes / segment.rows();
  }

  private void findColumns() {
    ofFilter = where == null ? Set.of() : ExpressionColumns.of(where);
    ofAnswer = EnumSet.noneOf(FlowColumn.class);
    query.groupBy().forEach(key -> ofAnswer.addAll(ExpressionColumns.of(key)));
    query.select().forEach(item -> ofAnswer.addAll(ExpressionColumns.of(item.what())));
    query.orderBy().forEach(item -> ofAnswer.addAll(ExpressionColumns.of(item.what())));
    if (query.having() != null) {
      ofAnswer.addAll(ExpressionColumns.of(query.having()));
    }
    ofAnswer.removeAll(ofFilter);
  }

  /** Records that a piece of a segment was read. */
  public long pieceRead(SegmentLease lease) {
    if (ofFilter == null) {
      findColumns();
    }
    SegmentReader segment = lease.rows();
    long examinedNow = scan.rowsExamined() - examined;
    long matchedNow = scan.rowsMatched() - matched;
    long bytesNow =
        (examinedNow * bytesOf(segment, ofFilter) + matchedNow * bytesOf(segment, ofAnswer))
            / segment.rows();
    if (isKept) {
      long cellsNow = scan.cells().stream().mapToLong(SegmentCells::cells).sum() + scan.cellsRead();
      SegmentAccess.Way way =
          scan.segmentsRead() == read
              ? SegmentAccess.Way.NONE
              : scan.segmentsByRollup() > byRollup
                  ? SegmentAccess.Way.SUMS
                  : scan.segmentsByIndex() > byIndex
                      ? SegmentAccess.Way.INDEX
                      : SegmentAccess.Way.SCAN;
      accesses.add(
          new SegmentAccess(
              segment.sealed().id(),
              segment.rows() - lease.firstRow(),
              way,
              1,
              examinedNow,
              matchedNow,
              scan.valuesDecided() - decided,
              cellsNow - cells,
              bytesNow));
      cells = cellsNow;
      decided = scan.valuesDecided();
      read = scan.segmentsRead();
      byRollup = scan.segmentsByRollup();
      byIndex = scan.segmentsByIndex();
    }
    examined += examinedNow;
    matched += matchedNow;
    return bytesNow;
  }

  /** Encoded bytes of all values of the columns; a segment is less than 2 GiB. */
  private static long bytesOf(SegmentReader segment, Set<FlowColumn> columns) {
    long sum = 0;
    for (FlowColumn column : columns) {
      sum += segment.encodedBytes(column);
    }
    return sum;
  }

  /** The accesses of all segments whose pieces some meters saw, by id. */
  public static List<SegmentAccess> ofSegments(Collection<AccessMeter> meters) {
    Map<String, SegmentAccess> all = new TreeMap<>();
    for (AccessMeter meter : meters) {
      meter.accesses.forEach(
          access -> all.merge(access.segment(), access, SegmentAccess::ofPieces));
    }
    return List.copyOf(all.values());
  }
}
