package org.flowmon.jobs.sql.function;

import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.FunctionHint;
import org.apache.flink.table.functions.AggregateFunction;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.Answer;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * A function of the dialect and one of its extractors as an aggregate function of Flink. Rows with
 * a NULL argument are left out; rows cannot be taken back.
 */
@FunctionHint(
    accumulator =
        @DataTypeHint(
            value = "RAW",
            bridgedTo = Sketch.class,
            rawSerializer = SketchSerializer.class))
public abstract class SketchFunction<T> extends AggregateFunction<T, Sketch> {
  static final Udafs FUNCTIONS = Udafs.load(SketchFunction.class.getClassLoader());

  private static final long serialVersionUID = 1L;

  private final String name;
  private transient @Nullable Bound bound;

  /** The function for the kinds of the rows' arguments. */
  private static final class Bound {
    final List<ValueKind> kinds;
    final BoundUdaf function;
    final SubAggregate low;
    final Vector[] row;

    Bound(String name, Value[] arguments) {
      kinds = Arrays.stream(arguments).map(SketchFunction::kind).toList();
      function = FUNCTIONS.bind(name, kinds.stream().map(UdafCall.Argument::ofRows).toList());
      low = function.subAggregate();
      row = kinds.stream().map(Vector::new).toArray(Vector[]::new);
    }

    boolean isOf(Value[] arguments) {
      for (int i = 0; i < arguments.length; i++) {
        if (kinds.get(i) != arguments[i].kind()) {
          return false;
        }
      }
      return true;
    }
  }

  /** {@code name}: of the dialect's function. */
  SketchFunction(String name) {
    this.name = name;
  }

  private static ValueKind kind(Value value) {
    ValueKind kind = value.kind();
    if (kind == null) {
      throw new IllegalArgumentException("rows with NULL are left out before");
    }
    return kind;
  }

  static Value address(byte[] bytes) {
    if (bytes.length != 2 * Long.BYTES) {
      throw new IllegalArgumentException(
          "an address has 16 bytes, found " + bytes.length + "; give it so, or as text");
    }
    return Value.ofAddress(IpAddress.ofBytes(bytes));
  }

  @Override
  public final Sketch createAccumulator() {
    return new Sketch();
  }

  /** Adds a row. */
  final void add(Sketch sketch, double parameter, Value... arguments) {
    Bound to = bound;
    if (to == null || !to.isOf(arguments)) {
      to = new Bound(name, arguments);
      bound = to;
    }
    for (int i = 0; i < arguments.length; i++) {
      Vector vector = to.row[i];
      vector.values()[0] = arguments[i].low();
      switch (to.kinds.get(i)) {
        case ADDRESS -> vector.requireHigh()[0] = arguments[i].high();
        case TEXT -> vector.requireTexts()[0] = arguments[i].text();
        default -> {}
      }
      vector.setAllValid(1);
    }
    sketch.add(to.function, to.low, to.row, parameter);
  }

  /** Called by Flink for partial aggregates. */
  public final void merge(Sketch sketch, Iterable<Sketch> others) {
    others.forEach(sketch::merge);
  }

  /** Called by Flink. */
  public final void resetAccumulator(Sketch sketch) {
    sketch.clear();
  }

  /** Of a sketch with rows. */
  static Answer answer(Sketch sketch, String extractor, Value... parameters) {
    return FUNCTIONS
        .bindExtractor(
            sketch.function(),
            extractor,
            Arrays.stream(parameters).map(UdafCall.Argument::of).toList())
        .extract(sketch.state());
  }
}
