package org.flowmon.udaf.quantile;

import java.util.Objects;
import org.apache.datasketches.kll.KllLongsSketch;
import org.apache.datasketches.kll.KllSketch;
import org.apache.datasketches.quantilescommon.QuantileSearchCriteria;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.jspecify.annotations.Nullable;

/**
 * The high half of a KLL sketch (Karnin, Lang, Liberty, FOCS 2016) of DataSketches: bounded in size
 * for any merge tree, its bound holds at 99%. Exact up to k different values.
 */
final class KllAggregate implements SuperAggregate {
  /** The probability that a rank is within {@link KllSketch#getNormalizedRankError}. */
  private static final double PROBABILITY = 0.99;

  private static final int MIN_K = 8;

  private final QuantileParameters parameters;
  private final int k;
  private final long[] values = new long[SummaryBytes.MAX_VALUES];
  private final Summary incoming = new Summary();
  private final Summary merged = new Summary();

  // By number of levels: the array capacity of a sketch in items.
  private final int[] capacities = new int[KllBytes.MAX_LEVELS + 1];

  KllAggregate(QuantileParameters parameters) {
    this.parameters = parameters;
    this.k = k(parameters.epsilon().doubleValue());
    for (int levels = 1; levels < capacities.length; levels++) {
      capacities[levels] = KllBytes.capacity(k, levels);
    }
  }

  /** The smallest possible one is enough for ε above 1/3. */
  static int k(double epsilon) {
    return Math.max(MIN_K, KllSketch.getKFromEpsilon(epsilon, false));
  }

  /**
   * Of n values: no item stands for more than n. All lower levels may exist, however few the items
   * are: an item of weight w goes into level log₂ w.
   */
  private long maxItems(long n) {
    return capacities[Math.min(KllBytes.MAX_LEVELS, Long.SIZE - Long.numberOfLeadingZeros(n))];
  }

  @Override
  public SuperState initialize() {
    return new State(this);
  }

  private static final class State implements QuantileState {
    // Header 12, three fields: 24.
    private static final int OWN_BYTES = 24;
    // Sketch, sorted view, levels, headers of arrays, least and greatest value, also in the view.
    private static final int SKETCH_BYTES = 512;
    // In the sorted view: a value and its rank.
    private static final int VIEW_ITEM_BYTES = 2 * Long.BYTES;

    // Of one item: it makes KllBytes.MAX_LEVELS levels, so that bytes can be read again. Sums
    // saturate at eight times as much, which the top level can hold.
    private static final long MAX_WEIGHT = 1L << (KllBytes.MAX_LEVELS - 1);

    private final KllAggregate shared;
    // Empty once there is a sketch.
    private Summary exact = new Summary();
    // Null while the values are in the exact state.
    private @Nullable KllLongsSketch sketch;

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
          exact = new Summary();
          sketch = other;
        } else {
          sketch.merge(other);
        }
        return;
      }
      Summary other = shared.incoming;
      SummaryBytes.read(form, bytes, shared.parameters, shared.values, other);
      if (!other.isExact()) {
        throw bytes.error("form " + form + " is not one of a KLL sketch");
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
        exact = new Summary();
        add(merged, sketch);
      }
    }

    private static void add(Summary from, KllLongsSketch to) {
      for (int i = 0; i < from.size; i++) {
        long weight = from.weights[i];
        for (; weight > MAX_WEIGHT; weight -= MAX_WEIGHT) {
          to.update(from.values[i], MAX_WEIGHT);
        }
        if (weight == 1) {
          to.update(from.values[i]);
        } else {
          to.update(from.values[i], weight);
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
      // Quantiles need a sorted view, which the sketch keeps.
      long view = (long) VIEW_ITEM_BYTES * sketch.getNumRetained();
      return OWN_BYTES + SKETCH_BYTES + Long.BYTES * shared.maxItems(sketch.getN()) + view;
    }

    /** A merge makes a sketch of any number of levels, and reads another. */
    @Override
    public long growth(StateReader bytes) {
      long largest =
          SKETCH_BYTES + (Long.BYTES + VIEW_ITEM_BYTES) * shared.maxItems(Long.MAX_VALUE);
      return 2 * largest + QuantileState.super.growth(bytes);
    }

    /** The number of kept values depends on their order. */
    @Override
    public long chargedBytes() {
      if (sketch == null) {
        return OWN_BYTES + Summary.memoryBytes(exact.size, false);
      }
      long most = Summary.memoryBytes(shared.k, false);
      long items = shared.maxItems(sketch.getN());
      return OWN_BYTES + Math.max(most, SKETCH_BYTES + (Long.BYTES + VIEW_ITEM_BYTES) * items);
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
      // Half a rank lower, so that rounding does not exceed it.
      double share = (rank - 0.5) / sketch.getN();
      double error = sketch.getNormalizedRankError(false);
      out[0] = at(Math.max(0, share - error));
      out[1] = at(share);
      out[2] = at(Math.min(1, share + error));
    }

    private long at(double share) {
      return Objects.requireNonNull(sketch).getQuantile(share, QuantileSearchCriteria.INCLUSIVE);
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
