package org.flowmon.deploy.archive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.deploy.output.Facts;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.set.LongRanges;

/**
 * How far an answer from archives can be trusted: the times that they hold, what has expired, what
 * was never archived, and whether the flows are sampled. For people and for programs alike.
 */
public final class ArchiveConfidence {
  /**
   * Each is opened for its sampling rate: a lookup in a large archive reads few segments itself.
   */
  private static final int MOST_OPENED = 256;

  private final List<OfArchive> archives = new ArrayList<>();

  /**
   * Of one archive.
   *
   * @param asksExpired whether the answer is also of times whose flows have expired
   * @param sampled segments of the times asked for that have flows with a sampling rate above 1
   * @param rate the largest sampling rate in them
   * @param unread segments of these times that cannot be read, or are beyond the {@value
   *     #MOST_OPENED} newest
   */
  private record OfArchive(
      String name,
      ArchiveSnapshot snapshot,
      boolean asksExpired,
      int sampled,
      long rate,
      int unread) {}

  private ArchiveConfidence() {}

  /** Of an answer about flows that ended at some times, µs. */
  public static ArchiveConfidence of(List<ArchiveSnapshot> snapshots, LongRanges times) {
    return of(snapshots, times, new SamplingRates());
  }

  /** The same with the rates that earlier answers have looked up. */
  public static ArchiveConfidence of(
      List<ArchiveSnapshot> snapshots, LongRanges times, SamplingRates rates) {
    ArchiveConfidence all = new ArchiveConfidence();
    for (ArchiveSnapshot snapshot : snapshots) {
      String name = snapshots.size() == 1 ? "the archive" : snapshot.location().toString();
      all.archives.add(of(name, snapshot, times, rates));
    }
    return all;
  }

  private static OfArchive of(
      String name, ArchiveSnapshot snapshot, LongRanges times, SamplingRates rates) {
    boolean asksExpired =
        snapshot.cutoff() != Long.MIN_VALUE
            && times.intersects(Long.MIN_VALUE, snapshot.cutoff() - 1);
    int sampled = 0;
    long rate = 1;
    List<SealedSegment> asked = asked(snapshot, times);
    int unread = Math.max(0, asked.size() - MOST_OPENED);
    for (SealedSegment segment : asked.subList(unread, asked.size())) {
      try {
        long largest = rates.of(snapshot, segment);
        sampled += largest > 1 ? 1 : 0;
        rate = Math.max(rate, largest);
      } catch (IOException | SegmentCorruptException e) {
        unread++; // the answer did without it
      }
    }
    return new OfArchive(name, snapshot, asksExpired, sampled, rate, unread);
  }

  /** The segments with flows of some times, oldest first. */
  private static List<SealedSegment> asked(ArchiveSnapshot snapshot, LongRanges times) {
    return snapshot.segments().stream()
        .filter(
            segment -> {
              TimeRange ends = segment.endTime();
              return ends.isEmpty() || times.intersects(ends.min(), ends.max());
            })
        .sorted(Comparator.comparingLong(segment -> segment.endTime().max()))
        .toList();
  }

  /** Of the answer to a bound query. */
  public static ArchiveConfidence of(List<ArchiveSnapshot> snapshots, Query query) {
    return of(snapshots, query, new SamplingRates());
  }

  /** The same with the rates that earlier answers have looked up. */
  public static ArchiveConfidence of(
      List<ArchiveSnapshot> snapshots, Query query, SamplingRates rates) {
    LongRanges times = LongRanges.NONE;
    for (var flows : query.overFlows()) {
      LongRanges ends = Constraints.of(flows.where()).longs(FlowColumn.END_TIME);
      times = times.or(ends == null ? LongRanges.ALL : ends);
    }
    return of(snapshots, times, rates);
  }

  /** For people, one a line. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (OfArchive of : archives) {
      ArchiveSnapshot snapshot = of.snapshot();
      lines.add(reach(of));
      lines.addAll(GapText.lines(snapshot));
      if (snapshot.expiredRows() > 0) {
        lines.add(
            String.format(
                "expired: %,d flows are gone%s%s",
                snapshot.expiredRows(),
                snapshot.cutoff() == Long.MIN_VALUE
                    ? ""
                    : ", all from before " + FlowTime.text(snapshot.cutoff()),
                of.asksExpired() ? ": the answer is of earlier times, too, and lacks them" : ""));
      }
      if (of.sampled() > 0) {
        lines.add(
            String.format(
                "sampled: %d of %d segments have flows of which one packet in up to %,d was"
                    + " counted; estimated_bytes and estimated_packets multiply",
                of.sampled(), snapshot.segments().size(), of.rate()));
      }
      if (of.unread() > 0) {
        lines.add("sampled: not known of " + of.unread() + " segments, which were not looked at");
      }
    }
    return lines;
  }

  private static String reach(OfArchive of) {
    ArchiveSnapshot snapshot = of.snapshot();
    return of.name()
        + " holds "
        + Coverage.of(snapshot)
        // Imported files alone cannot show completeness.
        + (snapshot.committedEnds().isEmpty()
            ? ""
            : "; complete up to arrival "
                + known(snapshot.historyThrough(), "(none)")
                + (snapshot.gaps().isEmpty() ? "" : ", but for the gaps named here"));
  }

  /** For programs, with all gaps. */
  public Facts facts() {
    List<Facts> all = new ArrayList<>();
    for (OfArchive of : archives) {
      ArchiveSnapshot snapshot = of.snapshot();
      Facts facts = new Facts();
      facts.value("archive", snapshot.location().toString());
      facts.value("flows", snapshot.rows());
      facts.value(
          "complete_through",
          snapshot.committedEnds().isEmpty()
              ? null
              : FlowTime.textOrNull(snapshot.historyThrough()));
      facts.value("expired_flows", snapshot.expiredRows());
      facts.value("expired_before", FlowTime.textOrNull(snapshot.cutoff()));
      facts.value("asks_expired", of.asksExpired());
      facts.value("late_flows", snapshot.lateRows());
      facts.value("segments", snapshot.segments().size());
      facts.value("sampled_segments", of.sampled());
      facts.value("unread_segments", of.unread());
      facts.value("sampling_rate", of.sampled() == 0 ? null : of.rate());
      Facts.Table holds = facts.table("holds", "from", "through");
      Coverage.of(snapshot)
          .stretches()
          .forEach(range -> holds.row(FlowTime.text(range.min()), FlowTime.text(range.max())));
      Facts.Table gaps =
          facts.table(
              "gaps", "source", "first_offset", "end_offset", "arrival_from", "arrival_through");
      for (CommitResult.Gap gap : snapshot.gaps()) {
        gaps.row(
            gap.sourceKey(),
            gap.firstOffset(),
            gap.endOffset(),
            FlowTime.textOrNull(gap.arrivalFrom()),
            FlowTime.textOrNull(gap.arrivalThrough()));
      }
      all.add(facts);
    }
    Facts facts = new Facts();
    facts.value("archives", all);
    return facts;
  }

  private static String known(long micros, String otherwise) {
    String text = FlowTime.textOrNull(micros);
    return text == null ? otherwise : text;
  }
}
