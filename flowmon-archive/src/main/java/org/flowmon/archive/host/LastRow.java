package org.flowmon.archive.host;

import java.util.Collection;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.TimeKeys;
import org.flowmon.archive.sorted.AddressList;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.flow.IpAddress;

/**
 * Finds the newest visible row of an address in a segment, whose rows are sorted by time key, of
 * those before a time.
 */
final class LastRow {
  private static final int BLOCK = 1024;

  private final SegmentLease lease;
  private final SegmentReader segment;
  private final long asOf;
  private final int endRow;
  private final boolean allArrived;
  private final Collection<String> warnings;
  private final long[] value = new long[1];

  LastRow(SegmentLease lease, long before, long asOf, Collection<String> warnings) {
    this.lease = lease;
    this.segment = lease.rows();
    this.asOf = asOf;
    this.endRow =
        segment.sealed().timeKey().max() < before
            ? segment.rows()
            : new TimeKeys(segment).lowerBound(before);
    this.allArrived =
        asOf == Long.MAX_VALUE
            || (segment.sealed().arrival().max() <= asOf
                && segment.nullCount(FlowColumn.ARRIVAL) == 0);
    this.warnings = warnings;
  }

  /** The time key of the newest row with this address, {@link LastSeen#NEVER} if none is. */
  long timeKeyOf(IpAddress address) {
    int row = Math.max(last(FlowColumn.SRC_ADDR, address), last(FlowColumn.DST_ADDR, address));
    return row < 0 ? LastSeen.NEVER : new TimeKeys(segment).at(row);
  }

  private int last(FlowColumn column, IpAddress address) {
    if (segment.presence(column) == Presence.ABSENT) {
      return -1;
    }
    SegmentIndex index = lease.index();
    if (index != null && index.isIndexed(column)) {
      try {
        return last(index.lookup(column, address));
      } catch (SegmentCorruptException e) {
        lease.indexFailed(String.valueOf(e.getMessage()));
      }
    }
    if (lease.indexProblem() != null) {
      warnings.add(lease.readInstead(lease.indexProblem()));
    }
    return lastByScan(column, address);
  }

  private int last(RowSet all) {
    boolean isWithin = !all.isEmpty() && all.first() >= lease.firstRow() && all.last() < endRow;
    RowSet rows = isWithin ? all : all.and(RowSet.range(lease.firstRow(), endRow));
    if (rows.isEmpty()) {
      return -1;
    }
    if (allArrived) {
      return rows.last();
    }
    int[] candidates = rows.toArray();
    for (int i = candidates.length - 1; i >= 0; i--) {
      if (hasArrived(candidates[i])) {
        return candidates[i];
      }
    }
    return -1;
  }

  private int lastByScan(FlowColumn column, IpAddress address) {
    int id = idOf(column, address);
    int[] ids = new int[BLOCK];
    for (int to = endRow; id >= 0 && to > lease.firstRow(); to -= BLOCK) {
      int from = Math.max(lease.firstRow(), to - BLOCK);
      segment.readIds(column, from, to - from, ids);
      for (int row = to - 1; row >= from; row--) {
        if (ids[row - from] == id && (allArrived || hasArrived(row))) {
          return row;
        }
      }
    }
    return -1;
  }

  private int idOf(FlowColumn column, IpAddress address) {
    AddressList dictionary = segment.addresses(column);
    int id = dictionary.lowerBound(address.hi(), address.lo());
    boolean found =
        id < dictionary.size()
            && dictionary.high(id) == address.hi()
            && dictionary.low(id) == address.lo();
    return found ? id : -1;
  }

  private boolean hasArrived(int row) {
    segment.readValidity(FlowColumn.ARRIVAL, row, 1, value);
    boolean known = (value[0] & 1) != 0;
    segment.readLongs(FlowColumn.ARRIVAL, row, 1, value);
    return known && value[0] <= asOf;
  }
}
