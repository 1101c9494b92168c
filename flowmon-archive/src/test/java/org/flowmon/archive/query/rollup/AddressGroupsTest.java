package org.flowmon.archive.query.rollup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;

/** Groups by address are in the order of addresses, which is that of their bytes, unsigned. */
class AddressGroupsTest {
  private static final String QUERY = "SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr";

  /** Many share an upper half, or a lower half; halves lie on both sides of 2^63. */
  private static IpAddress address(SplittableRandom random, boolean ipv6) {
    if (!ipv6 || random.nextInt(4) == 0) {
      return IpAddress.ofIpv4(random.nextInt());
    }
    long[] halves = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x2001_0db8_0000_0000L};
    long high = random.nextInt(3) == 0 ? random.nextLong() : halves[random.nextInt(halves.length)];
    long low = random.nextBoolean() ? random.nextLong() : halves[random.nextInt(halves.length)];
    return new IpAddress(high, low);
  }

  private static GroupTable table(List<IpAddress> addresses) {
    GroupCollector collector = new GroupCollector(QueryParser.parse(QUERY));
    int[] selection = new int[Vector.CAPACITY];
    for (int i = 0; i < selection.length; i++) {
      selection[i] = i;
    }
    for (int from = 0; from < addresses.size(); from += Vector.CAPACITY) {
      List<IpAddress> some =
          addresses.subList(from, Math.min(addresses.size(), from + Vector.CAPACITY));
      FlowBatchBuilder builder = new FlowBatchBuilder(some.size());
      for (IpAddress address : some) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, 1);
        if (address != null) {
          builder.setAddress(FlowColumn.SRC_ADDR, address);
        }
        builder.endRow();
      }
      FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
      collector.add(batch, 0, selection, some.size());
    }
    return collector.table();
  }

  @Test
  void groupsStandInTheOrderOfTheirAddresses() {
    for (long seed = 0; seed < 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      boolean ipv6 = seed % 3 != 0;
      boolean withNull = random.nextBoolean();
      List<IpAddress> addresses = new ArrayList<>();
      for (int n = random.nextInt(seed % 5 == 0 ? 3 : 3000); n > 0; n--) {
        addresses.add(withNull && random.nextInt(50) == 0 ? null : address(random, ipv6));
      }
      Set<IpAddress> distinct = new HashSet<>(addresses);
      boolean hasNull = distinct.remove(null);
      GroupTable table = table(addresses);
      AddressGroups groups = new AddressGroups(table);
      String context = "seed " + seed;
      assertEquals(hasNull, groups.nullGroup() >= 0, context);
      List<IpAddress> found = new ArrayList<>();
      long[] address = new long[2];
      for (int place = 0; place < groups.size(); place++) {
        found.add(new IpAddress(groups.high()[place], groups.low()[place]));
        assertTrue(table.readAddress(groups.group(place), 0, address), context);
        assertArrayEquals(new long[] {groups.high()[place], groups.low()[place]}, address, context);
      }
      assertEquals(List.copyOf(new TreeSet<>(distinct)), found, context);
    }
  }
}
