package org.flowmon.ingest.file.zeek;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.flowmon.flow.ConnectionState;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;

/**
 * An oracle for {@link ZeekReader} on TSV logs: splits lines, looks up fields by name, computes
 * with {@link BigDecimal}. Slow and simple.
 */
final class NaiveZeekLog {
  private static final Pattern DECIMAL =
      Pattern.compile("-?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?0*([0-5]?\\d|60))?");
  private static final Pattern DIGITS = Pattern.compile("\\d+");
  private static final Map<String, String> OTHER_NAMES =
      Map.of(
          "src",
          "id.orig_h",
          "src_ip",
          "id.orig_h",
          "src_port",
          "id.orig_p",
          "dst",
          "id.resp_h",
          "dst_ip",
          "id.resp_h",
          "dst_port",
          "id.resp_p",
          "id_orig_h",
          "id.orig_h",
          "id_orig_p",
          "id.orig_p",
          "id_resp_h",
          "id.resp_h",
          "id_resp_p",
          "id.resp_p");
  private static final Map<String, Long> PROTOCOLS =
      Map.of("tcp", 6L, "udp", 17L, "icmp", 1L, "sctp", 132L);

  final List<Map<FlowColumn, Object>> rows = new ArrayList<>();
  final List<Integer> rejectedLines = new ArrayList<>();

  private String[] names;
  private String unset = "-";
  private String empty = "(empty)";
  private static final Map<FlowColumn, Object> NO_FLOW = Map.of();
  private static final Map<FlowColumn, Object> HEADER = new TreeMap<>();

  // By line: a flow, NO_FLOW, HEADER.
  private final List<Map<FlowColumn, Object>> lines = new ArrayList<>();

  NaiveZeekLog(byte[] log) {
    int number = 0;
    for (String line : new String(log, StandardCharsets.UTF_8).split("\n", -1)) {
      number++;
      line = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
      Map<FlowColumn, Object> read = NO_FLOW;
      if (line.startsWith("#")) {
        header(line);
        read = HEADER;
      } else if (!line.isEmpty()) {
        try {
          read = row(line);
          rows.add(read);
        } catch (IllegalArgumentException e) {
          rejectedLines.add(number);
        }
      }
      lines.add(read);
    }
    arrivals();
  }

