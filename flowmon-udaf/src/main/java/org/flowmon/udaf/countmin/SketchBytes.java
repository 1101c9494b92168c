package org.flowmon.udaf.countmin;

import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of sketches (forms 17 and 19) and exact items (form 18), as in {@code
 * docs/format/states.md}; this class owns the layout.
 *
 * <pre>
 *   sketch: +------+---------+-------+--------------------+------------------------------------+
 *           | form | refused | parts | narrow: all words  | wide: words, offset, candidates,   |
 *           | u8   | varint  | u8    | as varints         | (high, low u64, weight varint) …   |
 *           +------+---------+-------+--------------------+------------------------------------+
 *   exact:  +------+---------+---------+------------------------------------+
 *           | 18   | refused | items   | (high, low u64, weight varint) …   |
 *           +------+---------+---------+------------------------------------+
 * </pre>
 */
public final class SketchBytes {
  public static final int LOW_FORM = 17;
  public static final int EXACT_FORM = 18;
  public static final int HIGH_FORM = 19;

  private static final int NARROW = 1;
  private static final int WIDE = 2;
  private static final int LEAST_ITEM_BYTES = 17;

  private SketchBytes() {}

  /** The parts of a sketch that was read; null if absent. */
  public static final class Parts {
    private final long refused;
    private final long @Nullable [] narrow;
    private final long @Nullable [] wide;

    private Parts(long refused, long @Nullable [] narrow, long @Nullable [] wide) {
      this.refused = refused;
      this.narrow = narrow;
      this.wide = wide;
    }

    public long refused() {
      return refused;
    }

    public long @Nullable [] narrow() {
      return narrow;
    }

    public long @Nullable [] wide() {
      return wide;
    }
  }

  /**
   * Omits a part whose total is 0 or whose words are null. {@code scratch} is of {@link
   * #scratchWords}, empty if the wide part is null.
   */
  public static void write(
      int form,
      SketchShape shape,
      long refused,
      long @Nullable [] narrow,
      int narrowAt,
      long @Nullable [] wide,
      int wideAt,
      long[] scratch,
      StateSink sink) {
    long[] ofNarrow = narrow != null && narrow[narrowAt] != 0 ? narrow : null;
    long[] ofWide = wide != null && wide[wideAt] != 0 ? wide : null;
    sink.putByte(form);
    sink.putVarint(refused);
    sink.putByte((ofNarrow != null ? NARROW : 0) | (ofWide != null ? WIDE : 0));
    if (ofNarrow != null) {
      putCells(ofNarrow, narrowAt, shape.narrow().words(), sink);
    }
    if (ofWide != null) {
      int candidates = wideAt + shape.wide().candidatesAt();
      putCells(ofWide, wideAt, shape.wide().candidatesAt(), sink);
      sink.putVarint(Candidates.offset(ofWide, candidates));
      int next = 0;
      for (int s = 0; s < Candidates.slots(shape.width()); s++) {
        int slot = candidates + Candidates.SLOTS + 3 * s;
        if (ofWide[slot + 2] != 0) {
          System.arraycopy(ofWide, slot, scratch, next, 3);
          next += 3;
        }
      }
      ItemCounts.sort(scratch, next / 3);
      putItems(scratch, next / 3, sink);
    }
  }

  private static void putCells(long[] words, int at, int count, StateSink sink) {
    for (int w = at; w < at + count; w++) {
      sink.putVarint(words[w]);
    }
  }

  public static int scratchWords(SketchShape shape) {
    return 3 * Candidates.slots(shape.width());
  }

  private static void putItems(long[] items, int count, StateSink sink) {
    sink.putVarint(count);
    for (int i = 0; i < 3 * count; i += 3) {
      sink.putLong(items[i]);
      sink.putLong(items[i + 1]);
      sink.putVarint(items[i + 2]);
    }
  }

  public static void writeExact(long refused, ItemCounts items, StateSink sink) {
    sink.putByte(EXACT_FORM);
    sink.putVarint(refused);
    putItems(items.sorted(), items.size(), sink);
  }

  /** Reads exact items after their form: refused rows, then high, low, weight of each. */
  public static long[] readExact(StateReader reader, ValueKind kind) {
    long refused = PairBytes.refusedRows(reader);
    long[] items = readItems(reader, "items", Integer.MAX_VALUE / 3 - 1, kind);
    reader.end();
    long[] all = new long[items.length + 1];
    all[0] = refused;
    System.arraycopy(items, 0, all, 1, items.length);
    return all;
  }

