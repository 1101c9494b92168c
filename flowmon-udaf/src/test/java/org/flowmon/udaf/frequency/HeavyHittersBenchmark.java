package org.flowmon.udaf.frequency;

import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Nanoseconds per row of each low half, alone and with its high half. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class HeavyHittersBenchmark {
  private static final int BATCHES = 256;
  private static final int ROWS = BATCHES * Vector.CAPACITY;

  @Param({"buffer/direct", "compress/adaptive", "hash/frequent", "sketch/sketch"})
  public String strategy;

  /** Number of groups of the rows, with Zipf's exponent 1. */
  @Param({"100", "10000"})
  public int groups;

  /** Whether items are as skewed as groups, or uniform. */
  @Param({"true", "false"})
  public boolean skewed;

  private final int[] selection = new int[Vector.CAPACITY];
  private final Vector[][] arguments = new Vector[BATCHES][2];
  private final int[][] places = new int[BATCHES][Vector.CAPACITY];
  private final StateSink sink = new StateSink();
  private SubAggregate low;
  private long[] pads;
  private SuperState[] states;

  @Setup
  public void fill() {
    HeavyHitters function = new HeavyHitters();
    BoundUdaf bound =
        function.bind(
            new UdafCall(
                function.name(),
                function.signature(),
                List.of(
                    UdafCall.Argument.ofRows(ValueKind.ADDRESS),
                    UdafCall.Argument.ofRows(ValueKind.LONG),
                    UdafCall.Argument.of(Value.ofLong(256)),
                    UdafCall.Argument.of(Value.ofLong(2)),
                    UdafCall.Argument.of(Value.ofText(strategy)))));
    low = bound.subAggregate();
    pads = new long[groups * low.words()];
    SuperAggregate high = bound.superAggregate();
    states = new SuperState[groups];
    for (int g = 0; g < groups; g++) {
      low.initialize(pads, g * low.words());
      states[g] = high.initialize();
    }
    Random random = new Random(1);
    for (int b = 0; b < BATCHES; b++) {
      Vector items = new Vector(ValueKind.ADDRESS);
      Vector weights = new Vector(ValueKind.LONG);
      for (int i = 0; i < Vector.CAPACITY; i++) {
        selection[i] = i;
        int item = skewed ? zipf(random, 100_000) * 0x9E3779B1 : random.nextInt();
        items.values()[i] = IpAddress.ipv4Low(item);
        weights.values()[i] = 40L + random.nextInt(1460);
        places[b][i] = zipf(random, groups) * low.words();
      }
      items.setAllValid(Vector.CAPACITY);
      weights.setAllValid(Vector.CAPACITY);
      arguments[b] = new Vector[] {items, weights};
    }
  }

  private static int zipf(Random random, int count) {
    return (int) Math.pow(count, random.nextDouble()) - 1;
  }

  @Benchmark
  @OperationsPerInvocation(ROWS)
  public long lowHalf() {
    return run(false);
  }

  @Benchmark
  @OperationsPerInvocation(ROWS)
  public long bothHalves() {
    return run(true);
  }

  private long run(boolean merges) {
    long bytes = 0;
    for (int b = 0; b < BATCHES; b++) {
      for (int next = 0; next < Vector.CAPACITY; ) {
        next = low.iterate(arguments[b], selection, next, Vector.CAPACITY, pads, places[b], 0);
        if (next < Vector.CAPACITY) {
          int at = places[b][next];
          sink.clear();
          low.output(pads, at, sink);
          low.initialize(pads, at);
          bytes += sink.size();
          if (merges) {
            states[at / low.words()].merge(sink.reader("a sub-state"));
          }
        }
      }
    }
    return bytes;
  }
}
