package org.flowmon.archive.host;

import java.io.IOException;
import java.util.ArrayList;
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
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.directory.HostView;
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

  private final ArchiveSnapshot snapshot;
  private final long from;
  private final long before;
  private final long asOf;
  private final Set<String> warnings = new LinkedHashSet<>();
  private final Map<String, Opened> open = new LinkedHashMap<>(OPEN, 0.75f, true);
  private int segmentsRead;

  private record Opened(SegmentLease lease, LastRow rows) {}

  private SeenHosts(ArchiveSnapshot snapshot, long from, long before, long asOf) {
    this.snapshot = snapshot;
    this.from = from;
    this.before = before;
    this.asOf = asOf;
  }

  /**
   * Finds the last flow of each address.
   *
   * @param from start of the time (µs) in which an address counts as seen: history must reach back
   *     to it
   * @param asOfArrival later arrivals (µs) are not read, {@link Long#MAX_VALUE} for all
   * @throws org.flowmon.archive.region.SegmentCorruptException if a needed segment is damaged
   */
  public static SeenAnswer ask(
      ArchiveSnapshot snapshot, List<IpAddress> addresses, long from, long asOfArrival)
      throws IOException {
    SeenHosts ever = new SeenHosts(snapshot, Long.MIN_VALUE, Long.MAX_VALUE, asOfArrival);
    List<LastSeen> hosts = ever.last(addresses, () -> {});
    return new SeenAnswer(
        hosts,
        from,
        asOfArrival,
        snapshot.historyFrom(),
        snapshot.historyThrough(),
        ever.missing(from),
        snapshot.segments().size(),
        ever.segmentsRead,
        List.copyOf(ever.warnings));
  }

  /**
   * Finds the last flow of each address in {@code [from, before)}, in the order of the question.
   * Says nothing of what history covers.
   *
   * @param before {@link Long#MAX_VALUE} for any later time (µs)
   * @param asOfArrival later arrivals (µs) are not read
   * @param check called for each address, and may throw to end the search
   * @throws org.flowmon.archive.region.SegmentCorruptException if a needed segment is damaged
   */
  public static List<LastSeen> last(
      ArchiveSnapshot snapshot,
      Collection<IpAddress> addresses,
      long from,
      long before,
      long asOfArrival,
      Runnable check)
      throws IOException {
    return new SeenHosts(snapshot, from, before, asOfArrival).last(addresses, check);
  }

  private List<LastSeen> last(Collection<IpAddress> addresses, Runnable check) throws IOException {
    List<LastSeen> hosts = new ArrayList<>(addresses.size());
    HostView view = snapshot.hosts();
    try {
      for (IpAddress address : addresses) {
        check.run();
        hosts.add(new LastSeen(address, last(view, address)));
      }
    } finally {
      view.release();
      closeAll();
    }
    return hosts;
  }

  private long last(HostView view, IpAddress address) throws IOException {
    AddressRanges point = AddressRanges.of(address, address);
    BitSet places = view.sources(point, warnings);
    places.or(view.destinations(point, warnings));
    List<SealedSegment> newestFirst = new ArrayList<>();
    for (int i = places.nextSetBit(0); i >= 0; i = places.nextSetBit(i + 1)) {
      newestFirst.add(view.segments().get(i));
    }
    newestFirst.sort(Comparator.comparingLong((SealedSegment s) -> s.timeKey().max()).reversed());
    long last = LastSeen.NEVER;
    for (SealedSegment segment : newestFirst) {
      long newest = segment.timeKey().max();
      if (newest < from || (last != LastSeen.NEVER && newest <= last)) {
        break;
      }
      if (segment.arrival().min() > asOf || segment.timeKey().min() >= before) {
        continue;
      }
      segmentsRead++;
      last = Math.max(last, rows(segment).timeKeyOf(address));
    }
    return last < from ? LastSeen.NEVER : last;
  }

  private LastRow rows(SealedSegment segment) throws IOException {
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

  private List<String> missing(long since) {
    List<String> missing = new ArrayList<>();
    if (snapshot.historyFrom() == Long.MAX_VALUE) {
      missing.add("the archive is empty");
      return missing;
    }
    if (snapshot.historyFrom() > since) {
      missing.add("history begins at " + time(snapshot.historyFrom()));
    }
    if (snapshot.cutoff() > since) {
      missing.add("flows before " + time(snapshot.cutoff()) + " have expired");
    }
    if (asOf != Long.MAX_VALUE && snapshot.historyThrough() < asOf) {
      missing.add("history is complete up to arrival " + time(snapshot.historyThrough()));
    }
    for (CommitResult.Gap gap : snapshot.gaps()) {
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
