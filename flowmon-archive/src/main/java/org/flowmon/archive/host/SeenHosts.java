package org.flowmon.archive.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.directory.HostView;
import org.flowmon.archive.manifest.HistoryReach;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.set.AddressRanges;

/**
 * Finds when addresses were last seen, exactly, by {@link org.flowmon.archive.segment.TimeKey}, so
 * that a clock in the future does not make a host look present. Uses the host directory and the
 * ends of posting lists: an address costs one or two segments, one never seen costs none.
 */
public final class SeenHosts {
  /** Segments that stay open for the next address: neighbours share the newest ones. */
  private static final int OPEN = 64;

  private final List<ArchiveSnapshot> snapshots;
  private final long from;
  private final long before;
  private final long asOf;
  private final Set<String> warnings = new LinkedHashSet<>();
  private final Map<String, Opened> open = new LinkedHashMap<>(OPEN, 0.75f, true); // of one archive
  private int segmentsRead;

  private record Opened(SegmentLease lease, LastRow rows) {}

  private SeenHosts(List<ArchiveSnapshot> snapshots, long from, long before, long asOf) {
    ArchivesSnapshot.requireDifferent(snapshots);
    this.snapshots = snapshots;
    this.from = from;
    this.before = before;
    this.asOf = asOf;
  }

  /** Asks without limits. */
  public static SeenAnswer ask(
      List<ArchiveSnapshot> snapshots, List<IpAddress> addresses, long from, long asOfArrival)
      throws IOException {
    return ask(snapshots, addresses, from, asOfArrival, QueryOptions.DEFAULTS);
  }

  /**
   * Finds the last flow of each address in different archives, at least one, read as one.
   *
   * @param from start of the time (µs) in which an address counts as seen: history must reach back
   *     to it
   * @param asOfArrival later arrivals (µs) are not read, {@link Long#MAX_VALUE} for all
   * @param options whose time limit holds, and whether anybody waits
   * @throws org.flowmon.archive.region.SegmentCorruptException if a needed segment is damaged
   */
  public static SeenAnswer ask(
      List<ArchiveSnapshot> snapshots,
      List<IpAddress> addresses,
      long from,
      long asOfArrival,
      QueryOptions options)
      throws IOException {
    SeenHosts ever = new SeenHosts(snapshots, Long.MIN_VALUE, Long.MAX_VALUE, asOfArrival);
    List<LastSeen> hosts = ever.last(addresses, options.deadline()::check);
    HistoryReach reach = ArchivesSnapshot.reachOf(snapshots);
    return new SeenAnswer(
        hosts,
        from,
        asOfArrival,
        reach.historyFrom(),
        reach.historyThrough(),
        ever.missing(reach, from),
        snapshots.stream().mapToInt(snapshot -> snapshot.segments().size()).sum(),
        ever.segmentsRead,
        List.copyOf(ever.warnings));
  }

  /**
   * Finds the last flow of each address in {@code [from, before)}, in the order of the question,
   * over different archives read as one. Says nothing of what history covers.
   *
   * @param before {@link Long#MAX_VALUE} for any later time (µs)
   * @param asOfArrival later arrivals (µs) are not read
   * @param check called for each address, and may throw to end the search
   * @throws org.flowmon.archive.region.SegmentCorruptException if a needed segment is damaged
   */
  public static List<LastSeen> last(
      List<ArchiveSnapshot> snapshots,
      Collection<IpAddress> addresses,
      long from,
      long before,
      long asOfArrival,
      Runnable check)
      throws IOException {
    return new SeenHosts(snapshots, from, before, asOfArrival).last(List.copyOf(addresses), check);
  }

  private List<LastSeen> last(List<IpAddress> addresses, Runnable check) throws IOException {
    long[] last = new long[addresses.size()];
    Arrays.fill(last, LastSeen.NEVER);
    for (ArchiveSnapshot snapshot : snapshots) {
      HostView view = snapshot.hosts();
      try {
        for (int i = 0; i < last.length; i++) {
          last[i] = last(snapshot, view, addresses.get(i), last[i], check);
        }
      } finally {
        view.release();
        closeAll();
      }
    }
    List<LastSeen> hosts = new ArrayList<>();
    for (int i = 0; i < last.length; i++) {
      hosts.add(new LastSeen(addresses.get(i), last[i]));
    }
    return hosts;
  }

  /** {@code known}: the last time in another archive. */
  private long last(
      ArchiveSnapshot snapshot, HostView view, IpAddress address, long known, Runnable check)
      throws IOException {
    check.run();
    AddressRanges point = AddressRanges.of(address, address);
    BitSet places = view.sources(point, warnings);
    places.or(view.destinations(point, warnings));
    List<SealedSegment> newestFirst = new ArrayList<>();
    for (int i = places.nextSetBit(0); i >= 0; i = places.nextSetBit(i + 1)) {
      newestFirst.add(view.segments().get(i));
    }
    newestFirst.sort(Comparator.comparingLong((SealedSegment s) -> s.timeKey().max()).reversed());
    long last = known;
    for (SealedSegment segment : newestFirst) {
      long newest = segment.timeKey().max();
      if (newest < from || (last != LastSeen.NEVER && newest <= last)) {
        break;
      }
      if (segment.arrival().min() > asOf || segment.timeKey().min() >= before) {
        continue;
      }
      check.run();
      segmentsRead++;
      last = Math.max(last, rows(snapshot, segment).timeKeyOf(address));
    }
    return last < from ? LastSeen.NEVER : last;
  }

  private LastRow rows(ArchiveSnapshot snapshot, SealedSegment segment) throws IOException {
    Opened known = open.get(segment.id());
    if (known != null) {
      return known.rows();
    }
    if (open.size() == OPEN) {
      Iterator<Opened> eldest = open.values().iterator();
      SegmentLease unused = eldest.next().lease();
      eldest.remove();
      unused.close();
    }
    SegmentLease lease = snapshot.open(segment, true);
    Opened opened = new Opened(lease, new LastRow(lease, before, asOf, warnings));
    open.put(segment.id(), opened);
    return opened.rows();
  }

  private void closeAll() {
    SegmentLease.closeAll(open.values().stream().map(Opened::lease).toList());
    open.clear();
  }

  private List<String> missing(HistoryReach reach, long since) {
    List<String> missing = new ArrayList<>();
    if (reach.historyFrom() == Long.MAX_VALUE) {
      missing.add(snapshots.size() == 1 ? "the archive is empty" : "the archives are empty");
      return missing;
    }
    if (reach.historyFrom() > since) {
      missing.add("history begins at " + time(reach.historyFrom()));
    }
    if (reach.cutoff() > since) {
      missing.add("flows before " + time(reach.cutoff()) + " have expired");
    }
    if (asOf != Long.MAX_VALUE && reach.historyThrough() < asOf) {
      missing.add("history is complete up to arrival " + time(reach.historyThrough()));
    }
    for (CommitResult.Gap gap : reach.gaps()) {
      if (gap.arrivalThrough() >= since && gap.arrivalFrom() <= asOf) {
        missing.add(
            String.format(
                "offsets %s … %s of %s are not here",
                gap.firstOffset(), gap.endOffset() - 1, gap.sourceKey()));
      }
    }
    return missing;
  }

  private static String time(long micros) {
    return FlowTime.text(micros);
  }
}
