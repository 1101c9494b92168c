package org.flowmon.archive.days;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.flowmon.archive.derived.DerivedRun;
import org.flowmon.archive.derived.RunVersion;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.FlowColumn;

/**
 * A run in mapped memory: sums over its segments by source and by destination for each day. Counted
 * by reference as its file is. Immutable and safe to share between threads.
 */
public final class DayRun implements DerivedRun {
  /**
   * What a run holds of a segment that it covers.
   *
   * @param columns bit i is set where its sums by {@link RollupFormat#DIMENSIONS} i are in the run
   * @param days on which it has rows, ascending; none where {@code columns} is 0
   */
  public record Share(Covered segment, int columns, List<Long> days) {
    public Share {
      days = List.copyOf(days);
    }

    /** Whether its sums by a column are in the run. */
    public boolean has(FlowColumn column) {
      return (columns & bit(column)) != 0;
    }

    static int bit(FlowColumn column) {
      return 1 << RollupFormat.DIMENSIONS.indexOf(column);
    }
  }

  /** The sums by one column. */
  private static final class Column {
    final DayDictionary dictionary;
    final Rollup rollup; // null where there are none
    final int headCrc32c;
    final int[] sliceCrc32c;
    final boolean[] verified;
    volatile boolean headVerified;

    Column(DayDictionary dictionary, Rollup rollup, int headCrc32c, int[] sliceCrc32c) {
      this.dictionary = dictionary;
      this.rollup = rollup;
      this.headCrc32c = headCrc32c;
      this.sliceCrc32c = sliceCrc32c;
      this.verified = new boolean[sliceCrc32c.length];
    }
  }

  private static final String TABLES = "tables";

  private final MappedRegion file;
  private final List<Column> columns;
  private final List<Share> shares;
  private final List<Covered> segments;

  private DayRun(MappedRegion file, List<Column> columns, List<Share> shares) {
    this.file = file;
    this.columns = columns;
    this.shares = shares;
    this.segments = shares.stream().map(Share::segment).toList();
  }

  /**
   * Opens a run.
   *
   * @throws org.flowmon.archive.region.SegmentCorruptException where it is none, or of another
   *     archive
   * @throws org.flowmon.archive.derived.ForeignRunException where it is of another version
   * @throws IOException where it cannot be read
   */
  static DayRun open(Path path, UUID archive) throws IOException {
    MappedRegion file = MappedRegion.open(path);
    try {
      return new Parser(file).read(archive);
    } catch (RuntimeException e) {
      file.release();
      throw e;
    }
  }

  /** Reads the tables of a file. */
  private static final class Parser {
    private final MappedRegion file;
    private final ByteBuffer bytes;
    private final int tail;
    private int at;

    Parser(MappedRegion file) {
      this.file = file;
      this.bytes = file.buffer();
      this.tail = file.length() - DayRunFormat.TAIL_BYTES;
    }

    DayRun read(UUID archive) {
      int length = file.length();
      expect(tail >= DayRunFormat.HEADER_BYTES, "a run in " + length + " bytes");
      RunVersion.check(file, TABLES, DayRunFormat.MAGIC, DayRunFormat.VERSION);
      int count = bytes.getInt(tail + 16);
      int tablesBytes = bytes.getInt(tail + 20);
      expect(
          tablesBytes >= RollupFormat.DIMENSIONS.size() * DayRunFormat.COLUMN_BYTES
              && tablesBytes <= tail - DayRunFormat.HEADER_BYTES
              && count >= 0
              && count <= tablesBytes,
          "tables and " + count + " segments in " + tablesBytes + " bytes");
      int tablesAt = tail - tablesBytes;
      file.verify(TABLES, tablesAt, length - 12 - tablesAt, bytes.getInt(length - 12));
      UUID of = new UUID(bytes.getLong(tail), bytes.getLong(tail + 8));
      expect(of.equals(archive), "archive " + archive + ", found " + of);
      at = tablesAt;
      List<Column> columns = new ArrayList<>();
      long begin = DayRunFormat.HEADER_BYTES;
      for (FlowColumn column : RollupFormat.DIMENSIONS) {
        begin = column(column, begin, tablesAt, columns);
      }
      expect(begin == tablesAt, "sums up to " + tablesAt + ", found " + begin);
      List<Share> shares = new ArrayList<>(count);
      for (int s = 0; s < count; s++) {
        shares.add(share(s));
      }
      expect(at == tail, "segments that end at " + tail + ", found " + at);
      return new DayRun(file, columns, shares);
    }

