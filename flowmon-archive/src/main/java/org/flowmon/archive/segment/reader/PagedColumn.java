package org.flowmon.archive.segment.reader;

import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.segment.format.DeltaDecoder;
import org.flowmon.archive.segment.format.PageCodec;
import org.flowmon.archive.segment.format.PageTable;
import org.flowmon.archive.segment.format.ParsedFooter;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.bytes.Crc32c;
import org.jspecify.annotations.Nullable;

/** A column of several pages, decoded on use and cached ({@link DecodedPages}). Thread-safe. */
final class PagedColumn extends ColumnData {
  // Bytes that a reader may touch past the end of a page.
  private static final int SLACK = 16;

  private final DecodedPages cache;
  private final PageTable table;
  private final int shift; // a page has 2^shift rows
  private final int firstPage; // in the table, after the dictionary
  private final int size; // entries of the dictionary
  private final AtomicReferenceArray<DecodedPage> slots;
  // Too large for the cache, of a segment written before dictionaries were limited: in the cache,
  // dictionary and page would evict each other for every row.
  private SoftReference<DecodedPage> large = new SoftReference<>(null);

  PagedColumn(
      MappedRegion file,
      ParsedFooter.Entry entry,
      ParsedFooter.Table pages,
      int rows,
      boolean verify,
      DecodedPages cache) {
    super(file, entry, rows, verify);
    this.cache = cache;
    this.shift = Integer.numberOfTrailingZeros(pages.width());
    this.firstPage = entry.hasDictionary() ? 1 : 0;
    this.table = new PageTable(buffer, pages.offset());
    this.slots = new AtomicReferenceArray<>(pages.entries());
    for (int page = 0; page < pages.entries(); page++) {
      checkPlace(page);
    }
    this.size = entry.hasDictionary() ? openDictionary() : 0;
  }

  private void checkPlace(int page) {
    int offset = table.offset(page);
    int stored = table.stored(page);
    int length = table.uncompressed(page);
    check(
        offset >= 0 && stored >= 0 && offset <= entry.length() - stored,
        "page " + page + " within the chunk, found " + offset + "+" + stored);
    // The footer has the total bytes of all pages: so no damage makes a page of gigabytes.
    check(
        length >= 0 && length <= entry.uncompressed() && length <= Integer.MAX_VALUE - SLACK,
        "page " + page + " of at most " + entry.uncompressed() + " bytes, found " + length);
  }

  private int openDictionary() {
    int width = entry.width();
    int entries = width > 0 ? table.uncompressed(0) / width : side.entries();
    check(
        entries >= 1 && entries <= rows - entry.nulls(),
        "a dictionary of 1…" + (rows - entry.nulls()) + " entries, found " + entries);
    if (width > 0) {
      check(table.uncompressed(0) == (long) entries * width, "entries of " + width + " bytes");
    } else {
      checkSide(entries);
    }
    return entries;
  }

  private String place(int page) {
    return page < firstPage ? "the dictionary" : "page " + (page - firstPage);
  }

  /** The uncompressed bytes of a page, and {@link #SLACK} more. */
  private byte[] bytes(int page) {
    int length = table.uncompressed(page);
    byte[] bytes = new byte[length + SLACK];
    ByteBuffer stored = file.slice(place, entry.offset() + table.offset(page), table.stored(page));
    String wrong = PageCodec.decompress(entry.codec(), stored, bytes, length);
    if (wrong != null) {
      throw corrupt(place(page) + ": " + wrong);
    }
    if (verifyChecksums) {
      int crc32c = Crc32c.of(bytes, 0, length);
      if (crc32c != table.crc32c(page)) {
        throw corrupt(
            String.format(
                "%s has the CRC32C %08x uncompressed, sealed was %08x",
                place(page), crc32c, table.crc32c(page)));
      }
    }
    return bytes;
  }

  private DecodedPage dictionary() {
    if (!cache.hasRoomFor(dictionaryBytes())) {
      return largeDictionary();
    }
    DecodedPage page = DecodedPages.find(slots, 0);
    if (page == null) {
      page = decodeDictionary();
      cache.keep(slots, 0, page);
    }
    return page;
  }

  private long dictionaryBytes() {
    return entry.column().type().isLong() ? 8L * size : table.uncompressed(0);
  }

  /** Kept as long as the heap has room for it; one thread decodes it while others wait. */
  private synchronized DecodedPage largeDictionary() {
    DecodedPage page = large.get();
    if (page == null) {
      page = decodeDictionary();
      large = new SoftReference<>(page);
      cache.countElsewhere();
    }
    return page;
  }

