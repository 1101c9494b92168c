package org.flowmon.archive.query.numbering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;

class SortedUnionTest {
  @Test
  void isTheUnionAndTellsThePlaceOfEachEntry() {
    SortedUnion union = new SortedUnion();
    for (long seed = 0; seed < 400; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int kind = random.nextInt(4);
      List<List<IpAddress>> lists = new ArrayList<>();
      TreeSet<IpAddress> expected = new TreeSet<>();
      int count = random.nextInt(9);
      for (int l = 0; l < count; l++) {
        TreeSet<IpAddress> list = new TreeSet<>();
        int size = random.nextInt(4) == 0 ? 0 : random.nextInt(200);
        for (int i = 0; i < size; i++) {
          list.add(address(kind, random));
        }
        lists.add(new ArrayList<>(list));
        expected.addAll(list);
      }
      union.clear();
      for (List<IpAddress> list : lists) {
        add(union, list);
      }
      union.merge();
      List<IpAddress> all = new ArrayList<>(expected);
      assertEquals(all.size(), union.size(), "seed " + seed);
      for (int i = 0; i < all.size(); i++) {
        IpAddress found = new IpAddress(union.high()[i], union.low()[i]);
        assertEquals(all.get(i), found, "seed " + seed);
      }
      for (int l = 0; l < lists.size(); l++) {
        for (int i = 0; i < lists.get(l).size(); i++) {
          IpAddress of = all.get(union.places(l)[i]);
          assertEquals(lists.get(l).get(i), of, "entry " + i + " of list " + l + ", seed " + seed);
        }
      }
    }
  }

  /** Addresses of one family, of both, or ones that differ in one half only. */
  private static IpAddress address(int kind, SplittableRandom random) {
    boolean ipv4 = kind == 0 || (kind == 1 && random.nextBoolean());
    if (ipv4) {
      return IpAddress.ofIpv4(random.nextInt(300) - 150);
    }
    return kind == 2
        ? new IpAddress(random.nextLong(), random.nextLong())
        : new IpAddress(random.nextLong(-2, 3), random.nextLong(-2, 3));
  }

  private static int add(SortedUnion union, List<IpAddress> addresses) {
    int list = union.add(addresses.size());
    for (int i = 0; i < addresses.size(); i++) {
      union.high(list)[i] = addresses.get(i).hi();
      union.low(list)[i] = addresses.get(i).lo();
    }
    return list;
  }

  @Test
  void tellsListsThatDoNotAscend() {
    SortedUnion union = new SortedUnion();
    IpAddress low = IpAddress.parse("192.0.2.1");
    IpAddress high = IpAddress.parse("2001:db8::1");
    assertTrue(union.ascends(add(union, List.of())));
    assertTrue(union.ascends(add(union, List.of(low, high))));
    assertFalse(union.ascends(add(union, List.of(high, low))));
    assertFalse(union.ascends(add(union, List.of(low, low))));
  }
}
