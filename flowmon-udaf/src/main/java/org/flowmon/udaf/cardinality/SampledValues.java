package org.flowmon.udaf.cardinality;

import org.apache.datasketches.thetacommon.BinomialBoundsN;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;

/**
 * The hashes below theta with their rows, for {@link DistinctSample}: all while at most k; then
 * theta is the smallest excluded one. It only falls, so row counts are complete. As hashes spread
 * evenly, they are a sample at a rate of theta / 2^63, whatever a value's frequency (distinct
 * sampling, Gibbons 2001; a theta sketch of fixed size).
 */
final class SampledValues implements SuperState {
  /** Theta of a complete sample. */
  static final long ALL = Long.MAX_VALUE;

  /** The probability of the bounds of an incomplete sample. */
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

  /** Maps a row's hash to the sample's hash, 1 … 2^63 − 2. */
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

  /** Keeps k hashes; delayed until the room or the result needs it. */
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

  /** A hash with its rows takes at least nine bytes; a copy removes dropped hashes. */
  @Override
  public long growth(StateReader bytes) {
    int more = bytes.remaining() / DistinctBytes.LEAST_ENTRY_BYTES;
    int most = (int) Math.min(k + k / 2 + 1L, (long) entries.size() + more);
    long grown = Math.max(0, 16L * HashCounts.slots(most) - 8L * entries.words());
    boolean mayLower = most > k || bytes.peek() == DistinctBytes.SAMPLE;
    long copy = mayLower ? 16L * HashCounts.slots(k + 1) + 8L * most : 0;
    return grown + copy + 16L * more;
  }

  /** Beyond k values, room for half as many more is in use now and then. */
  @Override
  public long chargedBytes() {
    boolean isAll = theta == ALL && entries.size() <= k;
    return isAll ? memoryBytes() : FIXED_BYTES + 16L * HashCounts.slots(k + k / 2 + 1);
  }

  Estimate count() {
    settle();
    return estimate(entries.size());
  }

  Estimate rare(long most) {
    settle();
    int rare = 0;
    for (long hash : entries.hashes()) {
      rare += entries.rows(hash) <= most ? 1 : 0;
    }
    return estimate(rare);
  }

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

  ErrorBound error(Estimate estimate) {
    if (theta == ALL) {
      return ErrorBound.EXACT;
    }
    long value = estimate.value().low();
    return ErrorBound.additive(
        (double) Math.max(value - estimate.lower().low(), estimate.upper().low() - value),
        PROBABILITY);
  }

  /** Below both thetas, same k: values in both, with rows of both, or in this state alone. */
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
