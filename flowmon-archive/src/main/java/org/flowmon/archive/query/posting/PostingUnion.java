package org.flowmon.archive.query.posting;

import java.util.Arrays;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.query.plan.RowRanges;

/** Collects many posting lists' rows within ranges into one set; in any order, repeated or not. */
final class PostingUnion {
  // Sorting fewer rows is cheaper than scanning a bitmap of the whole span.
  private static final int MAX_SORTED = 8192;

  private final RowRanges ranges;
  private final int base;
  private int[] rows = {};
  private int n;
  private long[] bits = {}; // of the whole span, once rows are many

  PostingUnion(RowRanges ranges) {
    this.ranges = ranges;
    this.base = ranges.from(0);
  }

  void add(RowSet postings) {
    for (int i = 0; i < ranges.count() && !postings.isEmpty(); i++) {
      if (postings.first() >= ranges.from(i) && postings.last() < ranges.to(i)) {
        addAll(postings);
      } else if (postings.first() < ranges.to(i) && postings.last() >= ranges.from(i)) {
        addAll(postings.and(RowSet.range(ranges.from(i), ranges.to(i))));
      }
    }
  }

  private void addAll(RowSet postings) {
    if (!areBits() && n + postings.size() > MAX_SORTED) {
      toBits();
    }
    RowSet.Cursor cursor = postings.cursor();
    int[] block = new int[areBits() ? 1024 : Math.max(1, postings.size())];
    for (int got = cursor.next(block); got > 0; got = cursor.next(block)) {
      if (areBits()) {
        set(block, got);
      } else {
        rows = n + got > rows.length ? Arrays.copyOf(rows, 2 * (n + got)) : rows;
        System.arraycopy(block, 0, rows, n, got);
        n += got;
      }
    }
  }

  private boolean areBits() {
    return bits.length > 0;
  }

  private void toBits() {
    bits = new long[(ranges.to(ranges.count() - 1) - base + 63) >>> 6];
    set(rows, n);
    rows = new int[0];
  }

  private void set(int[] some, int count) {
    for (int i = 0; i < count; i++) {
      int bit = some[i] - base;
      bits[bit >>> 6] |= 1L << bit;
    }
  }

  RowSet toRowSet() {
    return areBits() ? fromBits() : sorted();
  }

  private RowSet sorted() {
    Arrays.sort(rows, 0, n);
    int kept = 0;
    for (int i = 0; i < n; i++) {
      if (i == 0 || rows[i] != rows[i - 1]) {
        rows[kept++] = rows[i];
      }
    }
    return RowSet.of(rows, kept);
  }

  private RowSet fromBits() {
    int count = 0;
    for (long word : bits) {
      count += Long.bitCount(word);
    }
    int[] all = new int[count];
    int at = 0;
    for (int w = 0; w < bits.length; w++) {
      for (long word = bits[w]; word != 0; word &= word - 1) {
        all[at++] = base + (w << 6) + Long.numberOfTrailingZeros(word);
      }
    }
    return RowSet.of(all, count);
  }
}
