package org.flowmon.udaf.node;

import org.flowmon.flow.FlowRows;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/** NETWORK: clears the host bits of addresses. */
public final class NetworkNode extends ValueNode {
  private final ValueNode address;
  private final long ipv4Low;
  private final long ipv6High;
  private final long ipv6Low;

  public NetworkNode(ValueNode address, int ipv4Bits, int ipv6Bits) {
    super(ValueKind.ADDRESS);
    this.address = address;
    this.ipv4Low = IpPrefix.lowMask(ipv4Bits + 96);
    this.ipv6High = IpPrefix.highMask(ipv6Bits);
    this.ipv6Low = IpPrefix.lowMask(ipv6Bits);
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    if (address.kind() == null) {
      out.setAllNull(count);
      return;
    }
    address.evaluate(rows, from, count, out);
    long[] high = out.requireHigh();
    long[] low = out.values();
    for (int i = 0; i < count; i++) {
      if (IpAddress.isIpv4(high[i], low[i])) {
        low[i] &= ipv4Low;
      } else {
        high[i] &= ipv6High;
        low[i] &= ipv6Low;
      }
    }
  }
}
