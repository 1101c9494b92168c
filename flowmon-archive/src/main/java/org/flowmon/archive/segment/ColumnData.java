package org.flowmon.archive.segment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * The values of one column in mapped memory, opened and checked once. A <em>slot</em> is a value's
 * place among the values of the column; without nulls it is the row. Immutable.
 */
final class ColumnData {
  // Reading an id takes 8 bytes from its first one on, reading validity 9: the footer that follows
  // is longer than that.
  private static final int READ_AHEAD = 9;
  // Undecodable bytes of a batch's text became U+FFFD, which has three.
  private static final int MAX_TEXT_BYTES = 3 * FlowBatch.MAX_TEXT_BYTES;

  private final MappedRegion file;
  private final SegmentDirectory.Entry entry;
  private final ByteBuffer buffer;
  private final int rows;
  private final String place;
  private final int slots;
  private final boolean wide; // values of 8 bytes

  private int position; // while opening
  private int dictionaryAt;
  private int dictionaryLength;
  private int size; // entries of the dictionary
  private int idWidth;
  private int valuesAt; // ids with a dictionary, else values

  /** Null where no row is null. */
  final Validity validity;

  ColumnData(MappedRegion file, SegmentDirectory.Entry entry, int rows, boolean verifyChecksums) {
    this.file = file;
    this.entry = entry;
    this.rows = rows;
    this.buffer = file.buffer();
    this.place = "column " + entry.column().sqlName();
    this.slots = rows - entry.nulls();
    this.wide = SegmentFormat.width(entry.column().type()) == 8;
    if (verifyChecksums) {
      file.verify(place, entry.offset(), entry.length(), entry.crc32c());
      if (entry.side() != null) {
        SegmentDirectory.Side side = entry.side();
        file.verify(
            place + ", side table", side.offset(), side.entries() * side.width(), side.crc32c());
      }
    }
    file.checkRange(place, entry.offset(), (long) entry.length() + READ_AHEAD);
    position = entry.offset();
    if (entry.dictionary()) {
      openDictionary();
    }
    PageHeader header = readHeader(PageType.DATA_PAGE);
    Encoding expected = entry.dictionary() ? Encoding.RLE_DICTIONARY : Encoding.PLAIN;
    check(
        header.getData_page_header().getEncoding() == expected
            && header.getData_page_header().getNum_values() == rows
            && position + header.getCompressed_page_size() == end(),
        "a last page of " + rows + " values, " + expected);
    this.validity = openLevels();
    openValues();
  }

  private int end() {
    return entry.offset() + entry.length();
  }

  private PageHeader readHeader(PageType type) {
    PageHeader header;
    try {
      header = Util.readPageHeader(new Source());
    } catch (IOException | RuntimeException e) { // the library's checks throw either
      throw file.corrupt(place, "a page header that cannot be read: " + e.getMessage());
    }
    check(
        header.getType() == type
            && (type == PageType.DATA_PAGE
                ? header.isSetData_page_header()
                : header.isSetDictionary_page_header())
            && header.getCompressed_page_size() >= 0
            && header.getCompressed_page_size() == header.getUncompressed_page_size()
            && header.getCompressed_page_size() <= end() - position,
        type + " within the chunk");
    return header;
  }

  private void openDictionary() {
    PageHeader header = readHeader(PageType.DICTIONARY_PAGE);
    dictionaryAt = position;
    dictionaryLength = header.getCompressed_page_size();
    size = header.getDictionary_page_header().getNum_values();
    check(size >= 1 && size <= slots, "a dictionary of 1…" + slots + " entries, found " + size);
    int width = SegmentFormat.width(entry.column().type());
    if (width > 0) {
      check((long) size * width == dictionaryLength, size + " entries of " + width + " bytes");
    } else {
      check(size == entry.side().entries(), size + " entries in the side table");
      check(
          entry.column().type() == ColumnType.ADDRESS || entry.side().width() == 4,
          "a side table of 4 bytes");
    }
    position += dictionaryLength;
  }

