package org.flowmon.archive.segment.reader;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.segment.format.DeltaDecoder;
import org.flowmon.archive.segment.format.DeltaEncoder;
import org.flowmon.archive.segment.format.PackedWidths;
import org.flowmon.archive.segment.format.ParsedFooter;
import org.flowmon.flow.ColumnType;
import org.jspecify.annotations.Nullable;

/**
 * A column of one uncompressed data page, read in place: any value in constant time, deltas within
 * a block. A <em>slot</em> is a value's place among the column's values; without nulls it is the
 * row. Immutable.
 */
final class DirectColumn extends ColumnData {
  // If rows are at least this far apart, hardly two are in the same block of deltas.
  private static final int SPARSE = 64;
  private static final int AT_ONCE = 1024;

  private int dictionaryAt;
  private int dictionaryLength;
  private int size; // entries of the dictionary
  private int idWidth;
  private int blocksAt; // of deltas
  private final int slots;
  private final int valuesAt; // ids with a dictionary, else values
  private final @Nullable LongBuffer longs; // the values, if they are plain longs; else null
  private final boolean isBoolean;
  private final boolean isDelta;

  /** Null if no row is null. */
  private final @Nullable Validity validity;

  DirectColumn(MappedRegion file, ParsedFooter.Entry entry, int rows, boolean verify) {
    super(file, entry, rows, verify);
    this.slots = rows - entry.nulls();
    this.isBoolean = entry.column().type() == ColumnType.BOOLEAN;
    this.isDelta = entry.encoding() == Encoding.DELTA_BINARY_PACKED;
    ChunkCursor in =
        new ChunkCursor(buffer, entry.offset(), entry.offset() + entry.length(), this::corrupt);
    if (entry.hasDictionary()) {
      openDictionary(in);
    }
    PageHeader header = in.readHeader(PageType.DATA_PAGE);
    check(
        header.getData_page_header().getEncoding() == entry.encoding()
            && header.getData_page_header().getNum_values() == rows
            && header.getCompressed_page_size() == header.getUncompressed_page_size()
            && header.getCompressed_page_size() == in.remaining(),
        "a last page of " + rows + " values, " + entry.encoding());
    int bits = in.readLevels(rows, entry.nulls() > 0);
    this.validity = bits < 0 ? null : new Validity(buffer, bits, rows);
    check(
        validity == null || validity.count() == slots,
        slots + " rows that are not null, of levels");
    openValues(in);
    this.valuesAt = in.position();
    boolean plain = wide && !entry.hasDictionary() && !isDelta && !isBoolean;
    this.longs =
        plain ? buffer.slice(valuesAt, 8 * slots).order(buffer.order()).asLongBuffer() : null;
  }

  private void openDictionary(ChunkCursor in) {
    PageHeader header = in.readHeader(PageType.DICTIONARY_PAGE);
    dictionaryAt = in.position();
    dictionaryLength = header.getCompressed_page_size();
    size = header.getDictionary_page_header().getNum_values();
    check(size >= 1 && size <= slots, "a dictionary of 1…" + slots + " entries, found " + size);
    int width = entry.width();
    if (width > 0) {
      check((long) size * width == dictionaryLength, size + " entries of " + width + " bytes");
    } else {
      checkSide(size);
    }
    in.skip(dictionaryLength);
  }

  private void openValues(ChunkCursor in) {
    if (entry.hasDictionary()) {
      idWidth = in.readIdWidth(size, slots);
    } else if (isDelta) {
      check(slots > 1, "at least two values of deltas"); // a single value is in no block
      ParsedFooter.Table blocks = entry.blocks();
      if (blocks == null || blocks.entries() != DeltaEncoder.blocks(slots)) {
        throw corrupt("expected a table of " + DeltaEncoder.blocks(slots) + " blocks");
      }
      blocksAt = blocks.offset();
      deltas(in.position()); // checks the header
    } else {
      long needed = isBoolean ? (slots + 7) >>> 3 : (long) slots * (wide ? 8 : 4);
      check(in.remaining() == needed, needed + " bytes of values");
    }
  }

  private DeltaDecoder deltas(int at) {
    return new DeltaDecoder(
        buffer, at, entry.offset() + entry.length(), blocksAt, slots, !wide, this::corrupt);
  }

  /** The slot of a row, −1 if it is null. */
  private int slot(int row) {
    if (validity == null) {
      return row;
    }
    return validity.isValid(row) ? validity.rank(row) : -1;
  }

