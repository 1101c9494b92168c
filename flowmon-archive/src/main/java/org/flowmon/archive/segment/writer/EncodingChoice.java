package org.flowmon.archive.segment.writer;

import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.Encoding;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.segment.format.DeltaEncoder;
import org.flowmon.archive.segment.format.PageCodec;
import org.flowmon.archive.segment.format.SegmentFormat;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.ByteSink;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the encoding of a column. Read in place: the smaller of a dictionary and plain values, or
 * deltas if smaller by a quarter. Compressed: the encoding in which a sample from the middle takes
 * the fewest bytes. Reuses its arrays. Not thread-safe.
 */
public final class EncodingChoice {
  // More distinct numbers than this do not fit a core's caches during hashing.
  private static final int MAX_NUMBER_DICTIONARY = 1 << 16;
  // One in so many blocks of deltas is measured.
  private static final int BLOCK_STEP = 8;
  // Values count as at least so many bits: pages of narrow values would have too many to decode.
  private static final int MIN_BITS = 16;
  private static final int SAMPLE = 8192;

  private final int maxDictionary;
  private final PageEncoder encoder = new PageEncoder();
  private final DeltaEncoder deltas = new DeltaEncoder();
  private final DictionaryPage dictionaryPage = new DictionaryPage();
  private final ByteSink page = new ByteSink();
  private final ByteSink compressed = new ByteSink();

  public EncodingChoice() {
    this(SegmentFormat.MAX_DECODED_DICTIONARY);
  }

  /** For tests: another maximum of decoded bytes of a dictionary that is compressed. */
  public EncodingChoice(int maxDictionary) {
    this.maxDictionary = maxDictionary;
  }

  /**
   * Numbers the values, if {@code needed} regardless of the ids' size. Leaves the dictionary empty
   * if they are too many and not needed.
   */
  void buildDictionary(
      FlowColumn column, ColumnValues values, DictionaryBuilder dictionary, boolean needed) {
    switch (column.type()) {
      case ADDRESS -> dictionary.buildAddresses(values);
      case TEXT -> dictionary.buildTexts(values);
      default -> {
        boolean isFlag = column.type() == ColumnType.BOOLEAN;
        int limit =
            needed ? values.count : Math.min(MAX_NUMBER_DICTIONARY, Math.max(1, values.count / 2));
        if ((isFlag && !needed) || !dictionary.buildNumbers(values, limit)) {
          dictionary.size = 0;
        }
      }
    }
  }

  /** Chooses the layout. The dictionary may be empty; compressor: null for an uncompressed page. */
  ChunkBuilder.Layout layout(
      FlowColumn column,
      ColumnValues values,
      DictionaryBuilder dictionary,
      SegmentOptions options,
      PageCodec.@Nullable Compressor compressor,
      int rows) {
    ColumnType type = column.type();
    if (compressor == null || (type == ColumnType.TEXT && textBytes(dictionary) > maxDictionary)) {
      return new ChunkBuilder.Layout(direct(type, values, dictionary), rows, null);
    }
    Encoding encoding =
        switch (type) {
          case ADDRESS, TEXT -> Encoding.RLE_DICTIONARY;
          case BOOLEAN -> Encoding.PLAIN;
          default -> smallest(type, values, dictionary, options, compressor);
        };
    int bits =
        encoding == Encoding.RLE_DICTIONARY
            ? SegmentFormat.idWidth(dictionary.size)
            : 8 * SegmentFormat.width(type);
    long rowsPerPage = 8L * options.pageBytes() / Math.max(MIN_BITS, bits);
    rowsPerPage =
        Math.max(SegmentFormat.MIN_PAGE_ROWS, Math.min(SegmentFormat.MAX_PAGE_ROWS, rowsPerPage));
    return new ChunkBuilder.Layout(encoding, Integer.highestOneBit((int) rowsPerPage), compressor);
  }

  private static long textBytes(DictionaryBuilder dictionary) {
    return 4L * dictionary.size + dictionary.texts.bytes();
  }

  private Encoding direct(ColumnType type, ColumnValues values, DictionaryBuilder dictionary) {
    long width = SegmentFormat.width(type);
    if (!type.isLong()) {
      return Encoding.RLE_DICTIONARY;
    } else if (width == 0) {
      return Encoding.PLAIN;
    }
    long plain = width * values.count;
    if (dictionary.size > 0 && dictionaryBytes(width, values, dictionary) < plain) {
      return Encoding.RLE_DICTIONARY;
    }
    return 4 * deltaBytes(values, width == 4) < 3 * plain
        ? Encoding.DELTA_BINARY_PACKED
        : Encoding.PLAIN;
  }

  private static long dictionaryBytes(long width, ColumnValues values, DictionaryBuilder ids) {
    return width * ids.size + ((long) values.count * SegmentFormat.idWidth(ids.size) + 7) / 8;
  }

  private long deltaBytes(ColumnValues values, boolean narrow) {
    int blocks = DeltaEncoder.blocks(values.count);
    if (blocks == 0) {
      return Long.MAX_VALUE / 4;
    }
    page.clear();
    int measured = 0;
    for (int block = 0; block < blocks; block += BLOCK_STEP) {
      int from = block * DeltaEncoder.BLOCK;
      int n = Math.min(DeltaEncoder.BLOCK + 1, values.count - from);
      deltas.encode(values.low, from, n, narrow, page, null);
      measured++;
    }
    return (long) ((double) page.size() * blocks / measured) + (long) blocks * DeltaEncoder.ENTRY;
  }

  private Encoding smallest(
      ColumnType type,
      ColumnValues values,
      DictionaryBuilder dictionary,
      SegmentOptions options,
      PageCodec.Compressor compressor) {
    List<Encoding> candidates = new ArrayList<>();
    if (dictionary.size > 0 && 8L * dictionary.size <= maxDictionary) {
      if (dictionary.size == 1) {
        return Encoding.RLE_DICTIONARY;
      }
      candidates.add(Encoding.RLE_DICTIONARY);
    }
    candidates.add(Encoding.DELTA_BINARY_PACKED);
    candidates.add(Encoding.PLAIN);
    if (options.byteStreamSplit()) {
      candidates.add(Encoding.BYTE_STREAM_SPLIT);
    }
    Encoding best = Encoding.PLAIN;
    double least = Double.MAX_VALUE;
    for (Encoding candidate : candidates) {
      double bytes = sampled(type, candidate, values, dictionary, compressor);
      if (bytes < least) {
        best = candidate;
        least = bytes;
      }
    }
    return best;
  }

  private double sampled(
      ColumnType type,
      Encoding encoding,
      ColumnValues values,
      DictionaryBuilder dictionary,
      PageCodec.Compressor compressor) {
    int n = Math.min(SAMPLE, values.count);
    page.clear();
    encoder.putValues(type, encoding, values, dictionary, (values.count - n) / 2, n, page, null);
    double bytes = (double) compressed(compressor) * values.count / n;
    if (encoding == Encoding.RLE_DICTIONARY) {
      page.clear();
      dictionaryPage.clear();
      dictionaryPage.put(type, values.ipv4Only, dictionary, page);
      bytes += compressed(compressor);
    }
    return bytes;
  }

  private int compressed(PageCodec.Compressor compressor) {
    compressed.clear();
    compressor.compress(page.array(), page.size(), compressed);
    return compressed.size();
  }
}
