package org.flowmon.ingest.synthetic;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.IpAddress;

/**
 * Generates batches of past days in ascending arrival, the export delay after each flow's end, so
 * that a fresh archive has a history. Its flows are far fewer a second than the live part's, so
 * their counts are multiplied by {@link #volumeFactor}, as if a router had merged similar ones.
 */
public final class HistoryGenerator {
  /** A documentation address, never a real exporter's. */
  public static final IpAddress EXPORTER = IpAddress.parse("192.0.2.1");

  private static final int BATCH_ROWS = 4_096;
  private static final long DAY = 86_400_000L;

  /** From half an hour before the live part's time of day to two and a half after. */
  private static final long DENSE_BEFORE = 1_800_000L;

  private static final long DENSE_AFTER = 9_000_000L;
  private static final double DENSITY = 12;

  private final TrafficModel model;
  private final long fromMillis;
  private final long toMillis;
  private final long flows;
  private final long liveFlowsPerSecond;

  /**
   * Arrivals from {@code from} to the start of the live part, exclusive. The volume matches that of
   * {@code liveFlowsPerSecond} at the same time of day.
   */
  public HistoryGenerator(
      TrafficModel model, Instant from, Instant to, long flows, long liveFlowsPerSecond) {
    if (!from.isBefore(to) || flows < 1 || liveFlowsPerSecond < 1) {
      throw new IllegalArgumentException(
          String.format(
              "history from %s to %s with %s flows beside %s live flows/s: expected from < to and"
                  + " positive numbers",
              from, to, flows, liveFlowsPerSecond));
    }
    this.model = model;
    this.fromMillis = from.toEpochMilli();
    this.toMillis = to.toEpochMilli();
    this.flows = flows;
    this.liveFlowsPerSecond = liveFlowsPerSecond;
  }

  public static HistoryGenerator daysBefore(
      TrafficModel model, Instant to, int days, long flows, long liveFlowsPerSecond) {
    return new HistoryGenerator(
        model, to.minus(Duration.ofDays(days)), to, flows, liveFlowsPerSecond);
  }

  /** At a time that has {@code density} times the flows, some of which only show conversations. */
  private long volumeFactor(double meanDensity, double density, double rollShare) {
    double seconds = (toMillis - fromMillis) / 1000.0;
    double perSecond = flows / seconds * TrafficModel.busyness(toMillis) / meanDensity;
    return Math.max(1, Math.round(liveFlowsPerSecond / (perSecond * density * (1 - rollShare))));
  }

  /** Around the live part's time of day each day has more flows, of less volume. */
  private double density(long millis) {
    if (model.conversations() == 0) {
      return 1;
    }
    long since = Math.floorMod(millis - toMillis + DENSE_BEFORE, DAY);
    return since < DENSE_BEFORE + DENSE_AFTER ? DENSITY : 1;
  }

  private double meanDensity() {
    double sum = 0;
    int steps = model.conversations() == 0 ? 1_000 : 20_000;
    for (int i = 0; i < steps; i++) {
      long at = fromMillis + (long) ((i + 0.5) * (toMillis - fromMillis) / steps);
      sum += TrafficModel.busyness(at) * density(at);
    }
    return sum / steps;
  }

  /** The batches are those of one producer's stream. */
  public GeneratedHistory generate(long producerId, Consumer<FlowBatch> consumer) {
    HistoricTraffic stream = model.history(toMillis);
    SyntheticFlow flow = new SyntheticFlow();
    FlowBatchBuilder builder = new FlowBatchBuilder(BATCH_ROWS);
    double meanDensity = meanDensity();
    long factor = volumeFactor(meanDensity, 1, stream.rollShare());
    long denseFactor = volumeFactor(meanDensity, DENSITY, stream.rollShare());
    double step = (toMillis - fromMillis) / (double) flows * meanDensity;
    double time = fromMillis;
    long sequence = 0;
    long bytes = 0;
    long packets = 0;
    for (long i = 0; i < flows; i++) {
      long now = Math.min((long) time, toMillis - 1);
      stream.next(now, flow);
      double density = density(now);
      if (!stream.isRollCall()) {
        flow.bytes *= density > 1 ? denseFactor : factor;
        flow.packets *= density > 1 ? denseFactor : factor;
      }
      bytes += flow.bytes;
      packets += flow.packets;
      flow.appendTo(builder, now * 1000, EXPORTER, 0);
      if (builder.isFull() || i == flows - 1) {
        consumer.accept(FlowBatch.open(builder.build(producerId, sequence++, i + 1, 0)));
        builder.clear();
      }
      time += step / (TrafficModel.busyness(now) * density);
    }
    return new GeneratedHistory(flows, bytes, packets);
  }

  /** Totals over all generated flows. */
  public record GeneratedHistory(long flows, long bytes, long packets) {}
}
