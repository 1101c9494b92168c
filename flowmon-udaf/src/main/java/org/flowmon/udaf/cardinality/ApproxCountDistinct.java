package org.flowmon.udaf.cardinality;

import java.util.List;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;

/**
 * {@code APPROX_COUNT_DISTINCT(src_addr, dst_port [, precision])}: different (tuples of) values,
 * NULLs not counted. Exact up to 2^precision / 8 values, then HyperLogLog with 2^precision
 * registers: a relative standard error of 1.04 / √2^precision, 1.6% at the default of 12.
 */
public final class ApproxCountDistinct implements Udaf {
  private static final long DEFAULT_PRECISION = 12;
  private static final long MIN_PRECISION = 7;
  private static final long MAX_PRECISION = 16;

  @Override
  public String name() {
    return "APPROX_COUNT_DISTINCT";
  }

  @Override
  public String signature() {
    return "APPROX_COUNT_DISTINCT(value, \u2026 [, precision])";
  }

  @Override
  public BoundUdaf bind(UdafCall call) {
    int values = CountedValues.values(call);
    long precision =
        call.whole(values, "a precision", DEFAULT_PRECISION, MIN_PRECISION, MAX_PRECISION);
    return new CountedValues(
        CountedValues.complete(call, values, precision),
        false,
        () -> new DistinctHashes((int) precision));
  }

  @Override
  public List<Extractor> extractors() {
    return List.of(CountExtractor.CARDINALITY);
  }
}
