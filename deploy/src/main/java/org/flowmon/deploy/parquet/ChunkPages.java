package org.flowmon.deploy.parquet;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;
import org.flowmon.archive.segment.format.ThriftStruct;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pages of one column of one row group in order. Lengths, counts and checksums, if any,
 * are checked first. Errors are {@link UncheckedIOException}s, because the interface has none.
 */
final class ChunkPages implements PageReader {
  private static final int MAX_PAGE = 256 << 20;

  // Other writers store at most some KB of statistics.
  private static final int MAX_HEADER = 16 << 20;

  private static final int BUFFER = 1 << 16;

  private final CompressionCodec codec;
  private final long rows;
  private final InputStream in;
  private final AtomicLong bytesRead;
  private final PageMemory memory;
  private final int leastBytes; // of a dictionary's value
  private final long end;
  private long held;
  private long left;
  private long taken;
  private boolean begun;
  // A page that was read to check for a dictionary.
  private @Nullable DataPage first;

  /**
   * {@code bytesRead} grows by the bytes read; {@code memory} is of all chunks read together.
   *
   * @throws IOException if the chunk's stated place is impossible
   */
  ChunkPages(
      FileChannel file, ColumnMetaData chunk, long rows, AtomicLong bytesRead, PageMemory memory)
      throws IOException {
    this.codec = chunk.getCodec();
    this.memory = memory;
    this.leastBytes =
        switch (chunk.getType()) {
          case BOOLEAN, FIXED_LEN_BYTE_ARRAY -> 1;
          case INT32, FLOAT, BYTE_ARRAY -> Integer.BYTES;
          case INT64, DOUBLE -> Long.BYTES;
          case INT96 -> 12;
        };
    this.rows = rows;
    this.bytesRead = bytesRead;
    long from = chunk.getData_page_offset();
    if (chunk.isSetDictionary_page_offset() && chunk.getDictionary_page_offset() > 0) {
      from = Math.min(from, chunk.getDictionary_page_offset());
    }
    this.left = chunk.getTotal_compressed_size();
    if (from < 4 || left < 1 || from > file.size() - left) {
      throw new IOException("its pages at " + from + ", " + left + " bytes, lie outside the file");
    }
    this.end = from + left;
    if (chunk.getNum_values() != rows) {
      throw new IOException(
          "it has " + chunk.getNum_values() + " values in a row group of " + rows);
    }
    if (!ForeignCodec.isKnown(codec)) {
      throw new IOException(
          "its pages are compressed by "
              + codec
              + ": expected Snappy, gzip, zstd, LZ4_RAW or none");
    }
    this.in = new BufferedInputStream(new Range(file, from, from + left), BUFFER);
  }

  /** A part of a file. */
  private static final class Range extends InputStream {
    private final FileChannel file;
    private final long end;
    private long at;

    Range(FileChannel file, long from, long to) {
      this.file = file;
      this.at = from;
      this.end = to;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int most = (int) Math.min(length, end - at);
      if (most <= 0) {
        return -1;
      }
      int n = file.read(ByteBuffer.wrap(into, offset, most), at);
      at += Math.max(0, n);
      return n;
    }
  }

  @Override
  public long getTotalValueCount() {
    return rows;
  }

