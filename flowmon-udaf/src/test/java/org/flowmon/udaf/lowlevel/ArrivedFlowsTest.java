package org.flowmon.udaf.lowlevel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.pane.WindowSpec;
import org.junit.jupiter.api.Test;

class ArrivedFlowsTest {
  private static final WindowSpec WINDOW = WindowSpec.tumbling(1000, 0);

  @Test
  void chosenFlowsCountInThePanesOfTheirArrivalAndThoseWithARateAboveOneAsSampled() {
    Random random = new Random(61);
    ArrivedFlows arrived = new ArrivedFlows(WINDOW);
    arrived.setWidths(new long[] {WINDOW.widthMicros()});
    for (int kind = 0; kind < 120; kind++) {
      int rows = 1 + random.nextInt(200);
      // Within one pane, over two of them, over many.
      int spread = kind % 3 == 0 ? 1 : kind % 3 == 1 ? 1500 : 50_000;
      long[] arrivals = new long[rows];
      Long[] rates = new Long[rows];
      Long constant = kind % 4 == 0 ? null : Long.valueOf(random.nextInt(3) * 50L + 1);
      for (int row = 0; row < rows; row++) {
        arrivals[row] = random.nextInt(spread) - 400L * (kind % 5);
        rates[row] =
            kind % 4 < 2
                ? constant
                : kind % 4 == 2 || random.nextBoolean()
                    ? Long.valueOf(random.nextInt(3) == 0 ? 1 : random.nextInt(1000) + 1)
                    : null;
      }
      FlowBatch batch = batch(arrivals, rates);
      int from = random.nextInt(rows);
      int[] chosen = new int[rows];
      int n = 0;
      Map<Long, long[]> expected = new TreeMap<>();
      arrived.begin(batch);
      for (int row = from; row < rows; row++) {
        if (random.nextInt(3) > 0) {
          chosen[n++] = row - from;
          long[] pane =
              expected.computeIfAbsent(Math.floorDiv(arrivals[row], 1000) * 1000, p -> new long[5]);
          pane[0]++;
          if (rates[row] != null && rates[row] > 1) {
            pane[3]++;
            pane[4] = Math.max(pane[4], rates[row]);
          }
          if (random.nextInt(9) == 0) {
            pane[1]++;
            arrived.late(arrivals[row]);
          } else if (random.nextInt(9) == 0) {
            pane[2]++;
            arrived.ahead(arrivals[row]);
          }
        }
      }
      arrived.add(batch, from, rows - from, chosen, n);
      assertEquals(text(expected), found(arrived), "seed 61, batch " + kind);
    }
  }

  private static String found(ArrivedFlows arrived) {
    Map<Long, long[]> found = new TreeMap<>();
    arrived.forEach(
        WINDOW.widthMicros(),
        (start, flows, late, ahead, sampled, rate) -> {
          if (flows > 0) {
            found.put(start, new long[] {flows, late, ahead, sampled, rate});
          }
        });
    return text(found);
  }

  private static String text(Map<Long, long[]> panes) {
    StringBuilder text = new StringBuilder();
    panes.forEach((start, counts) -> text.append(start + java.util.Arrays.toString(counts) + '\n'));
    return text.toString();
  }

  private static FlowBatch batch(long[] arrivals, Long[] rates) {
    FlowBatchBuilder builder = new FlowBatchBuilder(rates.length);
    for (int row = 0; row < rates.length; row++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, arrivals[row]);
      if (rates[row] != null) {
        builder.set(FlowColumn.SAMPLING_RATE, rates[row]);
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, rates.length, 0));
  }
}
