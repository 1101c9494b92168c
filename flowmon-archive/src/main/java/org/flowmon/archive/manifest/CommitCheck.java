package org.flowmon.archive.manifest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.CommitRefusedException.Reason;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.OffsetRanges;
import org.flowmon.archive.commit.RowSums;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.SealedSegment;

/** A commit's effect on a state ({@code docs/format/manifest.md}): a repeat, or skipped gaps. */
record CommitCheck(boolean repeat, List<CommitResult.Gap> gaps) {
  private static final CommitCheck REPEAT = new CommitCheck(true, List.of());
  private static final CommitCheck PLAIN = new CommitCheck(false, List.of());

  /** Checks a commit; throws {@link CommitRefusedException} if it neither fits nor is a repeat. */
  static CommitCheck of(ManifestState state, ArchiveCommit commit) {
    CommitCheck check = PLAIN;
    if (!commit.ranges().isEmpty()) {
      check = ranges(state, commit.ranges());
    } else if (commit.file() != null) {
      if (!commit.force()) {
        state.requireNotImported(commit.file());
      }
    } else if (!commit.replaced().isEmpty()) {
      replacement(state, commit);
    } else if (commit.retention() == null
        && commit.retiredSources().stream().allMatch(state::isRetiredOrUnknown)
        && commit.deleted().stream().noneMatch(state.removed()::containsKey)) {
      return REPEAT;
    }
    if (!check.repeat) {
      segments(state, commit.segments());
    }
    return check;
  }

  private static CommitCheck ranges(ManifestState state, List<SourceRange> ranges) {
    SourceRange known = null;
    SourceRange fresh = null;
    for (SourceRange range : ranges) {
      OffsetRanges committed = state.source(range.sourceKey()).committed();
      if (committed.contains(range.firstOffset(), range.endOffset())) {
        known = range;
      } else if (committed.intersects(range.firstOffset(), range.endOffset())) {
        throw new CommitRefusedException(
            Reason.OVERLAP,
            String.format(
                "%s overlaps what is committed of this source, %s, and is not a repeat of it",
                range, committed));
      } else {
        fresh = range;
      }
    }
    if (fresh != null && known != null) {
      throw new CommitRefusedException(
          Reason.OVERLAP,
          String.format(
              "%s is committed already and %s of the same commit is not: their rows lie in the same"
                  + " segments",
              known, fresh));
    }
    return fresh == null ? REPEAT : new CommitCheck(false, gaps(state, ranges));
  }

  private static List<CommitResult.Gap> gaps(ManifestState state, List<SourceRange> ranges) {
    List<SourceRange> sorted = new ArrayList<>(ranges);
    sorted.sort(
        Comparator.comparing(SourceRange::sourceKey).thenComparingLong(SourceRange::firstOffset));
    List<CommitResult.Gap> gaps = new ArrayList<>();
    Map<String, OffsetRanges> all = new HashMap<>();
    SourceRange before = null;
    for (SourceRange range : sorted) {
      String key = range.sourceKey();
      if (before != null
          && before.sourceKey().equals(key)
          && before.endOffset() > range.firstOffset()) {
        throw new CommitRefusedException(
            Reason.OVERLAP, before + " and " + range + " of the same commit overlap");
      }
      before = range;
      OffsetRanges committed = all.computeIfAbsent(key, k -> state.source(k).committed());
      long end = committed.end();
      // Nothing is missing before a source's first range: a source may begin anywhere.
      if (end >= 0 && range.firstOffset() > end) {
        gaps.add(
            CommitResult.Gap.between(
                key, end, range.firstOffset(), committed.maxArrival(), range.firstArrival()));
      }
      all.put(key, committed.with(range));
    }
    return gaps;
  }

  private static void replacement(ManifestState state, ArchiveCommit commit) {
    List<SealedSegment> before = new ArrayList<>();
    for (String id : new TreeSet<>(commit.replaced())) {
      SealedSegment segment = state.segment(id);
      if (segment == null) {
        throw new CommitRefusedException(
            Reason.SEGMENT_GONE,
            "segment " + id + " is to be replaced, but is no longer part of the archive");
      }
      before.add(segment);
    }
    long hidden = commit.replaced().stream().mapToLong(state::firstRow).sum();
    if (commit.dropped().rows() > hidden) {
      throw new CommitRefusedException(
          Reason.ROWS_DIFFER,
          String.format(
              "%s rows were left out, but only %s are hidden of %s",
              commit.dropped().rows(), hidden, commit.replaced()));
    }
    RowSums had = RowSums.of(before);
    RowSums has = RowSums.of(commit.segments()).plus(commit.dropped());
    if (!had.equals(has)) {
      throw new CommitRefusedException(
          Reason.ROWS_DIFFER,
          "segments of " + has + " cannot replace segments of " + had + ": " + commit.replaced());
    }
  }

  private static void segments(ManifestState state, List<SealedSegment> segments) {
    Set<String> ids = new HashSet<>();
    for (SealedSegment segment : segments) {
      if (state.knows(segment.id()) || !ids.add(segment.id())) {
        throw new CommitRefusedException(
            Reason.SEGMENT_KNOWN,
            "segment " + segment.id() + " is committed already, with other positions");
      }
    }
  }
}
