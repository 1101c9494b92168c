package org.flowmon.archive.days;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.flowmon.archive.derived.DerivedRun;
import org.flowmon.archive.derived.RunFrame;
import org.flowmon.archive.derived.RunTables;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A run of day sums in mapped memory: sums over its segments by source and by destination for each
 * day. Counted by reference like its file. Immutable and safe to share between threads.
 */
public final class DayRun extends DerivedRun {
  /**
   * A run's share of a segment. Bit i of {@code columns}: it has sums by {@link
   * RollupFormat#DIMENSIONS} i; then {@link #ESTIMATES}. {@code days} with rows ascend, none if
   * {@code columns} is 0.
   */
  public record Share(Covered segment, int columns, List<Long> days) {
    static final int ESTIMATES = 1 << RollupFormat.DIMENSIONS.size();

    public Share {
      days = List.copyOf(days);
    }

    public boolean has(FlowColumn column) {
      return (columns & bit(column)) != 0;
    }

    /** Whether its sums can answer for every estimate. */
    public boolean hasEstimates() {
      return (columns & ESTIMATES) != 0;
    }

    static int bit(FlowColumn column) {
      return 1 << RollupFormat.DIMENSIONS.indexOf(column);
    }
  }

  /** The sums by one column. */
  private static final class Column {
    final DayDictionary dictionary;
    final @Nullable Rollup rollup; // null if there are none
    final int headCrc32c;
    final int[] sliceCrc32c;
    final boolean[] verified;
    volatile boolean headVerified;

    Column(DayDictionary dictionary, @Nullable Rollup rollup, int headCrc32c, int[] sliceCrc32c) {
      this.dictionary = dictionary;
      this.rollup = rollup;
      this.headCrc32c = headCrc32c;
      this.sliceCrc32c = sliceCrc32c;
      this.verified = new boolean[sliceCrc32c.length];
    }
  }

  private final int version;
  private final List<Column> columns;
  private final List<Share> shares;

  private DayRun(MappedRegion file, int version, List<Column> columns, List<Share> shares) {
    super(file, shares.stream().map(Share::segment).toList());
    this.version = version;
    this.columns = columns;
    this.shares = shares;
  }

  /** Opens a run like {@link DerivedRun#open}. */
  static DayRun open(Path path, UUID archive) throws IOException {
    return open(path, archive, (file, of) -> new Parser(file).read(of));
  }

  /** Reads the tables of a file. */
  private static final class Parser {
    private final MappedRegion file;
    private final RunTables tables;

    Parser(MappedRegion file) {
      this.file = file;
      this.tables = new RunTables(file, DayRunFormat.FRAME);
    }

    DayRun read(UUID archive) {
      int count = tables.tailInt(16);
      int bytes = tables.tailInt(20);
      tables.expect(
          count >= 0
              && DayRunFormat.COLUMNS_BYTES + (long) count * DayRunFormat.LEAST_SHARE_BYTES
                  <= bytes,
          "tables and " + count + " segments in " + bytes + " bytes");
      tables.begin(bytes, archive);
      int end = tables.at();
      List<Column> columns = new ArrayList<>();
      long begin = RunFrame.HEADER_BYTES;
      for (FlowColumn column : RollupFormat.DIMENSIONS) {
        begin = column(column, begin, end, columns);
      }
      tables.expect(begin == end, "sums up to " + end + ", found " + begin);
      List<Share> shares = new ArrayList<>(count);
      for (int s = 0; s < count; s++) {
        shares.add(share(s));
      }
      tables.end();
      return new DayRun(file, tables.version(), columns, shares);
    }

    private long column(FlowColumn column, long begin, int end, List<Column> columns) {
      tables.need(DayRunFormat.COLUMN_BYTES);
      int below = tables.readInt();
      int ipv4 = tables.readInt();
      int above = tables.readInt();
      int dictionaryAt = tables.readInt();
      int dictionaryCrc32c = tables.readInt();
      int rollupAt = tables.readInt();
      int rollupBytes = tables.readInt();
      int slices = tables.readInt();
      int headCrc32c = tables.readInt();
      tables.expect(
          below >= 0
              && ipv4 >= 0
              && above >= 0
              && begin + DayDictionary.bytes(below, ipv4, above) <= end
              && dictionaryAt == begin
              && rollupAt == begin + DayDictionary.bytes(below, ipv4, above)
              && rollupBytes >= 0
              && (long) rollupAt + rollupBytes <= end,
          "a dictionary and a rollup behind " + begin + " and before " + end);
      tables.expect(
          rollupBytes == 0 ? slices == 0 && rollupAt == begin : slices > 0,
          "slices in " + rollupBytes + " bytes, found " + slices);
      tables.need(4L * slices);
      int[] checksums = new int[slices];
      for (int s = 0; s < slices; s++) {
        checksums[s] = tables.readInt();
      }
      String name = "days of " + column.sqlName();
      DayDictionary dictionary =
          new DayDictionary(file, name, (int) begin, below, ipv4, above, dictionaryCrc32c);
      Rollup rollup = null;
      if (slices > 0) {
        rollup =
            new Rollup(
                file, name, rollupAt, rollupBytes, 0, false, dictionary.size(), Integer.MAX_VALUE);
        tables.expect(rollup.slices() == slices, slices + " slices, found " + rollup.slices());
      }
      columns.add(new Column(dictionary, rollup, headCrc32c, checksums));
      return (long) rollupAt + rollupBytes;
    }

