package org.flowmon.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * A flow as plain values, for brute-force counts.
 *
 * @param endTime null: the exporter gave none
 * @param outgoing null: no protected networks are known
 */
public record TestFlow(long arrival, Long endTime, IpAddress source, long bytes, Boolean outgoing) {
  public static final long SECOND = 1_000_000L;
  public static final long START = 1_700_000_000L * SECOND;

  public long time() {
    return endTime == null ? arrival : endTime;
  }

  /**
   * Flows in the order of arrival, within {@code seconds}: skewed sources, IPv6 among them, some
   * flows without an end time, some far too late, some outgoing.
   */
  public static List<TestFlow> random(long seed, int flows, int seconds, int sources) {
    Random random = new Random(seed);
    List<TestFlow> list = new ArrayList<>(flows);
    for (int i = 0; i < flows; i++) {
      long arrival = START + (long) ((double) i / flows * seconds * SECOND);
      Long end = arrival - random.nextInt(1_500_000);
      int kind = random.nextInt(100);
      if (kind < 3) {
        end = null;
      } else if (kind < 5) {
        end = arrival - 30 * SECOND - random.nextInt(1_000_000);
      }
      int host = (int) (sources * Math.pow(random.nextDouble(), 3));
      IpAddress source =
          host % 7 == 3
              ? new IpAddress(0x2001_0db8L << 32, host)
              : IpAddress.ofIpv4(0x0A00_0000 + host);
      int direction = random.nextInt(10);
      Boolean outgoing = direction < 2 ? Boolean.TRUE : direction < 6 ? Boolean.FALSE : null;
      list.add(
          new TestFlow(
              arrival,
              end,
              source,
              random.nextInt(5) == 0 ? 1000 : random.nextInt(100_000),
              outgoing));
    }
    return list;
  }

  /** Encodes flows as one batch of one producer. */
  public static byte[] batch(
      List<TestFlow> flows, long producer, long sequence, long cumulativeFlows) {
    return batch(flows, producer, sequence, cumulativeFlows, 0);
  }

  /** Encodes flows as one batch of a producer with known losses. */
  public static byte[] batch(
      List<TestFlow> flows,
      long producer,
      long sequence,
      long cumulativeFlows,
      long cumulativeLosses) {
    return batch(
        flows, producer, sequence, cumulativeFlows, cumulativeLosses, (builder, flow) -> {});
  }

  /** With further columns of each flow. */
  static byte[] batch(
      List<TestFlow> flows,
      long producer,
      long sequence,
      long cumulativeFlows,
      long cumulativeLosses,
      BiConsumer<FlowBatchBuilder, TestFlow> more) {
    if (flows.isEmpty()) {
      throw new IllegalArgumentException("a heartbeat is made otherwise");
    }
    FlowBatchBuilder builder = new FlowBatchBuilder(flows.size());
    for (TestFlow flow : flows) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, flow.arrival());
      if (flow.endTime() != null) {
        builder.set(FlowColumn.END_TIME, flow.endTime());
      }
      builder.setAddress(FlowColumn.SRC_ADDR, flow.source());
      builder.set(FlowColumn.BYTES, flow.bytes());
      if (flow.outgoing() != null) {
        builder.set(FlowColumn.OUTGOING, flow.outgoing() ? 1 : 0);
      }
      more.accept(builder, flow);
      builder.endRow();
    }
    return builder.build(producer, sequence, cumulativeFlows, cumulativeLosses);
  }

  /** Returns flows as the batches of one producer, numbered from 0. */
  public static List<FlowBatch> batches(List<TestFlow> flows, int rows, long producer) {
    List<FlowBatch> batches = new ArrayList<>();
    long cumulative = 0;
    for (int from = 0; from < flows.size(); from += rows) {
      List<TestFlow> part = flows.subList(from, Math.min(from + rows, flows.size()));
      cumulative += part.size();
      batches.add(FlowBatch.open(batch(part, producer, batches.size(), cumulative)));
    }
    return batches;
  }
}
