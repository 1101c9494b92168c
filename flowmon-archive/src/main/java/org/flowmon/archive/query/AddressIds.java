package org.flowmon.archive.query;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.query.AddressRanges;

/**
 * Ids of a dictionary whose addresses are within some ranges.
 *
 * @param from the first of them
 * @param to one past the last
 */
record AddressIds(int from, int to) {
  /** Disjoint and ascending. */
  static List<AddressIds> of(SegmentIndex index, FlowColumn column, AddressRanges addresses) {
    List<AddressIds> ids = new ArrayList<>();
    int size = index.dictionarySize(column);
    for (AddressRanges.Range range : addresses.ranges()) {
      int from = index.lowerBound(column, range.first().hi(), range.first().lo());
      IpAddress last = range.last();
      int to = range.isPoint() ? from : index.lowerBound(column, last.hi(), last.lo());
      to += to < size && index.address(column, to).equals(last) ? 1 : 0;
      if (from < to) {
        ids.add(new AddressIds(from, to));
      }
    }
    return ids;
  }
}
