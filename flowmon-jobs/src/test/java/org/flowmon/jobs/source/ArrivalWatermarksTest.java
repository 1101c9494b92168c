package org.flowmon.jobs.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.clock.RelativeClock;
import org.apache.flink.util.clock.SystemClock;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.types.WatermarkTime;
import org.junit.jupiter.api.Test;

class ArrivalWatermarksTest {
  @Test
  void theWatermarkFollowsTheLargestArrivalAndNothingElse() {
    WatermarkGenerator<PositionedBatch> generator = generator(Duration.ofMillis(500));
    Emitted emitted = new Emitted();
    generator.onPeriodicEmit(emitted);
    assertEquals(List.of(), emitted.marks, "nothing is known yet");
    for (long arrival : new long[] {10_000_000, 12_000_000, 11_000_000}) {
      generator.onEvent(new PositionedBatch("t:0", 0, heartbeat(arrival), 0), 0, emitted);
    }
    generator.onPeriodicEmit(emitted);
    assertEquals(List.of(11_499L), emitted.marks);
  }

  @Test
  void noMessageLeadsItPastWhenItWasSent() {
    WatermarkGenerator<PositionedBatch> generator = generator(Duration.ZERO);
    Emitted emitted = new Emitted();
    FlowBatch ahead = heartbeat(10_000_000 + 3_000_000_000L);
    generator.onEvent(record(ahead, 10_000_000), 0, emitted);
    generator.onPeriodicEmit(emitted);
    assertEquals(List.of(9_999L), emitted.marks);
  }

  @Test
  void theMarkOfAnEndIsFollowedAtOnceUpToWhenItWasSent() {
    ArrivalWatermarks generator = new ArrivalWatermarks(0, () -> 5);
    Emitted emitted = new Emitted();
    generator.onEvent(record(heartbeat(9_000_000), 9_000_000), 0, emitted);
    // Files of yesterday: all of their windows close.
    generator.onEvent(record(mark(1, 13_000_000), 13_000_000), 0, emitted);
    generator.onPeriodicEmit(emitted);
    assertEquals(List.of(12_999L), emitted.marks);
  }

  @Test
  void theMarkOfAnEndLeadsNobodyAheadOfTheClock() {
    long[] nanos = {5};
    ArrivalWatermarks generator = new ArrivalWatermarks(0, () -> nanos[0]);
    Emitted emitted = new Emitted();
    // No other message has come yet: the next one is in time nevertheless.
    generator.onEvent(record(mark(2, 12_500_000), 10_000_000), 0, emitted);
    for (int second = 0; second < 4; second++) {
      generator.onPeriodicEmit(emitted);
      nanos[0] += 1_000_000_000L;
    }
    assertEquals(List.of(9_999L, 10_999L, 11_999L, 12_499L), emitted.marks);
  }

  @Test
  void afterAMarkWhoTrailsTheClockIsLateNoFurtherThanWhenItCame() {
    Seconds seconds = new Seconds();
    seconds.mark(2, 1_000 + 3_000, 1_000);
    for (int second = 0; second < 30; second++) {
      assertEquals(Math.max(1_000, 996 + second), seconds.next(), "second " + second);
      seconds.arrive(997 + second);
    }
  }

  @Test
  void anOutageAfterAMarkMakesNobodyLate() {
    Seconds seconds = new Seconds();
    seconds.mark(2, 1_000 + 3_000, 1_000);
    for (int second = 0; second < 30; second++) {
      seconds.arrive(1_000 + second);
      seconds.next();
    }
    for (int second = 30; second < 90; second++) {
      assertEquals(1_029, seconds.next(), "second " + second);
    }
    for (int second = 30; second < 100; second++) {
      seconds.arrive(1_000 + second);
      assertEquals(1_000 + second, seconds.next(), "what waited for Kafka is in time");
    }
  }

  @Test
  void theLargestMarkCountsWhicheverCameLast() {
    Seconds seconds = new Seconds();
    seconds.mark(2, 100_000 + 60, 100_000);
    // Files of long ago, by the same command: the last windows of the first ones close, too.
    seconds.arrive(40_000);
    seconds.mark(3, 43_600, 43_600);
    long reached = 0;
    for (int second = 0; second <= 60; second++) {
      reached = seconds.next();
    }
    assertEquals(100_060, reached);
  }

  @Test
  void oneMessageAfterAMarkHoldsItUpForSecondsOnly() {
    Seconds seconds = new Seconds();
    seconds.mark(2, 1_000 + 60, 1_000);
    seconds.arrive(500);
    long[] reached = new long[80];
    for (int second = 0; second < reached.length; second++) {
      reached[second] = seconds.next();
    }
    assertEquals(1_000, reached[10]);
    assertEquals(1_001, reached[11]);
    assertEquals(1_060, reached[70]);
    assertEquals(1_060, reached[79]);
  }

