package org.flowmon.udaf.frequency;

import java.util.Arrays;
import org.flowmon.udaf.countmin.Candidates;
import org.flowmon.udaf.countmin.ItemKey;
import org.flowmon.udaf.countmin.SketchBytes;
import org.flowmon.udaf.countmin.SketchShape;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.vector.Vector;

/**
 * The low half that is a sketch itself: never full, but large.
 *
 * <pre>
 *   0         1              1 + narrow words
 *   +---------+--------------+-------------+
 *   | refused | NarrowSketch | WideSketch  |
 *   +---------+--------------+-------------+
 * </pre>
 */
final class SketchPad implements SubAggregate {
  /** The most words of a pad; larger ones are refused. */
  static final int MAX_WORDS = 1 << 16;

  private static final int NARROW_AT = 1;

  private final SketchShape shape;
  private final boolean weighted;
  private final int wideAt;
  private final Candidates candidates;
  private final long[] scratch;

  SketchPad(SketchShape shape, boolean weighted) {
    this.shape = shape;
    this.weighted = weighted;
    this.wideAt = NARROW_AT + shape.narrow().words();
    this.candidates = shape.wide().newCandidates();
    this.scratch = new long[SketchBytes.scratchWords(shape)];
  }

  static int words(SketchShape shape) {
    return NARROW_AT + shape.narrow().words() + shape.wide().words();
  }

  @Override
  public int words() {
    return words(shape);
  }

  @Override
  public void initialize(long[] pads, int at) {
    Arrays.fill(pads, at, at + words(), 0);
  }

  @Override
  public int iterate(
      Vector[] arguments, int[] selection, int from, int to, long[] pads, int[] places, int word) {
    Vector items = arguments[0];
    Vector weights = weighted ? arguments[1] : null;
    long[] low = items.values();
    long[] high = items.high();
    for (int r = from; r < to; r++) {
      int i = selection[r];
      if (!items.isValid(i) || (weights != null && !weights.isValid(i))) {
        continue;
      }
      int at = places[r] + word;
      long weight = weights == null ? 1 : weights.values()[i];
      if (weight <= 0) {
        pads[at] += weight >>> 63;
      } else if (high != null) {
        add(pads, at, high[i], low[i], weight);
      } else {
        add(pads, at, ItemKey.highOfNumber(low[i]), ItemKey.lowOfNumber(low[i]), weight);
      }
    }
    return to;
  }

  private void add(long[] pads, int at, long high, long low, long weight) {
    if (ItemKey.isNarrow(high, low)) {
      shape.narrow().add(pads, at + NARROW_AT, (int) low, weight);
    } else {
      shape.wide().add(pads, at + wideAt, high, low, weight, candidates);
    }
  }

  @Override
  public void output(long[] pads, int at, StateSink sink) {
    if (pads[at] != 0 || pads[at + NARROW_AT] != 0 || pads[at + wideAt] != 0) {
      SketchBytes.write(
          SketchBytes.LOW_FORM,
          shape,
          pads[at],
          pads,
          at + NARROW_AT,
          pads,
          at + wideAt,
          scratch,
          sink);
    }
  }
}
