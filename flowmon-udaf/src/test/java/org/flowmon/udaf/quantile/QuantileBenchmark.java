package org.flowmon.udaf.quantile;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.state.StateReader;
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

/**
 * Nanoseconds per value of QUANTILES, ε = 0.01: the low half with its flushes, and the high half
 * for the sub-states of the low one. The groups' pads are already found, as by the table.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class QuantileBenchmark {
  private static final int VECTORS = 256;
  private static final int ROWS = VECTORS * Vector.CAPACITY;

  @Param({"lite", "medium", "heavy", "kll"})
  public String strategy;

  /** The distribution of values: all different, or mostly a few. */
  @Param({"uniform", "skewed"})
  public String values;

  /** Groups with Zipf's exponent 1. */
  @Param({"100", "10000"})
  public int groups;

  private final Vector[][] arguments = new Vector[VECTORS][1];
  private final int[][] places = new int[VECTORS][Vector.CAPACITY];
  private final int[] selection = new int[Vector.CAPACITY];
  private SubAggregate low;
  private SuperAggregate high;
  private long[] pads;
  private final StateSink sink = new StateSink();
  private final List<byte[]> sent = new ArrayList<>();
  private final List<Integer> groupOf = new ArrayList<>();

  @Setup
  public void fill() {
    BoundUdaf function =
        Udafs.load(getClass().getClassLoader())
            .bind(
                "QUANTILES",
                List.of(
                    Argument.ofRows(ValueKind.LONG),
                    Argument.of(Value.ofDouble(0.01)),
                    Argument.of(Value.ofText(strategy))));
    low = function.subAggregate();
    high = function.superAggregate();
    pads = new long[groups * low.words()];
    for (int g = 0; g < groups; g++) {
      low.initialize(pads, g * low.words());
    }
    Random random = new Random(1);
    for (int v = 0; v < VECTORS; v++) {
      Vector vector = new Vector(ValueKind.LONG);
      arguments[v][0] = vector;
      for (int i = 0; i < Vector.CAPACITY; i++) {
        selection[i] = i;
        vector.values()[i] =
            values.equals("uniform")
                ? random.nextInt(1_000_000_000)
                : 40 + (long) Math.exp(12 * random.nextDouble() * random.nextDouble());
        int group = (int) Math.pow(groups, random.nextDouble());
        places[v][i] = Math.min(groups - 1, group) * low.words();
      }
      vector.setAllValid(Vector.CAPACITY);
    }
    iterate(true);
    for (int g = 0; g < groups; g++) {
      flush(g * low.words(), true);
    }
  }

  private long iterate(boolean keep) {
    long flushes = 0;
    for (int v = 0; v < VECTORS; v++) {
      int next = 0;
      while (true) {
        next = low.iterate(arguments[v], selection, next, Vector.CAPACITY, pads, places[v], 0);
        if (next == Vector.CAPACITY) {
          break;
        }
        flush(places[v][next], keep);
        flushes++;
      }
    }
    return flushes;
  }

  private void flush(int pad, boolean keep) {
    sink.clear();
    low.output(pads, pad, sink);
    low.initialize(pads, pad);
    if (keep) {
      sent.add(sink.toBytes());
      groupOf.add(pad / low.words());
    }
  }

  /** ITERATE, and OUTPUT if a pad is full. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public long lowHalf() {
    return iterate(false);
  }

  /** Merges the low half's sub-states of all values. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public SuperState[] highHalf() {
    SuperState[] states = new SuperState[groups];
    for (int i = 0; i < sent.size(); i++) {
      int group = groupOf.get(i);
      if (states[group] == null) {
        states[group] = high.initialize();
      }
      byte[] bytes = sent.get(i);
      states[group].merge(new StateReader(bytes, 0, bytes.length, "a state"));
    }
    return states;
  }
}
