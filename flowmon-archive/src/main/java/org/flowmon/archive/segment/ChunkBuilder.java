package org.flowmon.archive.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageEncodingStats;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageLocation;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Util;
import org.flowmon.archive.region.ByteSink;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** Puts the pages of one column together. Keeps its arrays. Not thread-safe. */
final class ChunkBuilder {
  private static final byte[][] OCTETS = new byte[256][];

  static {
    for (int i = 0; i < OCTETS.length; i++) {
      OCTETS[i] = Integer.toString(i).getBytes(StandardCharsets.US_ASCII);
    }
  }

  private final ByteSink page = new ByteSink();
  private final CRC32 pageCrc = new CRC32();
  private byte[] smallestText;
  private byte[] largestText;

  /** The bytes of the chunk last built. */
  final ByteSink chunk = new ByteSink();

  /** The side table of the chunk last built; empty where it has none. */
  final ByteSink side = new ByteSink();

  /** Bytes of an entry of the side table. */
  int sideWidth;

  /** Where the data page lies within the file. */
  PageLocation dataPage;

  /**
   * Builds the chunk of a column.
   *
   * @param dictionary the ids and distinct values, null for PLAIN values
   * @param fileOffset where the chunk will lie in the file
   */
  ColumnMetaData build(
      FlowColumn column,
      ColumnValues values,
      DictionaryBuilder dictionary,
      int rows,
      long fileOffset)
      throws IOException {
    chunk.clear();
    side.clear();
    smallestText = null;
    largestText = null;
    List<PageEncodingStats> pages = new ArrayList<>();
    if (dictionary != null) {
      page.clear();
      putDictionary(column.type(), values, dictionary);
      PageHeader header = new PageHeader(PageType.DICTIONARY_PAGE, page.size(), page.size());
      DictionaryPageHeader detail = new DictionaryPageHeader(dictionary.size, Encoding.PLAIN);
      detail.setIs_sorted(
          column.type() != ColumnType.ADDRESS); // sorted by address is not sorted by text
      header.setDictionary_page_header(detail);
      endPage(header);
      pages.add(new PageEncodingStats(PageType.DICTIONARY_PAGE, Encoding.PLAIN, 1));
    }
    long dataOffset = fileOffset + chunk.size();
    Encoding encoding = dictionary == null ? Encoding.PLAIN : Encoding.RLE_DICTIONARY;
    page.clear();
    putLevels(values, rows);
    putValues(column.type(), values, dictionary);
    PageHeader header = new PageHeader(PageType.DATA_PAGE, page.size(), page.size());
    header.setData_page_header(new DataPageHeader(rows, encoding, Encoding.RLE, Encoding.RLE));
    endPage(header);
    pages.add(new PageEncodingStats(PageType.DATA_PAGE, encoding, 1));
    dataPage = new PageLocation(dataOffset, (int) (fileOffset + chunk.size() - dataOffset), 0);

    ColumnMetaData metadata = new ColumnMetaData();
    metadata.setType(SegmentFormat.physicalType(column.type()));
    metadata.setEncodings(
        dictionary == null
            ? List.of(Encoding.PLAIN, Encoding.RLE)
            : List.of(Encoding.PLAIN, Encoding.RLE, Encoding.RLE_DICTIONARY));
    metadata.setPath_in_schema(List.of(column.sqlName()));
    metadata.setCodec(CompressionCodec.UNCOMPRESSED);
    metadata.setNum_values(rows);
    metadata.setTotal_uncompressed_size(chunk.size());
    metadata.setTotal_compressed_size(chunk.size());
    metadata.setData_page_offset(dataOffset);
    if (dictionary != null) {
      metadata.setDictionary_page_offset(fileOffset);
    }
    metadata.setEncoding_stats(pages);
    metadata.setStatistics(statistics(column.type(), values, dictionary));
    return metadata;
  }

  private void endPage(PageHeader header) throws IOException {
    pageCrc.reset();
    pageCrc.update(page.array(), 0, page.size());
    header.setCrc((int) pageCrc.getValue());
    Util.writePageHeader(header, chunk);
    chunk.write(page.array(), 0, page.size());
  }

  private void putLevels(ColumnValues values, int rows) {
    page.putInt(0);
    if (values.nulls == 0) {
      page.putVarint(rows << 1);
      page.write(1);
    } else {
      page.putVarint((((rows + 7) >>> 3) << 1) | 1);
      page.putBits(values.valid, rows);
    }
    page.setInt(0, page.size() - 4);
  }

