package org.flowmon.archive.segment.writer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.apache.parquet.format.BoundaryOrder;
import org.apache.parquet.format.ColumnIndex;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageEncodingStats;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageLocation;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Util;
import org.flowmon.archive.segment.SegmentCodec;
import org.flowmon.archive.segment.format.PageCodec;
import org.flowmon.archive.segment.format.PageTable;
import org.flowmon.archive.segment.format.SegmentFormat;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.Crc32c;
import org.jspecify.annotations.Nullable;

/** Builds the pages of one column; fields are of the last chunk. Reuses arrays. Not thread-safe. */
final class ChunkBuilder {
  private final ByteSink page = new ByteSink();
  private final ByteSink compressed = new ByteSink();
  private final CRC32 pageCrc = new CRC32();
  private final PageEncoder encoder = new PageEncoder();

  /** The dictionary, if the chunk has one. */
  final DictionaryPage dictionaryPage = new DictionaryPage();

  final ByteSink chunk = new ByteSink();

  /** Table of the delta blocks of a chunk that is one page of deltas; else empty. */
  final ByteSink blocks = new ByteSink();

  /** Table of the pages of a chunk with several pages ({@link PageTable}); else empty. */
  final ByteSink pages = new ByteSink();

  final List<PageLocation> locations = new ArrayList<>();

  /** The bounds of each data page; null if unknown. */
  @Nullable ColumnIndex columnIndex;

  private long uncompressedSize;

  /**
   * The storage of a column: {@code rowsPerPage} of each data page but the last, {@code compressor}
   * of all pages, null for a chunk of one uncompressed page.
   */
  record Layout(Encoding encoding, int rowsPerPage, PageCodec.@Nullable Compressor compressor) {}

  /** Builds the chunk at {@code fileOffset}; {@code dictionary} is used for RLE_DICTIONARY. */
  ColumnMetaData build(
      FlowColumn column,
      ColumnValues values,
      DictionaryBuilder dictionary,
      Layout layout,
      int rows,
      long fileOffset)
      throws IOException {
    clear();
    boolean withDictionary = layout.encoding == Encoding.RLE_DICTIONARY;
    List<PageEncodingStats> stats = new ArrayList<>();
    if (withDictionary) {
      putDictionary(column.type(), values, dictionary, layout);
      stats.add(new PageEncodingStats(PageType.DICTIONARY_PAGE, Encoding.PLAIN, 1));
    }
    long dataOffset = fileOffset + chunk.size();
    PageBounds bounds = new PageBounds(column.type(), values, withDictionary ? dictionary : null);
    int value = 0;
    for (int from = 0; from < rows; from += layout.rowsPerPage) {
      int n = Math.min(layout.rowsPerPage, rows - from);
      int present = values.nulls == 0 ? n : values.countValid(from, n);
      page.clear();
      encoder.putLevels(values, from, n, page);
      encoder.putValues(
          column.type(),
          layout.encoding,
          values,
          dictionary,
          value,
          present,
          page,
          layout.compressor == null ? blocks : null);
      DataPageHeader detail = new DataPageHeader(n, layout.encoding, Encoding.RLE, Encoding.RLE);
      PageHeader header = new PageHeader();
      header.setType(PageType.DATA_PAGE);
      header.setData_page_header(detail);
      int start = chunk.size();
      endPage(header, layout.compressor);
      locations.add(new PageLocation(fileOffset + start, chunk.size() - start, from));
      bounds.add(value, present, n - present);
      value += present;
    }
    stats.add(new PageEncodingStats(PageType.DATA_PAGE, layout.encoding, locations.size()));
    Statistics statistics = statistics(column.type(), values, withDictionary ? dictionary : null);
    columnIndex = columnIndex(statistics, bounds);
    ColumnMetaData metadata = metadata(column, layout, rows, statistics);
    metadata.setData_page_offset(dataOffset);
    if (withDictionary) {
      metadata.setDictionary_page_offset(fileOffset);
    }
    metadata.setEncoding_stats(stats);
    return metadata;
  }