  @Override
  public @Nullable DictionaryPage readDictionaryPage() {
    try {
      begun = true;
      PageHeader header = header();
      if (header.getType() != PageType.DICTIONARY_PAGE) {
        first = dataPage(header);
        return null;
      }
      var dictionary = header.getDictionary_page_header();
      require(dictionary != null && dictionary.getEncoding() != null, "a dictionary's header");
      int size = header.getUncompressed_page_size();
      int values = dictionary.getNum_values();
      require(values >= 0 && values <= size / leastBytes, "a dictionary's number of values");
      memory.take(header.getCompressed_page_size(), size, values); // as long as the row group
      byte[] packed = bytes(header);
      byte[] plain = ForeignCodec.decompress(codec, packed, size);
      return new DictionaryPage(
          BytesInput.from(plain), values, Encoding.valueOf(dictionary.getEncoding().name()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public @Nullable DataPage readPage() {
    try {
      if (first != null) {
        DataPage page = first;
        first = null;
        return page;
      }
      return taken < rows ? dataPage(header()) : null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private PageHeader header() throws IOException {
    if (!begun) {
      throw new IllegalStateException("the dictionary comes first");
    }
    long at = end - left;
    byte[] bytes;
    try {
      bytes = ThriftStruct.read(in, (int) Math.min(left, MAX_HEADER));
    } catch (IOException e) {
      throw new IOException("the page header at byte " + at + ": " + e.getMessage(), e);
    }
    took(bytes.length);
    PageHeader header =
        ThriftStruct.parse(bytes, "the page header at byte " + at, Util::readPageHeader);
    int packed = header.getCompressed_page_size();
    require(
        packed >= 0 && packed <= Math.min(left, MAX_PAGE),
        "the header at byte "
            + at
            + ": a page of "
            + packed
            + " bytes where "
            + left
            + " are left");
    int plain = header.getUncompressed_page_size();
    long most = Math.min(MAX_PAGE, ForeignCodec.mostPlain(codec, packed));
    require(
        plain >= 0 && plain <= most,
        "the header at byte "
            + at
            + ": a page of "
            + plain
            + " bytes, of which "
            + packed
            + " bytes of "
            + codec
            + " can hold "
            + most
            + " at most,");
    return header;
  }

  private void took(long bytes) throws IOException {
    left -= bytes;
    bytesRead.addAndGet(bytes);
    if (left < 0) {
      throw new EOFException("pages reach beyond their column");
    }
  }

  private byte[] bytes(PageHeader header) throws IOException {
    int size = header.getCompressed_page_size();
    byte[] bytes = in.readNBytes(size);
    took(bytes.length);
    if (bytes.length < size) {
      throw new EOFException("a page is cut short");
    }
    if (header.isSetCrc()) {
      CRC32 crc = new CRC32();
      crc.update(bytes);
      require((int) crc.getValue() == header.getCrc(), "a page's checksum");
    }
    return bytes;
  }

  private DataPage dataPage(PageHeader header) throws IOException {
    int size = header.getUncompressed_page_size();
    memory.give(held); // the previous page
    held = 0;
    held = memory.take(header.getCompressed_page_size(), size, 0);
    byte[] bytes = bytes(header);
    if (header.getType() == PageType.DATA_PAGE && header.getData_page_header() != null) {
      DataPageHeader data = header.getData_page_header();
      int values = take(data.getNum_values());
      return new DataPageV1(
          BytesInput.from(ForeignCodec.decompress(codec, bytes, size)),
          values,
          size,
          null,
          encoding(data.getRepetition_level_encoding()),
          encoding(data.getDefinition_level_encoding()),
          encoding(data.getEncoding()));
    }
    if (header.getType() == PageType.DATA_PAGE_V2 && header.getData_page_header_v2() != null) {
      return version2(header.getData_page_header_v2(), bytes, size);
    }
    throw new IOException("a page of type " + header.getType() + " where data was expected");
  }

  private DataPage version2(DataPageHeaderV2 data, byte[] bytes, int size) throws IOException {
    int values = take(data.getNum_values());
    int repetitions = data.getRepetition_levels_byte_length();
    int definitions = data.getDefinition_levels_byte_length();
    boolean fits =
        repetitions >= 0
            && definitions >= 0
            && (long) repetitions + definitions <= Math.min(bytes.length, size);
    require(fits, "lengths of levels");
    int levels = repetitions + definitions;
    byte[] packed = java.util.Arrays.copyOfRange(bytes, levels, bytes.length);
    boolean plain = data.isSetIs_compressed() && !data.isIs_compressed();
    CompressionCodec used = plain || packed.length == 0 ? CompressionCodec.UNCOMPRESSED : codec;
    return DataPageV2.uncompressed(
        data.getNum_rows(),
        data.getNum_nulls(),
        values,
        BytesInput.from(bytes, 0, repetitions),
        BytesInput.from(bytes, repetitions, definitions),
        encoding(data.getEncoding()),
        BytesInput.from(ForeignCodec.decompress(used, packed, size - levels)),
        null);
  }

  private int take(int values) throws IOException {
    require(values >= 0 && values <= rows - taken, "a page of " + values + " values");
    taken += values;
    return values;
  }

  private static Encoding encoding(org.apache.parquet.format.Encoding encoding) throws IOException {
    require(encoding != null, "an encoding");
    return Encoding.valueOf(encoding.name());
  }

  private static void require(boolean fits, String what) throws IOException {
    if (!fits) {
      throw new IOException(what + " is wrong");
    }
  }
}
