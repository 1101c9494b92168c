package org.flowmon.archive.query.rollup;

import org.flowmon.archive.days.DayDictionary;
import org.flowmon.archive.query.posting.AddressDictionary;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** The addresses of a column in a run of day sums. */
record RunDictionary(DayDictionary addresses, FlowColumn column) implements AddressDictionary {
  @Override
  public int size() {
    return addresses.size();
  }

  @Override
  public int lowerBound(IpAddress address) {
    return addresses.lowerBound(address.hi(), address.lo());
  }

  @Override
  public IpAddress address(int id) {
    return new IpAddress(addresses.high(id), addresses.low(id));
  }

  @Override
  public void readAddresses(int[] ids, int n, long[] high, long[] low) {
    for (int i = 0; i < n; i++) {
      high[i] = addresses.high(ids[i]);
      low[i] = addresses.low(ids[i]);
    }
  }

  @Override
  public void readAddresses(int from, int n, long[] high, long[] low) {
    addresses.read(from, n, high, low);
  }
}
