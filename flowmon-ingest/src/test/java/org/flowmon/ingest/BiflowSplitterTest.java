package org.flowmon.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.junit.jupiter.api.Test;

/** Against rows that are turned around by the names of their columns. */
class BiflowSplitterTest {
  private static final List<String[]> SIDES =
      List.of(
          new String[] {"src_", "dst_"},
          new String[] {"in_if_", "out_if_"},
          new String[] {"input_", "output_"},
          new String[] {"ingress_", "egress_"});
  private static final Set<String> ONE_WAY =
      Set.of(
          "next_hop",
          "bgp_next_hop",
          "post_bytes",
          "post_packets",
          "forwarding_status",
          "discard_reason",
          "mpls_top_label",
          "mpls_labels",
          "srv6_segments",
          "ipv6_flow_label",
          "min_ttl",
          "max_ttl",
          "fragment_flags",
          "fragment_id",
          "tcp_retransmits",
          "icmp_type_code",
          "state",
          "history");

  private static final IpPrefix INSIDE = IpPrefix.parse("10.0.0.0/8");

  private static Map<FlowColumn, Object> row(Random random) {
    Map<FlowColumn, Object> row = new TreeMap<>();
    for (FlowColumn column : FlowColumn.all()) {
      if (random.nextInt(3) > 0) {
        row.put(column, value(random, column));
      }
    }
    row.put(FlowColumn.ARRIVAL, random.nextLong(1L << 50));
    for (FlowColumn counter : List.of(FlowColumn.REVERSE_BYTES, FlowColumn.REVERSE_PACKETS)) {
      if (random.nextInt(3) == 0) {
        row.put(counter, 0L);
      }
    }
    if (random.nextInt(4) == 0) {
      row.keySet().removeIf(column -> column.sqlName().startsWith("reverse_"));
    }
    row.computeIfPresent(FlowColumn.FLOW_DIRECTION, (column, value) -> (long) random.nextInt(2));
    return row;
  }

  private static Object value(Random random, FlowColumn column) {
    return switch (column.type()) {
      case ADDRESS ->
          random.nextBoolean()
              ? IpAddress.ofIpv4(0x0900_0000 + random.nextInt(1 << 25))
              : new IpAddress(random.nextLong(), random.nextLong());
      case TEXT -> "t" + random.nextInt(1000);
      case UINT8 ->
          (long) (column == FlowColumn.PROTOCOL ? random.nextInt(7) : random.nextInt(256));
      default -> random.nextLong(1, 1L + Math.min(column.type().maxValue(), 1L << 40));
    };
  }

  /** The rows that a row becomes. */
  private static List<Map<FlowColumn, Object>> split(Map<FlowColumn, Object> row, boolean known) {
    Map<String, Object> byName = new TreeMap<>();
    row.forEach((column, value) -> byName.put(column.sqlName(), value));
    List<Map<FlowColumn, Object>> rows = new ArrayList<>();
    Map<FlowColumn, Object> there = new TreeMap<>(row);
    there.keySet().removeIf(column -> column.sqlName().startsWith("reverse_"));
    rows.add(there);
    boolean comesBack =
        List.of("reverse_bytes", "reverse_packets", "reverse_payload_bytes").stream()
            .anyMatch(name -> (long) byName.getOrDefault(name, 0L) > 0);
    if (!comesBack) {
      return rows;
    }
    Map<FlowColumn, Object> back = new TreeMap<>();
    for (FlowColumn column : FlowColumn.all()) {
      Object value = back(column.sqlName(), byName, known);
      if (value != null) {
        back.put(column, value);
      }
    }
    rows.add(back);
    return rows;
  }

  private static Object back(String name, Map<String, Object> row, boolean known) {
    boolean isIcmp = Set.of(1L, 58L).contains(row.getOrDefault("protocol", 0L));
    if (name.startsWith("reverse_") || ONE_WAY.contains(name)) {
      return null;
    } else if (FlowColumn.byName("reverse_" + name) != null) {
      return row.get("reverse_" + name);
    } else if (isIcmp && (name.equals("src_port") || name.equals("dst_port"))) {
      return null;
    } else if (name.endsWith("vlan") && row.containsKey("vlan") && row.containsKey("post_vlan")) {
      return row.get(name.equals("vlan") ? "post_vlan" : "vlan");
    } else if (name.equals("flow_direction") && row.containsKey(name)) {
      return row.get(name).equals(0L) ? 1L : 0L;
    } else if (name.equals("outgoing")) {
      boolean isAsked = known && row.get("dst_addr") instanceof IpAddress;
      return !isAsked
          ? null
          : isInside((IpAddress) Objects.requireNonNull(row.get("dst_addr"))) ? 1L : 0L;
    }
    for (String[] sides : SIDES) {
      if (name.contains(sides[0])) {
        return row.get(name.replace(sides[0], sides[1]));
      } else if (name.contains(sides[1])) {
        return row.get(name.replace(sides[1], sides[0]));
      }
    }
    return row.get(name);
  }

  private static boolean isInside(IpAddress address) {
    return INSIDE.contains(address.hi(), address.lo());
  }

  private static void append(FlowBatchBuilder builder, Map<FlowColumn, Object> row) {
    builder.beginRow();
    row.forEach(
        (column, value) -> {
          if (value instanceof IpAddress address) {
            builder.setAddress(column, address);
          } else if (value instanceof String text) {
            builder.setText(column, text);
          } else {
            builder.set(column, (Long) value);
          }
        });
    builder.endRow();
  }

  @Test
  void rowsBecomeThoseOfBothWaysInTheirOrder() {
    long seed = 5103;
    Random random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      boolean known = round % 2 == 0;
      ProtectedNetworks networks =
          known ? new ProtectedNetworks(List.of(INSIDE)) : ProtectedNetworks.NONE;
      BiflowSplitter splitter = new BiflowSplitter(networks);
      FlowRecorder recorder = new FlowRecorder(1 + random.nextInt(40));
      FlowSink sink = splitter.into(recorder);
      List<Map<FlowColumn, Object>> expected = new ArrayList<>();
      int records = random.nextInt(400);
      for (int left = records; left > 0; ) {
        FlowBatchBuilder builder = sink.builder();
        // What a row becomes does not depend on those beside it.
        int most = round % 3 == 0 ? 1 : builder.free();
        int block = Math.min(left, 1 + random.nextInt(most));
        for (int i = 0; i < block; i++) {
          Map<FlowColumn, Object> row = row(random);
          append(builder, row);
          expected.addAll(split(row, known));
        }
        sink.rowsEnded(block);
        assertFalse(recorder.isHandedOut());
        left -= block;
      }
      assertEquals(expected, recorder.rows(), "seed " + seed + ", round " + round);
      assertEquals(records + splitter.split(), recorder.rows().size());
      assertTrue(records < 50 || splitter.split() > 10, splitter.split() + " are split");
    }
  }
}
