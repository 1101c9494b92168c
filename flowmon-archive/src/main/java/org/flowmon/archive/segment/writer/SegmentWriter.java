package org.flowmon.archive.segment.writer;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.parquet.format.ColumnMetaData;
import org.flowmon.archive.index.DictionaryValues;
import org.flowmon.archive.index.SegmentIndexWriter;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.region.SealedFile;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.segment.SegmentProfile;
import org.flowmon.archive.segment.TimeKey;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.archive.segment.format.DeltaEncoder;
import org.flowmon.archive.segment.format.FooterBuilder;
import org.flowmon.archive.segment.format.PageCodec;
import org.flowmon.archive.segment.format.PageTable;
import org.flowmon.archive.segment.format.SegmentFormat;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.Crc32c;
import org.flowmon.flow.files.SyncedFolders;
import org.jspecify.annotations.Nullable;

/**
 * Seals rows into a segment: sorts them by time, writes {@code <id>.parquet} and its sidecar {@code
 * <id>.idx}. Keeps scratch arrays from call to call, so reuse one writer per thread; allocates
 * nothing per row except for text columns. Not thread-safe.
 */
public final class SegmentWriter {
  public static final int MAX_ROWS = 1 << 24;

  private static final DateTimeFormatter ID_TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd't'HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final long LAST_ID_TIME = 253_402_300_799L; // 9999-12-31T23:59:59Z

  /** Makes the names in a folder durable. */
  public interface FolderSync {
    void sync(Path folder) throws IOException;
  }

  private final FolderSync folderSync;
  private final SegmentOptions options;
  private final RowOrder rowOrder = new RowOrder();
  private final ColumnValues values = new ColumnValues();
  private final DictionaryBuilder dictionary = new DictionaryBuilder();
  private final ChunkBuilder chunk = new ChunkBuilder();
  private final EncodingChoice encodings;
  private final SegmentIndexWriter index = new SegmentIndexWriter();
  private final ByteSink tables = new ByteSink();
  private final ByteSink tail = new ByteSink();
  private final long[][] keys = {{}, {}, {}};
  private int[] rank = {};

  public SegmentWriter() {
    this(SegmentOptions.LOOKUP);
  }

  public SegmentWriter(SegmentOptions options) {
    this(options, SyncedFolders::sync, new EncodingChoice());
  }

  public SegmentWriter(SegmentOptions options, FolderSync folderSync, EncodingChoice encodings) {
    this.options = options;
    this.folderSync = folderSync;
    this.encodings = encodings;
  }

  public SegmentOptions options() {
    return options;
  }

  /**
   * Writes all rows of all parts, 1 … {@link #MAX_ROWS}, as one segment. When this returns, both
   * files are complete under their final names and, like their existing folder, synced to disk.
   * Order matters only between rows of equal times: the earlier one stays first.
   *
   * @param provenance put into the file for people
   * @throws IOException if writing failed. Then no file is left under a final name, unless its
   *     deletion failed, too; such a file is no part of an archive, as no commit names it
   */
  public SealedSegment seal(
      Path directory, Collection<? extends FlowRows> parts, Provenance provenance)
      throws IOException {
    return seal(directory, parts, provenance, id -> {});
  }

  /** {@code owner} gets the segment's id before its first file is made. */
  public SealedSegment seal(
      Path directory, Collection<? extends FlowRows> parts, Provenance provenance, Owner owner)
      throws IOException {
    long total = 0;
    for (FlowRows part : parts) {
      total += part.rows();
    }
    if (total < 1 || total > MAX_ROWS) {
      throw new IllegalArgumentException("a segment of " + total + " rows, expected 1…" + MAX_ROWS);
    }
    int rows = (int) total;
    int[] ranks = order(parts, rows);
    try (PageCodec.Compressor compressor = compressor()) {
      String id = newId(smallestKey);
      owner.own(id);
      Seal seal = new Seal(directory, id, rows, compressor);
      return seal.write(parts, ranks, provenance);
    }
  }

  /** Declares that a segment is to be committed, so that its files are no orphans. */
  public interface Owner {
    /** Called before a segment's first file is made; if it throws, nothing is made. */
    void own(String id) throws IOException;
  }

  /** The compressor of pages; null for a profile without pages. */
  private PageCodec.@Nullable Compressor compressor() {
    return options.profile() == SegmentProfile.LOOKUP
        ? null
        : new PageCodec.Compressor(options.codec(), options.level());
  }

  private long smallestKey;
  private long largestKey;
  private int clamped;

