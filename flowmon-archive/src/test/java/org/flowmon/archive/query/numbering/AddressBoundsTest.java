package org.flowmon.archive.query.numbering;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;

class AddressBoundsTest {
  private static IpAddress[] list(SplittableRandom random, int size, boolean ipv6) {
    long network = random.nextLong(1 << 20);
    return random
        .longs(2L * size, 0, 1L << 30)
        .distinct()
        .limit(size)
        .sorted()
        .mapToObj(
            host ->
                ipv6
                    ? new IpAddress(0x2001_0db8_0000_0000L + network, host)
                    : IpAddress.ofIpv4((int) host))
        .toArray(IpAddress[]::new);
  }

  private static IpAddress[] bounds(List<IpAddress[]> lists, int wanted) {
    int[] sizes = lists.stream().mapToInt(list -> list.length).toArray();
    return AddressBounds.of(sizes, wanted, (list, place) -> lists.get(list)[place]);
  }

  private static int[] entries(List<IpAddress[]> lists, IpAddress[] bounds) {
    int[] entries = new int[bounds.length + 1];
    for (IpAddress[] list : lists) {
      for (IpAddress address : list) {
        int p = Arrays.binarySearch(bounds, address);
        entries[p < 0 ? -p - 1 : p + 1]++;
      }
    }
    return entries;
  }

  @Test
  void noRangeHasMostEntriesHoweverDifferentTheListsAre() {
    for (long seed = 1; seed <= 30; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<IpAddress[]> lists = new ArrayList<>();
      // Only the largest list has IPv4 addresses; all others are after its last.
      lists.add(list(random, 5000, false));
      int others = random.nextInt(12);
      for (int l = 0; l < others; l++) {
        lists.add(list(random, random.nextInt(4000), true));
      }
      int wanted = 1 + random.nextInt(40);
      IpAddress[] bounds = bounds(lists, wanted);
      assertEquals(wanted, bounds.length + 1, "seed " + seed);
      for (int b = 1; b < bounds.length; b++) {
        assertTrue(bounds[b - 1].compareTo(bounds[b]) < 0, "seed " + seed);
      }
      int total = lists.stream().mapToInt(list -> list.length).sum();
      int most = Arrays.stream(entries(lists, bounds)).max().orElseThrow();
      assertTrue(
          most <= 3 * (total / wanted + 1),
          "seed " + seed + ": " + most + " of " + total + " in one of " + wanted);
    }
  }

  @Test
  void boundsAreDifferentWhereListsAreTheSame() {
    IpAddress[] one = list(new SplittableRandom(7), 3, false);
    List<IpAddress[]> lists = List.of(one, one, one, one);
    IpAddress[] bounds = bounds(lists, 10);
    assertTrue(bounds.length <= 3);
    assertArrayEquals(Arrays.stream(bounds).distinct().sorted().toArray(), bounds);
    assertEquals(0, bounds(List.of(), 4).length);
    List<IpAddress[]> empty = new ArrayList<>();
    empty.add(new IpAddress[0]);
    assertEquals(0, bounds(empty, 4).length);
  }
}