  /**
   * Sets arrivals to the largest end so far. An end more than a day ahead counts only if more than
   * half of the flows in the next 64 lines lie at most a day behind it.
   */
  private void arrivals() {
    long day = 86_400_000_000L;
    long clock = Long.MIN_VALUE;
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i) == NO_FLOW || lines.get(i) == HEADER) {
        continue;
      }
      BigInteger end = end(lines.get(i));
      List<BigInteger> next = new ArrayList<>();
      for (int n = i + 1; n <= i + 64 && n < lines.size() && lines.get(n) != HEADER; n++) {
        if (lines.get(n) != NO_FLOW) {
          next.add(end(lines.get(n)));
        }
      }
      BigInteger back = end.subtract(BigInteger.valueOf(day));
      boolean first = clock == Long.MIN_VALUE;
      boolean ahead = first || BigInteger.valueOf(clock).compareTo(back) < 0;
      long agree = next.stream().filter(time -> time.compareTo(back) >= 0).count();
      if (!ahead || 2 * agree > next.size() || (first && next.size() < 2)) {
        clock = Math.max(clock, end.longValueExact());
      } else if (first) {
        List<BigInteger> sorted = next.stream().sorted().toList();
        BigInteger least = sorted.get((sorted.size() - 1) / 2).subtract(BigInteger.valueOf(day));
        clock =
            sorted.stream()
                .filter(time -> time.compareTo(least) >= 0)
                .findFirst()
                .orElseThrow()
                .longValueExact();
      }
      lines.get(i).put(FlowColumn.ARRIVAL, clock);
    }
  }

  private static BigInteger end(Map<FlowColumn, Object> row) {
    return BigInteger.valueOf((Long) row.get(FlowColumn.END_TIME));
  }

  private void header(String line) {
    String[] words = line.split("\t", -1);
    switch (words[0]) {
      case "#fields" -> names = words;
      case "#unset_field" -> unset = words[1];
      case "#empty_field" -> empty = words[1];
      default -> {}
    }
  }

  private Map<FlowColumn, Object> row(String line) {
    String[] values = line.split("\t", -1);
    require(names != null && values.length == names.length - 1);
    Map<String, String> byName = new HashMap<>();
    for (int i = 0; i < values.length; i++) {
      if (!values[i].equals(unset)) {
        byName.putIfAbsent(OTHER_NAMES.getOrDefault(names[i + 1], names[i + 1]), values[i]);
      }
    }
    List<String> known = List.of(names);
    require(known.contains("ts"));
    require(known.stream().anyMatch(n -> OTHER_NAMES.getOrDefault(n, n).equals("id.orig_h")));
    Map<FlowColumn, Object> row = new TreeMap<>();
    row.put(FlowColumn.SOURCE_KIND, (long) SourceKind.ZEEK.code());
    times(byName, row);
    IpAddress source = address(byName.get("id.orig_h"));
    put(row, FlowColumn.SRC_ADDR, source);
    put(row, FlowColumn.DST_ADDR, address(byName.get("id.resp_h")));
    protocolAndPorts(byName, row, source);
    count(byName, row, "orig_ip_bytes", FlowColumn.BYTES, Long.MAX_VALUE);
    count(byName, row, "orig_pkts", FlowColumn.PACKETS, Long.MAX_VALUE);
    count(byName, row, "resp_ip_bytes", FlowColumn.REVERSE_BYTES, Long.MAX_VALUE);
    count(byName, row, "resp_pkts", FlowColumn.REVERSE_PACKETS, Long.MAX_VALUE);
    count(byName, row, "orig_bytes", FlowColumn.PAYLOAD_BYTES, Long.MAX_VALUE);
    count(byName, row, "resp_bytes", FlowColumn.REVERSE_PAYLOAD_BYTES, Long.MAX_VALUE);
    count(byName, row, "vlan", FlowColumn.VLAN, 65535);
    String local = byName.get("local_orig");
    if (local != null && !local.equals(empty)) {
      require(List.of("T", "F", "true", "false").contains(local));
      row.put(FlowColumn.OUTGOING, local.startsWith("T") || local.startsWith("t") ? 1L : 0L);
    }
    String state = byName.get("conn_state");
    if (state != null && !state.equals(empty)) {
      row.put(FlowColumn.STATE, (long) ConnectionState.valueOf(state).code());
    }
    text(byName, row, "uid", FlowColumn.UID);
    text(byName, row, "service", FlowColumn.SERVICE);
    text(byName, row, "history", FlowColumn.HISTORY);
    return row;
  }

  private void times(Map<String, String> values, Map<FlowColumn, Object> row) {
    Long start = micros(values.get("ts"));
    Long duration = micros(values.get("duration"));
    require(start != null);
    row.put(FlowColumn.START_TIME, start);
    put(row, FlowColumn.DURATION, duration);
    row.put(FlowColumn.END_TIME, start + (duration == null ? 0 : duration));
  }

  private void protocolAndPorts(
      Map<String, String> values, Map<FlowColumn, Object> row, IpAddress source) {
    Long protocol = number(values.get("ip_proto"), 255);
    String name = values.get("proto");
    Long named = null;
    if (name != null && !name.equals(empty) && !name.equals("unknown_transport")) {
      named = PROTOCOLS.containsKey(name) ? PROTOCOLS.get(name) : number(name, 255);
    }
    if (protocol == null) {
      protocol = named;
      if (protocol != null && protocol == 1 && source != null && !source.isIpv4()) {
        protocol = 58L;
      }
    }
    put(row, FlowColumn.PROTOCOL, protocol);
    Long from = number(values.get("id.orig_p"), 65535);
    Long to = number(values.get("id.resp_p"), 65535);
    if (protocol != null && (protocol == 1 || protocol == 58)) {
      require(from == null || from < 256);
      require(to == null || to < 256);
      put(row, FlowColumn.ICMP_TYPE_CODE, from == null || to == null ? null : from * 256 + to);
    } else {
      put(row, FlowColumn.SRC_PORT, from);
      put(row, FlowColumn.DST_PORT, to);
    }
  }

  private Long micros(String text) {
    if (text == null || text.equals(empty)) {
      return null;
    }
    require(DECIMAL.matcher(text).matches());
    BigDecimal seconds = new BigDecimal(text);
    require(seconds.abs().compareTo(BigDecimal.valueOf(253_402_300_800L)) <= 0);
    return seconds.movePointRight(6).setScale(0, RoundingMode.HALF_UP).longValueExact();
  }

  private IpAddress address(String text) {
    return text == null || text.equals(empty) ? null : IpAddress.parse(text);
  }

  private Long number(String text, long max) {
    if (text == null || text.equals(empty)) {
      return null;
    }
    require(DIGITS.matcher(text).matches());
    require(new BigInteger(text).compareTo(BigInteger.valueOf(max)) <= 0);
    return Long.parseLong(text);
  }

  private void count(
      Map<String, String> values,
      Map<FlowColumn, Object> row,
      String name,
      FlowColumn column,
      long max) {
    put(row, column, number(values.get(name), max));
  }

  private void text(
      Map<String, String> values, Map<FlowColumn, Object> row, String name, FlowColumn column) {
    String text = values.get(name);
    if (text != null) {
      require(text.getBytes(StandardCharsets.UTF_8).length <= 1024);
      row.put(column, text.equals(empty) ? "" : text);
    }
  }

  private static void put(Map<FlowColumn, Object> row, FlowColumn column, Object value) {
    if (value != null) {
      row.put(column, value);
    }
  }

  private static void require(boolean condition) {
    if (!condition) {
      throw new IllegalArgumentException("no such value");
    }
  }
}
