package org.flowmon.archive.host;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.directory.HostView;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.plan.SegmentChoice;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.set.AddressRanges;
import org.flowmon.udaf.vector.Vector;

/**
 * Finds the rows of many addresses by the host directory and posting lists alone, which costs less
 * than a query of few rows. An address that no segment holds costs searches in sorted addresses.
 */
public final class HostRows {
  // Of more rows in a segment a query is cheaper: it narrows them by other columns first.
  private static final int MOST_ROWS = 1 << 16;

  private final ArchiveSnapshot snapshot;
  private final FlowColumn column;
  private final List<IpAddress> addresses;
  private final Sink sink;
  private final int[] rows = new int[Vector.CAPACITY];
  private final int[] places = new int[Vector.CAPACITY];
  // Pairs of a segment, later a row, and the place of an address.
  private long[] asked = new long[Vector.CAPACITY];
  private int askedCount;
  private long[] found = new long[Vector.CAPACITY];
  private int foundCount;

  /** Receives rows. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Takes {@code n} ascending rows of a segment that is open until this returns, at most {@link
     * Vector#CAPACITY}; {@code places}: of each row's address among those asked for. Both arrays
     * may be changed.
     */
    void rows(SegmentReader segment, int[] rows, int[] places, int n);
  }

  private HostRows(
      ArchiveSnapshot snapshot, FlowColumn column, List<IpAddress> addresses, Sink sink) {
    this.snapshot = snapshot;
    this.column = column;
    this.addresses = addresses;
    this.sink = sink;
  }

  /**
   * Delivers the rows that have one of the different addresses in a column.
   *
   * @param where segments that cannot hold a row within it are left out
   * @return false if a query has to answer: posting lists are missing, damaged, or long; the rows
   *     delivered until then are to be dropped
   * @throws SegmentCorruptException if a needed segment is damaged
   */
  public static boolean find(
      ArchiveSnapshot snapshot,
      FlowColumn column,
      List<IpAddress> addresses,
      Constraints where,
      Sink sink)
      throws IOException {
    try {
      return where.isImpossible() || new HostRows(snapshot, column, addresses, sink).find(where);
    } catch (InternalError e) {
      throw MappedRegion.explain(e); // if a file was cut while it was read
    }
  }

  private boolean find(Constraints where) throws IOException {
    HostView hosts;
    try {
      hosts = snapshot.hosts();
    } catch (IOException e) {
      return false; // the query warns of it
    }
    try {
      choose(hosts);
    } finally {
      hosts.release();
    }
    List<SealedSegment> segments = snapshot.segments();
    Arrays.sort(asked, 0, askedCount);
    int to = 0;
    for (int from = 0; from < askedCount; from = to) {
      int segment = high(asked[from]);
      while (to < askedCount && high(asked[to]) == segment) {
        to++;
      }
      if (SegmentChoice.mayHold(segments.get(segment), where)
          && !read(segments.get(segment), from, to)) {
        return false;
      }
    }
    return true;
  }

  /** Finds which segments are asked for which addresses. */
  private void choose(HostView hosts) {
    List<BitSet> holding = holding(hosts);
    for (int a = 0; a < holding.size(); a++) {
      BitSet segments = holding.get(a);
      for (int s = segments.nextSetBit(0); s >= 0; s = segments.nextSetBit(s + 1)) {
        asked = roomy(asked, askedCount);
        asked[askedCount++] = (long) s << Integer.SIZE | a;
      }
    }
  }

  /** The places of the segments that may hold each address. */
  private List<BitSet> holding(HostView hosts) {
    HashSet<String> unused = new HashSet<>(); // without the directory more segments are asked
    List<AddressRanges> points =
        addresses.stream().map(address -> AddressRanges.of(address, address)).toList();
    if (column == FlowColumn.SRC_ADDR) {
      return hosts.sourcesOfEach(points, unused);
    } else if (column == FlowColumn.DST_ADDR) {
      return hosts.destinationsOfEach(points, unused);
    }
    BitSet all = new BitSet();
    all.set(0, snapshot.segments().size());
    return Collections.nCopies(addresses.size(), all);
  }

  private static long[] roomy(long[] values, int used) {
    return used < values.length ? values : Arrays.copyOf(values, 2 * used);
  }

  private static int high(long pair) {
    return (int) (pair >>> Integer.SIZE);
  }

  /** Reads a segment's rows of some of the pairs. */
  private boolean read(SealedSegment segment, int from, int to) throws IOException {
    try (SegmentLease lease = snapshot.open(segment, true)) {
      if (lease.rows().presence(column) == Presence.ABSENT) {
        return true;
      }
      SegmentIndex index = lease.index();
      if (index == null || !index.isIndexed(column)) {
        return false;
      }
      try {
        foundCount = 0;
        for (int i = from; i < to; i++) {
          int place = (int) asked[i];
          RowSet of = index.lookup(column, addresses.get(place));
          if (foundCount + of.size() > MOST_ROWS) {
            return false;
          }
          add(of, lease.firstRow(), place);
        }
      } catch (SegmentCorruptException e) {
        lease.indexFailed(String.valueOf(e.getMessage())); // the query warns of it
        return false;
      }
      deliver(lease.rows());
    }
    return true;
  }

  private void add(RowSet of, int firstRow, int place) {
    RowSet.Cursor cursor = of.cursor();
    for (int n = cursor.next(rows); n > 0; n = cursor.next(rows)) {
      for (int i = 0; i < n; i++) {
        if (rows[i] >= firstRow) {
          found = roomy(found, foundCount);
          found[foundCount++] = (long) rows[i] << Integer.SIZE | place;
        }
      }
    }
  }

  private void deliver(SegmentReader segment) {
    Arrays.sort(found, 0, foundCount);
    for (int from = 0; from < foundCount; from += rows.length) {
      int n = Math.min(rows.length, foundCount - from);
      for (int i = 0; i < n; i++) {
        rows[i] = high(found[from + i]);
        places[i] = (int) found[from + i];
      }
      sink.rows(segment, rows, places, n);
    }
  }
}
