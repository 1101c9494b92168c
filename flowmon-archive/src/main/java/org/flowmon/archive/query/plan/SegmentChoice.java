package org.flowmon.archive.query.plan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.directory.HostView;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.set.AddressRanges;
import org.flowmon.udaf.set.LongRanges;
import org.jspecify.annotations.Nullable;

/**
 * The segments that may hold a row that satisfies constraints: by the host directory if they bind
 * an address, then by times. None is opened for it.
 *
 * @param segments the caller may sort them
 * @param byDirectory segments that the directory left out
 * @param uncovered segments that it does not cover, 0 if it was not asked
 * @param warnings the problems of the directory
 */
public record SegmentChoice(
    List<SealedSegment> segments, int byDirectory, int uncovered, Set<String> warnings) {

  public static SegmentChoice of(ArchiveSnapshot snapshot, Constraints constraints)
      throws IOException {
    Set<String> warnings = new LinkedHashSet<>();
    List<SealedSegment> all = snapshot.segments();
    List<SealedSegment> chosen = new ArrayList<>();
    if (constraints.isImpossible()) {
      return new SegmentChoice(chosen, 0, 0, warnings);
    }
    if (!bindsAddress(constraints)) {
      for (SealedSegment segment : all) {
        addWhereTimesFit(segment, constraints, chosen);
      }
      return new SegmentChoice(chosen, 0, 0, warnings);
    }
    HostView hosts;
    try {
      hosts = snapshot.hosts();
    } catch (IOException e) {
      // It only leaves segments out: without it all are read.
      warnings.add("the host directory cannot be listed, so every segment is asked: " + e);
      for (SealedSegment segment : all) {
        addWhereTimesFit(segment, constraints, chosen);
      }
      return new SegmentChoice(chosen, 0, all.size(), warnings);
    }
    try {
      // A directory without runs is not asked; its problems are still reported.
      BitSet places = find(hosts, constraints, warnings, all.size());
      for (int i = places.nextSetBit(0); i >= 0; i = places.nextSetBit(i + 1)) {
        addWhereTimesFit(all.get(i), constraints, chosen);
      }
      int left = all.size() - places.cardinality();
      return new SegmentChoice(chosen, left, hosts.uncovered(), warnings);
    } finally {
      hosts.release();
    }
  }

  SegmentChoice and(SegmentChoice other) {
    List<SealedSegment> both = new ArrayList<>(segments);
    both.addAll(other.segments);
    Set<String> said = new LinkedHashSet<>(warnings);
    said.addAll(other.warnings);
    return new SegmentChoice(
        both, byDirectory + other.byDirectory, uncovered + other.uncovered, said);
  }

  private static void addWhereTimesFit(
      SealedSegment segment, Constraints constraints, List<SealedSegment> chosen) {
    if (mayHold(segment, constraints)) {
      chosen.add(segment);
    }
  }

  /** Whether the segment's times, which are known without opening it, are within constraints. */
  public static boolean mayHold(SealedSegment segment, Constraints constraints) {
    if (!overlaps(segment.endTime(), constraints.longs(FlowColumn.END_TIME))
        || !overlaps(segment.startTime(), constraints.longs(FlowColumn.START_TIME))
        || !overlaps(segment.arrival(), constraints.longs(FlowColumn.ARRIVAL))) {
      return false;
    }
    for (List<Constraints> any : constraints.alternatives()) {
      boolean one = false;
      for (int i = 0; i < any.size() && !one; i++) {
        one = mayHold(segment, any.get(i));
      }
      if (!one) {
        return false;
      }
    }
    return true;
  }

  private static boolean overlaps(TimeRange times, @Nullable LongRanges wanted) {
    return wanted == null || wanted.intersects(times.min(), times.max());
  }

  private static boolean bindsAddress(Constraints constraints) {
    return constraints.addresses(FlowColumn.SRC_ADDR) != null
        || constraints.addresses(FlowColumn.DST_ADDR) != null
        || constraints.alternatives().stream()
            .anyMatch(any -> any.stream().allMatch(SegmentChoice::bindsAddress));
  }

  private static BitSet find(
      HostView hosts, Constraints constraints, Set<String> warnings, int all) {
    BitSet places = new BitSet();
    places.set(0, all);
    AddressRanges sources = constraints.addresses(FlowColumn.SRC_ADDR);
    if (sources != null) {
      places.and(hosts.sources(sources, warnings));
    }
    AddressRanges destinations = constraints.addresses(FlowColumn.DST_ADDR);
    if (destinations != null) {
      places.and(hosts.destinations(destinations, warnings));
    }
    for (List<Constraints> any : constraints.alternatives()) {
      if (any.stream().allMatch(SegmentChoice::bindsAddress)) {
        BitSet union = new BitSet();
        for (Constraints one : any) {
          if (!one.isImpossible()) {
            union.or(find(hosts, one, warnings, all));
          }
        }
        places.and(union);
      }
    }
    return places;
  }
}
