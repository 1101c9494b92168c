package org.flowmon.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.junit.jupiter.api.Test;

class ProtectedNetworksTest {
  private static final long SEED = 20261121;

  @Test
  void anAddressIsInsideWhereAnyOfThePrefixesContainsIt() {
    for (int round = 0; round < 500; round++) {
      Random random = new Random(SEED + round);
      List<IpPrefix> prefixes = new ArrayList<>();
      for (int i = random.nextInt(8); i > 0; i--) {
        IpAddress address = address(random);
        int bits = random.nextInt(address.isIpv4() ? 33 : 129);
        prefixes.add(new IpPrefix(address, bits));
      }
      ProtectedNetworks networks = new ProtectedNetworks(prefixes);
      for (int i = 0; i < 200; i++) {
        IpAddress address = address(random);
        assertEquals(
            prefixes.stream().anyMatch(p -> p.contains(address.hi(), address.lo())),
            networks.contains(address.hi(), address.lo()),
            "seed " + (SEED + round) + ": " + address + " in " + prefixes);
      }
    }
  }

  /** Draws from few values, so that many addresses lie inside. */
  private static IpAddress address(Random random) {
    return random.nextBoolean()
        ? IpAddress.ofIpv4(random.nextInt(8) << 29 | random.nextInt(4))
        : new IpAddress((long) random.nextInt(4) << 62, random.nextInt(4));
  }
}
