package org.flowmon.bench.udaf;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** The measured functions with the paper's parameters. */
final class Functions {
  private static final double EPSILON = 0.01;
  private static final long WIDTH = 256;
  private static final long DEPTH = 2;
  private static final Udafs ALL = Udafs.load(Functions.class.getClassLoader());

  private Functions() {}

  /**
   * HEAVY_HITTERS of items with weights.
   *
   * @param exact items that a group keeps before it sketches
   */
  static BoundUdaf hitters(ValueKind item, String strategy, int exact) {
    return ALL.bind(
        "HEAVY_HITTERS",
        List.of(
            Argument.ofRows(item),
            Argument.ofRows(ValueKind.LONG),
            Argument.of(Value.ofLong(WIDTH)),
            Argument.of(Value.ofLong(DEPTH)),
            Argument.of(Value.ofText(strategy)),
            Argument.of(Value.ofLong(exact))));
  }

  /**
   * QUANTILES of numbers.
   *
   * @param words of a scratchpad; 0 for the default
   */
  static BoundUdaf quantiles(String strategy, int words) {
    List<Argument> arguments = new ArrayList<>();
    arguments.add(Argument.ofRows(ValueKind.LONG));
    arguments.add(Argument.of(Value.ofDouble(EPSILON)));
    arguments.add(Argument.of(Value.ofText(strategy)));
    if (words > 0) {
      arguments.add(Argument.of(Value.ofLong(words)));
    }
    return ALL.bind("QUANTILES", arguments);
  }

  /** TOP of HEAVY_HITTERS. */
  static BoundExtractor top(BoundUdaf hitters, int count) {
    return ALL.bindExtractor(hitters, "TOP", List.of(Argument.of(Value.ofLong(count))));
  }

  /** An extractor without arguments, such as COUNT. */
  static BoundExtractor extractor(BoundUdaf function, String name) {
    return ALL.bindExtractor(function, name, List.of());
  }
}
