package org.flowmon.bench.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * Compares the reports of {@link FunctionRates} of one window with the window's flows, one by one.
 * The window is the last complete one, which is the last but one.
 */
final class FunctionCheck {
  static final String SIZES_OF_SOURCES = "sizes_of_sources";
  static final String SIZES_OF_PORTS = "sizes_of_ports";
  static final String TARGETS_OF_NETWORKS = "targets_of_networks";
  static final String TARGETS = "targets";

  private static final double SHARE = 0.95;

  private final long windowMicros;
  private final ObjectMapper json = new ObjectMapper();
  // By window's end, then by analysis and group.
  private final Map<Long, Map<Object, Group>> windows = new HashMap<>();
  private long end;
  private long rows;
  private long answers;
  private long items;
  private long belowLower;

  /** A reported group, and the results from its flows. */
  private static final class Group {
    private final String name;
    private final JsonNode reported;
    // For sizes: the bytes of each flow; for targets: bytes by destination.
    private long[] values;
    private final Map<IpAddress, long[]> byTarget = new HashMap<>();
    private int flows;
    private long bytes;

    Group(String name, JsonNode reported) {
      this.name = name;
      this.reported = reported;
      this.values = reported.has("p95") ? new long[1024] : null;
    }

    void add(long size, IpAddress target) {
      if (values == null) {
        byTarget.computeIfAbsent(target, t -> new long[1])[0] += size;
      } else {
        values = flows == values.length ? Arrays.copyOf(values, 2 * flows) : values;
        values[flows] = size;
      }
      flows++;
      bytes += size;
    }
  }

  private record PortKey(IpAddress exporter, long port) {}

  private record NetworkKey(long prefix) {}

  FunctionCheck(long windowMicros) {
    this.windowMicros = windowMicros;
  }

  /** Forgets the reports. */
  void clear() {
    windows.clear();
  }

  /** Takes a row of a report. */
  void add(JsonNode row) {
    Instant time = Instant.parse(row.path("window_end").asText());
    long windowEnd = time.getEpochSecond() * 1_000_000 + time.getNano() / 1000;
    JsonNode columns = row.path("columns");
    String analysis = row.path("analysis").asText();
    Object key =
        switch (analysis) {
          case SIZES_OF_SOURCES -> IpAddress.parse(columns.path("src_addr").asText());
          case SIZES_OF_PORTS ->
              new PortKey(
                  IpAddress.parse(columns.path("exporter").asText()),
                  columns.path("dst_port").asLong());
          case TARGETS_OF_NETWORKS ->
              new NetworkKey(network(IpAddress.parse(columns.path("net").asText())));
          case TARGETS -> TARGETS;
          default -> throw new CommandException("unexpected report of " + analysis);
        };
    Group group = new Group(analysis + " " + key + " until " + time, columns);
    var unused = windows.computeIfAbsent(windowEnd, w -> new HashMap<>()).put(key, group);
    end = 0;
  }

  private static long network(IpAddress address) {
    return IpAddress.isIpv4(address.hi(), address.lo())
        ? address.lo() & 0xFFFF_FFFF_FFFF_0000L
        : address.hi() >>> 32;
  }

  private void choose() {
    List<Long> ends = new ArrayList<>(windows.keySet());
    ends.sort(null);
    if (ends.isEmpty()) {
      throw new CommandException("no window was reported");
    }
    end = ends.get(Math.max(0, ends.size() - 2));
  }

  /** Takes flows. */
  void count(FlowBatch batch) {
    if (end == 0) {
      choose();
    }
    Map<Object, Group> groups = windows.get(end);
    for (int row = 0; row < batch.rows(); row++) {
      long arrival = batch.getLong(FlowColumn.ARRIVAL, row);
      if (arrival >= end || arrival < end - windowMicros) {
        continue;
      }
      IpAddress source = batch.getAddress(FlowColumn.SRC_ADDR, row);
      IpAddress target = batch.getAddress(FlowColumn.DST_ADDR, row);
      long size = batch.getLong(FlowColumn.BYTES, row);
      add(groups.get(source), size, target);
      add(groups.get(new NetworkKey(network(source))), size, target);
      add(groups.get(TARGETS), size, target);
      add(
          groups.get(
              new PortKey(
                  batch.getAddress(FlowColumn.EXPORTER, row),
                  batch.getLong(FlowColumn.DST_PORT, row))),
          size,
          target);
    }
  }

  private static void add(Group group, long size, IpAddress target) {
    if (group != null) {
      group.add(size, target);
    }
  }

  /** Compares the groups of the counted window. */
  void check() {
    for (Group group : windows.get(end).values()) {
      require(group, "flows", group.flows == group.reported.path("flows").asLong(), group.flows);
      require(group, "bytes", group.bytes == group.reported.path("bytes").asLong(), group.bytes);
      if (group.values != null) {
        checkSizes(group);
      } else {
        checkTargets(group);
      }
      rows++;
    }
  }

  private void checkSizes(Group group) {
    Arrays.sort(group.values, 0, group.flows);
    long truth = group.values[(int) Math.ceil(SHARE * group.flows) - 1];
    long low = group.reported.path("p95_low").asLong();
    long high = group.reported.path("p95_high").asLong();
    require(group, "p95", low <= truth && truth <= high, truth);
  }

  private void checkTargets(Group group) {
    long total = group.reported.path("total").asLong();
    require(group, "total", total == group.bytes, group.bytes);
    try {
      for (JsonNode item : json.readTree(group.reported.path("top").asText())) {
        IpAddress target = IpAddress.parse(item.path("item").asText());
        long truth = group.byTarget.getOrDefault(target, new long[1])[0];
        require(group, "the weight of " + target, truth <= item.path("upper").asLong(), truth);
        items++;
        belowLower += truth < item.path("lower").asLong() ? 1 : 0;
      }
    } catch (JsonProcessingException e) {
      throw new CommandException(group.name + ": " + e.getMessage());
    }
  }

  private void require(Group group, String what, boolean holds, long truth) {
    if (!holds) {
      throw new CommandException(
          group.name + ": " + what + " is " + truth + " of the flows, reported " + group.reported);
    }
    answers++;
  }

  /** Number of compared rows. */
  long rows() {
    return rows;
  }

  /**
   * Share of listed items that weigh less than their lower bound. Sketches give that bound with a
   * probability only, and not for a list's selection.
   */
  double belowLower() {
    return items == 0 ? 0 : belowLower / (double) items;
  }

  /** Number of compared answers in them. */
  long answers() {
    return answers;
  }
}