  @Test
  void whoStopsWithoutAMarkIsNotWaitedForForEver() {
    Seconds seconds = new Seconds();
    seconds.mark(2, 1_000 + 100, 1_000);
    for (int second = 0; second < 20; second++) {
      seconds.arrive(1_000 + second);
      seconds.next();
    }
    long reached = 0;
    for (int second = 0; second < 600; second++) {
      reached = seconds.next();
    }
    assertEquals(1_019, reached);
    for (int second = 0; second < 90; second++) {
      reached = seconds.next();
    }
    assertEquals(1_100, reached);
  }

  @Test
  void theClockOfAMarkStandsWhileItsTaskIsHeldUp() {
    long[] active = {5_000_000};
    WatermarkGenerator<PositionedBatch> generator =
        ArrivalWatermarks.strategy(Duration.ZERO)
            .createWatermarkGenerator(new Context(new ActiveNanos(() -> active[0])));
    Emitted emitted = new Emitted();
    generator.onEvent(record(mark(2, 13_000_000), 10_000_000), 0, emitted);
    for (int i = 0; i < 100; i++) {
      generator.onPeriodicEmit(emitted);
    }
    active[0] += 1_000_000_000L;
    generator.onPeriodicEmit(emitted);
    assertEquals(List.of(9_999L, 10_999L), emitted.marks.stream().distinct().toList());
  }

  /** How long a task was active. */
  private record ActiveNanos(LongSupplier nanos) implements RelativeClock {
    @Override
    public long relativeTimeMillis() {
      return nanos.getAsLong() / 1_000_000;
    }

    @Override
    public long relativeTimeNanos() {
      return nanos.getAsLong();
    }
  }

  /** A partition second by second. */
  private static final class Seconds {
    private final Emitted emitted = new Emitted();
    private long nanos = -7;
    private final ArrivalWatermarks generator = new ArrivalWatermarks(0, () -> nanos);

    void mark(long producer, long arrival, long sent) {
      FlowBatch mark = ArrivalWatermarksTest.mark(producer, arrival * 1_000_000);
      generator.onEvent(record(mark, sent * 1_000_000), 0, emitted);
    }

    void arrive(long arrival) {
      FlowBatch beat = heartbeat(arrival * 1_000_000);
      generator.onEvent(record(beat, arrival * 1_000_000), 0, emitted);
    }

    /** Returns the second up to which time has come; then one goes by. */
    long next() {
      generator.onPeriodicEmit(emitted);
      nanos += 1_000_000_000L;
      return (emitted.marks.get(emitted.marks.size() - 1) + 1) / 1000;
    }
  }

  private static FlowBatch mark(long producer, long arrival) {
    return FlowBatch.open(Heartbeat.endOfInput(producer, 0, 0, 0, arrival));
  }

  private static PositionedBatch record(FlowBatch batch, long reached) {
    return new PositionedBatch("t:0", 0, batch, 0, false, reached, Optional.empty());
  }

  @Test
  void noFlowWithinTheDisorderBoundIsBehindItsWatermark() {
    Random random = new Random(5);
    for (int i = 0; i < 1000; i++) {
      long max = random.nextLong(1L << 50);
      long bound = random.nextLong(1L << 21);
      long completeThrough = WatermarkTime.completeThrough(WatermarkTime.watermark(max, bound));
      assertTrue(completeThrough < max - bound, "seed 5, max " + max + ", bound " + bound);
      assertTrue(completeThrough >= max - bound - 1000, "at most a millisecond is given away");
    }
  }

  @Test
  void theEndOfTimeIsTheEndOfTime() {
    assertEquals(Long.MAX_VALUE, WatermarkTime.completeThrough(Long.MAX_VALUE));
    assertEquals(Long.MIN_VALUE, WatermarkTime.completeThrough(Long.MIN_VALUE));
    assertEquals(Long.MIN_VALUE, WatermarkTime.watermark(Long.MIN_VALUE, 1000));
  }

  private static WatermarkGenerator<PositionedBatch> generator(Duration bound) {
    return ArrivalWatermarks.strategy(bound)
        .createWatermarkGenerator(new Context(SystemClock.getInstance()));
  }

  private record Context(RelativeClock clock)
      implements org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier.Context {
    @Override
    public org.apache.flink.metrics.MetricGroup getMetricGroup() {
      return new UnregisteredMetricsGroup();
    }

    @Override
    public RelativeClock getInputActivityClock() {
      return clock;
    }
  }

  private static FlowBatch heartbeat(long arrival) {
    return FlowBatch.open(Heartbeat.of(1, 0, 0, 0, arrival));
  }

  private static final class Emitted implements WatermarkOutput {
    private final List<Long> marks = new ArrayList<>();

    @Override
    public void emitWatermark(Watermark watermark) {
      marks.add(watermark.getTimestamp());
    }

    @Override
    public void markIdle() {}

    @Override
    public void markActive() {}
  }
}
