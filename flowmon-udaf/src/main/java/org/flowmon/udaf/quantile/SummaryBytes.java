package org.flowmon.udaf.quantile;

import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;

/**
 * Forms 1 … 3 of states of quantiles; {@code docs/format/states.md} is the specification, this
 * class owns the layout.
 *
 * <pre>
 *   1: u8 form | u8 width | varint count | signed varint base | count offsets of width bytes
 *   2: u8 form | varint s | signed varint v₁ | s − 1 varints: differences | s varints: weights
 *   3: as 2, weights signed                                              | s varints: gaps
 * </pre>
 */
final class SummaryBytes {
  static final int VALUES = 1;
  static final int EXACT = 2;
  static final int WITH_GAPS = 3;

  static final int MAX_VALUES = 4096;

  static final int MAX_SIZE = 1 << 24;

  static final long MAX_COUNT = 1L << 62;

  private SummaryBytes() {}

  /** Writes some values, in any order; {@code count} is not 0. */
  static void writeValues(long[] words, int from, int count, StateSink sink) {
    long min = words[from];
    long max = words[from];
    for (int i = from + 1; i < from + count; i++) {
      min = Math.min(min, words[i]);
      max = Math.max(max, words[i]);
    }
    long range = max - min; // unsigned
    int width =
        range == 0
            ? 0
            : range < 0 || range > 0xFFFF_FFFFL ? 8 : range > 0xFFFF ? 4 : range > 0xFF ? 2 : 1;
    sink.putByte(VALUES);
    sink.putByte(width);
    sink.putVarint(count);
    sink.putSignedVarint(min);
    for (int i = from; i < from + count && width > 0; i++) {
      long offset = words[i] - min;
      switch (width) {
        case 1 -> sink.putByte((int) offset);
        case 2 -> sink.putU16((int) offset);
        case 4 -> sink.putInt((int) offset);
        default -> sink.putLong(offset);
      }
    }
  }

  static void write(Summary summary, StateSink sink) {
    if (summary.size == 0) {
      return;
    }
    boolean exact = summary.isExact();
    sink.putByte(exact ? EXACT : WITH_GAPS);
    sink.putVarint(summary.size);
    sink.putSignedVarint(summary.values[0]);
    for (int i = 1; i < summary.size; i++) {
      sink.putVarint(summary.values[i] - summary.values[i - 1]);
    }
    for (int i = 0; i < summary.size; i++) {
      if (exact) {
        sink.putVarint(summary.weights[i]);
      } else {
        sink.putSignedVarint(summary.weights[i]);
      }
    }
    for (int i = 0; i < summary.size && !exact; i++) {
      sink.putVarint(summary.gaps()[i]);
    }
  }

  /**
   * Reads all that remains in place of {@code into}; {@code scratch} has {@link #MAX_VALUES}.
   *
   * @throws org.flowmon.udaf.state.StateFormatException if it is none, or the error is too large
   */
  static void read(
      int form, StateReader reader, QuantileParameters parameters, long[] scratch, Summary into) {
    switch (form) {
      case VALUES -> readValues(reader, scratch, into);
      case EXACT, WITH_GAPS -> readSummary(form, reader, parameters, into);
      default ->
          throw reader.error(
              "form " + form + ", expected " + VALUES + ", " + EXACT + " or " + WITH_GAPS);
    }
    reader.end();
  }

  private static void readValues(StateReader reader, long[] scratch, Summary into) {
    int width = reader.getByte();
    if (width > 8 || Integer.bitCount(width) > 1) {
      throw reader.error("expected offsets of 0, 1, 2, 4 or 8 bytes, found " + width);
    }
    int count = reader.count("values", MAX_VALUES, width);
    if (count == 0) {
      throw reader.error("expected at least one value");
    }
    long base = reader.getSignedVarint();
    for (int i = 0; i < count; i++) {
      long offset =
          switch (width) {
            case 0 -> 0;
            case 1 -> reader.getByte();
            case 2 -> reader.getU16();
            case 4 -> reader.getInt() & 0xFFFF_FFFFL;
            default -> reader.getLong();
          };
      long word = base + offset;
      if (word < base) {
        throw reader.error("value " + i + " is beyond 64 bits");
      }
      scratch[i] = word;
    }
    into.setValues(scratch, count);
  }

  private static void readSummary(
      int form, StateReader reader, QuantileParameters parameters, Summary into) {
    boolean exact = form == EXACT;
    int size = reader.count("values", MAX_SIZE, exact ? 2 : 3);
    if (size == 0) {
      throw reader.error("expected at least one value");
    }
    into.reset(size, !exact);
    long value = reader.getSignedVarint();
    into.values[0] = value;
    for (int i = 1; i < size; i++) {
      long next = value + reader.getVarint();
      if (next <= value) {
        throw reader.error("value " + i + " is not above the one before it in 64 bits");
      }
      value = next;
      into.values[i] = value;
    }
    for (int i = 0; i < size; i++) {
      into.weights[i] = exact ? reader.getVarint() : reader.getSignedVarint();
    }
    for (int i = 0; i < size && !exact; i++) {
      into.gaps()[i] = reader.getVarint();
    }
    into.size = size;
    into.count = check(reader, parameters, into);
  }

  /** Checks gaps and weights against the definition; returns the number of values. */
  private static long check(StateReader reader, QuantileParameters parameters, Summary summary) {
    long count = 0;
    long maxGap = 0;
    for (int i = 0; i < summary.size; i++) {
      long weight = summary.weights[i];
      long gap = summary.gap(i);
      boolean inRange = gap >= 0 && gap <= MAX_COUNT && weight >= -MAX_COUNT && weight <= MAX_COUNT;
      long next = i + 1 < summary.size ? summary.gap(i + 1) : 0;
      boolean fits =
          inRange
              && next >= 0
              && next <= MAX_COUNT
              && (i > 0 || gap == 0)
              && gap + weight >= 1
              && weight + next >= 1
              && count + gap + weight <= MAX_COUNT;
      if (!fits) {
        throw reader.error("value " + i + " cannot have gap " + gap + " and weight " + weight);
      }
      count += gap + weight;
      maxGap = Math.max(maxGap, gap);
    }
    if (maxGap == 0 && !summary.isExact()) {
      throw reader.error("expected a gap in form " + WITH_GAPS);
    }
    if (maxGap > parameters.limit(count)) {
      throw reader.error(
          String.format(
              "expected gaps of at most %s in a summary of %s values, found %s",
              parameters.limit(count), count, maxGap));
    }
    return count;
  }
}