    private Share share(int s) {
      Covered segment = tables.readCovered(s);
      int columns = tables.readByte();
      int count = tables.readInt();
      tables.expect(
          columns < (mayHaveEstimates(tables.version()) ? 2 * Share.ESTIMATES : Share.ESTIMATES)
              && columns != Share.ESTIMATES
              && count >= 0
              && count <= DayRunFormat.MAX_DAYS
              && (columns == 0) == (count == 0),
          "days of segment " + s + ", found " + count + " by columns " + columns);
      tables.need(8L * count);
      List<Long> days = new ArrayList<>(count);
      for (int d = 0; d < count; d++) {
        long day = tables.readLong();
        tables.expect(d == 0 || day > days.get(d - 1), "days of segment " + s + " that ascend");
        days.add(day);
      }
      return new Share(segment, columns, days);
    }
  }

  private static boolean mayHaveEstimates(int version) {
    return version >= DayRunFormat.WITH_ESTIMATES;
  }

  /** Whether it knows which segments have estimates. */
  boolean mayHaveEstimates() {
    return mayHaveEstimates(version);
  }

  /** Whether a segment's share is the one in this run, but for estimates that it cannot have. */
  boolean isOf(Share found, Share inRun) {
    int known = mayHaveEstimates() ? -1 : ~Share.ESTIMATES;
    return new Share(found.segment(), found.columns() & known, found.days()).equals(inRun);
  }

  public List<Share> shares() {
    return shares;
  }

  private Column column(FlowColumn column) {
    return columns.get(RollupFormat.DIMENSIONS.indexOf(column));
  }

  /** The sums by a column and day, null if none; checked but for slices: {@link #verify}. */
  public @Nullable Rollup rollup(FlowColumn column) {
    Column sums = column(column);
    if (sums.rollup != null && !sums.headVerified) {
      Rollup rollup = sums.rollup;
      rollup.check();
      int begin = sums.dictionary.end();
      file()
          .verify(
              "days of " + column.sqlName(), begin, rollup.sliceOffset(0) - begin, sums.headCrc32c);
      sums.headVerified = true; // two threads may both have checked it: no harm
    }
    return sums.rollup;
  }

  /** The addresses of {@link #rollup}, whose places are its ids; checked. */
  public DayDictionary dictionary(FlowColumn column) {
    DayDictionary dictionary = column(column).dictionary;
    dictionary.verify();
    return dictionary;
  }

  /** Checks the checksum of a slice once. Two threads may both check it: no harm. */
  public void verify(FlowColumn column, int slice) {
    Column sums = column(column);
    if (!sums.verified[slice]) {
      Rollup rollup = Objects.requireNonNull(sums.rollup, "a slice without sums");
      file()
          .verify(
              "days of " + column.sqlName() + ", slice " + slice,
              rollup.sliceOffset(slice),
              rollup.sliceLength(slice),
              sums.sliceCrc32c[slice]);
      sums.verified[slice] = true;
    }
  }

  /** Reads every byte, or throws {@link org.flowmon.archive.region.SegmentCorruptException}. */
  void readAll() {
    CellReader reader = new CellReader();
    int[] ids = new int[RollupFormat.BLOCK];
    long[] values = new long[RollupFormat.BLOCK];
    for (FlowColumn column : RollupFormat.DIMENSIONS) {
      DayDictionary dictionary = dictionary(column);
      for (int id = 1; id < dictionary.size(); id++) {
        if (IpAddress.compare(
                dictionary.high(id - 1),
                dictionary.low(id - 1),
                dictionary.high(id),
                dictionary.low(id))
            >= 0) {
          throw file().corrupt("days of " + column.sqlName(), "addresses that do not ascend");
        }
      }
      Rollup rollup = rollup(column);
      for (int s = 0; rollup != null && s < rollup.slices(); s++) {
        verify(column, s);
        reader.open(rollup, s);
        for (int b = 0; b < reader.blocks(); b++) {
          reader.readIds(b, ids);
          for (int stream = rollup.rowsStream(); stream < rollup.streams(); stream++) {
            reader.read(stream, b, values);
          }
        }
      }
    }
  }
}