  /** The place of each input row, or null if they are in order already. */
  private int @Nullable [] order(Collection<? extends FlowRows> parts, int rows) {
    for (int k = 0; k < keys.length; k++) {
      if (keys[k].length < rows) {
        keys[k] = new long[rows];
      }
    }
    loadKey(FlowColumn.ARRIVAL, parts, rows, keys[2], null);
    loadKey(FlowColumn.END_TIME, parts, rows, keys[0], keys[2]);
    clamped = 0;
    for (int row = 0; row < rows; row++) {
      long key = TimeKey.of(keys[0][row], keys[2][row]);
      clamped += key == keys[0][row] ? 0 : 1;
      keys[0][row] = key;
    }
    loadKey(FlowColumn.START_TIME, parts, rows, keys[1], null);
    int[] order = rowOrder.sort(keys[0], keys[1], keys[2], rows);
    smallestKey = keys[0][0];
    largestKey = keys[0][rows - 1];
    if (rank.length < rows) {
      rank = new int[rows];
    }
    boolean inOrder = true;
    for (int i = 0; i < rows; i++) {
      rank[order[i]] = i;
      inOrder &= order[i] == i;
    }
    return inOrder ? null : rank;
  }

  /** Loads a key in input order; nulls take the value of {@code otherwise}, or the minimum. */
  private void loadKey(
      FlowColumn column,
      Collection<? extends FlowRows> parts,
      int rows,
      long[] key,
      long @Nullable [] otherwise) {
    boolean present = values.load(column, parts, rows, null);
    int next = 0;
    for (int row = 0; row < rows; row++) {
      if (present && (values.nulls == 0 || (values.valid[row >>> 6] >>> row & 1) != 0)) {
        key[row] = values.low[next++];
      } else {
        key[row] = otherwise == null ? Long.MIN_VALUE : otherwise[row];
      }
    }
  }

  private static String newId(long smallestKey) {
    long seconds = Math.max(0, Math.min(LAST_ID_TIME, Math.floorDiv(smallestKey, 1_000_000L)));
    return ID_TIME.format(Instant.ofEpochSecond(seconds))
        + String.format(Locale.ROOT, "-%016x", ThreadLocalRandom.current().nextLong());
  }

  /** One call of {@link #seal}. */
  private final class Seal {
    private final Path directory;
    private final String id;
    private final int rows;
    private final PageCodec.@Nullable Compressor compressor;
    private final FooterBuilder footer;
    private final Map<FlowColumn, TimeRange> ranges = new TreeMap<>();
    private final Map<FlowColumn, BigInteger> sums = new TreeMap<>();

    Seal(Path directory, String id, int rows, PageCodec.@Nullable Compressor compressor) {
      this.compressor = compressor;
      this.directory = directory;
      this.id = id;
      this.rows = rows;
      this.footer = new FooterBuilder(id, rows, clamped, options);
    }

    SealedSegment write(
        Collection<? extends FlowRows> parts, int @Nullable [] ranks, Provenance provenance)
        throws IOException {
      Path segmentPath = directory.resolve(id + ".parquet");
      Path indexPath = directory.resolve(id + ".idx");
      FileIdentity indexFile = null;
      try (SealedFile file = SealedFile.create(segmentPath)) {
        byte[] magic = SegmentFormat.magic();
        file.write(magic, 0, magic.length);
        index.begin(rows);
        tables.clear();
        if (values.load(FlowColumn.OUTGOING, parts, rows, ranks)) {
          // The rollups are split by it: it must be known before the addresses.
          index.rollups().outgoing(values.low, values.count, validity());
        }
        if (values.load(FlowColumn.SAMPLING_RATE, parts, rows, ranks)) {
          index.rollups().rates(values.low, values.count, validity()); // before the measures
        }
        for (FlowColumn column : new TreeSet<>(FlowColumn.all())) { // by id
          if (values.load(column, parts, rows, ranks)) {
            writeColumn(column, file);
          }
        }
        finish(file, provenance);
        FileIdentity segmentFile = file.identity();
        indexFile = index.write(indexPath, id, segmentFile, rows);
        file.seal();
        folderSync.sync(directory);
        return sealed(segmentFile, indexFile);
      } catch (IOException | RuntimeException | Error e) {
        if (indexFile != null) {
          delete(indexPath, e);
          delete(segmentPath, e);
        }
        throw e;
      }
    }

    private void delete(Path path, Throwable why) {
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        why.addSuppressed(e);
      }
    }

