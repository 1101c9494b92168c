package org.flowmon.udaf.cardinality;

import java.util.List;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.PairFunction;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;

/**
 * {@code DISTINCT_SAMPLE(dst_addr [, k])}: a sample of different (tuples of) values with their
 * rows, NULLs not counted: the number of values, of rare ones and, by {@link DistinctSets}, of
 * those two states share. Exact for up to k values (4096), then with a relative standard error of 1
 * / √n for n requested values in the sample.
 */
public final class DistinctSample implements Udaf {
  private static final long DEFAULT_K = 4096;
  private static final long MIN_K = 16;
  private static final long MAX_K = 1 << 20;

  @Override
  public String name() {
    return "DISTINCT_SAMPLE";
  }

  @Override
  public String signature() {
    return "DISTINCT_SAMPLE(value, \u2026 [, k])";
  }

  @Override
  public BoundUdaf bind(UdafCall call) {
    int values = CountedValues.values(call);
    long k = call.whole(values, "a size k", DEFAULT_K, MIN_K, MAX_K);
    return new CountedValues(
        CountedValues.complete(call, values, k), true, () -> new SampledValues((int) k));
  }

  @Override
  public List<PairFunction> pairs() {
    return List.of(SetFunction.values());
  }

  @Override
  public List<Extractor> extractors() {
    return List.of(CountExtractor.CARDINALITY, CountExtractor.RARE);
  }
}