  private Validity openLevels() {
    need(4);
    int length = buffer.getInt(position);
    position += 4;
    need(length);
    int end = position + length;
    Validity nulls = null;
    int run = readVarint();
    if (entry.nulls() == 0) {
      check(
          run == rows << 1 && end - position == 1 && buffer.get(position) == 1,
          "levels of one run of " + rows + " ones");
    } else {
      int groups = (rows + 7) >>> 3;
      check(
          run == ((groups << 1) | 1) && end - position == groups,
          "levels of one bit-packed run of " + rows);
      nulls = new Validity(buffer, position, rows);
      check(nulls.count() == slots, slots + " rows that are not null, found " + nulls.count());
    }
    position = end;
    return nulls;
  }

  private void openValues() {
    if (entry.dictionary()) {
      need(1);
      idWidth = buffer.get(position++);
      check(
          idWidth == ChunkBuilder.idWidth(size),
          "ids of " + ChunkBuilder.idWidth(size) + " bits, found " + idWidth);
      int run = readVarint();
      int groups = (slots + 7) >>> 3;
      check(
          idWidth == 0 ? run == slots << 1 : run == ((groups << 1) | 1),
          "one run of " + slots + " ids");
      check(end() - position == (long) groups * idWidth, groups * (long) idWidth + " bytes of ids");
    } else {
      ColumnType type = entry.column().type();
      long needed =
          type == ColumnType.BOOLEAN ? (slots + 7) >>> 3 : (long) slots * SegmentFormat.width(type);
      check(end() - position == needed, needed + " bytes of values");
    }
    valuesAt = position;
  }

  private void need(int bytes) {
    check(bytes >= 0 && bytes <= end() - position, bytes + " more bytes at " + position);
  }

