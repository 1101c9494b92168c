package org.flowmon.udaf.enrich;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTableTest {
  /** Prefixes in few places, so that many lie in one another, with their entries. */
  static List<IpPrefix> prefixes(Random random, int count) {
    List<IpPrefix> prefixes = new ArrayList<>();
    while (prefixes.size() < count) {
      IpAddress address = address(random);
      int most = address.isIpv4() ? 32 : 128;
      IpPrefix prefix = new IpPrefix(address, random.nextInt(4) == 0 ? most : random.nextInt(most));
      if (!prefixes.contains(prefix)) {
        prefixes.add(prefix);
      }
    }
    prefixes.sort(Comparator.comparing(IpPrefix::first).thenComparing(IpPrefix::length));
    return prefixes;
  }

  static IpAddress address(Random random) {
    if (random.nextBoolean()) {
      int[] places = {0, -1, 0x0a00_0000, 0xc000_0200, random.nextInt()};
      return IpAddress.ofIpv4(places[random.nextInt(5)] ^ random.nextInt() >>> random.nextInt(32));
    }
    long[] places = {0, -1, 0x2001_0db8_0000_0000L, random.nextLong()};
    long hi = places[random.nextInt(4)] ^ random.nextLong() >>> random.nextInt(64);
    long lo = places[random.nextInt(2)] ^ random.nextLong() >>> random.nextInt(64);
    return new IpAddress(hi, lo);
  }

  static AddressTable table(List<IpPrefix> prefixes) {
    AddressTable.Builder table = new AddressTable.Builder();
    for (int entry = 0; entry < prefixes.size(); entry++) {
      add(table, prefixes.get(entry), entry);
    }
    return table.build();
  }

  private static void add(AddressTable.Builder table, IpPrefix prefix, int entry) {
    IpAddress first = prefix.first();
    IpAddress last = prefix.last();
    if (first.isIpv4()) {
      table.addIpv4((int) first.lo(), (int) last.lo(), entry);
    } else {
      table.addIpv6(first.hi(), first.lo(), last.hi(), last.lo(), entry);
    }
  }

  private static int longest(List<IpPrefix> prefixes, IpAddress address) {
    int best = -1;
    for (int i = 0; i < prefixes.size(); i++) {
      IpPrefix prefix = prefixes.get(i);
      if (prefix.contains(address.hi(), address.lo())
          && (best < 0 || prefix.length() > prefixes.get(best).length())) {
        best = i;
      }
    }
    return best;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void theSmallestPrefixAroundAnAddressIsFound(long seed) {
    Random random = new Random(seed);
    List<IpPrefix> prefixes = prefixes(random, 1 + random.nextInt(400));
    AddressTable table = table(prefixes);
    int found = 0;
    for (int i = 0; i < 20_000; i++) {
      IpPrefix near = prefixes.get(random.nextInt(prefixes.size()));
      IpAddress address =
          switch (i % 4) {
            case 0 -> near.first();
            case 1 -> near.last();
            case 2 -> new IpAddress(near.first().hi(), near.first().lo() - 1);
            default -> address(random);
          };
      int entry = table.find(address.hi(), address.lo());
      assertEquals(longest(prefixes, address), entry, "seed " + seed + ": " + address);
      found += entry < 0 ? 0 : 1;
    }
    assertTrue(found > 5000, found + " found");
  }

  @Test
  void tablesOfAnySizeFindTheirStretches() {
    for (int size = 1; size <= 1 << 18; size = size < 70 ? size + 1 : 2 * size + 1) {
      long width = (1L << 32) / size;
      AddressTable.Builder builder = new AddressTable.Builder();
      for (int entry = 0; entry < size; entry++) {
        builder.addIpv4((int) (entry * width), (int) ((entry + 1) * width - 1), entry);
      }
      AddressTable table = builder.build();
      for (int entry = 0; entry < size; entry += 1 + size / 100) {
        long first = IpAddress.ipv4Low((int) (entry * width));
        long last = IpAddress.ipv4Low((int) ((entry + 1) * width - 1));
        assertEquals(entry, table.find(0, first), size + " stretches");
        assertEquals(entry, table.find(0, last), size + " stretches");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8, 9})
  void theRangesOfAnEntryHoldItsAddressesAlone(long seed) {
    Random random = new Random(seed);
    List<IpPrefix> prefixes = prefixes(random, 100);
    AddressTable table = table(prefixes);
    for (int entry = 0; entry < prefixes.size(); entry++) {
      int wanted = entry;
      int[] ranges = {0};
      boolean areAll =
          table.ranges(
              entry,
              10_000,
              (firstHi, firstLo, lastHi, lastLo) -> {
                ranges[0]++;
                assertEquals(wanted, table.find(firstHi, firstLo));
                assertEquals(wanted, table.find(lastHi, lastLo));
              });
      assertTrue(areAll);
      assertEquals(ranges[0] == 0, table.ranges(entry, 0, (a, b, c, d) -> {}));
      if (ranges[0] > 0) {
        assertFalse(table.ranges(entry, ranges[0] - 1, (a, b, c, d) -> {}));
      }
      IpAddress first = prefixes.get(entry).first();
      if (table.find(first.hi(), first.lo()) == entry) {
        assertTrue(ranges[0] > 0, "seed " + seed + ": no range of " + prefixes.get(entry));
      }
    }
  }

  @Test
  void rangesThatCrossOrComeOutOfOrderAreRefused() {
    AddressTable.Builder crossing = new AddressTable.Builder();
    crossing.addIpv4(10, 20, 0);
    assertThrows(IllegalArgumentException.class, () -> crossing.addIpv4(15, 25, 1));
    AddressTable.Builder unordered = new AddressTable.Builder();
    unordered.addIpv6(5, 0, 6, 0, 0);
    assertThrows(IllegalArgumentException.class, () -> unordered.addIpv6(4, 0, 4, 9, 1));
  }
}
