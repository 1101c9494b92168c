package org.flowmon.udaf.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.Test;

class SampledFlowsTest {
  @Test
  void chosenFlowsWithARateAboveOneAreCounted() {
    Random random = new Random(61);
    SampledFlows sampled = new SampledFlows();
    for (int kind = 0; kind < 40; kind++) {
      int rows = 1 + random.nextInt(200);
      Long[] rates = new Long[rows];
      Long constant = kind % 4 == 0 ? null : Long.valueOf(random.nextInt(3) * 50L + 1);
      for (int row = 0; row < rows; row++) {
        rates[row] =
            kind % 4 < 2
                ? constant
                : kind % 4 == 2 || random.nextBoolean()
                    ? Long.valueOf(random.nextInt(3) == 0 ? 1 : random.nextInt(1000) + 1)
                    : null;
      }
      FlowBatch batch = batch(rates);
      int from = random.nextInt(rows);
      int[] chosen = new int[rows];
      int n = 0;
      long flows = 0;
      long highest = 0;
      for (int row = from; row < rows; row++) {
        if (random.nextInt(3) > 0) {
          chosen[n++] = row - from;
          if (rates[row] != null && rates[row] > 1) {
            flows++;
            highest = Math.max(highest, rates[row]);
          }
        }
      }
      sampled.clear();
      sampled.add(batch, from, chosen, n);
      assertEquals(flows, sampled.flows(), "seed 61, batch " + kind);
      assertEquals(highest, sampled.highestRate(), "seed 61, batch " + kind);
    }
  }

  private static FlowBatch batch(Long[] rates) {
    FlowBatchBuilder builder = new FlowBatchBuilder(rates.length);
    for (Long rate : rates) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 1);
      if (rate != null) {
        builder.set(FlowColumn.SAMPLING_RATE, rate);
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, rates.length, 0));
  }
}
