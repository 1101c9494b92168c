package org.flowmon.jobs.sink.archive;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.CommitResult;

/**
 * Each source's positions in an archive, copied: a snapshot held as long as the job would keep
 * every file that is merged or expires meanwhile.
 */
final class ArchivedPositions {
  private static final Source UNKNOWN = new Source(-1, -1, List.of(), false);

  /** From {@code first} to after the last ({@code end}) committed position, −1 if none is. */
  record Source(long first, long end, List<CommitResult.Gap> gaps, boolean ended) {}

  private final Map<String, Source> sources = new HashMap<>();

  ArchivedPositions(ArchiveSnapshot archived) {
    Map<String, List<CommitResult.Gap>> gaps = new HashMap<>();
    for (CommitResult.Gap gap : archived.gaps()) {
      gaps.computeIfAbsent(gap.sourceKey(), key -> new ArrayList<>()).add(gap);
    }
    for (String key : archived.committedEnds().keySet()) {
      sources.put(
          key,
          new Source(
              archived.committedFirst(key),
              archived.committedEnd(key),
              List.copyOf(gaps.getOrDefault(key, List.of())),
              // Only ended sources reach the end of time.
              archived.reaches(List.of(key), Long.MAX_VALUE)));
    }
  }

  Source of(String sourceKey) {
    return sources.getOrDefault(sourceKey, UNKNOWN);
  }
}
