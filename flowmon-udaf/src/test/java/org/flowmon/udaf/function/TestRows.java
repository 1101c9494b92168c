package org.flowmon.udaf.function;

import java.util.List;
import java.util.Random;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/** Rows of arguments for functions under test. */
public final class TestRows {
  /** The shape of a stream of values. */
  public enum Shape {
    RANDOM,
    /** Any 64 bits, including the least and the greatest. */
    WIDE,
    FEW,
    SAME,
    ASCENDING,
    DESCENDING,
    /** Each value lies between the two before it: summaries cannot predict the dense part. */
    NESTED,
    /** Few values make up most of the rows. */
    ZIPF
  }

  private final ValueKind[] kinds;
  private final int size;
  private final Value[][] values;

  private TestRows(ValueKind[] kinds, int size) {
    this.kinds = kinds;
    this.size = size;
    this.values = new Value[kinds.length][size];
  }

  /** These rows. */
  public static TestRows of(ValueKind[] kinds, List<List<Value>> all) {
    TestRows rows = new TestRows(kinds, all.size());
    for (int i = 0; i < all.size(); i++) {
      for (int a = 0; a < kinds.length; a++) {
        rows.values[a][i] = all.get(i).get(a);
      }
    }
    return rows;
  }

  /** Rows of a shape; a share of the arguments is NULL. */
  public static TestRows of(ValueKind[] kinds, Shape shape, int size, double nulls, Random random) {
    TestRows rows = new TestRows(kinds, size);
    for (int a = 0; a < kinds.length; a++) {
      long low = -(1L << 40);
      long high = 1L << 40;
      for (int i = 0; i < size; i++) {
        long word =
            switch (shape) {
              case RANDOM -> random.nextInt(100_000);
              case WIDE ->
                  random.nextInt(10) == 0
                      ? (random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE)
                      : random.nextLong();
              case FEW -> 40L * random.nextInt(10);
              case SAME -> 7;
              case ASCENDING -> i / 2;
              case DESCENDING -> -i;
              case NESTED -> i % 2 == 0 ? low++ : high--;
              case ZIPF -> (long) Math.exp(10 * random.nextDouble() * random.nextDouble());
            };
        rows.values[a][i] =
            random.nextDouble() < nulls ? Value.NULL : valueOf(kinds[a], word, shape);
      }
    }
    return rows;
  }

  private static Value valueOf(ValueKind kind, long word, Shape shape) {
    return switch (kind) {
      case BOOLEAN -> Value.ofBoolean((word & 1) != 0);
      case LONG -> Value.ofLong(word);
      case TIMESTAMP -> Value.ofTimestamp(word);
      case DURATION -> Value.ofDuration(word);
      case DOUBLE ->
          Value.ofDouble(
              shape == Shape.WIDE ? Double.longBitsToDouble(word) : (word - 3000) / 1000.0);
      case ADDRESS ->
          (word & 3) == 0
              ? Value.ofAddress(0x2001_0db8_0000_0000L | (word >>> 8 & 0xFFFF), word)
              : Value.ofAddress(0, 0xFFFF_0000_0000L | (word & 0xFFFF_FFFFL));
      case TEXT -> Value.ofText("t" + word);
    };
  }

  public int size() {
    return size;
  }

  public Value value(int argument, int row) {
    return values[argument][row];
  }

  /** Whether no argument of the row is NULL. */
  public boolean isWhole(int row) {
    for (Value[] column : values) {
      if (column[row].isNull()) {
        return false;
      }
    }
    return true;
  }

  /** Fills a vector for each argument with rows. */
  void fill(Vector[] vectors, int from, int count) {
    for (int a = 0; a < kinds.length; a++) {
      Vector vector = vectors[a];
      java.util.Arrays.fill(vector.validity(), 0);
      for (int i = 0; i < count; i++) {
        Value value = values[a][from + i];
        if (!value.isNull()) {
          vector.validity()[i >>> 6] |= 1L << i;
          vector.values()[i] = value.low();
          if (vector.high() != null) {
            vector.high()[i] = value.high();
          }
          if (vector.texts() != null) {
            vector.texts()[i] = value.text();
          }
        }
      }
      vector.settleValidity(count);
    }
  }

  Vector[] vectors() {
    Vector[] vectors = new Vector[kinds.length];
    for (int a = 0; a < kinds.length; a++) {
      vectors[a] = new Vector(kinds[a]);
    }
    return vectors;
  }
}
