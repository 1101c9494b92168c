package org.flowmon.bench.udaf;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.bench.harness.Samples;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.lowlevel.SharedEvaluation;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialSink;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.tuning.TableSize;

/** Flows with a number of sources, in windows with a number of flows, and queries over them. */
final class GroupedFlows {
  static final int BATCH_ROWS = 1000;

  /** A COUNT, a MIN and a MAX, as in section 6 of the paper. */
  static final FlowQuery COUNT_MIN_MAX =
      QueryParser.parse(
          "SELECT src_addr, COUNT(*) AS flows, MIN(bytes) AS least, MAX(bytes) AS most FROM flows"
              + " GROUP BY src_addr");

  static final FlowQuery SUM =
      QueryParser.parse("SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr");

  private static final long WINDOW_MICROS = 10_000_000;
  private static final long START = 1_768_478_400_000_000L; // 2026-01-15T12:00:00Z
  private static final int NETWORK = 10 << 24;
  private static final int SCRAMBLE = 0x9E3779B1;
  static final int KEY_GROUPS = LowLevelQuery.DEFAULT_MAX_PARALLELISM;

  final List<FlowBatch> batches = new ArrayList<>();

  /** The hash of each flow's group, as in the table. */
  final long[] hashes;

  private final long microsPerFlow;

  /**
   * Creates flows, addressed by number.
   *
   * @param flows whole batches of them
   * @param perWindow flows of a window
   */
  GroupedFlows(int flows, int perWindow, int groups, Spread spread, long seed) {
    this(flows, perWindow, groups, 0, spread, seed);
  }

  /**
   * Creates flows with values and items.
   *
   * @param values distinct numbers of bytes, and distinct destinations of each source; spread like
   *     groups. 0: sizes of packets, and no destinations
   */
  GroupedFlows(int flows, int perWindow, int groups, int values, Spread spread, long seed) {
    int count = Math.max(1, flows / BATCH_ROWS);
    this.hashes = new long[count * BATCH_ROWS];
    this.microsPerFlow = Math.max(1, WINDOW_MICROS / perWindow);
    SplittableRandom random = new SplittableRandom(seed);
    FlowBatchBuilder builder = new FlowBatchBuilder(BATCH_ROWS);
    for (int f = 0; f < hashes.length; f++) {
      int group = spread.draw(random, groups);
      int address = NETWORK ^ (group * SCRAMBLE);
      long time = START + f * microsPerFlow;
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, time);
      builder.set(FlowColumn.END_TIME, time);
      builder.setIpv4(FlowColumn.SRC_ADDR, address);
      if (values == 0) {
        builder.set(FlowColumn.BYTES, 40L + random.nextInt(1460));
      } else {
        int value = spread.draw(random, values);
        builder.set(FlowColumn.BYTES, 40L + value);
        builder.setIpv4(FlowColumn.DST_ADDR, (value + group) * SCRAMBLE);
      }
      builder.endRow();
      hashes[f] = TableHash.of(0, IpAddress.ipv4Low(address));
      if (builder.isFull()) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
  }

  /** The low level of a query, with a table of {@code slots} slots. */
  static LowLevelQuery query(FlowQuery query, int slots) {
    return query(query, TableSize.of(slots));
  }

  /** The low level of a query, with a table of any kind. Its messages are dropped. */
  static LowLevelQuery query(FlowQuery query, TableSize size) {
    return query(query, size, (keyGroup, bytes) -> {});
  }

  /** The low level of a query, with a table of any kind and a sink. */
  static LowLevelQuery query(FlowQuery query, TableSize size, PartialSink sink) {
    return new LowLevelQuery(
        1, query, window(), size, KEY_GROUPS, sink, new SharedEvaluation(), Samples::cpuNanos);
  }

  static WindowSpec window() {
    return WindowSpec.tumbling(WINDOW_MICROS, 0);
  }

  /** The watermark before the first flow of a batch. */
  long watermark(int batch) {
    return START + (long) batch * BATCH_ROWS * microsPerFlow - 1;
  }
}
