package org.flowmon.ingest.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  /** One host may have all addresses of a /64. */
  @Test
  void addressesOfOneNetworkOfIpv6AreOnePeer() {
    ConnectionLimits limits = new ConnectionLimits(10, 10, 2, LONG, LONG, LONG);
    List<IpAddress> open =
        List.of(
            IpAddress.parse("2001:db8:0:1::1"),
            IpAddress.parse("2001:db8:0:1:ffff::2"),
            IpAddress.parse("192.0.2.1"));
    assertTrue(limits.areTooMany(open, IpAddress.parse("2001:db8:0:1::3")));
    assertFalse(limits.areTooMany(open, IpAddress.parse("2001:db8:0:2::1")));
    assertFalse(limits.areTooMany(open, IpAddress.parse("192.0.2.1")));
    assertFalse(limits.areTooMany(open, IpAddress.parse("192.0.2.2")));
  }

  @Test
  void theOldestHandshakeOfThePeerThatHasItsShareGivesWayOrElseTheOldestOfAll() {
    ConnectionLimits limits = new ConnectionLimits(10, 4, 2, LONG, LONG, LONG);
    IpAddress[] peers = new IpAddress[5];
    Arrays.setAll(peers, i -> IpAddress.parse("192.0.2." + (i + 1)));
    List<IpAddress> open = List.of(peers[0], peers[1], peers[1]);
    assertEquals(OptionalInt.empty(), limits.displaced(open, peers[0]));
    assertEquals(OptionalInt.of(1), limits.displaced(open, peers[1]));
    List<IpAddress> full = List.of(peers[0], peers[2], peers[1], peers[1]);
    assertEquals(OptionalInt.of(0), limits.displaced(full, peers[3]));
    assertEquals(OptionalInt.of(2), limits.displaced(full, peers[1]));
  }
}