  private int readVarint() {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      need(1);
      byte next = buffer.get(position++);
      value |= (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw file.corrupt(place, "a number of more than 5 bytes at " + position);
  }

  private void check(boolean holds, String expected) {
    if (!holds) {
      throw file.corrupt(place, "expected " + expected);
    }
  }

  /** The bytes from the position on, to the end of the chunk. */
  private final class Source extends InputStream {
    @Override
    public int read() {
      return position < end() ? buffer.get(position++) & 0xFF : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (length == 0) {
        return 0;
      }
      int n = Math.min(length, end() - position);
      if (n <= 0) {
        return -1;
      }
      buffer.get(position, target, offset, n);
      position += n;
      return n;
    }
  }

  boolean hasDictionary() {
    return entry.dictionary();
  }

  int dictionarySize() {
    return size;
  }

  FlowColumn column() {
    return entry.column();
  }

  /** The slot of a row, −1 where it is null. */
  int slot(int row) {
    if (validity == null) {
      return row;
    }
    return validity.isValid(row) ? validity.rank(row) : -1;
  }

  /** The id in a slot. */
  int id(int slot) {
    long bit = (long) slot * idWidth;
    int id =
        (int) (buffer.getLong(valuesAt + (int) (bit >>> 3)) >>> (bit & 7)) & ((1 << idWidth) - 1);
    if (id >= size) {
      throw file.corrupt(place, "id " + id + " in slot " + slot + " of a dictionary of " + size);
    }
    return id;
  }

  /** The ids in {@code n} slots from one on. */
  void ids(int slot, int n, int[] out) {
    ByteBuffer bytes = buffer;
    int width = idWidth;
    int mask = (1 << width) - 1;
    int at = valuesAt;
    long bit = (long) slot * width;
    int largest = 0;
    for (int i = 0; i < n; i++) {
      int id = (int) (bytes.getLong(at + (int) (bit >>> 3)) >>> (bit & 7)) & mask;
      out[i] = id;
      largest = Math.max(largest, id);
      bit += width;
    }
    if (largest >= size) {
      for (int i = 0; i < n; i++) {
        id(slot + i); // names the place
      }
    }
  }

  /** The number in a slot. */
  long number(int slot) {
    if (entry.dictionary()) {
      return dictionaryLong(id(slot));
    }
    if (entry.column().type() == ColumnType.BOOLEAN) {
      return buffer.get(valuesAt + (slot >>> 3)) >>> (slot & 7) & 1L;
    }
    return wide
        ? buffer.getLong(valuesAt + 8 * slot)
        : buffer.getInt(valuesAt + 4 * slot) & 0xFFFF_FFFFL;
  }

  /** The numbers in {@code n} slots from one on. */
  void numbers(int slot, int n, long[] out) {
    if (entry.dictionary() && wide) {
      for (int i = 0; i < n; i++) {
        out[i] = buffer.getLong(dictionaryAt + 8 * id(slot + i));
      }
    } else if (entry.dictionary()) {
      for (int i = 0; i < n; i++) {
        out[i] = buffer.getInt(dictionaryAt + 4 * id(slot + i)) & 0xFFFF_FFFFL;
      }
    } else if (entry.column().type() == ColumnType.BOOLEAN) {
      for (int i = 0; i < n; i++) {
        int at = slot + i;
        out[i] = buffer.get(valuesAt + (at >>> 3)) >>> (at & 7) & 1L;
      }
    } else if (wide) {
      for (int i = 0; i < n; i++) {
        out[i] = buffer.getLong(valuesAt + 8 * (slot + i));
      }
    } else {
      for (int i = 0; i < n; i++) {
        out[i] = buffer.getInt(valuesAt + 4 * (slot + i)) & 0xFFFF_FFFFL;
      }
    }
  }

  long dictionaryLong(int id) {
    return wide
        ? buffer.getLong(dictionaryAt + 8 * id)
        : buffer.getInt(dictionaryAt + 4 * id) & 0xFFFF_FFFFL;
  }

  long dictionaryHigh(int id) {
    SegmentDirectory.Side side = entry.side();
    return side.width() == 4 ? 0 : Long.reverseBytes(buffer.getLong(side.offset() + 16 * id));
  }

  long dictionaryLow(int id) {
    SegmentDirectory.Side side = entry.side();
    return side.width() == 4
        ? IpAddress.ipv4Low(Integer.reverseBytes(buffer.getInt(side.offset() + 4 * id)))
        : Long.reverseBytes(buffer.getLong(side.offset() + 16 * id + 8));
  }

  /** The addresses of {@code n} ids from one on. */
  void dictionaryAddresses(int id, int n, long[] hi, long[] lo) {
    SegmentDirectory.Side side = entry.side();
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

  /** The text of a text column's id. */
  String dictionaryText(int id) {
    int offset = buffer.getInt(entry.side().offset() + 4 * id);
    check(
        offset >= 0 && offset <= dictionaryLength - 4,
        "a text within the dictionary, found offset " + offset);
    int length = buffer.getInt(dictionaryAt + offset);
    check(
        length >= 0 && length <= MAX_TEXT_BYTES && length <= dictionaryLength - 4 - offset,
        "a text of at most " + MAX_TEXT_BYTES + " bytes, found " + length);
    byte[] utf8 = new byte[length];
    buffer.get(dictionaryAt + offset + 4, utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /**
   * The texts of the dictionary page, in order, each as Latin-1 of its bytes: what other readers
   * see.
   */
  void checkAddressTexts() {
    int at = dictionaryAt;
    int end = dictionaryAt + dictionaryLength;
    for (int id = 0; id < size; id++) {
      check(at <= end - 4, "the text of entry " + id);
      int length = buffer.getInt(at);
      check(
          length >= 0 && length <= end - at - 4,
          "the text of entry " + id + " within the dictionary");
      byte[] ascii = new byte[length];
      buffer.get(at + 4, ascii);
      String text = new String(ascii, StandardCharsets.ISO_8859_1);
      String expected = IpAddress.format(dictionaryHigh(id), dictionaryLow(id));
      check(text.equals(expected), "'" + expected + "' as entry " + id + ", found '" + text + "'");
      at += 4 + length;
    }
    check(at == end, "no more than " + size + " texts");
  }
}
