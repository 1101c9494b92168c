package org.flowmon.udaf.result;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of many groups, against Java's sort. */
class GroupOrderTest {
  /** A group's keys; either may be null. */
  private record Key(IpAddress address, Long port) {}

  /** A group. */
  private record Group(Key key, long rows, BigInteger sum) {
    String line() {
      return key.address + " " + key.port + " " + rows + " " + sum;
    }
  }

  private final Map<Key, Group> groups = new HashMap<>();

  private static <T extends Comparable<T>> Comparator<T> nullsLast(boolean descending) {
    Comparator<T> order = Comparator.naturalOrder();
    return Comparator.nullsLast(descending ? order.reversed() : order);
  }

  private static Comparator<Group> byKeys() {
    return Comparator.comparing((Group g) -> g.key.address, nullsLast(false))
        .thenComparing(g -> g.key.port, nullsLast(false));
  }

  private FlowBatch flows(Random random, int rows, int ipv6, boolean nulls, boolean huge) {
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    for (int i = 0; i < rows; i++) {
      int host = random.nextInt(1 + random.nextInt(700));
      boolean wide = ipv6 == 2 || (ipv6 == 1 && host % 2 == 0);
      IpAddress address =
          wide
              ? new IpAddress(0x8001_0db8_0000_0000L + host % 3, host * -7L)
              : IpAddress.ofIpv4(host * 0x0131_0101);
      address = nulls && host % 9 == 0 ? null : address;
      Long port = nulls && random.nextInt(4) == 0 ? null : (long) random.nextInt(3);
      Long bytes =
          nulls && host % 5 == 0 ? null : random.nextLong() >>> (huge ? 1 : 50 + random.nextInt(9));
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, i);
      if (address != null) {
        builder.setAddress(FlowColumn.SRC_ADDR, address);
      }
      if (port != null) {
        builder.set(FlowColumn.DST_PORT, port);
      }
      if (bytes != null) {
        builder.set(FlowColumn.BYTES, bytes);
      }
      builder.endRow();
      BigInteger sum = bytes == null ? null : BigInteger.valueOf(bytes);
      groups.merge(
          new Key(address, port),
          new Group(new Key(address, port), 1, sum),
          (a, b) ->
              new Group(
                  a.key,
                  a.rows + b.rows,
                  a.sum == null ? b.sum : b.sum == null ? a.sum : a.sum.add(b.sum)));
    }
    return FlowBatch.open(builder.build(1, 0, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void groupsAreInTheOrderOfTheQuery(long seed) {
    Random random = new Random(seed);
    FlowBatch flows =
        flows(random, 3000, random.nextInt(3), random.nextBoolean(), random.nextInt(3) == 0);
    Map<String, Comparator<Group>> orders = new HashMap<>();
    orders.put("", byKeys());
    for (boolean descending : new boolean[] {false, true}) {
      String way = descending ? " DESC" : "";
      orders.put(
          "ORDER BY s" + way,
          Comparator.comparing(Group::sum, nullsLast(descending)).thenComparing(byKeys()));
      orders.put(
          "ORDER BY n" + way,
          Comparator.comparing(Group::rows, nullsLast(descending)).thenComparing(byKeys()));
      orders.put(
          "ORDER BY src_addr" + way,
          Comparator.comparing((Group g) -> g.key.address, nullsLast(descending))
              .thenComparing(byKeys()));
      orders.put(
          "ORDER BY dst_port" + way + ", s DESC",
          Comparator.comparing((Group g) -> g.key.port, nullsLast(descending))
              .thenComparing(Group::sum, nullsLast(true))
              .thenComparing(byKeys()));
    }
    orders.put(
        "ORDER BY src_addr DESC NULLS FIRST, s NULLS FIRST",
        Comparator.comparing(
                (Group g) -> g.key.address, Comparator.nullsFirst(Comparator.reverseOrder()))
            .thenComparing(Group::sum, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(byKeys()));
    orders.forEach(
        (order, comparator) -> {
          List<String> expected =
              groups.values().stream().sorted(comparator).map(Group::line).toList();
          for (int limit : new int[] {-1, 0, 3, 40, 700}) {
            String sql =
                "SELECT src_addr, dst_port, COUNT(*) AS n, SUM(bytes) AS s FROM flows"
                    + " GROUP BY src_addr, dst_port "
                    + order
                    + (limit < 0 ? "" : " LIMIT " + limit);
            List<String> first =
                limit < 0 ? expected : expected.subList(0, Math.min(limit, expected.size()));
            assertEquals(first, lines(flows, sql), "seed " + seed + ": " + sql);
          }
        });
  }

  private static int compare(IpAddress a, IpAddress b) {
    return a == null || b == null
        ? Boolean.compare(a == null, b == null)
        : IpAddress.compare(a.hi(), a.lo(), b.hi(), b.lo());
  }

  /** Pairs of addresses: IPv4 ones, of both families, low ones of IPv6, with NULLs. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void pairsAreInTheOrderOfTheQuery(int shape) {
    Random random = new Random(shape);
    FlowBatchBuilder builder = new FlowBatchBuilder(40_000);
    Map<String, IpAddress[]> pairs = new HashMap<>();
    for (int i = 0; i < 40_000; i++) {
      IpAddress[] pair = new IpAddress[2];
      for (int side = 0; side < 2; side++) {
        IpAddress ipv4 = IpAddress.ofIpv4(random.nextInt(300) * 0x00D1_0101);
        boolean odd = random.nextInt(50) == 0;
        pair[side] =
            shape == 1 && side == 1 && odd
                ? new IpAddress(0, random.nextInt(9))
                : shape == 2 && odd
                    ? new IpAddress(0x2001_0db8_0000_0000L, random.nextInt(9))
                    : shape == 3 && side == 1 && odd ? null : shape == 4 && odd ? null : ipv4;
      }
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, i);
      if (pair[0] != null) {
        builder.setAddress(FlowColumn.SRC_ADDR, pair[0]);
      }
      if (pair[1] != null) {
        builder.setAddress(FlowColumn.DST_ADDR, pair[1]);
      }
      builder.endRow();
      pairs.put(pair[0] + " " + pair[1], pair);
    }
    List<FlowBatch> flows = List.of(FlowBatch.open(builder.build(1, 0, 0, 0)));
    for (int first = 0; first < 2; first++) {
      int one = first;
      List<String> expected =
          pairs.values().stream()
              .sorted(
                  Comparator.comparing((IpAddress[] p) -> p[one], GroupOrderTest::compare)
                      .thenComparing(p -> p[1 - one], GroupOrderTest::compare))
              .map(p -> p[0] + " " + p[1])
              .toList();
      String sql =
          "SELECT src_addr, dst_addr, COUNT(*) AS n FROM flows GROUP BY src_addr, dst_addr"
              + (first == 0 ? "" : " ORDER BY dst_addr");
      ResultTable table = FlowQueries.run(flows, QueryParser.parse(sql).bind(Parameters.NONE));
      List<String> found = new ArrayList<>();
      for (int r = 0; r < table.rowCount(); r++) {
        found.add(table.address(r, 0) + " " + table.address(r, 1));
      }
      assertEquals(expected, found, sql);
    }
  }

  private static List<String> lines(FlowBatch flows, String sql) {
    ResultTable table =
        FlowQueries.run(List.of(flows), QueryParser.parse(sql).bind(Parameters.NONE));
    List<String> lines = new ArrayList<>();
    for (int r = 0; r < table.rowCount(); r++) {
      lines.add(
          table.address(r, 0)
              + " "
              + (table.isNull(r, 1) ? null : table.longValue(r, 1))
              + " "
              + table.longValue(r, 2)
              + " "
              + (table.isNull(r, 3) ? null : table.bigValue(r, 3)));
    }
    return lines;
  }
}
