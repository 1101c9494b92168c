package org.flowmon.archive.query.posting;

import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** The addresses of a sidecar's column. */
public record IndexDictionary(SegmentIndex index, FlowColumn column) implements AddressDictionary {
  @Override
  public int size() {
    return index.dictionarySize(column);
  }

  @Override
  public int lowerBound(IpAddress address) {
    return index.lowerBound(column, address.hi(), address.lo());
  }

  @Override
  public IpAddress address(int id) {
    return index.address(column, id);
  }

  @Override
  public void readAddresses(int[] ids, int n, long[] high, long[] low) {
    index.readAddresses(column, ids, n, high, low);
  }

  @Override
  public void readAddresses(int from, int n, long[] high, long[] low) {
    index.readAddresses(column, from, n, high, low);
  }
}
