package org.flowmon.archive.segment.reader;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.segment.format.ParsedFooter;
import org.flowmon.archive.sorted.AddressList;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * One column's values, opened and checked once. Thread-safe. NULL reads as 0, its id as −1. Methods
 * named read take {@code count} rows from a row on, those named gather the first {@code count} of
 * {@code some}, which are within the segment.
 */
abstract class ColumnData implements AddressList {
  private static final ParsedFooter.Table NO_SIDE = new ParsedFooter.Table(0, 0, 0, 0, 0);
  // Reading an id takes 8 bytes from its first one on, reading validity 9: the footer is longer.
  private static final int READ_AHEAD = 9;
  // Undecodable bytes of a batch's text became U+FFFD, which takes three.
  private static final int MAX_TEXT_BYTES = 3 * FlowBatch.MAX_TEXT_BYTES;

  final MappedRegion file;
  final ParsedFooter.Entry entry;
  final ByteBuffer buffer;
  final int rows;
  final String place;
  final boolean verifyChecksums;
  final boolean wide; // values of 8 bytes
  final ParsedFooter.Table side; // of addresses and texts

  ColumnData(MappedRegion file, ParsedFooter.Entry entry, int rows, boolean verifyChecksums) {
    this.file = file;
    this.entry = entry;
    this.side = Objects.requireNonNullElse(entry.side(), NO_SIDE);
    this.rows = rows;
    this.verifyChecksums = verifyChecksums;
    this.buffer = file.buffer();
    this.place = "column " + entry.column().sqlName();
    this.wide = entry.width() == Long.BYTES;
    if (verifyChecksums) {
      file.verify(place, entry.offset(), entry.length(), entry.crc32c());
      verify("side table", entry.side());
      verify("table of blocks", entry.blocks());
      verify("table of pages", entry.pages());
    }
    file.checkRange(place, entry.offset(), (long) entry.length() + READ_AHEAD);
  }

  private void verify(String what, ParsedFooter.@Nullable Table table) {
    if (table != null) {
      file.verify(place + ", " + what, table.offset(), table.bytes(), table.crc32c());
    }
  }

  static ColumnData open(
      MappedRegion file,
      ParsedFooter.Entry entry,
      int rows,
      boolean verifyChecksums,
      DecodedPages cache) {
    ParsedFooter.Table pages = entry.pages();
    return pages == null
        ? new DirectColumn(file, entry, rows, verifyChecksums)
        : new PagedColumn(file, entry, pages, rows, verifyChecksums, cache);
  }

  abstract void readNumbers(int from, int count, long[] out);

  abstract void gatherNumbers(int[] some, int count, long[] out);

  /** Ids, like those of {@link #gatherIds}, are of columns with a dictionary. */
  abstract void readIds(int from, int count, int[] out);

  abstract void gatherIds(int[] some, int count, int[] out);

  /** Sets all bits of the words. */
  abstract void readValidity(int from, int count, long[] words);

  abstract boolean isValid(int row);

  /** Number of entries of the dictionary; 0 if there is none. */
  abstract int dictionarySize();

  abstract long dictionaryLong(int id);

  /** The buffer of the dictionary's texts: of the file, or decoded. */
  abstract ByteBuffer texts();

  abstract int textsAt();

  abstract int textsLength();

  /** Reads and checks everything that was not checked at opening. */
  abstract void checkAll();

  abstract void close();

  final void readAddresses(int from, int count, long[] hi, long[] lo) {
    int[] ids = new int[Math.min(count, BLOCK)];
    for (int done = 0; done < count; done += BLOCK) {
      int n = Math.min(BLOCK, count - done);
      readIds(from + done, n, ids);
      addresses(ids, n, hi, lo, done);
    }
  }

  final void gatherAddresses(int[] some, int count, long[] hi, long[] lo) {
    int[] ids = new int[count];
    gatherIds(some, count, ids);
    addresses(ids, count, hi, lo, 0);
  }

  private static final int BLOCK = 1024;

  private void addresses(int[] ids, int n, long[] hi, long[] lo, int to) {
    boolean ipv4 = side.width() == 4;
    int at = side.offset();
    for (int i = 0; i < n; i++) {
      int id = ids[i];
      if (id < 0) {
        hi[to + i] = 0;
        lo[to + i] = 0;
      } else if (ipv4) {
        hi[to + i] = 0;
        lo[to + i] = IpAddress.ipv4Low(Integer.reverseBytes(buffer.getInt(at + 4 * id)));
      } else {
        hi[to + i] = Long.reverseBytes(buffer.getLong(at + 16 * id));
        lo[to + i] = Long.reverseBytes(buffer.getLong(at + 16 * id + 8));
      }
    }
  }