    private long column(FlowColumn column, long begin, int end, List<Column> columns) {
      need(DayRunFormat.COLUMN_BYTES);
      int below = bytes.getInt(at);
      int ipv4 = bytes.getInt(at + 4);
      int above = bytes.getInt(at + 8);
      int rollupAt = bytes.getInt(at + 20);
      int rollupBytes = bytes.getInt(at + 24);
      int slices = bytes.getInt(at + 28);
      expect(
          below >= 0
              && ipv4 >= 0
              && above >= 0
              && begin + DayDictionary.bytes(below, ipv4, above) <= end
              && bytes.getInt(at + 12) == begin
              && rollupAt == begin + DayDictionary.bytes(below, ipv4, above)
              && rollupBytes >= 0
              && (long) rollupAt + rollupBytes <= end,
          "a dictionary and a rollup behind " + begin + " and before " + end);
      expect(
          rollupBytes == 0 ? slices == 0 && rollupAt == begin : slices > 0,
          "slices in " + rollupBytes + " bytes, found " + slices);
      String name = "days of " + column.sqlName();
      DayDictionary dictionary =
          new DayDictionary(file, name, (int) begin, below, ipv4, above, bytes.getInt(at + 16));
      int head = bytes.getInt(at + 32);
      at += DayRunFormat.COLUMN_BYTES;
      need(4L * slices);
      int[] checksums = new int[slices];
      for (int s = 0; s < slices; s++) {
        checksums[s] = bytes.getInt(at + 4 * s);
      }
      at += 4 * slices;
      Rollup rollup = null;
      if (slices > 0) {
        rollup =
            new Rollup(
                file, name, rollupAt, rollupBytes, 0, false, dictionary.size(), Integer.MAX_VALUE);
        expect(rollup.slices() == slices, slices + " slices, found " + rollup.slices());
      }
      columns.add(new Column(dictionary, rollup, head, checksums));
      return (long) rollupAt + rollupBytes;
    }

    private Share share(int s) {
      need(1);
      int idLength = bytes.get(at) & 0xFF;
      expect(idLength > 0, "the id of segment " + s);
      need(1L + idLength + 9);
      byte[] id = new byte[idLength];
      bytes.get(at + 1, id);
      at += 1 + idLength;
      int crc32c = bytes.getInt(at);
      int columns = bytes.get(at + 4);
      int count = bytes.getInt(at + 5);
      at += 9;
      expect(
          columns >= 0
              && columns < 1 << RollupFormat.DIMENSIONS.size()
              && count >= 0
              && count <= DayRunFormat.MAX_DAYS
              && (columns == 0) == (count == 0),
          "days of segment " + s + ", found " + count + " by columns " + columns);
      need(8L * count);
      List<Long> days = new ArrayList<>(count);
      for (int d = 0; d < count; d++) {
        long day = bytes.getLong(at + 8 * d);
        expect(d == 0 || day > days.get(d - 1), "days of segment " + s + " that ascend");
        days.add(day);
      }
      at += 8 * count;
      return new Share(
          new Covered(new String(id, StandardCharsets.US_ASCII), crc32c), columns, days);
    }

    private void need(long more) {
      expect(more <= tail - at, more + " bytes of the tables at " + at);
    }

    private void expect(boolean holds, String what) {
      if (!holds) {
        throw file.corrupt(TABLES, "expected " + what);
      }
    }
  }

  @Override
  public String name() {
    return file.path().getFileName().toString();
  }

  @Override
  public int bytes() {
    return file.length();
  }

  @Override
  public List<Covered> segments() {
    return segments;
  }

  /** What it holds of each of {@link #segments}. */
  public List<Share> shares() {
    return shares;
  }

  private Column column(FlowColumn column) {
    return columns.get(RollupFormat.DIMENSIONS.indexOf(column));
  }

  /**
   * The sums by a column, null where there are none; slices are by day in place of the hour. Its
   * structure is checked, its slices are not: {@link #verify}.
   */
  public Rollup rollup(FlowColumn column) {
    Column sums = column(column);
    if (sums.rollup != null && !sums.headVerified) {
      Rollup rollup = sums.rollup;
      rollup.check();
      int begin = sums.dictionary.end();
      file.verify(
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

  /** Checks the checksum of a slice once. Two threads may both do it: no harm. */
  public void verify(FlowColumn column, int slice) {
    Column sums = column(column);
    if (!sums.verified[slice]) {
      file.verify(
          "days of " + column.sqlName() + ", slice " + slice,
          sums.rollup.sliceOffset(slice),
          sums.rollup.sliceLength(slice),
          sums.sliceCrc32c[slice]);
      sums.verified[slice] = true;
    }
  }

  /** An exception that names this run. */
  RuntimeException corrupt(String place, String what) {
    return file.corrupt(place, what);
  }

  @Override
  public void acquire() {
    file.acquire();
  }

  @Override
  public void release() {
    file.release();
  }
}
