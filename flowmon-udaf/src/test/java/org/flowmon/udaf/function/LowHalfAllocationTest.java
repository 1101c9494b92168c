package org.flowmon.udaf.function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;

/**
 * Low halves allocate nothing for rows and groups once their sink is large enough: counted by the
 * JVM, byte by byte, for this thread.
 */
class LowHalfAllocationTest {
  private static final long SEED = 20261122;
  private static final int BATCHES = 8;
  private static final int GROUPS = 20;
  private static final ThreadMXBean THREAD = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final int[] selection = new int[Vector.CAPACITY];
  private final StateSink sink = new StateSink();

  private static Argument text(String text) {
    return Argument.of(Value.ofText(text));
  }

  private static Argument number(long number) {
    return Argument.of(Value.ofLong(number));
  }

  private static Argument rows(ValueKind kind) {
    return Argument.ofRows(kind);
  }

  private static List<BoundUdaf> functions() {
    Udafs all = Udafs.load(LowHalfAllocationTest.class.getClassLoader());
    List<BoundUdaf> functions = new ArrayList<>();
    for (ValueKind kind : List.of(ValueKind.LONG, ValueKind.DOUBLE)) {
      for (String strategy : List.of("lite", "medium", "heavy", "kll")) {
        Argument epsilon = Argument.of(Value.ofDouble(0.01));
        functions.add(all.bind("QUANTILES", List.of(rows(kind), epsilon, text(strategy))));
      }
    }
    for (ValueKind kind : List.of(ValueKind.LONG, ValueKind.ADDRESS)) {
      for (String strategy :
          List.of("buffer/direct", "hash/frequent", "compress/adaptive", "sketch/sketch")) {
        functions.add(
            all.bind(
                "HEAVY_HITTERS",
                List.of(rows(kind), rows(ValueKind.LONG), number(256), number(2), text(strategy))));
      }
      functions.add(all.bind("HEAVY_HITTERS", List.of(rows(kind))));
      for (String name : List.of("APPROX_COUNT_DISTINCT", "DISTINCT_SAMPLE")) {
        functions.add(all.bind(name, List.of(rows(kind))));
        functions.add(all.bind(name, List.of(rows(kind), rows(ValueKind.TEXT))));
      }
    }
    return functions;
  }

  /** Vectors of skewed values, a tenth of them NULL; there are few texts. */
  private static Vector[][] arguments(BoundUdaf function, Random random) {
    Vector[][] arguments = new Vector[BATCHES][function.arguments()];
    for (Vector[] batch : arguments) {
      for (int a = 0; a < batch.length; a++) {
        Vector vector = new Vector(function.call().arguments().get(a).kind());
        batch[a] = vector;
        for (int i = 0; i < Vector.CAPACITY; i++) {
          if (random.nextInt(10) > 0) {
            long word = 1 + (long) Math.exp(12 * random.nextDouble());
            vector.validity()[i >>> 6] |= 1L << i;
            vector.values()[i] = word;
            if (vector.high() != null) {
              vector.high()[i] = random.nextInt(3) == 0 ? 0x2001_0db8_0000_0000L : 0;
              vector.values()[i] |= vector.high()[i] == 0 ? 0xFFFF_0000_0000L : 0;
            }
            if (vector.texts() != null) {
              vector.texts()[i] = "name " + word % 100;
            }
          }
        }
        vector.settleValidity(Vector.CAPACITY);
      }
    }
    return arguments;
  }

  /** The bytes that an epoch allocates after epochs that made room: the least of three. */
  private long allocated(SubAggregate low, Vector[][] arguments, Random random) {
    long[] pads = new long[GROUPS * low.words()];
    int[] places = new int[Vector.CAPACITY];
    for (int i = 0; i < Vector.CAPACITY; i++) {
      selection[i] = i;
      int group = (int) (GROUPS * random.nextDouble() * random.nextDouble());
      places[i] = group * low.words();
    }
    for (int at = 0; at < pads.length; at += low.words()) {
      low.initialize(pads, at);
    }
    long least = Long.MAX_VALUE;
    for (int epoch = 0; epoch < 6; epoch++) {
      long before = THREAD.getCurrentThreadAllocatedBytes();
      run(low, arguments, pads, places);
      long after = THREAD.getCurrentThreadAllocatedBytes();
      if (epoch >= 3) {
        least = Math.min(least, after - before);
      }
    }
    return least;
  }

  private void run(SubAggregate low, Vector[][] arguments, long[] pads, int[] places) {
    for (Vector[] batch : arguments) {
      for (int next = 0; next < Vector.CAPACITY; ) {
        next = low.iterate(batch, selection, next, Vector.CAPACITY, pads, places, 0);
        if (next < Vector.CAPACITY) {
          flush(low, pads, places[next]);
        }
      }
    }
    for (int at = 0; at < pads.length; at += low.words()) {
      flush(low, pads, at);
    }
  }

  private void flush(SubAggregate low, long[] pads, int at) {
    sink.clear();
    low.output(pads, at, sink);
    low.initialize(pads, at);
  }

  @Test
  void noLowHalfAllocatesForRowsOrGroups() {
    Random random = new Random(SEED);
    for (BoundUdaf function : functions()) {
      long bytes = allocated(function.subAggregate(), arguments(function, random), random);
      assertEquals(0, bytes, function.call() + ", seed " + SEED);
    }
  }

  @Test
  void aLowHalfThatAllocatesIsFound() {
    SubAggregate wasteful =
        new SubAggregate() {
          private List<long[]> kept = new ArrayList<>();

          @Override
          public int words() {
            return 1;
          }

          @Override
          public void initialize(long[] pads, int at) {
            kept = new ArrayList<>();
          }

          @Override
          public int iterate(
              Vector[] arguments, int[] rows, int from, int to, long[] pads, int[] places, int w) {
            kept.add(new long[1]);
            return to;
          }

          @Override
          public void output(long[] pads, int at, StateSink out) {}
        };
    Random random = new Random(SEED);
    BoundUdaf function = functions().get(0);
    assertTrue(allocated(wasteful, arguments(function, random), random) >= 24 * BATCHES);
  }
}
