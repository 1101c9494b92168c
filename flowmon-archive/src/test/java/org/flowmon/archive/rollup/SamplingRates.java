package org.flowmon.archive.rollup;

import java.util.Random;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;

/** Seeded sampling rates: of a segment none, 1, one for all rows, several, or huge ones. */
public final class SamplingRates {
  private static final long[] SEVERAL = {0, 1, 1, 10, 100, 4096};
  private static final long HUGE = (1L << 32) - 1;

  private final Random random;
  private int kind;

  public SamplingRates(long seed) {
    random = new Random(seed);
  }

  /** Chooses those of another segment. */
  public void next() {
    kind = random.nextInt(7);
  }

  /** Sets the rate of the open row, or leaves it NULL. */
  public void set(FlowBatchBuilder row) {
    boolean known = (kind < 5 && kind != 2) || random.nextInt(3) > 0;
    if (kind > 0 && known) {
      row.set(
          FlowColumn.SAMPLING_RATE,
          switch (kind) {
            case 1, 2 -> 1;
            case 3 -> 100;
            case 6 -> random.nextInt(50) == 0 ? HUGE : 1;
            default -> SEVERAL[random.nextInt(SEVERAL.length)];
          });
    }
  }
}
