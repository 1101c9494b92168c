package org.flowmon.archive.query.posting;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.set.AddressRanges;

/** A dictionary's ids {@code from … to − 1}, with addresses within some ranges. */
public record AddressIds(int from, int to) {
  public static List<AddressIds> of(
      SegmentIndex index, FlowColumn column, AddressRanges addresses) {
    return of(new IndexDictionary(index, column), addresses);
  }

  /** The ids of addresses within ranges, disjoint and ascending. */
  public static List<AddressIds> of(AddressDictionary dictionary, AddressRanges addresses) {
    List<AddressIds> ids = new ArrayList<>();
    int size = dictionary.size();
    for (AddressRanges.Range range : addresses.ranges()) {
      int from = dictionary.lowerBound(range.first());
      IpAddress last = range.last();
      int to = range.isPoint() ? from : dictionary.lowerBound(last);
      to += to < size && dictionary.address(to).equals(last) ? 1 : 0;
      if (from < to) {
        ids.add(new AddressIds(from, to));
      }
    }
    return ids;
  }
}
