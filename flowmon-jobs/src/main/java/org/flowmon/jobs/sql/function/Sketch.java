package org.flowmon.jobs.sql.function;

import org.flowmon.udaf.catalogue.ExportedState;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** An accumulator: the state of a group, and rows that wait in a scratchpad for it. */
public final class Sketch {
  private static final int[] FIRST = {0};

  private @Nullable Content content; // null without rows
  private double parameter;

  private static final class Content {
    final BoundUdaf function;
    final SuperState state;
    @Nullable SubAggregate low;
    long[] pad = {};

    Content(BoundUdaf function) {
      this.function = function;
      this.state = function.superAggregate().initialize();
    }

    void flush() {
      if (low != null) {
        StateSink sink = new StateSink();
        low.output(pad, 0, sink);
        state.merge(sink.reader("a scratchpad"));
        low.initialize(pad, 0);
      }
    }
  }

  /** Adds the first row of the vectors; {@code parameter}: of the extractor. */
  void add(BoundUdaf function, SubAggregate low, Vector[] row, double parameter) {
    Content to = content(function, parameter);
    if (to.low != low) {
      to.flush();
      to.low = low;
      to.pad = new long[low.words()];
      low.initialize(to.pad, 0);
    }
    if (low.iterate(row, FIRST, 0, 1, to.pad, FIRST, 0) == 0) { // it is full
      to.flush();
      low.iterate(row, FIRST, 0, 1, to.pad, FIRST, 0);
    }
  }

  void merge(Sketch other) {
    if (other.content != null) {
      merge(ExportedState.of(other.content.function, other.state()), other.parameter);
    }
  }

  /** Throws {@code UdafException} or {@code StateFormatException} if the state is of no use. */
  void merge(ExportedState other, double parameter) {
    other.mergeInto(content(other.bind(SketchFunction.FUNCTIONS), parameter).state);
  }

  private Content content(BoundUdaf function, double parameter) {
    if (content == null) {
      content = new Content(function);
      this.parameter = parameter;
    } else if (this.parameter != parameter) {
      throw new IllegalArgumentException(
          String.format(
              "a group has rows with the parameters %s and %s of %s; give it as a constant",
              this.parameter, parameter, function.call().name()));
    }
    return content;
  }

  void clear() {
    content = null;
  }

  boolean isEmpty() {
    return content == null;
  }

  double parameter() {
    return parameter;
  }

  /** Of a sketch that is not empty. */
  BoundUdaf function() {
    return required().function;
  }

  /** Of a sketch that is not empty, with all its rows. */
  SuperState state() {
    required().flush();
    return required().state;
  }

  private Content required() {
    if (content == null) {
      throw new IllegalStateException("the sketch has no rows");
    }
    return content;
  }
}
