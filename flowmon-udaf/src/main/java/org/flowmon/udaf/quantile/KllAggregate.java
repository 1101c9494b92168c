package org.flowmon.udaf.quantile;

import java.util.Arrays;
import org.apache.datasketches.kll.KllLongsSketch;
import org.apache.datasketches.kll.KllSketch;
import org.apache.datasketches.quantilescommon.QuantileSearchCriteria;
import org.flowmon.udaf.function.StateReader;
import org.flowmon.udaf.function.StateSink;
import org.flowmon.udaf.function.SuperAggregate;
import org.flowmon.udaf.function.SuperState;

/**
 * The high half that keeps a KLL sketch (Karnin, Lang, Liberty, FOCS 2016) of DataSketches: of
 * bounded size whatever the merge tree, for a bound that holds with a probability of 99% only.
 * Exact up to k different values.
 */
final class KllAggregate implements SuperAggregate {
  /** That a rank is within {@link KllSketch#getNormalizedRankError}. */
  private static final double PROBABILITY = 0.99;

  private final QuantileParameters parameters;
  private final int k;
  private final long[] values = new long[SummaryBytes.MAX_VALUES];
  private final Summary incoming = new Summary();
  private final Summary merged = new Summary();

  // Bytes of a sketch grow in steps with the number of values: the last number of each, and its
  // bytes. They are asked for with each merge, and walking the levels takes longer than most
  // merges.
  private long[] stepEnds = new long[8];
  private int[] stepBytes = new int[8];
  private int steps;

  KllAggregate(QuantileParameters parameters) {
    this.parameters = parameters;
    this.k = k(parameters.epsilon().doubleValue());
  }

  /** The k of an ε. */
  static int k(double epsilon) {
    return KllSketch.getKFromEpsilon(epsilon, false);
  }

  /** Bytes of a sketch of n values at most. */
  int maxBytes(long n) {
    while (steps == 0 || n > stepEnds[steps - 1]) {
      addStep();
    }
    int step = steps - 1;
    while (step > 0 && n <= stepEnds[step - 1]) {
      step--;
    }
    return stepBytes[step];
  }

  private void addStep() {
    long same = steps == 0 ? 1 : stepEnds[steps - 1] + 1;
    int bytes = reckoned(same);
    long other = Math.min(2 * same, SummaryBytes.MAX_COUNT);
    while (other > same && reckoned(other) == bytes) {
      same = other;
      other = Math.min(2 * same, SummaryBytes.MAX_COUNT);
    }
    while (other - same > 1) {
      long middle = (same + other) >>> 1;
      if (reckoned(middle) == bytes) {
        same = middle;
      } else {
        other = middle;
      }
    }
    if (steps == stepEnds.length) {
      stepEnds = Arrays.copyOf(stepEnds, 2 * steps);
      stepBytes = Arrays.copyOf(stepBytes, 2 * steps);
    }
    stepEnds[steps] = same;
    stepBytes[steps++] = bytes;
  }

  private int reckoned(long n) {
    return KllSketch.getMaxSerializedSizeBytes(k, n, KllSketch.SketchType.LONGS_SKETCH, true);
  }

  @Override
  public SuperState initialize() {
    return new State(this);
  }

  private static final class State implements QuantileState {
    // Header 12, three fields: 24.
    private static final int OWN_BYTES = 24;
    // Both objects, of the sketch and its sorted view, and the array of levels.
    private static final int SKETCH_BYTES = 512;

    private final KllAggregate shared;
    private Summary exact = new Summary();
    // Null while the values are in the other.
    private KllLongsSketch sketch;

    State(KllAggregate shared) {
      this.shared = shared;
    }

    @Override
    public void merge(StateReader bytes) {
      if (bytes.remaining() == 0) {
        return;
      }
      int form = bytes.getByte();
      if (form == KllBytes.FORM) {
        KllLongsSketch other = KllBytes.read(bytes, shared.k);
        requireSum(bytes, other.getN());
        if (sketch == null) {
          add(exact, other);
          exact = null;
          sketch = other;
        } else {
          sketch.merge(other);
        }
        return;
      }
      Summary other = shared.incoming;
      SummaryBytes.read(form, bytes, shared.parameters, shared.values, other);
      if (!other.isExact()) {
        throw bytes.error("form " + form + ", which is none of a KLL sketch");
      }
      requireSum(bytes, other.count);
      merge(other);
    }

    private void requireSum(StateReader bytes, long more) {
      if (count() + more > SummaryBytes.MAX_COUNT) {
        throw bytes.error("more than 2^62 values together");
      }
    }

    private void merge(Summary other) {
      if (sketch != null) {
        add(other, sketch);
        return;
      }
      Summary merged = shared.merged;
      merged.setMerged(exact, other);
      if (merged.size <= shared.k) {
        exact.set(merged);
      } else {
        sketch = KllLongsSketch.newHeapInstance(shared.k);
        exact = null;
        add(merged, sketch);
      }
    }

    private static void add(Summary from, KllLongsSketch to) {
      for (int i = 0; i < from.size; i++) {
        if (from.weights[i] == 1) {
          to.update(from.values[i]);
        } else {
          to.update(from.values[i], from.weights[i]);
        }
      }
    }

    @Override
    public void output(StateSink sink) {
      if (sketch == null) {
        SummaryBytes.write(exact, sink);
      } else {
        KllBytes.write(sketch, sink);
      }
    }

    @Override
    public long memoryBytes() {
      if (sketch == null) {
        return OWN_BYTES + exact.memoryBytes();
      }
      // Whoever asks for a quantile makes a sorted view: values and their ranks.
      return OWN_BYTES + SKETCH_BYTES + maxBytesOfItems() + 16L * sketch.getNumRetained();
    }

    /** How many values a sketch keeps depends on the order in which they came. */
    @Override
    public long chargedBytes() {
      if (sketch == null) {
        return OWN_BYTES + Summary.memoryBytes(exact.size, false);
      }
      long most = Summary.memoryBytes(shared.k, false);
      return OWN_BYTES + Math.max(most, SKETCH_BYTES + 3L * maxBytesOfItems());
    }

    private int maxBytesOfItems() {
      return shared.maxBytes(sketch.getN());
    }

    @Override
    public long count() {
      return sketch == null ? exact.count : sketch.getN();
    }

    @Override
    public void quantile(long rank, long[] out) {
      if (sketch == null) {
        exact.quantile(rank, out);
        return;
      }
      // Half a rank below, so that rounding does not go beyond it.
      double share = (rank - 0.5) / sketch.getN();
      double error = sketch.getNormalizedRankError(false);
      out[0] = at(Math.max(0, share - error));
      out[1] = at(share);
      out[2] = at(Math.min(1, share + error));
    }

    private long at(double share) {
      return sketch.getQuantile(share, QuantileSearchCriteria.INCLUSIVE);
    }

    @Override
    public void rank(long value, long[] out) {
      if (sketch == null) {
        exact.rank(value, out);
        return;
      }
      long n = sketch.getN();
      long rank = Math.round(sketch.getRank(value, QuantileSearchCriteria.INCLUSIVE) * n);
      long error = (long) Math.ceil(rankError());
      out[0] = Math.max(0, rank - error);
      out[1] = rank;
      out[2] = Math.min(n, rank + error);
    }

    @Override
    public double rankError() {
      return sketch == null ? 0 : sketch.getNormalizedRankError(false) * sketch.getN();
    }

    @Override
    public double probability() {
      return sketch == null ? 1 : PROBABILITY;
    }
  }
}