  final void check(boolean holds, String expected) {
    if (!holds) {
      throw corrupt("expected " + expected);
    }
  }

  final RuntimeException corrupt(String what) {
    return file.corrupt(place, what);
  }

  final void checkSide(int size) {
    check(size == side.entries(), size + " entries in the side table");
    check(
        entry.column().type() == ColumnType.ADDRESS || side.width() == 4,
        "a side table of 4 bytes");
  }

  @Override
  public final int size() {
    return dictionarySize();
  }

  @Override
  public final long high(int id) {
    return side.width() == 4 ? 0 : Long.reverseBytes(buffer.getLong(side.offset() + 16 * id));
  }

  @Override
  public final long low(int id) {
    return side.width() == 4
        ? IpAddress.ipv4Low(Integer.reverseBytes(buffer.getInt(side.offset() + 4 * id)))
        : Long.reverseBytes(buffer.getLong(side.offset() + 16 * id + 8));
  }

  final void dictionaryAddresses(int id, int n, long[] hi, long[] lo) {
    int at = side.offset() + side.width() * id;
    if (side.width() == 4) {
      for (int i = 0; i < n; i++) {
        hi[i] = 0;
        lo[i] = IpAddress.ipv4Low(Integer.reverseBytes(buffer.getInt(at + 4 * i)));
      }
      return;
    }
    for (int i = 0; i < n; i++) {
      hi[i] = Long.reverseBytes(buffer.getLong(at + 16 * i));
      lo[i] = Long.reverseBytes(buffer.getLong(at + 16 * i + 8));
    }
  }

  /** The text of a row, null if there is none, like all texts. */
  final @Nullable String text(int row) {
    int[] one = {row};
    gatherIds(one, 1, one);
    return one[0] < 0 ? null : dictionaryText(one[0]);
  }

  final void readTexts(int from, int count, @Nullable String[] out) {
    int[] ids = new int[Math.min(count, BLOCK)];
    ByteBuffer texts = null;
    for (int done = 0; done < count; done += BLOCK) {
      int n = Math.min(BLOCK, count - done);
      readIds(from + done, n, ids);
      texts = texts(ids, n, texts, out, done);
    }
  }

  final void gatherTexts(int[] some, int count, @Nullable String[] out) {
    int[] ids = new int[count];
    gatherIds(some, count, ids);
    texts(ids, count, null, out, 0);
  }

  /**
   * Puts the texts of {@code n} ids into {@code out[to … to + n)}. Takes the dictionary's texts if
   * known, and returns them if needed: they are fetched once, not for each row.
   */
  private @Nullable ByteBuffer texts(
      int[] ids, int n, @Nullable ByteBuffer texts, @Nullable String[] out, int to) {
    for (int i = 0; i < n; i++) {
      if (ids[i] < 0) {
        out[to + i] = null;
        continue;
      }
      texts = texts == null ? texts() : texts;
      out[to + i] = text(texts, ids[i]);
    }
    return texts;
  }

  final String dictionaryText(int id) {
    return text(texts(), id);
  }

  private String text(ByteBuffer texts, int id) {
    int offset = buffer.getInt(side.offset() + 4 * id);
    int end = textsLength();
    check(offset >= 0 && offset <= end - 4, "a text within the dictionary, found offset " + offset);
    int length = texts.getInt(textsAt() + offset);
    check(
        length >= 0 && length <= MAX_TEXT_BYTES && length <= end - 4 - offset,
        "a text of at most " + MAX_TEXT_BYTES + " bytes, found " + length);
    byte[] utf8 = new byte[length];
    texts.get(textsAt() + offset + 4, utf8);
    return new String(utf8, java.nio.charset.StandardCharsets.UTF_8);
  }

  /** Compares the texts of addresses, which other readers see, with the side table. */
  final void checkAddressTexts() {
    ByteBuffer texts = texts();
    int at = textsAt();
    int end = at + textsLength();
    for (int id = 0; id < dictionarySize(); id++) {
      check(at <= end - 4, "the text of entry " + id);
      int length = texts.getInt(at);
      check(
          length >= 0 && length <= end - at - 4,
          "the text of entry " + id + " within the dictionary");
      byte[] ascii = new byte[length];
      texts.get(at + 4, ascii);
      String text = new String(ascii, java.nio.charset.StandardCharsets.ISO_8859_1);
      String expected = IpAddress.format(high(id), low(id));
      check(text.equals(expected), "'" + expected + "' as entry " + id + ", found '" + text + "'");
      at += 4 + length;
    }
    check(at == end, "no more than " + dictionarySize() + " texts");
  }
}
