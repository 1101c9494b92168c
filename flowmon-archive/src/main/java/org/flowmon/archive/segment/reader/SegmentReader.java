package org.flowmon.archive.segment.reader;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeKey;
import org.flowmon.archive.segment.format.ParsedFooter;
import org.flowmon.archive.sorted.AddressList;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/**
 * All rows of a sealed segment, in mapped memory. Uncompressed columns are read in place, any value
 * in constant time. Reading a compressed value decodes its page, which is cached.
 *
 * <p>Counted by reference: {@link #open} gives the first, {@link #acquire} a further one, {@link
 * #release} gives one back; the last unmaps the file, and nobody may read afterwards. Safe to share
 * between threads. Every read may throw {@link org.flowmon.archive.region.SegmentCorruptException}.
 */
public final class SegmentReader implements EncodedRows, AutoCloseable {
  private final SealedSegment sealed;
  private final MappedRegion file;
  private final boolean verifyChecksums;
  private final DecodedPages cache;
  private final int clamped;
  private final Set<FlowColumn> indexed;
  private final Map<FlowColumn, ParsedFooter.Entry> entries;
  private final AtomicReferenceArray<ColumnData> columns =
      new AtomicReferenceArray<>(FlowColumn.count());

  private SegmentReader(
      SealedSegment sealed,
      MappedRegion file,
      ParsedFooter directory,
      boolean verifyChecksums,
      DecodedPages cache) {
    this.sealed = sealed;
    this.cache = cache;
    this.file = file;
    this.verifyChecksums = verifyChecksums;
    this.entries = directory.entries();
    this.clamped = directory.clamped();
    this.indexed = directory.indexed();
  }

  /** Opens a segment, verifying checksums. */
  public static SegmentReader open(Path directory, SealedSegment segment) throws IOException {
    return open(directory, segment, true);
  }

  /**
   * Opens a segment in its folder; checks length and footer against the sealed ones.
   *
   * @param verifyChecksums whether a column's bytes are checked when the column is first read
   * @throws org.flowmon.archive.region.SegmentCorruptException if the file is not the one that was
   *     sealed
   * @throws IOException if unreadable; {@link java.nio.file.NoSuchFileException} if missing
   */
  public static SegmentReader open(Path directory, SealedSegment segment, boolean verifyChecksums)
      throws IOException {
    return open(directory, segment, verifyChecksums, DecodedPages.SHARED);
  }

  static SegmentReader open(
      Path directory, SealedSegment segment, boolean verifyChecksums, DecodedPages cache)
      throws IOException {
    MappedRegion file =
        MappedRegion.open(directory.resolve(segment.fileName()), segment.segmentFile());
    try {
      ParsedFooter content =
          ParsedFooter.open(
              file, segment.segmentFile().footerLength(), segment.id(), segment.rows());
      return new SegmentReader(segment, file, content, verifyChecksums, cache);
    } catch (RuntimeException e) {
      file.release();
      throw e;
    }
  }

  public SealedSegment sealed() {
    return sealed;
  }

  /**
   * The number of rows whose {@code end_time} is later than their {@link TimeKey}. If there is
   * none, rows with an {@code end_time} are in its order.
   */
  public int clampedRows() {
    return clamped;
  }

  /** Columns indexed by the sidecar if the segment has them, known without opening it. */
  public Set<FlowColumn> indexed() {
    return indexed;
  }

  @Override
  public int rows() {
    return sealed.rows();
  }

  @Override
  public Presence presence(FlowColumn column) {
    ParsedFooter.Entry entry = entries.get(column);
    if (entry == null) {
      return Presence.ABSENT;
    }
    if (entry.nulls() > 0) {
      return Presence.NULLABLE;
    }
    return entry.isConstant() ? Presence.CONSTANT : Presence.DENSE;
  }

  /** The column's data, opened on first use; null if it is absent. */
  private @Nullable ColumnData data(FlowColumn column) {
    file.requireOpen(); // unmapped memory must not be touched, whatever a caller does
    int c = column.ordinal();
    if (c >= columns.length()) {
      return null; // a column defined since is not in the segment
    }
    ColumnData data = columns.get(c);
    if (data == null) {
      ParsedFooter.Entry entry = entries.get(column);
      if (entry == null) {
        return null;
      }
      data = ColumnData.open(file, entry, rows(), verifyChecksums, cache);
      columns.set(c, data); // two threads may both have opened it: equal, so no harm
    }
    return data;
  }