  private void putValues(ColumnType type, ColumnValues values, DictionaryBuilder dictionary) {
    int n = values.count;
    if (dictionary != null) {
      int width = idWidth(dictionary.size);
      page.write(width);
      if (width == 0) {
        page.putVarint(n << 1);
      } else {
        page.putVarint((((n + 7) >>> 3) << 1) | 1);
        page.putPacked(dictionary.ids, n, width);
      }
    } else if (type == ColumnType.BOOLEAN) {
      putBooleans(values.low, n);
    } else if (SegmentFormat.width(type) == 4) {
      page.putInts(values.low, n);
    } else {
      page.putLongs(values.low, n);
    }
  }

  /** Bits of an id where there are {@code size} of them. */
  static int idWidth(int size) {
    return 32 - Integer.numberOfLeadingZeros(size - 1);
  }

  private void putBooleans(long[] values, int n) {
    for (int i = 0; i < n; i += 8) {
      int bits = 0;
      for (int b = 0; b < 8 && i + b < n; b++) {
        bits |= (int) (values[i + b] & 1) << b;
      }
      page.write(bits);
    }
  }

  private void putDictionary(ColumnType type, ColumnValues values, DictionaryBuilder dictionary) {
    switch (type) {
      case ADDRESS -> {
        sideWidth = values.ipv4Only ? 4 : 16;
        for (int i = 0; i < dictionary.size; i++) {
          if (values.ipv4Only) {
            side.putIntBigEndian((int) dictionary.low[i]);
            putIpv4((int) dictionary.low[i]);
          } else {
            side.putLongBigEndian(dictionary.high[i]);
            side.putLongBigEndian(dictionary.low[i]);
            putText(
                IpAddress.format(dictionary.high[i], dictionary.low[i])
                    .getBytes(StandardCharsets.US_ASCII));
          }
        }
      }
      case TEXT -> {
        sideWidth = 4;
        for (int i = 0; i < dictionary.size; i++) {
          side.putInt(page.size());
          putText(dictionary.texts[i]);
        }
      }
      default -> {
        if (SegmentFormat.width(type) == 4) {
          page.putInts(dictionary.low, dictionary.size);
        } else {
          page.putLongs(dictionary.low, dictionary.size);
        }
      }
    }
  }

  private void putIpv4(int address) {
    int at = page.size();
    page.putInt(0);
    for (int shift = 24; shift >= 0; shift -= 8) {
      byte[] digits = OCTETS[address >>> shift & 0xFF];
      page.write(digits, 0, digits.length);
      if (shift > 0) {
        page.write('.');
      }
    }
    page.setInt(at, page.size() - at - 4);
    noteText(page.array(), at + 4, page.size());
  }

  private void putText(byte[] utf8) {
    page.putInt(utf8.length);
    page.write(utf8, 0, utf8.length);
    noteText(utf8, 0, utf8.length);
  }

  private void noteText(byte[] source, int from, int to) {
    if (smallestText == null
        || Arrays.compareUnsigned(source, from, to, smallestText, 0, smallestText.length) < 0) {
      smallestText = Arrays.copyOfRange(source, from, to);
    }
    if (largestText == null
        || Arrays.compareUnsigned(source, from, to, largestText, 0, largestText.length) > 0) {
      largestText = Arrays.copyOfRange(source, from, to);
    }
  }

  private Statistics statistics(
      ColumnType type, ColumnValues values, DictionaryBuilder dictionary) {
    Statistics statistics = new Statistics();
    statistics.setNull_count(values.nulls);
    byte[] min;
    byte[] max;
    if (type.isLong()) {
      long smallest = Long.MAX_VALUE;
      long largest = Long.MIN_VALUE;
      if (dictionary != null) {
        smallest = dictionary.low[0];
        largest = dictionary.low[dictionary.size - 1];
      }
      for (int i = 0; dictionary == null && i < values.count; i++) {
        smallest = Math.min(smallest, values.low[i]);
        largest = Math.max(largest, values.low[i]);
      }
      min = plain(type, smallest);
      max = plain(type, largest);
    } else if (smallestText.length > SegmentFormat.MAX_STATISTICS_TEXT
        || largestText.length > SegmentFormat.MAX_STATISTICS_TEXT) {
      return statistics;
    } else {
      min = smallestText;
      max = largestText;
    }
    statistics.setMin_value(min);
    statistics.setMax_value(max);
    statistics.setIs_min_value_exact(true);
    statistics.setIs_max_value_exact(true);
    return statistics;
  }

  private static byte[] plain(ColumnType type, long value) {
    ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value);
    int width = type == ColumnType.BOOLEAN ? 1 : SegmentFormat.width(type);
    return Arrays.copyOf(bytes.array(), width);
  }
}
