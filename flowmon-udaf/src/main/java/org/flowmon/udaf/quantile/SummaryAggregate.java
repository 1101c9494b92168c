package org.flowmon.udaf.quantile;

import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;

/**
 * The high half of a {@link Summary}; states share its scratch memory for merges. Exact up to
 * {@code 4 / ε} different values, then compressed to {@code 2 / ε}, as far as its bound allows, and
 * again at twice as many.
 */
final class SummaryAggregate implements SuperAggregate {
  private final QuantileParameters parameters;
  // Precomputed, as each merge charges states.
  private final double gapsFrom;
  private final long mostKept;
  private final long[] values = new long[SummaryBytes.MAX_VALUES];
  private final Summary incoming = new Summary();
  private final Summary merged = new Summary();

  SummaryAggregate(QuantileParameters parameters) {
    this.parameters = parameters;
    this.gapsFrom = 1 / parameters.epsilon().doubleValue();
    this.mostKept = parameters.mostKept();
  }

  @Override
  public SuperState initialize() {
    return new State(this);
  }

  private static final class State implements QuantileState {
    // Header 12, three fields: 24; and the summary.
    private static final int OWN_BYTES = 24;

    private final SummaryAggregate shared;
    private final Summary summary = new Summary();
    private int compressAbove;

    State(SummaryAggregate shared) {
      this.shared = shared;
      this.compressAbove = 2 * shared.parameters.target();
    }

    @Override
    public void merge(StateReader bytes) {
      if (bytes.remaining() == 0) {
        return;
      }
      int form = bytes.getByte();
      SummaryBytes.read(form, bytes, shared.parameters, shared.values, shared.incoming);
      if (summary.count + shared.incoming.count > SummaryBytes.MAX_COUNT) {
        throw bytes.error("more than 2^62 values together");
      }
      merge(shared.incoming);
    }

    @Override
    public void merge(SuperState other) {
      Summary theirs = ((State) other).summary;
      if (summary.count + theirs.count > SummaryBytes.MAX_COUNT) {
        throw new ArithmeticException("more than 2^62 values together");
      }
      if (theirs.size > 0) {
        merge(theirs);
      }
    }

    private void merge(Summary other) {
      int target = shared.parameters.target();
      if (summary.size == 0) {
        summary.set(other); // unchanged: reading a state changes nothing
        compressAbove = Math.max(2 * target, other.size);
        return;
      }
      Summary merged = shared.merged;
      merged.setMerged(summary, other);
      if (merged.size > compressAbove) {
        merged.compress(target, shared.parameters.limit(merged.count));
        compressAbove = Math.max(2 * target, merged.size + merged.size / 2);
      }
      summary.set(merged);
    }

    @Override
    public void output(StateSink sink) {
      SummaryBytes.write(summary, sink);
    }

    @Override
    public long memoryBytes() {
      return OWN_BYTES + summary.memoryBytes();
    }

    /** By the number of values: the number of kept ones depends on their order. */
    @Override
    public long chargedBytes() {
      boolean withGaps = summary.count >= shared.gapsFrom;
      return OWN_BYTES + Summary.memoryBytes(Math.min(summary.count, shared.mostKept), withGaps);
    }

    @Override
    public long count() {
      return summary.count;
    }

    @Override
    public void quantile(long rank, long[] out) {
      summary.quantile(rank, out);
    }

    @Override
    public void rank(long value, long[] out) {
      summary.rank(value, out);
    }

    @Override
    public double rankError() {
      long ranks = (summary.maxGap() + 1) / 2;
      return ranks;
    }

    @Override
    public double probability() {
      return 1;
    }
  }
}