  private static void requireType(boolean holds, FlowColumn column, String wanted) {
    if (!holds) {
      throw new IllegalArgumentException(
          column.sqlName() + " is " + column.type() + ", not " + wanted);
    }
  }

  private static void requireNumber(FlowColumn column) {
    requireType(column.type().isLong(), column, "a number");
  }

  private static void requireAddress(FlowColumn column) {
    requireType(column.type() == ColumnType.ADDRESS, column, "ADDRESS");
  }

  @Override
  public void readLongs(FlowColumn column, int from, int count, long[] out) {
    requireNumber(column);
    Objects.checkFromIndexSize(from, count, rows());
    ColumnData data = data(column);
    if (data == null) {
      Arrays.fill(out, 0, count, 0);
      return;
    }
    data.readNumbers(from, count, out);
  }

  @Override
  public void readAddresses(FlowColumn column, int from, int count, long[] hi, long[] lo) {
    requireAddress(column);
    Objects.checkFromIndexSize(from, count, rows());
    ColumnData data = data(column);
    if (data == null) {
      Arrays.fill(hi, 0, count, 0);
      Arrays.fill(lo, 0, count, 0);
      return;
    }
    data.readAddresses(from, count, hi, lo);
  }

  @Override
  public void readValidity(FlowColumn column, int from, int count, long[] words) {
    Objects.checkFromIndexSize(from, count, rows());
    ColumnData data = data(column);
    int last = (count + 63) >>> 6;
    if (data == null) {
      Arrays.fill(words, 0, last, 0);
    } else {
      data.readValidity(from, count, words);
    }
  }

  @Override
  public @Nullable String text(FlowColumn column, int row) {
    requireType(column.type() == ColumnType.TEXT, column, "TEXT");
    Objects.checkIndex(row, rows());
    ColumnData data = data(column);
    return data == null ? null : data.text(row);
  }

  @Override
  public void readTexts(FlowColumn column, int from, int count, @Nullable String[] out) {
    requireType(column.type() == ColumnType.TEXT, column, "TEXT");
    Objects.checkFromIndexSize(from, count, rows());
    ColumnData data = data(column);
    if (data == null) {
      Arrays.fill(out, 0, count, null);
    } else {
      data.readTexts(from, count, out);
    }
  }

  /** As {@link #readTexts} for the first {@code count} of {@code rows}, in any order. */
  public void gatherTexts(FlowColumn column, int[] rows, int count, @Nullable String[] out) {
    requireType(column.type() == ColumnType.TEXT, column, "TEXT");
    ColumnData data = data(column);
    checkRows(rows, count);
    if (data == null) {
      Arrays.fill(out, 0, count, null);
    } else {
      data.gatherTexts(rows, count, out);
    }
  }

  /** As {@link #readLongs} for the first {@code count} of {@code rows}, in any order. */
  public void gatherLongs(FlowColumn column, int[] rows, int count, long[] out) {
    requireNumber(column);
    ColumnData data = data(column);
    checkRows(rows, count);
    if (data == null) {
      Arrays.fill(out, 0, count, 0);
    } else {
      data.gatherNumbers(rows, count, out);
    }
  }

  private void checkRows(int[] rows, int count) {
    for (int i = 0; i < count; i++) {
      Objects.checkIndex(rows[i], rows());
    }
  }

  /** As {@link #readAddresses} for the first {@code count} of {@code rows}, in any order. */
  public void gatherAddresses(FlowColumn column, int[] rows, int count, long[] hi, long[] lo) {
    requireAddress(column);
    ColumnData data = data(column);
    checkRows(rows, count);
    if (data == null) {
      Arrays.fill(hi, 0, count, 0);
      Arrays.fill(lo, 0, count, 0);
    } else {
      data.gatherAddresses(rows, count, hi, lo);
    }
  }

  /** As {@link #readValidity} for the first {@code count} of {@code rows}, in any order. */
  public void gatherValidity(FlowColumn column, int[] rows, int count, long[] words) {
    ColumnData data = data(column);
    Arrays.fill(words, 0, (count + 63) >>> 6, 0);
    for (int i = 0; i < count; i++) {
      Objects.checkIndex(rows[i], rows());
      if (data != null && data.isValid(rows[i])) {
        words[i >>> 6] |= 1L << i;
      }
    }
  }

  /**
   * Whether values are ids into a sorted dictionary: addresses and texts always, numbers if that is
   * smaller. False for an absent column.
   */
  public boolean hasDictionary(FlowColumn column) {
    ParsedFooter.Entry entry = entries.get(column);
    return entry != null && entry.hasDictionary();
  }