    private void writeColumn(FlowColumn column, SealedFile file) throws IOException {
      boolean indexed = options.indexed().contains(column);
      encodings.buildDictionary(column, values, dictionary, indexed);
      ChunkBuilder.Layout layout =
          encodings.layout(column, values, dictionary, options, compressor, rows);
      ColumnMetaData metadata =
          chunk.build(column, values, dictionary, layout, rows, file.position());
      footer.chunk(column, metadata, chunk.locations, chunk.columnIndex, Crc32c.of(chunk.chunk));
      DictionaryPage page = chunk.dictionaryPage;
      putTable(SegmentFormat.KEY_SIDES, column, page.side, dictionary.size, page.sideWidth);
      putTable(
          SegmentFormat.KEY_BLOCKS,
          column,
          chunk.blocks,
          chunk.blocks.size() / DeltaEncoder.ENTRY,
          DeltaEncoder.BLOCK);
      putTable(
          SegmentFormat.KEY_PAGES,
          column,
          chunk.pages,
          chunk.pages.size() / PageTable.ENTRY,
          layout.rowsPerPage());
      if (indexed) {
        index.add(column, rows, dictionary.ids, values.count, validity(), distinct(column));
      }
      if (column == FlowColumn.END_TIME) {
        index.rollups().times(values.low, values.count, validity());
      } else if (RollupFormat.MEASURES.contains(column)) {
        index.rollups().measure(column, values.low, values.count, validity());
      }
      summarize(column);
      file.write(chunk.chunk.array(), 0, chunk.chunk.size());
    }

    private DictionaryValues distinct(FlowColumn column) {
      boolean wide = column.type() == ColumnType.ADDRESS && !values.ipv4Only;
      return new DictionaryValues(
          wide ? dictionary.high : new long[0], dictionary.low, dictionary.texts, dictionary.size);
    }

    /** Bits of the rows that have a value, null if all have. */
    private long @Nullable [] validity() {
      return values.nulls == 0 ? null : values.valid;
    }

    /** Keeps a table until all chunks are written; until then its offset is from the first one. */
    private void putTable(String key, FlowColumn column, ByteSink table, int entries, int width) {
      if (table.size() > 0) {
        footer.table(key, column, tables.size(), entries, width, Crc32c.of(table));
        tables.write(table.array(), 0, table.size());
      }
    }

    private void summarize(FlowColumn column) {
      if (SegmentFormat.RANGES.contains(column)) {
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        for (int i = 0; i < values.count; i++) {
          min = Math.min(min, values.low[i]);
          max = Math.max(max, values.low[i]);
        }
        ranges.put(column, new TimeRange(min, max));
      } else if (column == FlowColumn.BYTES || column == FlowColumn.PACKETS) {
        long low = 0;
        long high = 0; // every value is below 2^63: a carry shows as a sum that fell, unsigned
        for (int i = 0; i < values.count; i++) {
          low += values.low[i];
          high += Long.compareUnsigned(low, values.low[i]) < 0 ? 1 : 0;
        }
        sums.put(
            column,
            BigInteger.valueOf(high).shiftLeft(64).add(new BigInteger(Long.toUnsignedString(low))));
      }
    }

    private void finish(SealedFile file, Provenance provenance) throws IOException {
      footer.moveTables(file.position());
      file.write(tables.array(), 0, tables.size());
      ranges.forEach(
          (column, range) ->
              footer.property(
                  SegmentFormat.KEY_RANGE + column.sqlName(), range.min() + ":" + range.max()));
      provenance
          .properties()
          .forEach((key, value) -> footer.property(SegmentFormat.KEY_PROVENANCE + key, value));
      tail.clear();
      int start = footer.write(tail, file.position());
      file.write(tail.array(), 0, start);
      file.beginFooter();
      file.write(tail.array(), start, tail.size() - start);
    }

    private SealedSegment sealed(FileIdentity segmentFile, FileIdentity indexFile) {
      return new SealedSegment(
          id,
          rows,
          new TimeRange(smallestKey, largestKey),
          ranges.getOrDefault(FlowColumn.START_TIME, TimeRange.NONE),
          ranges.getOrDefault(FlowColumn.END_TIME, TimeRange.NONE),
          ranges.getOrDefault(FlowColumn.ARRIVAL, TimeRange.NONE),
          sums.getOrDefault(FlowColumn.BYTES, BigInteger.ZERO),
          sums.getOrDefault(FlowColumn.PACKETS, BigInteger.ZERO),
          segmentFile,
          indexFile);
    }
  }
}