  private static long[] readItems(StateReader reader, String what, int most, ValueKind kind) {
    int count = reader.count(what, most, LEAST_ITEM_BYTES);
    long[] items = new long[3 * count];
    for (int i = 0; i < items.length; i += 3) {
      items[i] = reader.getLong();
      items[i + 1] = reader.getLong();
      items[i + 2] = reader.getVarint();
      if (items[i + 2] < 1) {
        throw reader.error("expected a weight of 1 \u2026 2^63 \u2212 1");
      }
      if (!ItemKey.isOf(kind, items[i], items[i + 1])) {
        throw reader.error("item " + i / 3 + " is not of kind " + kind);
      }
      if (i > 0 && IpAddress.compare(items[i - 3], items[i - 2], items[i], items[i + 1]) >= 0) {
        throw reader.error("expected items in ascending order");
      }
    }
    return items;
  }

  public static Parts read(StateReader reader, SketchShape shape, ValueKind kind) {
    long refused = PairBytes.refusedRows(reader);
    int parts = reader.getByte();
    if (parts > (NARROW | WIDE)) {
      throw reader.error("expected parts 0 \u2026 3, found " + parts);
    }
    int cells = shape.depth() * shape.width();
    long[] narrow = null;
    if ((parts & NARROW) != 0) {
      narrow = readCells(reader, shape.narrow().words(), shape.narrow().words());
      requireSum(reader, narrow, 1, NarrowSketch.EXACT, "the exact sums");
      for (int row = 0; row < NarrowSketch.LEVELS * shape.depth(); row++) {
        int from = 1 + NarrowSketch.EXACT + row * shape.width();
        requireSum(reader, narrow, from, shape.width(), "row " + row);
      }
    }
    long[] wide = null;
    if ((parts & WIDE) != 0) {
      wide = readCells(reader, 1 + WideSketch.LEVELS * cells, shape.wide().words());
      for (int row = 0; row < WideSketch.LEVELS * shape.depth(); row++) {
        requireSum(reader, wide, 1 + row * shape.width(), shape.width(), "wide row " + row);
      }
      readCandidates(reader, shape, kind, wide);
    }
    reader.end();
    return new Parts(refused, narrow, wide);
  }

  /** A cell has at least one byte, so the bytes bound the words. */
  private static long[] readCells(StateReader reader, int count, int words) {
    if (reader.remaining() < count) {
      throw reader.error("expected " + count + " counters in " + reader.remaining() + " bytes");
    }
    long[] read = new long[words];
    for (int w = 0; w < count; w++) {
      read[w] = reader.getVarint();
      if (read[w] < 0) {
        throw reader.error("counter " + w + " is above 2^63 \u2212 1");
      }
    }
    if (read[0] == 0) {
      throw reader.error("expected no part without weight");
    }
    return read;
  }

  private static void requireSum(
      StateReader reader, long[] words, int from, int count, String what) {
    long sum = 0;
    for (int w = from; w < from + count; w++) {
      sum = ItemKey.plus(sum, words[w]);
    }
    if (sum != words[0]) {
      throw reader.error(what + " come to " + sum + ", expected " + words[0]);
    }
  }

  private static void readCandidates(
      StateReader reader, SketchShape shape, ValueKind kind, long[] wide) {
    long offset = reader.getVarint();
    int half = Candidates.capacity(shape.width()) / 2;
    if (offset < 0 || (wide[0] != Long.MAX_VALUE && offset > wide[0] / half)) {
      throw reader.error(
          "an offset of " + Long.toUnsignedString(offset) + " of a sum of " + wide[0]);
    }
    long[] items = readItems(reader, "candidates", 2 * half, kind);
    Candidates candidates = shape.wide().newCandidates();
    int at = shape.wide().candidatesAt();
    wide[at] = offset;
    long sum = wide[0] == Long.MAX_VALUE ? 0 : half * offset;
    for (int i = 0; i < items.length; i += 3) {
      if (ItemKey.isNarrow(items[i], items[i + 1])) {
        throw reader.error("candidate " + i / 3 + " belongs to the narrow part");
      }
      if (items[i + 2] > shape.wide().cellUpper(wide, 0, items[i], items[i + 1])) {
        throw reader.error("candidate " + i / 3 + " has more weight than its cells");
      }
      sum = ItemKey.plus(sum, items[i + 2]);
      candidates.add(wide, at, items[i], items[i + 1], items[i + 2]);
    }
    if (sum > wide[0]) {
      throw reader.error("the candidates have more than the sum of weights, " + wide[0]);
    }
  }
}