  private ColumnData withDictionary(FlowColumn column) {
    ColumnData data = hasDictionary(column) ? data(column) : null;
    if (data == null) {
      throw new IllegalArgumentException(column.sqlName() + " has no dictionary in " + file.path());
    }
    return data;
  }

  /** Number of distinct values of a column with a dictionary. */
  public int dictionarySize(FlowColumn column) {
    return withDictionary(column).dictionarySize();
  }

  @Override
  public void readIds(FlowColumn column, int from, int count, int[] out) {
    Objects.checkFromIndexSize(from, count, rows());
    withDictionary(column).readIds(from, count, out);
  }

  /** As {@link #readIds} for the first {@code count} of {@code rows}, in any order. */
  public void gatherIds(FlowColumn column, int[] rows, int count, int[] out) {
    checkRows(rows, count);
    withDictionary(column).gatherIds(rows, count, out);
  }

  private ColumnData entry(FlowColumn column, int id) {
    ColumnData data = withDictionary(column);
    Objects.checkIndex(id, data.dictionarySize());
    return data;
  }

  public long dictionaryLong(FlowColumn column, int id) {
    requireNumber(column);
    return entry(column, id).dictionaryLong(id);
  }

  public long dictionaryHigh(FlowColumn column, int id) {
    requireAddress(column);
    return entry(column, id).high(id);
  }

  public long dictionaryLow(FlowColumn column, int id) {
    requireAddress(column);
    return entry(column, id).low(id);
  }

  /**
   * The dictionary of a column of addresses, by id, ascending.
   *
   * @throws IllegalArgumentException if the column is absent or of another type
   */
  public AddressList addresses(FlowColumn column) {
    requireAddress(column);
    return withDictionary(column);
  }

  /** The addresses of {@code count} ids of a dictionary, from {@code id} on. */
  public void readDictionary(FlowColumn column, int id, int count, long[] hi, long[] lo) {
    requireAddress(column);
    ColumnData data = withDictionary(column);
    Objects.checkFromIndexSize(id, count, data.dictionarySize());
    data.dictionaryAddresses(id, count, hi, lo);
  }

  /** Creates an exception for damage of a column that a caller finds later. */
  public SegmentCorruptException corrupt(FlowColumn column, String what) {
    return file.corrupt("column " + column.sqlName(), what);
  }

  public String dictionaryText(FlowColumn column, int id) {
    requireType(column.type() == ColumnType.TEXT, column, "TEXT");
    return entry(column, id).dictionaryText(id);
  }

  /** Bytes of values and dictionary in the file; 0 for an absent column. */
  public int encodedBytes(FlowColumn column) {
    ParsedFooter.Entry entry = entries.get(column);
    return entry == null ? 0 : entry.length();
  }

  /** Bytes of the column's dictionary as used to resolve ids; 0 if it has none. Reads nothing. */
  public int dictionaryBytes(FlowColumn column) {
    ParsedFooter.Entry entry = entries.get(column);
    return entry == null || entry.side() == null ? 0 : entry.side().bytes();
  }

  public int nullCount(FlowColumn column) {
    ParsedFooter.Entry entry = entries.get(column);
    return entry == null ? rows() : entry.nulls();
  }

  /** The smallest number of a column; {@link Long#MAX_VALUE} if every row is null. */
  public long minLong(FlowColumn column) {
    requireNumber(column);
    ParsedFooter.Entry entry = entries.get(column);
    return entry == null ? Long.MAX_VALUE : entry.min();
  }

  /** The largest number of a column; {@link Long#MIN_VALUE} if every row is null. */
  public long maxLong(FlowColumn column) {
    requireNumber(column);
    ParsedFooter.Entry entry = entries.get(column);
    return entry == null ? Long.MIN_VALUE : entry.max();
  }

  /** Whether a row may have another {@code sampling_rate} than 1. */
  public boolean isSampled() {
    return nullCount(FlowColumn.SAMPLING_RATE) < rows()
        && (minLong(FlowColumn.SAMPLING_RATE) != 1 || maxLong(FlowColumn.SAMPLING_RATE) != 1);
  }

  public void requireWhole() {
    file.requireWhole();
  }

  public SegmentReader acquire() {
    file.acquire();
    return this;
  }

  /** Gives a reference back; the last one unmaps the file and drops its decoded pages. */
  public void release() {
    if (file.release()) {
      for (int i = 0; i < columns.length(); i++) {
        ColumnData data = columns.get(i);
        if (data != null) {
          data.close();
        }
      }
    }
  }

  @Override
  public void close() {
    release();
  }
}
