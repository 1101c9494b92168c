package org.flowmon.archive.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.directory.HostView;
import org.flowmon.archive.manifest.HistoryReach;
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
  private final List<ArchiveSnapshot> snapshots;
  private final HistoryReach reach;
  private final long asOf;
  private final Set<String> warnings = new LinkedHashSet<>();
  private int segmentsRead;

  private SeenHosts(List<ArchiveSnapshot> snapshots, long asOf) {
    ArchivesSnapshot.requireDifferent(snapshots);
    this.snapshots = snapshots;
    this.reach = ArchivesSnapshot.reachOf(snapshots);
    this.asOf = asOf;
  }

  /**
   * Finds the last flow of each address in different archives, at least one, read as one.
   *
   * @param from start of the time (µs) in which an address counts as seen: history must reach back
   *     to it
   * @param asOfArrival later arrivals (µs) are not read, {@link Long#MAX_VALUE} for all
   * @throws org.flowmon.archive.region.SegmentCorruptException if a needed segment is damaged
   */
  public static SeenAnswer ask(
      List<ArchiveSnapshot> snapshots, List<IpAddress> addresses, long from, long asOfArrival)
      throws IOException {
    return new SeenHosts(snapshots, asOfArrival).ask(addresses, from);
  }

  private SeenAnswer ask(List<IpAddress> addresses, long from) throws IOException {
    long[] last = new long[addresses.size()];
    Arrays.fill(last, LastSeen.NEVER);
    for (ArchiveSnapshot snapshot : snapshots) {
      HostView view = snapshot.hosts();
      try {
        for (int i = 0; i < last.length; i++) {
          last[i] = Math.max(last[i], last(snapshot, view, addresses.get(i), last[i]));
        }
      } finally {
        view.release();
      }
    }
    List<LastSeen> hosts = new ArrayList<>();
    for (int i = 0; i < last.length; i++) {
      hosts.add(new LastSeen(addresses.get(i), last[i]));
    }
    return new SeenAnswer(
        hosts,
        from,
        asOf,
        reach.historyFrom(),
        reach.historyThrough(),
        missing(from),
        snapshots.stream().mapToInt(snapshot -> snapshot.segments().size()).sum(),
        segmentsRead,
        List.copyOf(warnings));
  }

  /** {@code known}: the last time in another archive. */
  private long last(ArchiveSnapshot snapshot, HostView view, IpAddress address, long known)
      throws IOException {
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
      if (last != LastSeen.NEVER && segment.timeKey().max() <= last) {
        break;
      }
      if (segment.arrival().min() > asOf) {
        continue;
      }
      segmentsRead++;
      try (SegmentLease lease = snapshot.open(segment, true)) {
        last = Math.max(last, new LastRow(lease, asOf, warnings).timeKeyOf(address));
      }
    }
    return last;
  }

  private List<String> missing(long from) {
    List<String> missing = new ArrayList<>();
    if (reach.historyFrom() == Long.MAX_VALUE) {
      missing.add(snapshots.size() == 1 ? "the archive is empty" : "the archives are empty");
      return missing;
    }
    if (reach.historyFrom() > from) {
      missing.add("history begins at " + time(reach.historyFrom()));
    }
    if (reach.cutoff() > from) {
      missing.add("flows before " + time(reach.cutoff()) + " have expired");
    }
    if (asOf != Long.MAX_VALUE && reach.historyThrough() < asOf) {
      missing.add("history is complete up to arrival " + time(reach.historyThrough()));
    }
    for (CommitResult.Gap gap : reach.gaps()) {
      if (gap.arrivalThrough() >= from && gap.arrivalFrom() <= asOf) {
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