  private int id(int slot) {
    long bit = (long) slot * idWidth;
    int id =
        (int) (buffer.getLong(valuesAt + (int) (bit >>> 3)) >>> (bit & 7)) & ((1 << idWidth) - 1);
    if (id >= size) {
      throw corrupt("id " + id + " in slot " + slot + " of a dictionary of " + size);
    }
    return id;
  }

  private void ids(int slot, int n, int[] out) {
    ByteBuffer bytes = buffer;
    int width = idWidth;
    int mask = (1 << width) - 1;
    int at = valuesAt;
    long bit = (long) slot * width;
    int largest = 0;
    int i = 0;
    for (; width <= PackedWidths.OF_THREE && i + 2 < n; i += 3) {
      long word = bytes.getLong(at + (int) (bit >>> 3)) >>> (bit & 7);
      int first = (int) word & mask;
      int second = (int) (word >>> width) & mask;
      int third = (int) (word >>> (2 * width)) & mask;
      out[i] = first;
      out[i + 1] = second;
      out[i + 2] = third;
      largest = Math.max(Math.max(largest, first), Math.max(second, third));
      bit += 3L * width;
    }
    for (; width <= PackedWidths.OF_TWO && i + 1 < n; i += 2) {
      long word = bytes.getLong(at + (int) (bit >>> 3)) >>> (bit & 7);
      int first = (int) word & mask;
      int second = (int) (word >>> width) & mask;
      out[i] = first;
      out[i + 1] = second;
      largest = Math.max(largest, Math.max(first, second));
      bit += 2L * width;
    }
    for (; i < n; i++) {
      int id = (int) (bytes.getLong(at + (int) (bit >>> 3)) >>> (bit & 7)) & mask;
      out[i] = id;
      largest = Math.max(largest, id);
      bit += width;
    }
    requireIds(largest, slot, n);
  }

  private void idsOf(int[] some, int n, int[] out) {
    ByteBuffer bytes = buffer;
    int width = idWidth;
    int mask = (1 << width) - 1;
    int at = valuesAt;
    int largest = 0;
    for (int i = 0; i < n; i++) {
      long bit = (long) some[i] * width;
      int id = (int) (bytes.getLong(at + (int) (bit >>> 3)) >>> (bit & 7)) & mask;
      out[i] = id;
      largest = Math.max(largest, id);
    }
    for (int i = 0; i < n && largest >= size; i++) {
      id(some[i]); // throws with the place
    }
  }

  private void requireIds(int largest, int slot, int n) {
    if (largest >= size) {
      for (int i = 0; i < n; i++) {
        id(slot + i); // throws with the place
      }
    }
  }

  /** The number in a slot; not for deltas. */
  private long number(int slot) {
    if (entry.hasDictionary()) {
      return dictionaryLong(id(slot));
    }
    if (isBoolean) {
      return buffer.get(valuesAt + (slot >>> 3)) >>> (slot & 7) & 1L;
    }
    return wide
        ? buffer.getLong(valuesAt + 8 * slot)
        : buffer.getInt(valuesAt + 4 * slot) & 0xFFFF_FFFFL;
  }

  private void numbers(int slot, int n, long[] out) {
    if (isDelta) {
      deltaNumbers(slot, n, out);
    } else if (entry.hasDictionary()) {
      ofDictionary(slot, n, out);
    } else if (isBoolean) {
      flags(slot, n, out);
    } else if (longs != null) {
      longs.get(slot, out, 0, n);
    } else {
      for (int i = 0; i < n; i++) {
        out[i] = buffer.getInt(valuesAt + 4 * (slot + i)) & 0xFFFF_FFFFL;
      }
    }
  }

  private void ofDictionary(int slot, int n, long[] out) {
    int[] ids = new int[Math.min(n, AT_ONCE)];
    for (int done = 0; done < n; done += ids.length) {
      int some = Math.min(ids.length, n - done);
      ids(slot + done, some, ids);
      for (int i = 0; i < some; i++) {
        out[done + i] = dictionaryLong(ids[i]);
      }
    }
  }

  /** Reads bits, as many at once as a long holds from the first one's byte on. */
  private void flags(int slot, int n, long[] out) {
    int done = 0;
    while (done < n) {
      int at = slot + done;
      // The bytes past the values exist: those of the footer.
      long word = buffer.getLong(valuesAt + (at >>> 3)) >>> (at & 7);
      int some = Math.min(n - done, Long.SIZE - Byte.SIZE);
      for (int i = 0; i < some; i++) {
        out[done + i] = word >>> i & 1;
      }
      done += some;
    }
  }