  private void clear() {
    chunk.clear();
    blocks.clear();
    pages.clear();
    locations.clear();
    dictionaryPage.clear();
    uncompressedSize = 0;
  }

  private void putDictionary(
      ColumnType type, ColumnValues values, DictionaryBuilder dictionary, Layout layout)
      throws IOException {
    page.clear();
    dictionaryPage.put(type, values.ipv4Only, dictionary, page);
    PageHeader header = new PageHeader();
    header.setType(PageType.DICTIONARY_PAGE);
    DictionaryPageHeader detail = new DictionaryPageHeader(dictionary.size, Encoding.PLAIN);
    detail.setIs_sorted(type != ColumnType.ADDRESS); // sorted by address is not sorted by text
    header.setDictionary_page_header(detail);
    endPage(header, layout.compressor);
  }

  private void endPage(PageHeader header, PageCodec.@Nullable Compressor compressor)
      throws IOException {
    ByteSink stored = page;
    if (compressor != null) {
      compressed.clear();
      compressor.compress(page.array(), page.size(), compressed);
      stored = compressed;
    }
    header.setUncompressed_page_size(page.size());
    header.setCompressed_page_size(stored.size());
    pageCrc.reset();
    pageCrc.update(stored.array(), 0, stored.size());
    header.setCrc((int) pageCrc.getValue());
    int start = chunk.size();
    Util.writePageHeader(header, chunk);
    uncompressedSize += chunk.size() - start + page.size();
    if (compressor != null) {
      PageTable.put(chunk.size(), stored.size(), page.size(), Crc32c.of(page), pages);
    }
    chunk.write(stored.array(), 0, stored.size());
  }

  private ColumnMetaData metadata(
      FlowColumn column, Layout layout, int rows, Statistics statistics) {
    ColumnMetaData metadata = new ColumnMetaData();
    metadata.setType(SegmentFormat.physicalType(column.type()));
    metadata.setEncodings(
        switch (layout.encoding) {
          case PLAIN -> List.of(Encoding.PLAIN, Encoding.RLE);
          case RLE_DICTIONARY -> List.of(Encoding.PLAIN, Encoding.RLE, Encoding.RLE_DICTIONARY);
          default -> List.of(Encoding.RLE, layout.encoding);
        });
    metadata.setPath_in_schema(List.of(column.sqlName()));
    metadata.setCodec(
        layout.compressor == null
            ? SegmentCodec.NONE.parquet()
            : layout.compressor.codec().parquet());
    metadata.setNum_values(rows);
    metadata.setTotal_uncompressed_size(uncompressedSize);
    metadata.setTotal_compressed_size(chunk.size());
    metadata.setStatistics(statistics);
    return metadata;
  }

  private Statistics statistics(
      ColumnType type, ColumnValues values, @Nullable DictionaryBuilder dictionary) {
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
    } else {
      min = dictionaryPage.smallestText();
      max = dictionaryPage.largestText();
      if (Math.max(min.length, max.length) > SegmentFormat.MAX_STATISTICS_TEXT) {
        return statistics;
      }
    }
    statistics.setMin_value(min);
    statistics.setMax_value(max);
    statistics.setIs_min_value_exact(true);
    statistics.setIs_max_value_exact(true);
    return statistics;
  }

  /** For one page, the statistics; for several, the bounds of each, only of numbers. */
  private @Nullable ColumnIndex columnIndex(Statistics statistics, PageBounds bounds) {
    if (locations.size() > 1) {
      return bounds.toColumnIndex();
    }
    if (!statistics.isSetMin_value()) {
      return null;
    }
    ColumnIndex index =
        new ColumnIndex(
            List.of(false),
            List.of(ByteBuffer.wrap(statistics.getMin_value())),
            List.of(ByteBuffer.wrap(statistics.getMax_value())),
            BoundaryOrder.ASCENDING);
    index.setNull_counts(List.of(statistics.getNull_count()));
    return index;
  }

  static byte[] plain(ColumnType type, long value) {
    ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value);
    int width = type == ColumnType.BOOLEAN ? 1 : SegmentFormat.width(type);
    return Arrays.copyOf(bytes.array(), width);
  }
}
