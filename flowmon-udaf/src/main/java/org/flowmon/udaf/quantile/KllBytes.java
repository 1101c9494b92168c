package org.flowmon.udaf.quantile;

import org.apache.datasketches.kll.KllLongsSketch;
import org.apache.datasketches.memory.Memory;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.jspecify.annotations.Nullable;

/**
 * Form 4 of states of quantiles: a compact KLL sketch of longs, as DataSketches writes it. The
 * library trusts its input, so everything is checked first.
 *
 * <pre>
 *   0: preamble ints u8, 5 | 1: serial version u8, 1 | 2: family u8, 15 | 3: flags u8, bit 1: level 0 is sorted
 *   4: k u16 | 6: m u8, 8 | 7: 0 | 8: n u64 | 16: least k u16 | 18: levels u8 | 19: 0
 *   20: by level: where it begins in an array of the sketch's capacity, i32 | least item | greatest item | items
 * </pre>
 */
final class KllBytes {
  static final int FORM = 4;

  private static final int FAMILY = 15;
  private static final int LEVEL_ZERO_SORTED = 2;
  private static final int MIN_WIDTH = 8;
  private static final int LEVELS_AT = 20;
  static final int MAX_LEVELS = 60;

  private KllBytes() {}

  static void write(KllLongsSketch sketch, StateSink sink) {
    sink.putByte(FORM);
    byte[] bytes = sketch.toByteArray();
    sink.putBytes(bytes, 0, bytes.length);
  }

  static KllLongsSketch read(StateReader reader, int k) {
    int length = reader.remaining();
    byte[] bytes = new byte[length];
    System.arraycopy(reader.array(), reader.position(), bytes, 0, length);
    String wrong = length < LEVELS_AT ? length + " bytes" : wrong(bytes, k);
    if (wrong != null) {
      throw reader.error("expected a KLL sketch of longs with k = " + k + ", found " + wrong);
    }
    reader.skip(length);
    return KllLongsSketch.heapify(Memory.wrap(bytes));
  }

  private static @Nullable String wrong(byte[] bytes, int k) {
    int preamble = LittleEndian.getInt(bytes, 0);
    int flags = preamble >>> 24;
    if ((preamble & 0xFFFFFF) != (5 | 1 << 8 | FAMILY << 16) || (flags & ~LEVEL_ZERO_SORTED) != 0) {
      return "the preamble " + Integer.toHexString(preamble);
    }
    int foundK = LittleEndian.getU16(bytes, 4);
    int minK = LittleEndian.getU16(bytes, 16);
    if (foundK != k || minK != k || bytes[6] != MIN_WIDTH) {
      return "k = " + foundK + ", at least " + minK + ", m = " + bytes[6];
    }
    int levels = bytes[18];
    if (levels < 1 || levels > MAX_LEVELS) {
      return levels + " levels";
    }
    int capacity = capacity(k, levels);
    int items = LEVELS_AT + 4 * levels + 16;
    if (bytes.length < items) {
      return bytes.length + " bytes";
    }
    int begin = LittleEndian.getInt(bytes, LEVELS_AT);
    if (begin < 0 || begin > capacity || bytes.length != items + 8L * (capacity - begin)) {
      return bytes.length + " bytes of items from " + begin + " to " + capacity;
    }
    return wrongItems(bytes, levels, items, capacity, (flags & LEVEL_ZERO_SORTED) != 0);
  }

  private static @Nullable String wrongItems(
      byte[] bytes, int levels, int items, int capacity, boolean zeroSorted) {
    long least = LittleEndian.getLong(bytes, items - 16);
    long greatest = LittleEndian.getLong(bytes, items - 8);
    int first = LittleEndian.getInt(bytes, LEVELS_AT);
    int from = first;
    long count = 0;
    for (int level = 0; level < levels; level++) {
      int to =
          level + 1 < levels ? LittleEndian.getInt(bytes, LEVELS_AT + 4 * level + 4) : capacity;
      if (to < from || to > capacity) {
        return "level " + level + " from " + from + " to " + to;
      }
      count += (long) (to - from) << level;
      if (count > SummaryBytes.MAX_COUNT
          || count < 0
          || (long) (to - from) > Long.MAX_VALUE >>> level) {
        return "more than 2^62 values";
      }
      for (int i = from; i < to; i++) {
        long item = LittleEndian.getLong(bytes, items + 8 * (i - first));
        boolean inOrder =
            i == from
                || (level == 0 && !zeroSorted)
                || item >= LittleEndian.getLong(bytes, items + 8 * (i - first) - 8);
        if (!inOrder || item < least || item > greatest) {
          return "item " + (i - first) + " out of order or range";
        }
      }
      from = to;
    }
    long n = LittleEndian.getLong(bytes, 8);
    return n == count && n > 1 ? null : n + " values in items of weight " + count;
  }

  /** In items: the top level k, each lower level two thirds, at least 8. */
  static int capacity(int k, int levels) {
    int capacity = 0;
    for (int depth = 0; depth < levels; depth++) {
      int width = depth <= 30 ? scaled(k, depth) : scaled(scaled(k, depth / 2), depth - depth / 2);
      capacity += Math.max(MIN_WIDTH, width);
    }
    return capacity;
  }

  /** k · (2/3)^depth, rounded. */
  private static int scaled(int k, int depth) {
    long power = 1;
    for (int i = 0; i < depth; i++) {
      power *= 3;
    }
    return (int) ((((2L * k) << depth) / power + 1) >>> 1);
  }
}