  private void deltaNumbers(int slot, int n, long[] out) {
    DeltaDecoder deltas = deltas(valuesAt);
    long[] block = new long[DeltaEncoder.BLOCK + 1];
    for (int done = 0; done < n; ) {
      int number = DeltaDecoder.blockOf(slot + done);
      int first = slot + done - DeltaDecoder.beforeOf(number);
      int some = Math.min(n - done, DeltaEncoder.BLOCK + 1 - first);
      deltas.decode(number, first + some - 1, block);
      System.arraycopy(block, first, out, done, some);
      done += some;
    }
  }

  @Override
  void readNumbers(int from, int count, long[] out) {
    if (validity == null) {
      numbers(from, count, out);
      return;
    }
    int n = validity.count(from, count);
    numbers(n == 0 ? 0 : validity.rank(from), n, out);
    for (int i = count - 1; i >= 0; i--) { // spread over their rows, last first: none overwritten
      out[i] = validity.isValid(from + i) ? out[--n] : 0;
    }
  }

  @Override
  void gatherNumbers(int[] some, int count, long[] out) {
    if (isDelta) {
      gatherDeltas(some, count, out);
      return;
    }
    for (int i = 0; i < count; i++) {
      int slot = slot(some[i]);
      out[i] = slot < 0 ? 0 : number(slot);
    }
  }

  private void gatherDeltas(int[] some, int count, long[] out) {
    if (count == 0) {
      return;
    }
    long span = Math.abs((long) some[count - 1] - some[0]);
    int[] at = some;
    if (validity != null) {
      at = new int[count];
      for (int i = 0; i < count; i++) {
        at[i] = slot(some[i]);
      }
    }
    if (span > (long) SPARSE * count) {
      deltas(valuesAt).gather(at, count, out);
    } else {
      gatherBlocks(at, count, out);
    }
  }

  /** Gathers deltas. Rows mostly ascend, so several lie in the block that was decoded last. */
  private void gatherBlocks(int[] some, int count, long[] out) {
    DeltaDecoder deltas = deltas(valuesAt);
    long[] block = new long[DeltaEncoder.BLOCK + 1];
    int decoded = -1;
    int through = -1;
    for (int i = 0; i < count; i++) {
      int slot = some[i];
      if (slot < 0) {
        out[i] = 0;
        continue;
      }
      int number = DeltaDecoder.blockOf(slot);
      int at = slot - DeltaDecoder.beforeOf(number);
      if (number != decoded || at > through) {
        // A block that is needed again is decoded fully, one needed first only as far as necessary.
        through = number == decoded ? DeltaEncoder.BLOCK : at;
        deltas.decode(number, through, block);
        decoded = number;
      }
      out[i] = block[at];
    }
  }

  @Override
  void readIds(int from, int count, int[] out) {
    if (validity == null) {
      ids(from, count, out);
      return;
    }
    int slot = count == 0 ? 0 : validity.rank(from);
    for (int i = 0; i < count; i++) {
      out[i] = validity.isValid(from + i) ? id(slot++) : -1;
    }
  }

  @Override
  void gatherIds(int[] some, int count, int[] out) {
    if (validity == null) {
      idsOf(some, count, out);
      return;
    }
    for (int i = 0; i < count; i++) {
      int slot = slot(some[i]);
      out[i] = slot < 0 ? -1 : id(slot);
    }
  }

  @Override
  void readValidity(int from, int count, long[] words) {
    int last = (count + 63) >>> 6;
    if (validity != null) {
      validity.read(from, count, words);
      return;
    }
    Arrays.fill(words, 0, last, -1L);
    if ((count & 63) != 0) {
      words[last - 1] = (1L << count) - 1;
    }
  }

  @Override
  boolean isValid(int row) {
    return validity == null || validity.isValid(row);
  }

  @Override
  int dictionarySize() {
    return size;
  }

  @Override
  long dictionaryLong(int id) {
    return wide
        ? buffer.getLong(dictionaryAt + 8 * id)
        : buffer.getInt(dictionaryAt + 4 * id) & 0xFFFF_FFFFL;
  }

  @Override
  ByteBuffer texts() {
    return buffer;
  }

  @Override
  int textsAt() {
    return dictionaryAt;
  }

  @Override
  int textsLength() {
    return dictionaryLength;
  }

  /** Decodes all deltas, both from front to back and by the table: both must agree. */
  @Override
  void checkAll() {
    if (isDelta) {
      long[] all = new long[slots];
      deltas(valuesAt).decodeAll(all);
      long[] byTable = new long[slots];
      deltaNumbers(0, slots, byTable);
      check(Arrays.equals(all, byTable), "blocks where their table says");
    }
  }

  @Override
  void close() {}
}
