package org.flowmon.udaf.cardinality;

import org.apache.datasketches.thetacommon.BinomialBoundsN;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;

/**
 * A state of {@link DistinctSample}: the hashes below theta, each with the number of its rows. All
 * of them while they are at most k; then theta is the smallest hash that is left out. What is below
 * the last theta was below every one before, so that nothing of its rows is missing.
 *
 * <p>Hashes are spread evenly, so those below theta are a sample of all at a rate of theta / 2^63,
 * which no value's frequency matters for (distinct sampling, Gibbons 2001; a theta sketch of fixed
 * size).
 */
final class SampledValues implements SuperState {
  /** Theta where nothing is left out. */
  static final long ALL = Long.MAX_VALUE;

  /** What bounds keep to where something is left out. */
  static final double PROBABILITY = 0.95;

  private static final int STANDARD_DEVIATIONS = 2;

  // Objects and array headers, rounded up.
  private static final long FIXED_BYTES = 128;

  private final int k;
  private long theta = ALL;
  private HashCounts entries = new HashCounts(true);

  SampledValues(int k) {
    this.k = k;
  }

  /** The hash of the sample, 1 … 2^63 − 2, of a row's. */
  static long sampleHash(long hash) {
    return Math.max(1, Math.min(ALL - 1, hash >>> 1));
  }

  int k() {
    return k;
  }

  @Override
  public void merge(StateReader reader) {
    if (reader.remaining() == 0) {
      return;
    }
    int form = reader.getByte();
    switch (form) {
      case DistinctBytes.COUNTED -> addAll(DistinctBytes.readCounted(reader), 0);
      case DistinctBytes.SAMPLE -> {
        long[] sample = DistinctBytes.readSample(reader, k);
        lower(sample[0]);
        addAll(sample, 1);
      }
      default -> throw reader.error("expected form 40 or 41, found " + form);
    }
  }

  private void addAll(long[] pairs, int from) {
    for (int i = from; i < pairs.length; i += 2) {
      add(pairs[i], pairs[i + 1]);
    }
  }

  private void add(long hash, long rows) {
    if (hash < theta) {
      entries.add(hash, rows);
      if (entries.size() > k + k / 2) {
        settle();
      }
    }
  }

  /** Leaves out the hashes from a smaller theta on. */
  private void lower(long limit) {
    if (limit < theta) {
      theta = limit;
      HashCounts old = entries;
      entries = new HashCounts(true);
      for (long hash : old.hashes()) {
        if (hash < theta) {
          entries.add(hash, old.rows(hash));
        }
      }
    }
  }

  /** Leaves out all but k hashes, which is put off as long as there is room. */
  private void settle() {
    if (entries.size() > k) {
      lower(entries.ascending()[k]);
    }
  }

  @Override
  public void output(StateSink sink) {
    settle();
    if (entries.size() == 0 && theta == ALL) {
      return;
    }
    long[] hashes = entries.ascending();
    long[] pairs = new long[2 * hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      pairs[2 * i] = hashes[i];
      pairs[2 * i + 1] = entries.rows(hashes[i]);
    }
    DistinctBytes.writeSample(theta, pairs, sink);
  }

  @Override
  public long memoryBytes() {
    return FIXED_BYTES + 8L * entries.words();
  }

  /** A hash with its rows takes at least nine bytes; what is left out is taken out by a copy. */
  @Override
  public long growth(StateReader bytes) {
    int more = bytes.remaining() / DistinctBytes.LEAST_ENTRY_BYTES;
    int most = (int) Math.min(k + k / 2 + 1L, (long) entries.size() + more);
    long grown = Math.max(0, 16L * HashCounts.slots(most) - 8L * entries.words());
    boolean mayLower = most > k || bytes.peek() == DistinctBytes.SAMPLE;
    long copy = mayLower ? 16L * HashCounts.slots(k + 1) + 8L * most : 0;
    return grown + copy + 16L * more;
  }

  /** Once there are more than k values they take room for half as many more, now and then. */
  @Override
  public long chargedBytes() {
    boolean isAll = theta == ALL && entries.size() <= k;
    return isAll ? memoryBytes() : FIXED_BYTES + 16L * HashCounts.slots(k + k / 2 + 1);
  }

  /** Different values. */
  Estimate count() {
    settle();
    return estimate(entries.size());
  }

  /** Different values that have at most so many rows. */
  Estimate rare(long most) {
    settle();
    int rare = 0;
    for (long hash : entries.hashes()) {
      rare += entries.rows(hash) <= most ? 1 : 0;
    }
    return estimate(rare);
  }

  /** All of a kind from those of it that are in the sample. */
  private Estimate estimate(int sampled) {
    if (theta == ALL) {
      return Estimate.exact(Value.ofLong(sampled));
    }
    double rate = theta / 0x1p63;
    double lower = BinomialBoundsN.getLowerBound(sampled, rate, STANDARD_DEVIATIONS, false);
    double upper = BinomialBoundsN.getUpperBound(sampled, rate, STANDARD_DEVIATIONS, false);
    long value = Math.round(sampled / rate);
    return new Estimate(
        Value.ofLong(Math.min(value, (long) Math.floor(lower))),
        Value.ofLong(value),
        Value.ofLong(Math.max(value, (long) Math.ceil(upper))));
  }

  /** How far bounds of an estimate are from it. */
  ErrorBound error(Estimate estimate) {
    if (theta == ALL) {
      return ErrorBound.EXACT;
    }
    long value = estimate.value().low();
    return ErrorBound.additive(
        (double) Math.max(value - estimate.lower().low(), estimate.upper().low() - value),
        PROBABILITY);
  }

  /**
   * The values that are, or are not, in another state of the same k, too: a sample of them below
   * both thetas. Rows are those of this state, and where both have a value of the other, too.
   */
  SampledValues common(SampledValues other, boolean inOther) {
    settle();
    other.settle();
    SampledValues result = new SampledValues(k);
    result.theta = Math.min(theta, other.theta);
    for (long hash : entries.hashes()) {
      long rows = other.entries.rows(hash);
      if (hash < result.theta && (rows > 0) == inOther) {
        result.entries.add(hash, entries.rows(hash));
        if (rows > 0) {
          result.entries.add(hash, rows);
        }
      }
    }
    return result;
  }
}