  private DecodedPage decodeDictionary() {
    byte[] bytes = bytes(0);
    if (!entry.column().type().isLong()) {
      return DecodedPage.ofTexts(bytes);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    return DecodedPage.ofNumbers(null, plain(in, 0, size));
  }

  private long[] plain(ByteBuffer in, int at, int n) {
    long[] numbers = new long[n];
    for (int i = 0; i < n; i++) {
      numbers[i] = wide ? in.getLong(at + 8 * i) : in.getInt(at + 4 * i) & 0xFFFF_FFFFL;
    }
    return numbers;
  }

  private int at(int row) {
    return row & ((1 << shift) - 1);
  }

  private DecodedPage page(int row) {
    int number = (row >>> shift) + firstPage;
    DecodedPage page = DecodedPages.find(slots, number);
    if (page == null) {
      page = decode(number);
      cache.keep(slots, number, page);
    }
    return page;
  }

  private int rowsOf(int number) {
    int from = (number - firstPage) << shift;
    return Math.min(1 << shift, rows - from);
  }

  private DecodedPage decode(int number) {
    byte[] bytes = bytes(number);
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int n = rowsOf(number);
    ChunkCursor cursor =
        new ChunkCursor(
            in, 0, table.uncompressed(number), what -> corrupt(place(number) + ": " + what));
    int levels = cursor.readLevels(n, entry.nulls() > 0);
    long[] valid = levels < 0 ? null : validity(in, levels, n);
    int present = n;
    if (valid != null) {
      present = 0;
      for (long word : valid) {
        present += Long.bitCount(word);
      }
    }
    if (entry.hasDictionary()) {
      return DecodedPage.ofIds(valid, ids(in, cursor, n, present, valid));
    }
    long[] numbers = numbers(in, cursor, present);
    return DecodedPage.ofNumbers(valid, spread(numbers, valid, n, present));
  }

  private static long[] validity(ByteBuffer in, int at, int n) {
    long[] words = new long[(n + 63) >>> 6];
    for (int i = 0; i < n; i += 8) {
      long bits = in.get(at + (i >>> 3)) & 0xFFL & (n - i >= 8 ? 0xFF : (1 << (n - i)) - 1);
      words[i >>> 6] |= bits << (i & 63);
    }
    return words;
  }

  private int[] ids(
      ByteBuffer in, ChunkCursor cursor, int n, int present, long @Nullable [] valid) {
    int width = cursor.readIdWidth(size, present);
    int[] ids = new int[n];
    int at = cursor.position();
    long mask = (1L << width) - 1;
    long bit = 0;
    for (int i = 0; i < present; i++, bit += width) {
      int id = (int) (in.getLong(at + (int) (bit >>> 3)) >>> (bit & 7) & mask);
      if (id >= size) {
        throw corrupt("id " + id + " of value " + i + " of a page, with a dictionary of " + size);
      }
      ids[i] = id;
    }
    for (int i = n - 1, next = present; valid != null && i >= 0; i--) {
      ids[i] = (valid[i >>> 6] >>> i & 1) != 0 ? ids[--next] : -1;
    }
    return ids;
  }

  private long[] numbers(ByteBuffer in, ChunkCursor cursor, int present) {
    int at = cursor.position();
    int length = cursor.remaining();
    if (entry.encoding() == Encoding.DELTA_BINARY_PACKED) {
      return deltas(in, at, length, present);
    }
    if (entry.column().type() == ColumnType.BOOLEAN) {
      check(length == (present + 7) >>> 3, ((present + 7) >>> 3) + " bytes of values");
      long[] bits = new long[present];
      for (int i = 0; i < present; i++) {
        bits[i] = in.get(at + (i >>> 3)) >>> (i & 7) & 1L;
      }
      return bits;
    }
    int width = wide ? 8 : 4;
    check(length == (long) present * width, (long) present * width + " bytes of values");
    return entry.encoding() == Encoding.BYTE_STREAM_SPLIT
        ? split(in, at, present, width)
        : plain(in, at, present);
  }

  private long[] deltas(ByteBuffer in, int at, int length, int present) {
    DeltaDecoder decoder = new DeltaDecoder(in, at, at + length, -1, present, !wide, this::corrupt);
    long[] numbers = new long[present];
    if (present > 0) {
      decoder.decodeAll(numbers);
    }
    return numbers;
  }

  private static long[] split(ByteBuffer in, int at, int n, int width) {
    long[] numbers = new long[n];
    for (int b = 0; b < width; b++) {
      for (int i = 0; i < n; i++) {
        numbers[i] |= (in.get(at + b * n + i) & 0xFFL) << (8 * b);
      }
    }
    return numbers;
  }

  private static long[] spread(long[] numbers, long @Nullable [] valid, int n, int present) {
    if (valid == null) {
      return numbers;
    }
    long[] spread = new long[n];
    for (int i = 0, next = 0; i < n && next < present; i++) {
      if ((valid[i >>> 6] >>> i & 1) != 0) {
        spread[i] = numbers[next++];
      }
    }
    return spread;
  }

  @Override
  void readNumbers(int from, int count, long[] out) {
    DecodedPage dictionary = entry.hasDictionary() ? dictionary() : null;
    for (int done = 0; done < count; ) {
      DecodedPage page = page(from + done);
      int at = at(from + done);
      int n = Math.min(count - done, (1 << shift) - at);
      if (dictionary == null) {
        System.arraycopy(page.numbers, at, out, done, n);
      } else {
        for (int i = 0; i < n; i++) {
          int id = page.ids[at + i];
          out[done + i] = id < 0 ? 0 : dictionary.numbers[id];
        }
      }
      done += n;
    }
  }

  @Override
  void gatherNumbers(int[] some, int count, long[] out) {
    DecodedPage dictionary = entry.hasDictionary() ? dictionary() : null;
    DecodedPage page = DecodedPage.NONE;
    int current = -1;
    for (int i = 0; i < count; i++) {
      if (some[i] >>> shift != current) {
        page = page(some[i]);
        current = some[i] >>> shift;
      }
      int at = at(some[i]);
      if (dictionary == null) {
        out[i] = page.numbers[at];
      } else {
        int id = page.ids[at];
        out[i] = id < 0 ? 0 : dictionary.numbers[id];
      }
    }
  }

  @Override
  void readIds(int from, int count, int[] out) {
    for (int done = 0; done < count; ) {
      DecodedPage page = page(from + done);
      int at = at(from + done);
      int n = Math.min(count - done, (1 << shift) - at);
      System.arraycopy(page.ids, at, out, done, n);
      done += n;
    }
  }

  @Override
  void gatherIds(int[] some, int count, int[] out) {
    DecodedPage page = DecodedPage.NONE;
    int current = -1;
    for (int i = 0; i < count; i++) {
      if (some[i] >>> shift != current) {
        page = page(some[i]);
        current = some[i] >>> shift;
      }
      out[i] = page.ids[at(some[i])];
    }
  }

  @Override
  void readValidity(int from, int count, long[] words) {
    Arrays.fill(words, 0, (count + 63) >>> 6, 0);
    for (int done = 0; done < count; ) {
      int at = at(from + done);
      int n = Math.min(count - done, (1 << shift) - at);
      long[] valid = entry.nulls() == 0 ? null : page(from + done).valid;
      copyBits(valid, at, words, done, n);
      done += n;
    }
  }

  /** Sets {@code n} bits of a zero {@code target} to {@code source}'s; null stands for ones. */
  private static void copyBits(long @Nullable [] source, int from, long[] target, int to, int n) {
    for (int done = 0; done < n; ) {
      int bits = Math.min(n - done, 64 - ((to + done) & 63));
      long word = source == null ? -1L : word(source, from + done);
      long mask = bits == 64 ? -1L : (1L << bits) - 1;
      target[(to + done) >>> 6] |= (word & mask) << (to + done);
      done += bits;
    }
  }

  private static long word(long[] source, int bit) {
    int at = bit >>> 6;
    int shift = bit & 63;
    long word = source[at] >>> shift;
    return shift == 0 || at + 1 == source.length ? word : word | source[at + 1] << (64 - shift);
  }

  @Override
  boolean isValid(int row) {
    if (entry.nulls() == 0) {
      return true;
    }
    int at = at(row);
    long[] valid = page(row).valid;
    return valid == null || (valid[at >>> 6] >>> at & 1) != 0;
  }

  @Override
  int dictionarySize() {
    return size;
  }

  @Override
  long dictionaryLong(int id) {
    return dictionary().numbers[id];
  }

  @Override
  ByteBuffer texts() {
    return ByteBuffer.wrap(dictionary().texts).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  int textsAt() {
    return 0;
  }

  @Override
  int textsLength() {
    return table.uncompressed(0);
  }

  /** Decodes every page, and checks that other readers see the same pages. */
  @Override
  void checkAll() {
    ChunkCursor in =
        new ChunkCursor(buffer, entry.offset(), entry.offset() + entry.length(), this::corrupt);
    int nulls = 0;
    for (int number = 0; number < slots.length(); number++) {
      PageHeader header =
          in.readHeader(number < firstPage ? PageType.DICTIONARY_PAGE : PageType.DATA_PAGE);
      check(
          in.position() == entry.offset() + table.offset(number)
              && header.getCompressed_page_size() == table.stored(number)
              && header.getUncompressed_page_size() == table.uncompressed(number),
          place(number) + " where the table of pages says");
      in.skip(table.stored(number));
      if (number < firstPage) {
        decodeDictionary();
        continue;
      }
      check(
          header.getData_page_header().getEncoding() == entry.encoding()
              && header.getData_page_header().getNum_values() == rowsOf(number),
          place(number) + " of " + rowsOf(number) + " values, " + entry.encoding());
      DecodedPage page = decode(number);
      if (page.valid != null) {
        nulls += rowsOf(number);
        for (long word : page.valid) {
          nulls -= Long.bitCount(word);
        }
      }
    }
    check(in.remaining() == 0, "no bytes behind the last page");
    check(nulls == entry.nulls(), entry.nulls() + " nulls, found " + nulls);
  }

  @Override
  void close() {
    cache.forget(slots);
    synchronized (this) {
      large.clear();
    }
  }
}
